// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Contactless
import Credentials
import Crypto
import Peripheral
import Proximity
import TestSupport
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// Aliro over Bluetooth LE at the door: the gate, slots and time limits are those of all links, and the decision is
/// that of a phone over NFC.
@Suite struct AliroLinkServiceTests {
    /// AP completed, and the door's state: secured, then unlocked by this phone.
    private static let completed: [UInt8] = [0x02, 0x03, 0x00, 0x04, 0x00, 0x02, 0x40, 0x00]
    private static let unlocked: [UInt8] = [0x02, 0x02, 0x00, 0x04, 0x00, 0x02, 0x06, 0x01]
    private static let failure = AliroVisit.failure

    @Test func tableHasTheService() throws {
        let visit = try AliroVisit()
        #expect(visit.bench.table.channels.map(\.spsm) == [0x0080])
    }

    @Test func listedPhoneOpensByItsRequest() throws {
        var visit = try AliroVisit()
        let link = visit.connect()
        visit.complete(link)
        #expect(visit.phone.notified == [Self.completed])
        // Being near and authenticated opens nothing.
        visit.bench.pass(.seconds(1))
        #expect(visit.bench.opened == false)
        visit.request(link)
        #expect(visit.phone.notified.last == Self.unlocked)
        #expect(visit.bench.opened == true)
        let effects = visit.bench.takeEffects()
        #expect(effects.outcomes == [.granted(.defaultTime)])
        #expect(effects.decisions.first?.credentialID?.text == "PHONE00001")
        #expect(effects.decisions.first?.kind == .aliro)
        #expect(effects.keepsAliro && visit.bench.reader.aliro?.store.persistentPoints == [visit.phone.phone.point])
        // The door locks itself.
        #expect(visit.phone.phone.tap.findings == [])
    }

    @Test func decisionWaitsForItsRecord() throws {
        var visit = try AliroVisit { $0.isAudited = true }
        let link = visit.connect()
        visit.complete(link)
        visit.request(link)
        #expect(visit.phone.notified == [Self.completed] && visit.bench.opened == false)
        #expect(visit.bench.reader.ledger.hasOpenings)
    }

    @Test func unlistedPhoneIsRefusedAsAStranger() throws {
        var visit = try AliroVisit(isListed: false) { $0.isAudited = true }
        let link = visit.connect()
        visit.complete(link)
        #expect(visit.phone.notified == [Self.failure])
        #expect(visit.bench.opened == false)
        #expect(visit.bench.takeEffects().refusals == [.unknown])
        visit.bench.pass(.milliseconds(500))
        #expect(visit.bench.port.requests.contains(.disconnect(link, .refused)))
    }

    /// A phone that is revoked or locked out after the phone was authenticated is refused at the request.
    @Test func decisionIsThatOfTheRequest() throws {
        var visit = try AliroVisit()
        let link = visit.connect()
        visit.complete(link)
        visit.bench.reader.lockdown(true, at: visit.bench.moment)
        visit.request(link)
        #expect(visit.phone.notified.last == Self.failure && visit.bench.opened == false)
        #expect(visit.bench.takeEffects().outcomes == [.denied(.lockdown)])
        #expect(visit.bench.reader.aliro?.store.persistentPoints == [])
    }

    @Test func phoneThatIsRemovedMeanwhileIsRefused() throws {
        var visit = try AliroVisit()
        let link = visit.connect()
        visit.complete(link)
        visit.bench.reader.cardList = CardList([])
        visit.request(link)
        #expect(visit.phone.notified.last == Self.failure && visit.bench.opened == false)
    }

    @Test("Check 57: an unlisted version ends the link")
    func otherVersion() throws {
        var visit = try AliroVisit()
        let link = visit.bench.connect()
        visit.bench.write(link, [0x01, 0xFF, 0x01, 0x00])
        #expect(visit.bench.port.requests.contains(.disconnect(link, .refused)))
        #expect(visit.bench.takeEffects().refusals == [.version])
        visit.open(link)
        visit.send(visit.phone.initiate(), link)
        #expect(visit.takeUnits() == [])
    }

