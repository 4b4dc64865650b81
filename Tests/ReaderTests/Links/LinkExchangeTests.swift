// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import Crypto
import Peripheral
import Proximity
import TestSupport
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// Phones with PKOC credentials over Bluetooth LE: gate, slots and time limits are those of the access profile, and a
/// proven identity is decided, recorded and carried out as that of a card.
@Suite struct LinkExchangeTests {
    private static let (granted, denied) = ([0x04, 0x01, 0x03] as [UInt8], [0x04, 0x01, 0x02] as [UInt8])

    private static func listed(
        _ phone: ModelLinkPhone, _ change: (inout ListedCard) throws -> Void = { _ in }
    ) rethrows -> ListedCard {
        var listed = ListedCard(phone.evidence, credentialID("CARD000001"))
        try change(&listed)
        return listed
    }

    private static func audited(_ configuration: inout AccessConfiguration) { configuration.isAudited = true }

    @Test func nearListedPhoneOpens() throws {
        let phone = try ModelLinkPhone(1)
        var bench = try LinkBench([Self.listed(phone)])
        let link = bench.connect()
        #expect(try bench.show(phone, on: link) == [Self.granted])
        #expect(bench.opened == true)
        let effects = bench.takeEffects()
        #expect(effects.decisions.map(\.outcome) == [.granted(.defaultTime)])
        #expect(effects.decisions.first?.kind == .pkoc)
    }

    /// A certificate does not come over Bluetooth LE.
    @Test func trustedIssuersAreNotBypassed() throws {
        let phone = try ModelLinkPhone(1)
        let key = try P256PublicKey(point: phone.evidence.identity.span)
        let issuer = try #require(PKOCIssuer("ABCDEFGHIJ012345", key: key))
        var bench = try LinkBench([Self.listed(phone)]) { $0.cards.pkocIssuers = [issuer] }
        let link = bench.connect()
        #expect(try bench.show(phone, on: link) == [])
        #expect(bench.opened == false)
    }

    @Test(arguments: [20, 79, 244]) func nearListedPhoneOpensByFragments(_ part: Int) throws {
        let phone = try ModelLinkPhone(1)
        var bench = try LinkBench([Self.listed(phone)]) { $0.cards.hasPKOCFragments = true }
        let link = bench.connect()
        bench.subscribe(link)
        let hello = try #require(bench.takeMessages().first)
        #expect(hello.count == 79 && hello[0] == 2)
        let message = try phone.credential(Array(hello[1...]))
        for start in stride(from: 0, to: message.count, by: part) {
            let end = min(start + part, message.count)
            bench.write(link, [end == message.count ? 2 : start == 0 ? 0 : 1] + message[start..<end])
        }
        #expect(bench.takeMessages() == [[2] + Self.granted])
        #expect(bench.opened == true)
    }

    @Test func fragmentsThatNeverEndAreRefusedAndCount() throws {
        var bench = try LinkBench { $0.cards.hasPKOCFragments = true }
        let link = bench.connect()
        bench.subscribe(link)
        _ = bench.takeMessages()
        for part in 0..<9 { bench.write(link, [part == 0 ? 0 : 1] + [UInt8](repeating: 1, count: 20)) }
        #expect(bench.takeMessages() == [[2, 0x04, 0x01, 0x05]])
        #expect(bench.takeEffects().refusals == [.tooLong])
    }

    // MARK: The gate

    @Test func phoneInTheDistanceGetsNoMessage() throws {
        let phone = try ModelLinkPhone(1)
        var bench = try LinkBench([Self.listed(phone)])
        let link = bench.connect(dBm: -70)
        bench.subscribe(link)
        #expect(bench.takeMessages() == [])
        bench.pass(.milliseconds(400))
        #expect(bench.port.requests.contains(.disconnect(link, .refused)))
        bench.subscribe(link)
        #expect(bench.takeMessages() == [])
    }

    @Test func firstMessageFollowsTheGate() throws {
        let phone = try ModelLinkPhone(1)
        var bench = try LinkBench([Self.listed(phone)])
        let link = bench.connect(dBm: nil)
        bench.subscribe(link)
        #expect(bench.takeMessages() == [])
        // Nothing that is written before counts.
        bench.write(link, [1, 2, 3])
        bench.measure(link, -45)
        let hello = try #require(bench.takeMessages().first)
        bench.write(link, try phone.credential(hello))
        #expect(bench.takeMessages() == [Self.granted])
    }

