// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import Crypto
import Peripheral
import Proximity
import Reader
import TestSupport
import Timekeeping

/// A client of PKOC's service over Bluetooth LE that writes anything, at any time, near and far. No input may open;
/// there is one transaction on each link; the reader's messages fit the protocol; and in the end a listed phone goes
/// through in the normal flow.
func fuzzPKOCLink(_ input: inout FuzzInput) {
    var rig = LinkRig(hasFragments: input.octet() & 1 == 1)
    while let choice = input.next() {
        switch choice {
        case 0..<0x30: rig.write(input.block())
        case 0x30..<0x60: rig.write(LinkRig.fields(&input))
        case 0x60..<0x80: rig.writeParts(rig.credential(choice, &input), 1 + input.number(below: 200))
        case 0x80..<0x90: rig.writeParts(rig.ephemeral(choice, &input), 1 + input.number(below: 200))
        case 0x90..<0xA0: rig.write(LinkRig.sealed(&input))
        case 0xA0..<0xA4: rig.writeParts(LinkRig.fields(&input), 1 + input.number(below: 40))
        case 0xA4..<0xB0: rig.connect(set: choice & 3)
        case 0xB0..<0xB8: rig.leave()
        case 0xB8..<0xC8: rig.subscribe()
        case 0xC8..<0xD8: rig.measure(choice & 1 == 0 ? -45 : Int8(bitPattern: input.octet()))
        case 0xD8..<0xE0: rig.exchangeMTU(Int(input.octet()))
        case 0xE0..<0xF0: rig.pass(.milliseconds(Int(input.octet()) * 16))
        default: rig.passToDeadline()
        }
    }
    rig.recover()
}

/// The host of the rig: keeps the messages of the reader.
private struct LinkPort: ReaderPort {
    var messages: [[UInt8]] = []
    var ended = false
    var mtu = 247
    var eventOctets: [UInt8] = []

    mutating func disconnect(_ link: LinkID, _ reason: LinkEndReason, at now: Instant) { ended = true }
    mutating func readRSSI(_ link: LinkID, at now: Instant) -> Bool { true }
    mutating func readTransmitPower(_ link: LinkID, at now: Instant) {}
    mutating func notify(
        _ link: LinkID, _ attribute: AttributeHandle, _ value: Span<UInt8>, at now: Instant
    ) -> NotificationOutcome {
        require(value.count <= mtu - 3, "a notification of \(value.count) octets")
        messages.append(value.array)
        return .accepted
    }
    func attMTU(_ link: LinkID) -> Int { mtu }
    mutating func send(
        _ link: LinkID, _ channel: ChannelID, _ unit: Span<UInt8>, at now: Instant
    ) -> ChannelSendOutcome { finding("an SDU of a service without a channel") }
    mutating func closeChannel(_ link: LinkID, _ channel: ChannelID, at now: Instant) {}
    mutating func setAdvertising(enabled: Bool, at now: Instant) {}
}

private struct LinkRig: ~Copyable, TimedRig {
    private static func key(_ scalar: UInt8) -> P256PrivateKey {
        certain {
            let octets = [UInt8](repeating: 0, count: 31) + [scalar]
            return try P256PrivateKey(scalar: octets.span)
        }
    }
    /// The listed phone's, its ephemeral one, and the site's.
    private static let (listed, own, site) = (key(7), key(8), key(9))
    private static let identity = [UInt8](listed.publicKey.point.octets)
    private static let ownPoint = [UInt8](own.publicKey.point.octets)

    var reader: AccessReader
    private let table: AccessTable
    private var port = LinkPort()
    private var random = CountingRandom()
    var now = Instant.origin
    private var link: LinkID?
    private var generation: UInt32 = 0
    private var hello: [UInt8] = []
    private let hasFragments: Bool
    private var granted = 0
    private var isOpening = false

    init(hasFragments: Bool) {
        self.hasFragments = hasFragments
        var configuration = AccessConfiguration(modes: [
            .init(mode: .pkoc, address: .randomStatic(from: 1), gate: .init()),
            .init(mode: .access, address: .randomStatic(from: 2), gate: .init()),
            .init(mode: .classic, address: .randomStatic(from: 3), gate: nil),
        ])
        configuration.cards.hasPKOCFragments = hasFragments
        table = certain {
            try AccessTable(
                deviceName: "wa0y1YwS", modes: configuration.modes.map(\.mode), identifiers: .init(),
                record: ManufacturerRecord(isFactory: true, applicationVersion: 0, localMidnight: 0))
        }
        reader = AccessReader(
            configuration: configuration, identity: FuzzKeys.identity, table: table, door: DoorConfiguration())
        guard let id = OSSCredentialID("CARD000001") else { finding("no name") }
        reader.cardList = CardList([ListedCard(CardEvidence(kind: .pkoc, identity: LinkRig.identity), id)])
        reader.pkocSite = LinkRig.site
        reader.startDoor(at: now)
        look()
    }

    private var moment: Moment { Moment(instant: now, epochSeconds: 1_795_262_400) }

    // MARK: Messages

