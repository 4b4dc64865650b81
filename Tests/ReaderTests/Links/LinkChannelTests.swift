// SPDX-License-Identifier: Apache-2.0

import Credentials
import Crypto
import Peripheral
import Proximity
import TestSupport
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// A service whose clients speak over a channel: everything that begins with "open" is a proof.
private enum ChannelService80: LinkServiceKind {
    static let mode = AdvertisingMode.pkoc
    static let credential = CardKind.pkoc
    static let channel: ChannelService? = ChannelService(spsm: 0x0080, modes: .creditBased)

    static func addAttributes(
        _ identifiers: AdvertisingPackets.Identifiers, to builder: inout DatabaseBuilder
    ) -> LinkService.Attributes {
        builder.addService(BluetoothUUID(0x1234))
        return .opening(
            written: builder.addCharacteristic(BluetoothUUID(0x1235), properties: .write, value: .writeOnly))
    }

    static func accepts(_ opening: Span<UInt8>) -> Bool { opening.count == 1 && opening[0] == 1 }

    static func transaction(
        _ keys: LinkKeys, random: inout some RandomSource, at moment: Moment
    ) -> (any LinkTransaction)? { WordTransaction(deadline: moment.instant + .seconds(1)) }
}

private struct WordTransaction: LinkTransaction {
    var deadline: Instant?

    mutating func start() -> LinkStep { .wait }
    mutating func receive(_ message: Span<UInt8>) -> LinkStep {
        deadline = nil
        switch message.indices.map({ message[$0] }) {
        case Array("open".utf8):
            return .decide(CardEvidence(kind: .pkoc, identity: [UInt8](repeating: 4, count: 65)))
        case Array("wait".utf8): return .wait
        case let other: return .send(other)
        }
    }
    mutating func conclude(_ decision: CardDecision) -> LinkStep {
        decision == .opened ? .send(Array("opened".utf8)) : .end(.concluded, last: Array("no".utf8))
    }
    mutating func expire() -> LinkStep { .end(.refused(.silent), last: Array("late".utf8)) }
    mutating func wipe() { deadline = nil }
}

/// Services with channels: the host's events, the gate, and the end of silent clients.
@Suite struct LinkChannelTests {
    private static let id = ChannelID(endpoint: L2CAPChannelID(rawValue: 0x40), serial: 1)
    private static let other = ChannelID(endpoint: L2CAPChannelID(rawValue: 0x41), serial: 2)

    private static func bench(isListed: Bool = true) throws -> LinkBench {
        let evidence = CardEvidence(kind: .pkoc, identity: [UInt8](repeating: 4, count: 65))
        let cards = [ListedCard(evidence, credentialID("CARD000001"))]
        return try LinkBench(isListed ? cards : [], kinds: [ChannelService80.self])
    }

    private static func open(_ bench: inout LinkBench, _ link: LinkID, _ id: ChannelID = id, spsm: UInt16 = 0x80) {
        bench.event(
            .channelOpened(link, id, ChannelDescription(spsm: spsm, isEnhanced: false, peerMTU: 512, mtu: 512)))
    }

    private static func send(_ bench: inout LinkBench, _ link: LinkID, _ text: String, _ id: ChannelID = id) {
        bench.port.eventOctets = Array(text.utf8)
        bench.event(.channelReceived(link, id, value: 0..<text.utf8.count))
    }

    private static func received(_ bench: inout LinkBench) -> [String] {
        exchange(&bench.port.units, with: []).map { String(decoding: $0.2, as: UTF8.self) }
    }

    @Test func tableHasTheChannel() throws {
        let bench = try Self.bench()
        #expect(bench.table.channels.map(\.spsm) == [0x0080])
        #expect(try LinkBench().table.channels.isEmpty)
    }

    @Test func clientOpensOverItsChannel() throws {
        var bench = try Self.bench()
        let link = bench.connect()
        bench.write(link, [1])
        Self.open(&bench, link)
        Self.send(&bench, link, "hello")
        #expect(Self.received(&bench) == ["hello"])
        Self.send(&bench, link, "open")
        #expect(Self.received(&bench) == ["opened"])
        #expect(bench.opened == true)
        // The transaction goes on.
        Self.send(&bench, link, "hello")
        #expect(Self.received(&bench) == ["hello"])
    }