    /// A link of another mode, with a wider gate or none, is no way around.
    @Test(arguments: [LinkBench.access, LinkBench.open])
    func linkOfAnotherModeIsNotServed(_ set: UInt8) throws {
        let phone = try ModelLinkPhone(1)
        var bench = try LinkBench([Self.listed(phone)])
        let link = bench.connect(set: set)
        #expect(try bench.show(phone, on: link) == [])
        #expect(bench.opened == false)
    }

    /// The strictest gate holds for a link whose set is not known.
    @Test func linkOfAnUnknownSetIsServedBehindTheStrictestGate() throws {
        let phone = try ModelLinkPhone(1)
        var bench = try LinkBench([Self.listed(phone)]) { $0.modes[1].gate?.threshold = -40 }
        let far = bench.connect(set: nil, dBm: -45)
        #expect(try bench.show(phone, on: far) == [])
        let near = bench.connect(1, set: nil, dBm: -35)
        #expect(try bench.show(phone, on: near) == [Self.granted])
    }

    @Test func modeWithoutAGateServesNone() throws {
        let phone = try ModelLinkPhone(1)
        var bench = try LinkBench([Self.listed(phone)]) { $0.modes[0].gate = nil }
        let link = bench.connect()
        #expect(try bench.show(phone, on: link) == [])
        #expect(bench.opened == false)
    }

    @Test func surveyedLinkIsNotServed() throws {
        let phone = try ModelLinkPhone(1)
        var bench = try LinkBench([Self.listed(phone)])
        bench.reader.survey(until: bench.now + .seconds(60))
        let link = bench.connect()
        #expect(try bench.show(phone, on: link) == [])
    }

    /// A phone of the access profile has no session on a link of PKOC's mode, whose gate is another one.
    @Test func accessProfileIsNotServedOnALinkOfPKOC() throws {
        var bench = try LinkBench()
        let link = bench.connect()
        bench.port.eventOctets = [UInt8](repeating: 0xFF, count: 8)
        bench.event(.written(link, bench.table.services[0].rx, value: 0..<8))
        #expect(bench.takeEffects().allSatisfy { if case .notice(.messageRefused) = $0 { false } else { true } })
    }

    // MARK: Conversations

    @Test func messageWaitsForALargerMTU() throws {
        var bench = try LinkBench()
        bench.port.mtu = 23
        let link = bench.connect()
        bench.subscribe(link)
        #expect(bench.takeMessages() == [])
        bench.port.mtu = 80
        bench.event(.mtuExchanged(link, 80))
        #expect(bench.takeMessages() == [])
        bench.port.mtu = 81
        bench.event(.mtuExchanged(link, 81))
        #expect(bench.takeMessages().map(\.count) == [78])
    }

    @Test func busyHostGetsTheMessageLater() throws {
        let phone = try ModelLinkPhone(1)
        var bench = try LinkBench([Self.listed(phone)])
        bench.port.outcomes = [.busy]
        let link = bench.connect()
        bench.subscribe(link)
        #expect(bench.takeMessages() == [])
        // Before it has left, nothing is a response to it.
        bench.write(link, [UInt8](repeating: 1, count: 40))
        bench.event(.writable(link))
        let hello = try #require(bench.takeMessages().first)
        bench.write(link, try phone.credential(hello))
        #expect(bench.takeMessages() == [Self.granted])
    }

    /// One transaction on each link: neither a second subscription nor a further message begins another.
    @Test func thereIsOneTransactionOnALink() throws {
        let phone = try ModelLinkPhone(1)
        var bench = try LinkBench([Self.listed(phone)])
        let link = bench.connect()
        bench.subscribe(link)
        let hello = try #require(bench.takeMessages().first)
        bench.subscribe(link)
        #expect(bench.takeMessages() == [])
        bench.write(link, [0x01])
        #expect(bench.takeMessages() == [[0x04, 0x01, 0x05]])
        bench.subscribe(link)
        bench.write(link, try phone.credential(hello))
        #expect(bench.takeMessages() == [])
        #expect(bench.opened == false)
        #expect(bench.takeEffects().refusals == [.malformed])
    }

