// SPDX-License-Identifier: Apache-2.0

import Credentials
import Crypto
import Peripheral
import Proximity
import TestSupport
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// A phone with a PKOC credential over Bluetooth LE, in the normal flow.
struct ModelLinkPhone {
    let key: P256PrivateKey

    var identity: [UInt8] { [UInt8](key.publicKey.point.octets) }
    var evidence: CardEvidence { CardEvidence(kind: .pkoc, identity: identity) }

    init(_ scalar: UInt8) throws {
        let scalar = [UInt8](repeating: 0, count: 31) + [scalar]
        key = try P256PrivateKey(scalar: scalar.span)
    }

    /// The credential for the reader's first message.
    func credential(_ hello: [UInt8]) throws -> [UInt8] {
        let ephemeral = Array(hello[9..<42])
        let signature = try key.rawSignature(ephemeral.span)
        return [0x01, 0x41] + identity + [0x03, 0x40] + signature
    }
}

/// A reader that serves PKOC phones, on a fake host; the time is the test's.
struct LinkBench: ~Copyable {
    var reader: AccessReader
    var port = FakePort()
    var random = CountingRandom()
    var now = Instant.origin
    /// 2026-11-21 12:00:00 UTC, a Saturday.
    var epochSeconds: Int64? = 1_795_262_400
    let table: AccessTable
    /// The sets of the modes.
    static let (pkoc, access, open) = (UInt8(0), UInt8(1), UInt8(2))

    init(
        _ cards: [ListedCard] = [], kinds: [any LinkServiceKind.Type] = LinkService.kinds,
        _ change: (inout AccessConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = AccessConfiguration(modes: [
            .init(mode: .pkoc, address: .randomStatic(from: 1), gate: .init()),
            .init(mode: .access, address: .randomStatic(from: 2), gate: .init()),
            .init(mode: .classic, address: .randomStatic(from: 3), gate: nil),
        ])
        change(&configuration)
        let identity = try ReaderIdentity.demo()
        table = try AccessTable(
            deviceName: identity.deviceID, modes: configuration.modes.map(\.mode),
            identifiers: configuration.identifiers,
            record: ManufacturerRecord(isFactory: true, applicationVersion: 1, localMidnight: 0), kinds: kinds)
        reader = AccessReader(
            configuration: configuration, identity: identity, table: table, door: DoorConfiguration())
        reader.startDoor(at: now)
        reader.effects = []
        reader.cardList = CardList(cards)
    }

    var moment: Moment { Moment(instant: now, epochSeconds: epochSeconds) }

    mutating func event(_ event: HostEvent) {
        reader.receive(event, port: &port, random: &random, at: moment)
    }

    mutating func pass(_ duration: Duration) {
        now = now + duration
        epochSeconds = epochSeconds.map { $0 + duration.components.seconds }
        reader.advance(to: moment, port: &port)
    }

    /// A phone connects, and its signal is measured.
    mutating func connect(
        _ number: UInt32 = 0, set: UInt8? = LinkBench.pkoc, dBm: Int8? = -45, phone: UInt64 = 100
    ) -> LinkID {
        let link = LinkID(slot: Int(number), generation: number)
        event(
            .connected(
                link,
                LinkDescription(
                    peer: .randomStatic(from: phone), advertisingSet: set, interval: .milliseconds(15))))
        if let dBm { measure(link, dBm) }
        return link
    }

    mutating func measure(_ link: LinkID, _ dBm: Int8) {
        for _ in 0..<3 { event(.rssi(link, .value(dBm))) }
    }

    mutating func subscribe(_ link: LinkID) {
        guard let notified = table.links.first?.notified else { return }
        event(.subscribed(link, notified, .notification))
    }

    mutating func write(_ link: LinkID, _ message: [UInt8]) {
        guard let pkoc = table.links.first else { return }
        port.eventOctets = message
        event(.written(link, pkoc.written, value: 0..<message.count))
    }

    /// The messages since the last call.
    mutating func takeMessages() -> [[UInt8]] { exchange(&port.notified, with: []).map(\.2) }

    /// A near phone shows its credential: the messages after the first one.
    mutating func show(_ phone: ModelLinkPhone, on link: LinkID) throws -> [[UInt8]] {
        subscribe(link)
        guard let hello = takeMessages().first else { return [] }
        write(link, try phone.credential(hello))
        return takeMessages()
    }

    var opened: Bool { reader.doorActions.contains { $0.output == .lock && $0.level } }

    /// The effects so far, which are removed.
    mutating func takeEffects() -> [ReaderEffect] { exchange(&reader.effects, with: []) }
}
