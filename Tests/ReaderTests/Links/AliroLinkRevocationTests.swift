// SPDX-License-Identifier: Apache-2.0

import Contactless
import Credentials
import Crypto
import Peripheral
import TestSupport
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// Revocations that phones bring over Bluetooth LE and by touch, and phones whose reader is replaced.
@Suite struct AliroLinkRevocationTests {
    /// Another phone of the group.
    private static func other() throws -> AliroPhone {
        try AliroPhone(
            scalar: [UInt8](repeating: 5, count: 32), trusting: [UInt8](AliroBench.key(7).publicPoint.octets))
    }

    /// A phone that touches, until the reader transmits no more, at most `count` responses.
    private static func touch(_ bench: inout LinkBench, _ phone: inout AliroPhone, count: Int = 50) {
        phone.activate()
        bench.reader.cardEntered(random: &bench.random, at: bench.moment)
        for _ in 0..<count {
            guard case .transmit(let command) = bench.reader.nextCardAction() else { return }
            let response = phone.respond(to: command)
            bench.reader.receive(cardResponse: response.span, random: &bench.random, at: bench.moment)
        }
    }

    @Test("Kept from a phone that asks for nothing, and then leaves or is silent", arguments: [true, false])
    func courierThatAsksForNothing(leaves: Bool) throws {
        var visit = try AliroVisit()
        let target = try Self.other()
        try visit.revoke([target.point])
        let link = visit.connect()
        visit.complete(link)
        let effects = visit.bench.takeEffects()
        #expect(visit.revokes(target) && effects.keepsAliro)
        if leaves {
            visit.bench.event(.disconnected(link, reason: .remoteUserTerminated))
        } else {
            visit.bench.pass(.seconds(5))
        }
        #expect(visit.revokes(target) && visit.bench.opened == false)
        #expect(visit.bench.reader.aliro?.store.persistentPoints == [])
    }

    @Test("Kept from a phone that it revokes, and written once, however often it comes")
    func revokedCourier() throws {
        var visit = try AliroVisit()
        let target = try Self.other()
        try visit.revoke([target.point, visit.phone.phone.point])
        for number in UInt32(0)..<3 {
            let link = visit.connect(number)
            visit.complete(link)
            let effects = visit.bench.takeEffects()
            #expect(effects.refusals == [.revoked] && effects.keepsAliro == (number == 0))
            #expect(visit.revokes(target) && visit.phone.notified == [AliroVisit.failure])
            visit.bench.event(.disconnected(link, reason: .remoteUserTerminated))
        }
        #expect(visit.bench.opened == false)
    }

    @Test("By touch alike: kept from a phone that it revokes, and written once")
    func revokedCourierByTouch() throws {
        var phone = try AliroBench.phone()
        let target = try Self.other()
        var bench = try AliroBench([AliroBench.listed(phone)])
        try AliroVisit.revoke([target.point, phone.point], by: bench.issuer, in: &phone)
        phone.signals = 0b110
        for number in 0..<3 {
            _ = try bench.touch(&phone)
            bench.leave()
            let effects = bench.takeEffects()
            #expect(effects.refusals == [.revoked] && effects.keepsAliro == (number == 0))
            #expect(bench.store?.revokes(target.point) == true)
        }
    }

    /// The phone has proven its key before it was revoked, and asks after it.
    @Test func phoneThatIsRevokedMeanwhileIsRefused() throws {
        var visit = try AliroVisit { $0.cards.kinds = [.aliro] }
        var courier = try Self.other()
        visit.bench.reader.cardList = CardList([
            AliroBench.listed(visit.phone.phone), AliroBench.listed(courier, "PHONE00002"),
        ])
        let link = visit.connect()
        visit.complete(link)
        try AliroVisit.revoke([visit.phone.phone.point], by: visit.issuer, in: &courier)
        courier.signals = 0b110
        Self.touch(&visit.bench, &courier)
        #expect(visit.bench.takeEffects().outcomes == [.granted(.defaultTime)])
        #expect(visit.revokes(visit.phone.phone) == true)
        visit.request(link)
        let effects = visit.bench.takeEffects()
        #expect(effects.refusals == [.revoked] && effects.outcomes == [] && !effects.opensLock)
        #expect(visit.phone.notified.last == AliroVisit.failure)
        #expect(visit.bench.reader.aliro?.store.persistentPoints == [courier.point])
    }