    /// A recorded credential is worthless on the next link.
    @Test func replayIsRefused() throws {
        let phone = try ModelLinkPhone(1)
        var bench = try LinkBench([Self.listed(phone)]) { $0.reArm = .zero }
        let first = bench.connect()
        bench.subscribe(first)
        let recorded = try phone.credential(try #require(bench.takeMessages().first))
        bench.event(.disconnected(first, reason: .remoteUserTerminated))
        let second = bench.connect(1)
        bench.subscribe(second)
        _ = bench.takeMessages()
        bench.write(second, recorded)
        #expect(bench.takeMessages() == [[0x04, 0x01, 0x06]])
        #expect(bench.opened == false)
        #expect(bench.takeEffects().refusals == [.proof])
    }

    /// A client that subscribes and is silent loses its link in the time of any other.
    @Test func silentClientLosesItsLink() throws {
        var bench = try LinkBench()
        let link = bench.connect()
        bench.subscribe(link)
        bench.pass(.milliseconds(2999))
        #expect(!bench.port.requests.contains(.disconnect(link, .refused)))
        bench.pass(.milliseconds(1))
        #expect(bench.port.requests.contains(.disconnect(link, .refused)))
        let notices = bench.takeEffects()
        #expect(notices.contains(.notice(.refused(.link(link), .idle))))
    }

    /// A message after the end of the link's time, as from a stopped process, opens nothing.
    @Test func lateCredentialIsNotServed() throws {
        let phone = try ModelLinkPhone(1)
        var bench = try LinkBench([Self.listed(phone)])
        let link = bench.connect()
        bench.subscribe(link)
        let hello = try #require(bench.takeMessages().first)
        bench.now = bench.now + .seconds(4)
        bench.write(link, try phone.credential(hello))
        #expect(bench.takeMessages() == [])
        #expect(bench.opened == false)
    }

    /// Repeated refusals count against the address, as for phones of the access profile.
    @Test func refusedClientBacksOff() throws {
        var bench = try LinkBench { $0.maximumLinks = 1 }
        for number in 0..<3 as Range<UInt32> {
            let link = bench.connect(number)
            bench.subscribe(link)
            bench.write(link, [0xFF])
            bench.event(.disconnected(link, reason: .remoteUserTerminated))
        }
        bench.reader.effects = []
        let link = bench.connect(3)
        #expect(bench.takeEffects().contains(.notice(.refused(.link(link), .backingOff))))
    }

    // MARK: Decisions

    @Test func unlistedPhoneIsRefusedAndRecorded() throws {
        let phone = try ModelLinkPhone(2)
        var bench = try LinkBench([], Self.audited)
        let link = bench.connect()
        #expect(try bench.show(phone, on: link) == [Self.denied])
        let effects = bench.takeEffects()
        #expect(effects.decisions.map(\.outcome) == [.denied(.notListed)])
        let record = try #require(effects.records.first)
        #expect(record.kind == .unlisted && record.channel == .bluetooth && record.mode == .pkoc)
        #expect(record.dBm == -45 && record.detail == "pkoc \(phone.evidence.label)")
    }

    @Test func forgedSignatureIsRecordedAndCounts() throws {
        let (phone, thief) = (try ModelLinkPhone(1), try ModelLinkPhone(2))
        var bench = try LinkBench([Self.listed(phone)], Self.audited)
        let link = bench.connect()
        bench.subscribe(link)
        let hello = try #require(bench.takeMessages().first)
        var forged = try thief.credential(hello)
        forged.replaceSubrange(2..<67, with: phone.identity)
        bench.write(link, forged)
        #expect(bench.takeMessages() == [[0x04, 0x01, 0x06]])
        let records = bench.takeEffects().records
        #expect(records.map(\.kind) == [.unproven] && records.map(\.credential) == [""])
        #expect(records.map(\.detail) == ["pkoc invalid-proof"])
    }

    @Test func revokedPhoneIsRefused() throws {
        let phone = try ModelLinkPhone(1)
        var bench = try LinkBench([Self.listed(phone)])
        #expect(
            bench.reader.blacklist.insert(
                Blacklist.Entry(credentialID: credentialID("CARD000001"), expiresAt: nil), at: nil) == .inserted)
        let link = bench.connect()
        #expect(try bench.show(phone, on: link) == [Self.denied])
        #expect(bench.takeEffects().decisions.map(\.outcome) == [.denied(.blacklisted)])
    }