    @Test func unlistedClientIsRefused() throws {
        var bench = try Self.bench(isListed: false)
        let link = bench.connect()
        bench.write(link, [1])
        Self.open(&bench, link)
        Self.send(&bench, link, "open")
        #expect(Self.received(&bench) == ["no"])
        #expect(bench.opened == false)
        Self.send(&bench, link, "open")
        #expect(Self.received(&bench) == [] && bench.opened == false)
    }

    /// Units from before the gate has opened are held, and a phone in the distance gets nothing.
    @Test func unitsWaitForTheGate() throws {
        var bench = try Self.bench()
        let link = bench.connect(dBm: nil)
        bench.write(link, [1])
        Self.open(&bench, link)
        Self.send(&bench, link, "wait")
        Self.send(&bench, link, "open")
        #expect(Self.received(&bench) == [] && bench.opened == false)
        bench.measure(link, -45)
        #expect(Self.received(&bench) == ["opened"])
        #expect(bench.opened == true)
        let far = bench.connect(1, dBm: -70)
        bench.write(far, [1])
        Self.open(&bench, far)
        Self.send(&bench, far, "hello")
        bench.pass(.milliseconds(400))
        #expect(bench.port.requests.contains(.disconnect(far, .refused)))
        #expect(Self.received(&bench) == [])
    }

    @Test func floodBeforeTheGateEndsTheLink() throws {
        var bench = try Self.bench()
        let link = bench.connect(dBm: nil)
        bench.write(link, [1])
        Self.open(&bench, link)
        for _ in 0..<400 { Self.send(&bench, link, String(repeating: "x", count: 512)) }
        #expect(bench.port.requests.contains(.disconnect(link, .refused)))
        #expect(bench.takeEffects().contains(.notice(.refused(.link(link), .earlyDataExceeded))))
    }

    @Test func otherVersionEndsTheLink() throws {
        var bench = try Self.bench()
        let link = bench.connect()
        bench.write(link, [2])
        #expect(bench.port.requests.contains(.disconnect(link, .refused)))
        #expect(bench.takeEffects().refusals == [.version])
        Self.open(&bench, link)
        Self.send(&bench, link, "open")
        #expect(bench.opened == false && Self.received(&bench) == [])
    }

    /// A channel without a version, a second one, one of no service, and one on a link of another mode are closed.
    @Test func channelsOutOfOrderAreClosed() throws {
        var bench = try Self.bench()
        let link = bench.connect()
        Self.open(&bench, link)
        #expect(bench.port.requests.contains(.closeChannel(link, Self.id)))
        Self.send(&bench, link, "open")
        bench.write(link, [1])
        Self.open(&bench, link)
        Self.open(&bench, link, Self.other)
        #expect(bench.port.requests.contains(.closeChannel(link, Self.other)))
        Self.send(&bench, link, "open", Self.other)
        #expect(bench.opened == false)
        let second = bench.connect(1)
        bench.write(second, [1])
        Self.open(&bench, second, spsm: 0x81)
        #expect(bench.port.requests.contains(.closeChannel(second, Self.id)))
        let third = bench.connect(2, set: LinkBench.open)
        bench.write(third, [1])
        Self.open(&bench, third)
        Self.send(&bench, third, "open")
        #expect(bench.port.requests.contains(.closeChannel(third, Self.id)))
        #expect(bench.opened == false)
    }

    /// The end of a channel is the end of its exchange: there is one on each link.
    @Test func closedChannelIsNotOpenedAgain() throws {
        var bench = try Self.bench()
        let link = bench.connect()
        bench.write(link, [1])
        Self.open(&bench, link)
        bench.event(.channelClosed(link, Self.id))
        Self.send(&bench, link, "open")
        Self.open(&bench, link, Self.other)
        Self.send(&bench, link, "open", Self.other)
        #expect(bench.opened == false)
        #expect(bench.port.requests.contains(.closeChannel(link, Self.other)))
    }

    /// A silent client gets a last message, and is disconnected once it had time to leave.
    @Test func silentClientIsDisconnected() throws {
        var bench = try Self.bench()
        let link = bench.connect()
        bench.write(link, [1])
        Self.open(&bench, link)
        bench.pass(.milliseconds(999))
        #expect(Self.received(&bench) == [])
        #expect(bench.reader.nextDeadline == .origin + .seconds(1))
        bench.pass(.milliseconds(1))
        #expect(Self.received(&bench) == ["late"])
        #expect(!bench.port.requests.contains(.disconnect(link, .refused)))
        bench.pass(.milliseconds(500))
        #expect(bench.port.requests.contains(.disconnect(link, .refused)))
        #expect(bench.takeEffects().refusals == [.silent])
    }
}
