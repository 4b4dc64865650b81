// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

/// Dynamic values, indications and replacement of the database in a complete host.
@Suite struct HostAttributesTests {
    /// 01 Generic Attribute: 02 03 04 service changed, 05 06 client features, 07 08 hash, 09 0a server features; 0b
    /// FCBA: 0c 0d dynamic, 0e 0f 10 notify and indicate, 11 12 13 notify.
    private static func database(isFirst: Bool = true) throws -> AttributeDatabase {
        var builder = DatabaseBuilder()
        builder.addGATTService()
        builder.addService(BluetoothUUID(isFirst ? 0xFCBA : 0xFCBB))
        builder.addCharacteristic(BluetoothUUID(0x1111), properties: [.read, .write], value: .dynamic)
        builder.addCharacteristic(BluetoothUUID(0x2222), properties: [.notify, .indicate])
        if isFirst { builder.addCharacteristic(BluetoothUUID(0x3333), properties: .notify) }
        return try builder.build()
    }

    private static let handled = AttributeHandle(rawValue: 0x0D)
    private static let indicated = AttributeHandle(rawValue: 0x0F)

    private final class Bench: Rig {
        private(set) var link = LinkID(slot: 0, generation: 0)

        init() throws {
            let devices = try [1, 2].map {
                ServedDevice(database: try HostAttributesTests.database(), advertisingSets: [$0])
            }
            super.init(
                .extended, host: Host(devices: devices, configuration: .unverified),
                sets: [Sample.set(1), Sample.set(2)])
            start()
            try enter()
        }

        /// A central connects, whose link is `link` from now on.
        @discardableResult
        func enter(_ handle: UInt16 = 0x40, set: UInt8 = 1) throws -> LinkID {
            link = try super.link(handle, set: set)
            _ = (takeData(), takeOpcodes())
            return link
        }

        /// Sends an ATT PDU; the PDUs that come back.
        func send(_ pdu: String, _ handle: UInt16 = 0x40) -> [String] {
            att(handle, octets(pdu))
            return pdus()
        }

        /// The PDUs that the host has sent since the last call, without the headers of HCI and L2CAP.
        func pdus() -> [String] {
            settle()
            return takeData().map { String($0.dropFirst(18)) }
        }

        func requests() -> [AttributeRequestID] {
            takeEvents().compactMap { event in
                switch event {
                case .readRequested(let request, _, _), .writeRequested(let request, _, _): request
                default: nil
                }
            }
        }

        func indicate(_ value: [UInt8]) -> NotificationOutcome {
            host.indicate(link, HostAttributesTests.indicated, value.span, at: now)
        }

        func clientState() -> [UInt8]? { host.clientState(link) }

        func restore(_ octets: [UInt8]) throws {
            try host.restoreClientState(octets.span, link, at: now)
            settle()
        }

        func respond(_ request: AttributeRequestID, _ value: [UInt8]) -> AnswerOutcome {
            host.respond(to: request, value: value.span, at: now)
        }

        func accept(_ request: AttributeRequestID) -> AnswerOutcome { host.accept(request, at: now) }

        func refuse(_ request: AttributeRequestID, _ code: UInt8) -> AnswerOutcome {
            host.refuse(request, ATTErrorCode(rawValue: code), at: now)
        }
    }

    @Test func indicationGoesBeforeTheWriteResponse() throws {
        let bench = try Bench()
        #expect(bench.send("12 1000 0200") == ["13"])
        #expect(bench.send("12 0d00 0a0b") == [])
        let range = bench.events.compactMap { event -> Range<Int>? in
            if case .writeRequested(_, HostAttributesTests.handled, let range) = event { range } else { nil }
        }
        #expect(range.map { Array(bench.host.eventOctets[$0]) } == [[10, 11]])
        let request = try #require(bench.requests().last)
        #expect(bench.indicate([7]) == .accepted && bench.indicate([8]) == .busy)
        #expect(bench.accept(request) == .taken)
        #expect(bench.pdus() == [packed("1d 0f00 07"), "13"])
        #expect(bench.send("1e") == [])
        #expect(bench.takeEvents() == [.confirmed(bench.link, HostAttributesTests.indicated)])
        #expect(bench.indicate([8]) == .accepted && bench.pdus() == [packed("1d 0f00 08")])
    }

    @Test func readIsAnsweredLater() throws {
        let bench = try Bench()
        #expect(bench.send("0a 0d00") == [])
        let request = try #require(bench.requests().first)
        bench.run(to: 5000)
        #expect(bench.respond(request, [1, 2]) == .taken && bench.pdus() == [packed("0b 0102")])
        #expect(bench.respond(request, [1, 2]) == .gone && bench.pdus() == [])
        #expect(bench.send("0a 0d00") == [])
        #expect(bench.refuse(try #require(bench.requests().first), 0x80) == .taken)
        #expect(bench.pdus() == [packed("01 0a 0d00 80")])
    }

    /// CVE-2021-43400: the next link in the same slot does not receive it.
    @Test func answerToADeadLinkReachesNobody() throws {
        let bench = try Bench()
        #expect(bench.send("0a 0d00") == [])
        let old = try #require(bench.requests().first)
        bench.disconnected(0x40)
        #expect(bench.respond(old, [0x5E]) == .gone)
        let link = try bench.enter()
        #expect(link.slot == old.link.slot && link != old.link)
        #expect(bench.send("0a 0d00") == [])
        let new = try #require(bench.requests().first)
        #expect(bench.respond(old, [0x5E]) == .gone && bench.accept(old) == .gone && bench.refuse(old, 1) == .gone)
        #expect(bench.pdus() == [])
        #expect(bench.respond(new, [1]) == .taken && bench.pdus() == [packed("0b 01")])
    }