    @Test func lockdownRefuses() throws {
        let phone = try ModelLinkPhone(1)
        var bench = try LinkBench([Self.listed(phone)])
        bench.reader.lockdown(true, at: bench.moment)
        let link = bench.connect()
        #expect(try bench.show(phone, on: link) == [Self.denied])
        #expect(bench.opened == false)
    }

    /// Fire has released the door; the identity is decided as ever, and changes nothing.
    @Test(arguments: [true, false]) func fireKeepsTheDoorReleased(_ isListed: Bool) throws {
        let phone = try ModelLinkPhone(1)
        var bench = try LinkBench(isListed ? [Self.listed(phone)] : [])
        bench.reader.doorLine(.fire, isActive: true, since: bench.now, at: bench.moment)
        let link = bench.connect()
        #expect(try bench.show(phone, on: link) == [isListed ? Self.granted : Self.denied])
        #expect(bench.takeEffects().decisions.map(\.isGranted) == [isListed])
        #expect(bench.reader.doorStatus.isFire && bench.reader.doorStatus.isUnlocked == true)
        bench.pass(.seconds(60))
        #expect(bench.reader.doorStatus.isUnlocked == true)
    }

    /// In a fire a panel that decides gets the card as ever.
    @Test func fireWithAPanelHandsTheCardOn() throws {
        let phone = try ModelLinkPhone(1)
        var bench = try LinkBench([Self.listed(phone)])
        bench.reader.grantRoute = .panel
        bench.reader.doorLine(.fire, isActive: true, since: bench.now, at: bench.moment)
        let link = bench.connect()
        #expect(try bench.show(phone, on: link) == [[0x04, 0x01, 0x01]])
        #expect(bench.takeEffects().handedOn == [ShownCredential("CARD000001", card: phone.evidence)])
        #expect(bench.reader.doorStatus.isUnlocked == true)
    }

    /// Lockdown refuses in a fire, too, and the door stays released.
    @Test func lockdownInAFireRefusesAndKeepsTheDoorReleased() throws {
        let phone = try ModelLinkPhone(1)
        var bench = try LinkBench([Self.listed(phone)])
        bench.reader.lockdown(true, at: bench.moment)
        bench.reader.doorLine(.fire, isActive: true, since: bench.now, at: bench.moment)
        let link = bench.connect()
        #expect(try bench.show(phone, on: link) == [Self.denied])
        #expect(bench.takeEffects().decisions.map(\.outcome) == [.denied(.lockdown)])
        #expect(bench.reader.doorStatus.isUnlocked == true)
    }

    @Test func unknownPolicyAndMissingListRefuse() throws {
        let phone = try ModelLinkPhone(1)
        var bench = try LinkBench([Self.listed(phone)])
        bench.reader.awaitRestoration()
        let link = bench.connect()
        #expect(try bench.show(phone, on: link) == [Self.denied])
        #expect(bench.takeEffects().refusals == [.unavailable])
        var other = try LinkBench()
        other.reader.cardList = nil
        let second = other.connect()
        #expect(try other.show(phone, on: second) == [Self.denied])
        #expect(other.takeEffects().refusals == [.unavailable])
    }

    /// While the policy is loaded the identity waits, and is decided once it is known.
    @Test func identityWaitsForThePolicy() throws {
        let phone = try ModelLinkPhone(1)
        var bench = try LinkBench([Self.listed(phone)])
        bench.reader.holdRequests()
        let link = bench.connect()
        #expect(try bench.show(phone, on: link) == [])
        #expect(bench.opened == false)
        _ = bench.reader.restore([], at: bench.moment)
        bench.reader.resumeRequests(port: &bench.port, random: &bench.random, at: bench.moment)
        #expect(bench.takeMessages() == [Self.granted])
    }