    @Test("A client that may be anywhere makes no signal at the door")
    func otherVersionFromAfar() throws {
        var visit = try AliroVisit()
        let link = visit.bench.connect(dBm: nil)
        let before = visit.bench.reader.doorActions.count
        visit.bench.write(link, [0x01, 0xFF, 0x01, 0x00])
        #expect(visit.bench.port.requests.contains(.disconnect(link, .refused)))
        #expect(visit.bench.reader.doorActions.count == before)
        #expect(visit.bench.takeEffects().refusals == [.version])
    }

    @Test("A link whose channel closes while it is measured ends with it")
    func closedBeforeTheGate() throws {
        var visit = try AliroVisit()
        let link = visit.bench.connect(dBm: nil)
        visit.bench.write(link, AliroLinkPhone.version)
        visit.open(link)
        visit.bench.event(.channelClosed(link, AliroVisit.channel))
        visit.bench.measure(link, -45)
        visit.bench.pass(visit.bench.reader.configuration.linkTimes.pause)
        #expect(visit.bench.port.requests.contains(.disconnect(link, .refused)))
    }

    /// The host refuses an SPSM that is no service's; one of another service has no exchange.
    @Test("Check 58: another SPSM is refused")
    func otherChannel() throws {
        var visit = try AliroVisit()
        let link = visit.bench.connect()
        visit.bench.write(link, AliroLinkPhone.version)
        visit.open(link, spsm: 0x0081)
        #expect(visit.bench.port.requests.contains(.closeChannel(link, AliroVisit.channel)))
        visit.send(visit.phone.initiate(), link)
        #expect(visit.takeUnits() == [] && visit.bench.table.channels.count == 1)
    }

    @Test("Check 60: a silent phone gets an error, and loses its link")
    func silence() throws {
        var visit = try AliroVisit()
        let link = visit.connect()
        visit.send(visit.phone.initiate(), link)
        #expect(visit.takeUnits().first?.prefix(2) == [0x00, 0x00])
        visit.bench.pass(.milliseconds(1500))
        #expect(visit.takeUnits() == [Self.failure])
        visit.bench.pass(.milliseconds(500))
        #expect(visit.bench.port.requests.contains(.disconnect(link, .refused)))
        #expect(visit.bench.takeEffects().refusals == [.silent])
    }