    /// The link ends before the device answers, with all held requests.
    @Test func deviceThatNeverAnswers() throws {
        let bench = try Bench()
        #expect(bench.send("0a 0d00") == [] && bench.send("0a 0600") == [])
        bench.run(to: 19_900)
        #expect(bench.pdus() == [])
        bench.run(to: 20_100)
        #expect(bench.pdus() == [packed("01 0a 0d00 0e"), packed("0b 00")])
        #expect(bench.takeOpcodes().contains(0x0406) == false)
    }

    /// CVE-2019-19192: two requests back to back are answered in order.
    @Test func requestsBackToBackAreAnsweredInOrder() throws {
        let bench = try Bench()
        for pdu in ["0a 0d00", "0a 0100", "12 0d00 01", "0a 0600"] { #expect(bench.send(pdu) == []) }
        let first = try #require(bench.requests().first)
        #expect(bench.respond(first, [1]) == .taken && bench.pdus() == [packed("0b 01"), packed("0b 0118")])
        #expect(bench.accept(try #require(bench.requests().first)) == .taken)
        #expect(bench.pdus() == ["13", packed("0b 00")])
    }

    /// Core 5.4, Vol 3, Part F, 3.3.3.
    @Test func indicationThatIsNotConfirmedEndsTheLink() throws {
        let bench = try Bench()
        #expect(bench.send("12 1000 0200") == ["13"])
        #expect(bench.indicate([1]) == .accepted)
        bench.run(to: 29_900)
        #expect(!bench.takeOpcodes().contains(0x0406))
        bench.run(to: 30_100)
        #expect(bench.takeOpcodes().contains(0x0406) && bench.indicate([1]) == .gone)
    }

    @Test func indicationNeedsASubscriptionAndALink() throws {
        let bench = try Bench()
        #expect(bench.indicate([1]) == .notSubscribed)
        #expect(bench.send("12 1000 0200") == ["13"])
        #expect(bench.indicate([UInt8](repeating: 0, count: 21)) == .tooLong)
        bench.disconnected(0x40)
        #expect(bench.indicate([1]) == .gone)
    }

    /// Core 5.4, Vol 3, Part G, 2.5.2: one device's database changes, and only its clients are indicated.
    @Test func databaseIsReplaced() throws {
        let bench = try Bench()
        #expect(bench.send("12 0400 0200") == ["13"] && bench.send("12 1300 0100") == ["13"])
        let first = bench.link
        try bench.enter(0x41, set: 2)
        #expect(bench.send("12 0400 0200", 0x41) == ["13"])
        _ = bench.takeEvents()
        bench.host.replaceDatabase(
            ofDevice: 0, with: try HostAttributesTests.database(isFirst: false), at: bench.now)
        bench.host.replaceDatabase(ofDevice: 2, with: try HostAttributesTests.database(), at: bench.now)
        bench.settle()
        #expect(bench.takeData() == [packed("0240000b0007000400 1d 0300 0100 ffff")])
        #expect(bench.takeEvents() == [.subscribed(first, AttributeHandle(rawValue: 0x12), [])])
        #expect(bench.send("1e") == [] && bench.takeEvents().isEmpty)
        #expect(bench.send("0a 0b00") == [packed("0b bbfc")] && bench.send("0a 0b00", 0x41) == [packed("0b bafc")])
    }

    @Test func severalValuesGoInOneNotificationWhereTheClientTakesIt() throws {
        let bench = try Bench()
        let values: [(handle: AttributeHandle, value: Range<Int>)] = [
            (HostAttributesTests.indicated, 0..<1), (AttributeHandle(rawValue: 0x12), 1..<3),
        ]
        let octets: [UInt8] = [1, 2, 3]
        #expect(bench.send("12 1000 0100") == ["13"])
        var outcome = bench.host.notify(bench.link, values, in: octets.span, at: bench.now)
        #expect(outcome == .notSubscribed && bench.pdus() == [packed("1b 0f00 01")])
        #expect(bench.send("12 1300 0100") == ["13"])
        outcome = bench.host.notify(bench.link, values, in: octets.span, at: bench.now)
        #expect(outcome == .accepted && bench.pdus() == [packed("1b 0f00 01"), packed("1b 1200 0203")])
        #expect(bench.send("12 0600 04") == ["13"])
        outcome = bench.host.notify(bench.link, values, in: octets.span, at: bench.now)
        #expect(outcome == .accepted && bench.pdus() == [packed("23 0f00 0100 01 1200 0200 0203")])
    }

    /// The stored state of a client is restored for its proven peer.
    @Test func clientStateComesBack() throws {
        let bench = try Bench()
        #expect(bench.send("12 1000 0200") == ["13"])
        let kept = try #require(bench.clientState())
        bench.disconnected(0x40)
        #expect(bench.clientState() == nil)
        try bench.enter()
        #expect(bench.indicate([1]) == .notSubscribed)
        #expect(throws: ClientStateError.self) { try bench.restore(Array(kept.dropLast())) }
        try bench.restore(kept)
        #expect(bench.takeEvents() == [.subscribed(bench.link, HostAttributesTests.indicated, .indication)])
        #expect(bench.indicate([1]) == .accepted)
    }
}