    private static func field(_ tag: UInt8, _ value: [UInt8]) -> [UInt8] {
        [tag, UInt8(truncatingIfNeeded: value.count)] + value
    }

    /// Fields of known and unknown tags.
    static func fields(_ input: inout FuzzInput) -> [UInt8] {
        let tags: [UInt8] = [0x01, 0x03, 0x07, 0x09, 0x0C, 0x40, 0x02, 0x04, 0x80]
        var fields: [UInt8] = []
        for _ in 0..<input.number(below: 6) { fields += field(tags[input.number(below: tags.count)], input.block()) }
        return fields
    }

    private static func proof(over message: [UInt8]) -> [UInt8] {
        field(0x01, identity) + field(0x03, certain { try listed.rawSignature(message.span) })
    }

    /// The listed phone's key with a signature over other octets, or a changed one over the right ones.
    func credential(_ choice: UInt8, _ input: inout FuzzInput) -> [UInt8] {
        var message = hello.count == 78 ? Array(hello[9..<42]) : []
        if choice & 1 == 0 { message.append(input.octet()) }
        var proof = LinkRig.proof(over: message)
        if choice & 1 == 1 { proof[69 + input.number(below: 64)] ^= max(1, input.octet()) }
        return proof
    }

    /// The phone's ephemeral key, whole or changed.
    func ephemeral(_ choice: UInt8, _ input: inout FuzzInput) -> [UInt8] {
        var point = LinkRig.ownPoint
        if choice & 1 == 1 { point[input.number(below: 65)] ^= max(1, input.octet()) }
        return LinkRig.field(0x07, point)
    }

    /// Octets in the place of encrypted fields. The rig has no key for them: its ephemeral key is fresh in the reader.
    static func sealed(_ input: inout FuzzInput) -> [UInt8] { field(0x40, input.block()) }

    // MARK: Inputs

    private mutating func event(_ event: HostEvent) {
        reader.receive(event, port: &port, random: &random, at: moment)
        look()
    }

    mutating func connect(set: UInt8) {
        leave()
        generation += 1
        let link = LinkID(slot: 0, generation: generation)
        self.link = link
        event(
            .connected(
                link,
                LinkDescription(
                    peer: .randomStatic(from: UInt64(generation)), advertisingSet: set == 3 ? nil : set,
                    interval: .milliseconds(15))))
    }

    mutating func leave() {
        guard let link else { return }
        (self.link, hello, port.ended) = (nil, [], false)
        event(.disconnected(link, reason: .remoteUserTerminated))
    }

    mutating func subscribe() {
        guard let link, let notified = table.handles(of: .pkoc)?.notified else { return }
        event(.subscribed(link, notified, .notification))
    }

    mutating func measure(_ dBm: Int8) {
        guard let link else { return }
        for _ in 0..<3 { event(.rssi(link, .value(dBm))) }
    }

    mutating func exchangeMTU(_ mtu: Int) {
        guard let link else { return }
        port.mtu = max(23, mtu)
        event(.mtuExchanged(link, port.mtu))
    }

    mutating func write(_ message: [UInt8]) {
        guard let link, let pkoc = table.handles(of: .pkoc) else { return }
        port.eventOctets = message
        event(.written(link, pkoc.written, value: 0..<message.count))
    }

    /// A message as a phone writes it: whole, or in parts of so many octets.
    mutating func writeParts(_ message: [UInt8], _ count: Int) {
        guard hasFragments else { return write(message) }
        for start in stride(from: 0, to: message.count, by: count) {
            let end = min(start + count, message.count)
            write([end == message.count ? 2 : start == 0 ? 0 : 1] + message[start..<end])
        }
    }

    var deadline: Instant? { reader.nextDeadline }

    mutating func reach(_ instant: Instant) {
        reader.advance(to: moment, port: &port)
        look()
        // The host reports the end of a link that the reader has ended.
        if port.ended { leave() }
    }

    private mutating func look() {
        var effects: [ReaderEffect] = []
        reader.takeEffects(into: &effects)
        for effect in effects {
            switch effect {
            case .door(.setLock(energised: true), _): require(isOpening, "the lock has current without a proof")
            case .notice(.decided(_, let decision, _)) where decision.isGranted:
                require(isOpening, "a phone is granted that has proven nothing")
                granted += 1
            default: break
            }
        }
        for part in port.messages {
            require(!hasFragments || part.first == 2, "a message without the octet before it")
            let message = Array(part.dropFirst(hasFragments ? 1 : 0))
            switch message.count {
            case 78:
                require(hello.isEmpty, "a second transaction on one link")
                hello = message
            case 66, 3: break
            default: finding("a message of \(message.count) octets")
            }
        }
        port.messages = []
    }

    mutating func recover() {
        leave()
        // After the re-arm time, and with nothing open.
        pass(.seconds(400))
        (port.mtu, isOpening) = (247, true)
        let before = granted
        connect(set: 0)
        measure(-45)
        subscribe()
        require(hello.count == 78, "no first message")
        writeParts(LinkRig.proof(over: Array(hello[9..<42])), 60)
        require(granted == before + 1, "a listed phone does not go through")
    }
}