    /// Beyond the 3 s in which other links have to complete an exchange.
    @Test("Check 61: a busy phone keeps its link")
    func busy() throws {
        var visit = try AliroVisit()
        let link = visit.connect()
        visit.send(visit.phone.initiate(), link)
        let command = try #require(visit.takeUnits().first)
        for _ in 0..<5 {
            visit.bench.pass(.seconds(1))
            visit.send([0x02, 0x00, 0x00, 0x02, 0x00, 0x00], link)
        }
        let response = visit.phone.respond(to: command)
        visit.send(try #require(response), link)
        visit.goOn(link)
        visit.request(link)
        #expect(visit.bench.opened == true)
    }

    @Test func phoneInTheDistanceGetsNoMessage() throws {
        var visit = try AliroVisit()
        let link = visit.connect(dBm: -70)
        visit.send(visit.phone.initiate(), link)
        visit.bench.pass(.milliseconds(400))
        #expect(visit.takeUnits() == [])
        #expect(visit.bench.port.requests.contains(.disconnect(link, .refused)))
    }

    /// The gates of other modes may be wider.
    @Test func linkOfAnotherModeIsNotServed() throws {
        for set in [LinkBench.access, LinkBench.open] {
            var visit = try AliroVisit()
            let link = visit.connect(set: set)
            visit.send(visit.phone.initiate(), link)
            #expect(visit.takeUnits() == [] && visit.bench.opened == false)
        }
    }

    @Test func withoutAReaderPhonesAreRefused() throws {
        var visit = try AliroVisit()
        visit.bench.reader.aliro = nil
        let link = visit.connect()
        visit.send(visit.phone.initiate(), link)
        #expect(visit.bench.takeEffects().refusals == [.unavailable])
        #expect(visit.bench.opened == false)
    }

    /// A transaction that began with the previous reader ends with it.
    @Test func anotherReaderEndsTheTransaction() throws {
        var visit = try AliroVisit()
        let link = visit.connect()
        visit.complete(link)
        let identifier = try #require(AliroReader.Identifier(group: AliroBench.group, sub: AliroBench.door))
        let other = AliroReader(key: try AliroBench.key(8), identifier: identifier)
        visit.bench.reader.aliro = AliroDoor(reader: other, store: AliroStore(binding: other.binding))
        visit.request(link)
        #expect(visit.bench.opened == false)
    }

    @Test("Check 64: a changed request ends the link")
    func changedRequest() throws {
        var visit = try AliroVisit { $0.isAudited = true }
        let link = visit.connect()
        visit.complete(link)
        var unit = visit.phone.sealed([0x02, 0x04], AliroLinkPhone.unlock) ?? []
        try #require(!unit.isEmpty)
        unit[unit.count - 1] ^= 1
        visit.send(unit, link)
        #expect(visit.bench.opened == false)
        #expect(visit.bench.takeEffects().refusals == [.proof])
        visit.bench.pass(.milliseconds(500))
        #expect(visit.bench.port.requests.contains(.disconnect(link, .refused)))
    }

    /// A stranger that is busy without end loses its slot.
    @Test func busyStrangerLosesItsLink() throws {
        var visit = try AliroVisit(isListed: false)
        let link = visit.connect()
        visit.send(visit.phone.initiate(), link)
        for _ in 0..<6 {
            visit.bench.pass(.seconds(1))
            visit.send([0x02, 0x00, 0x00, 0x02, 0x00, 0x00], link)
        }
        visit.bench.pass(.milliseconds(500))
        #expect(visit.bench.port.requests.contains(.disconnect(link, .refused)))
        #expect(visit.bench.takeEffects().refusals == [.silent])
    }

    /// A client that closes its channel does not keep a slot in silence.
    @Test func closedChannelFreesTheSlot() throws {
        var visit = try AliroVisit()
        let link = visit.connect()
        visit.complete(link)
        visit.bench.event(.channelClosed(link, AliroVisit.channel))
        visit.bench.pass(.milliseconds(500))
        #expect(visit.bench.port.requests.contains(.disconnect(link, .refused)))
    }

    // MARK: The air

    @Test("Check 56: the packet is that of the set's address and of the time")
    func packet() throws {
        let identifier = try #require(AliroReader.Identifier(group: AliroBench.group, sub: AliroBench.door))
        let modes: [AccessConfiguration.Mode] = [
            .init(mode: .access, address: .randomStatic(from: 1), gate: .init()),
            .init(mode: .aliro, address: .randomStatic(from: 2), gate: .init()),
        ]
        let configuration = AccessConfiguration(modes: modes)
        let record = ManufacturerRecord(isFactory: true, applicationVersion: 1, localMidnight: 0)
        var packets = AdvertisingPackets(deviceIdentifier: Array("wa0y1YwS".utf8))
        // Without a reader and its key there is none, and the numbers of the other sets stay.
        #expect(configuration.advertisingSets(packets, record).map(\.id) == [0])
        let aliro = try #require(AliroAdvertisement(identifier, resolvingKey: [UInt8](repeating: 7, count: 16)))
        (packets.aliro, packets.aliroExpiry) = (aliro, AliroAdvertisement.expiry(at: 1_795_262_400))
        let sets = configuration.advertisingSets(packets, record)
        #expect(sets.map(\.id) == [0, 1])
        let octets = (0..<6).reversed().map { UInt8(truncatingIfNeeded: modes[1].address.value >> ($0 * 8)) }
        #expect(try sets[1].data == aliro.data(address: octets, expiry: packets.aliroExpiry))
        #expect(sets[1].data.count == 31 && sets[1].scanResponse.isEmpty && sets[1].fault == nil)
        let former = sets[1].data
        packets.aliroExpiry = AliroAdvertisement.expiry(at: 1_795_262_850)
        #expect(configuration.advertisingSets(packets, record)[1].data != former)
    }
}