    @Test func grantWaitsForItsRecord() throws {
        let phone = try ModelLinkPhone(1)
        var bench = try LinkBench([Self.listed(phone)], Self.audited)
        let link = bench.connect()
        #expect(try bench.show(phone, on: link) == [])
        #expect(bench.opened == false)
        let waiting = try #require(bench.reader.openRequests.first)
        #expect(waiting.event.kind == .granted && waiting.event.credential == "CARD000001")
        #expect(waiting.event.channel == .bluetooth && waiting.event.mode == .pkoc)
        // A further message is dropped, and the decision stands.
        bench.write(link, [0xFF])
        bench.reader.decideOpening(waiting.token, .ok, port: &bench.port, at: bench.moment)
        #expect(bench.opened == true)
        #expect(bench.takeMessages() == [Self.granted])
    }

    @Test(arguments: [StatusCode.storageFull, .unavailable]) func grantWithoutRecordIsRefused(
        _ status: StatusCode
    ) throws {
        let phone = try ModelLinkPhone(1)
        var bench = try LinkBench([Self.listed(phone)], Self.audited)
        let link = bench.connect()
        _ = try bench.show(phone, on: link)
        let token = try #require(bench.reader.openRequests.first?.token)
        bench.reader.decideOpening(token, status, port: &bench.port, at: bench.moment)
        #expect(bench.takeMessages() == [Self.denied])
        #expect(bench.opened == false)
    }

    /// The person stands at the door: the grant of a phone that has left meanwhile is carried out, and not sent.
    @Test func grantOfPhoneThatHasLeftIsCarriedOut() throws {
        let phone = try ModelLinkPhone(1)
        var bench = try LinkBench([Self.listed(phone)], Self.audited)
        let link = bench.connect()
        _ = try bench.show(phone, on: link)
        bench.event(.disconnected(link, reason: .remoteUserTerminated))
        let token = try #require(bench.reader.openRequests.first?.token)
        bench.reader.decideOpening(token, .ok, port: &bench.port, at: bench.moment)
        #expect(bench.opened == true)
        #expect(bench.takeMessages() == [])
        #expect(bench.takeEffects().decisions.map(\.isGranted) == [true])
    }

    @Test func secondVisitInTheReArmTimeMovesNothing() throws {
        let phone = try ModelLinkPhone(1)
        var bench = try LinkBench([Self.listed(phone)])
        let first = bench.connect()
        _ = try bench.show(phone, on: first)
        bench.event(.disconnected(first, reason: .remoteUserTerminated))
        _ = bench.takeEffects()
        let second = bench.connect(1)
        #expect(try bench.show(phone, on: second) == [Self.granted])
        let effects = bench.takeEffects()
        #expect(!effects.opensLock)
        #expect(effects.contains(.notice(.repeated(.link(second), credential: "CARD000001"))))
    }

    @Test func panelThatDecidesGetsTheCard() throws {
        let phone = try ModelLinkPhone(1)
        var bench = try LinkBench([Self.listed(phone)])
        bench.reader.grantRoute = .panel
        let link = bench.connect()
        // Completed: the panel may open the door, or not.
        #expect(try bench.show(phone, on: link) == [[0x04, 0x01, 0x01]])
        let effects = bench.takeEffects()
        #expect(effects.handedOn == [ShownCredential("CARD000001", card: phone.evidence)])
        #expect(!effects.opensLock)
    }

    /// The attempts that lock phones out are those of all kinds.
    @Test func lockoutRefuses() throws {
        let phone = try ModelLinkPhone(1)
        var bench = try LinkBench([Self.listed(phone)]) { $0.maximumLinks = 10 }
        var door = DoorConfiguration()
        door.lockout.attempts = 1
        bench.reader.reconfigure(bench.reader.configuration, door: door)
        let thief = bench.connect()
        #expect(try bench.show(ModelLinkPhone(2), on: thief) == [Self.denied])
        let link = bench.connect(1, phone: 101)
        #expect(try bench.show(phone, on: link) == [Self.denied])
        #expect(bench.opened == false)
    }
}