    /// While a phone is in the field, whose transaction has a copy of the keys, only keys wait for its end; the
    /// reader's replacement does not lose the revocation.
    @Test("In force while another phone is in the field", arguments: [true, false])
    func duringATouch(isReplaced: Bool) throws {
        var visit = try AliroVisit { $0.cards.kinds = [.aliro] }
        let target = try Self.other()
        var standing = try AliroBench.phone()
        try visit.revoke([target.point])
        Self.touch(&visit.bench, &standing, count: 1)
        let link = visit.connect()
        visit.complete(link)
        let isInForce = visit.revokes(target)
        let effects = visit.bench.takeEffects()
        #expect(isInForce && effects.keepsAliro)
        if isReplaced {
            // As Matter changes its keys.
            visit.bench.reader.endAliroTransactions()
            visit.bench.reader.aliro = visit.bench.reader.aliro
        } else {
            visit.bench.reader.cardLeft()
        }
        let isStillInForce = visit.revokes(target)
        #expect(isStillInForce)
    }

    // MARK: Replacement of the reader

    @Test("A link whose reader is replaced ends at once, for no fault of its phone's", arguments: [true, false])
    func replacedReaderEndsTheLink(isMeasured: Bool) throws {
        var visit = try AliroVisit()
        let link = visit.connect(dBm: isMeasured ? -45 : nil)
        if isMeasured { visit.complete(link) }
        #expect(visit.bench.reader.links.served == 1)
        _ = visit.bench.takeEffects()
        visit.bench.reader.aliro = visit.bench.reader.aliro
        #expect(visit.bench.reader.nextDeadline == .origin)
        visit.bench.pass(.zero)
        if isMeasured {
            // An error is the phone's last message, which has time to leave.
            visit.goOn(link)
            #expect(visit.phone.notified.last == AliroVisit.failure && visit.bench.reader.links.served == 1)
            visit.bench.pass(visit.bench.reader.configuration.linkTimes.pause)
        }
        #expect(visit.bench.port.requests.contains(.disconnect(link, .refused)))
        #expect(visit.bench.reader.links.served == 0)
        let notices = visit.bench.takeEffects().filter {
            if case .notice(.refused(.link(link), .outdated)) = $0 { true } else { false }
        }
        #expect(notices.count == 1 && !Refusal.outdated.countsAgainstAddress)
        // A message that was on its way has no effect.
        visit.request(link)
        #expect(visit.takeUnits() == [] && visit.bench.opened == false)
        // The phone may come back at once.
        visit.bench.event(.disconnected(link, reason: .localHostTerminated))
        let second = visit.connect(1)
        visit.complete(second)
        visit.request(second)
        #expect(visit.bench.opened == true)
    }

    /// The host has no room for the refusal, or has only just accepted it: the controller may still have it.
    @Test("A refused phone gets its last message from a reader that is replaced", arguments: [true, false])
    func replacedReaderKeepsTheLastMessage(isBusy: Bool) throws {
        var visit = try AliroVisit()
        let link = visit.connect()
        visit.complete(link)
        visit.bench.reader.lockdown(true, at: visit.bench.moment)
        _ = visit.bench.takeEffects()
        visit.bench.port.isBusy = isBusy
        visit.send(visit.phone.sealed([0x02, 0x04], AliroLinkPhone.unlock) ?? [], link)
        #expect(visit.bench.takeEffects().outcomes == [.denied(.lockdown)])
        #expect(visit.bench.port.units.isEmpty == isBusy)
        visit.bench.reader.aliro = nil
        visit.bench.pass(.zero)
        #expect(!visit.bench.port.requests.contains(.disconnect(link, .refused)))
        visit.bench.port.isBusy = false
        visit.bench.event(.writable(link))
        visit.goOn(link)
        #expect(visit.phone.notified.last == AliroVisit.failure)
        visit.bench.pass(visit.bench.reader.configuration.linkTimes.pause)
        #expect(visit.bench.port.requests.contains(.disconnect(link, .refused)) && visit.bench.opened == false)
    }

    @Test func linksOfOtherKindsGoOn() throws {
        var visit = try AliroVisit()
        let link = visit.bench.connect(set: LinkBench.access)
        visit.bench.reader.aliro = nil
        visit.bench.pass(.zero)
        #expect(visit.bench.reader.links.served == 1)
        #expect(!visit.bench.port.requests.contains(.disconnect(link, .refused)))
    }
}
