// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Contactless
import Credentials
import Crypto
import Peripheral
import Proximity
import Reader
import TestSupport
import Timekeeping

/// A client of Aliro's service over Bluetooth LE that sends anything, at any time, near and far. Nothing opens but a
/// request of the listed phone, sealed by this transaction's keys; all else ends the transaction; and in the end the
/// listed phone goes through.
func fuzzAliroLink(_ input: inout FuzzInput) {
    var rig = AliroLinkRig()
    while let choice = input.next() {
        switch choice {
        case 0..<0x28: rig.send(input.block())
        case 0x28..<0x48: rig.send(AliroLinkRig.messages(&input))
        case 0x48..<0x60: rig.initiate(choice, &input)
        case 0x60..<0x90: rig.answer(choice, &input)
        case 0x90..<0xA8: rig.request(choice, &input)
        case 0xA8..<0xB0: rig.connect(set: choice & 3)
        case 0xB0..<0xB4: rig.leave()
        case 0xB4..<0xC0: rig.write(choice & 3 == 0 ? input.block() : AliroLinkPhone.version)
        case 0xC0..<0xC8: rig.open(spsm: choice & 3 == 0 ? UInt16(input.octet()) : 0x80)
        case 0xC8..<0xCC: rig.close()
        case 0xCC..<0xD8: rig.measure(choice & 1 == 0 ? -45 : Int8(bitPattern: input.octet()))
        case 0xD8..<0xF0: rig.pass(.milliseconds(Int(input.octet()) * 16))
        default: rig.passToDeadline()
        }
    }
    rig.recover()
}

/// The host of the rig: keeps the units of the reader.
private struct AliroLinkPort: ReaderPort {
    var units: [[UInt8]] = []
    var ended = false
    var eventOctets: [UInt8] = []

    mutating func disconnect(_ link: LinkID, _ reason: LinkEndReason, at now: Instant) { ended = true }
    mutating func readRSSI(_ link: LinkID, at now: Instant) -> Bool { true }
    mutating func readTransmitPower(_ link: LinkID, at now: Instant) {}
    mutating func notify(
        _ link: LinkID, _ attribute: AttributeHandle, _ value: Span<UInt8>, at now: Instant
    ) -> NotificationOutcome { finding("a notification of a service with a channel") }
    func attMTU(_ link: LinkID) -> Int { 247 }
    mutating func send(
        _ link: LinkID, _ channel: ChannelID, _ unit: Span<UInt8>, at now: Instant
    ) -> ChannelSendOutcome {
        require(unit.count <= AliroLinkTransaction.maximumUnit, "a unit of \(unit.count) octets")
        units.append(unit.array)
        return .accepted
    }
    mutating func closeChannel(_ link: LinkID, _ channel: ChannelID, at now: Instant) {}
    mutating func setAdvertising(enabled: Bool, at now: Instant) {}
}

private struct AliroLinkRig: ~Copyable, TimedRig {
    private static let channel = ChannelID(endpoint: L2CAPChannelID(rawValue: 0x40), serial: 1)

    private static func key(_ scalar: UInt8) -> P256PrivateKey {
        certain {
            let octets = [UInt8](repeating: 0, count: 31) + [scalar]
            return try P256PrivateKey(scalar: octets.span)
        }
    }

    /// The door's, and the listed phone's.
    private static let (door, listed) = (key(7), key(8))

    var reader: AccessReader
    private let table: AccessTable
    private var port = AliroLinkPort()
    private var random = CountingRandom()
    private var phone: AliroLinkPhone
    var now = Instant.origin
    private var link: LinkID?
    private var generation: UInt32 = 0
    /// Commands of the reader that the phone has not answered.
    private var commands: [[UInt8]] = []
    private var granted = 0
    /// True once the listed phone has sealed a right request to unlock on this link.
    private var hasRequested = false

    init() {
        let configuration = AccessConfiguration(modes: [
            .init(mode: .aliro, address: .randomStatic(from: 1), gate: .init()),
            .init(mode: .access, address: .randomStatic(from: 2), gate: .init()),
            .init(mode: .classic, address: .randomStatic(from: 3), gate: nil),
        ])
        table = certain {
            try AccessTable(
                deviceName: "wa0y1YwS", modes: configuration.modes.map(\.mode), identifiers: .init(),
                record: ManufacturerRecord(isFactory: true, applicationVersion: 0, localMidnight: 0))
        }
        reader = AccessReader(
            configuration: configuration, identity: FuzzKeys.identity, table: table, door: DoorConfiguration())
        let group = [UInt8](repeating: 1, count: 16)
        guard let identifier = AliroReader.Identifier(group: group, sub: group), let id = OSSCredentialID("PHONE00001")
        else { finding("no identifier") }
        let aliro = AliroReader(key: AliroLinkRig.door, identifier: identifier)
        phone = AliroLinkPhone(
            AliroPhone(
                AliroLinkRig.listed, trust: .init(point: AliroLinkRig.door.publicKey),
                activation: CardActivation(random: (1, 2, 3))))
        reader.cardList = CardList([ListedCard(CardEvidence(kind: .aliro, identity: phone.phone.point), id)])
        reader.aliro = AliroDoor(reader: aliro, store: AliroStore(binding: aliro.binding))
        reader.startDoor(at: now)
        look()
    }

    private var moment: Moment { Moment(instant: now, epochSeconds: 1_795_262_400) }

    // MARK: Messages

    /// Messages of known and unknown kinds, with right and wrong lengths.
    static func messages(_ input: inout FuzzInput) -> [UInt8] {
        var unit: [UInt8] = []
        for _ in 0..<input.number(below: 6) {
            let message = AliroLinkPhone.message([input.octet() & 3, input.octet() & 7], input.block())
            unit += input.octet() & 7 == 0 ? message.dropLast() : message[...]
        }
        return unit
    }

    /// One octet of a unit is another.
    private static func changed(_ unit: [UInt8], _ input: inout FuzzInput) -> [UInt8] {
        guard !unit.isEmpty else { return unit }
        var unit = unit
        unit[input.number(below: unit.count)] ^= max(1, input.octet())
        return unit
    }

    /// The phone's first message, whole or changed.
    mutating func initiate(_ choice: UInt8, _ input: inout FuzzInput) {
        commands = []
        let unit = phone.initiate(forAction: choice & 1 == 0)
        send(choice & 2 == 0 ? unit : AliroLinkRig.changed(unit, &input))
    }

    /// The phone's answer to a command, whole, changed, or after a busy event.
    mutating func answer(_ choice: UInt8, _ input: inout FuzzInput) {
        guard !commands.isEmpty, let response = phone.respond(to: commands.removeFirst()) else { return }
        switch choice & 7 {
        case 0: send(AliroLinkRig.changed(response, &input))
        case 1: send([0x02, 0x00, 0x00, 0x02, 0x00, 0x00] + response)
        default: send(response)
        }
    }

    /// A sealed request: to lock, changed, sent in the clear, or right.
    mutating func request(_ choice: UInt8, _ input: inout FuzzInput) {
        switch choice & 3 {
        case 0: if let unit = phone.sealed([0x02, 0x04], AliroLinkPhone.lock) { send(unit) }
        case 1: send(AliroLinkPhone.message([0x02, 0x04], AliroLinkPhone.unlock))
        case 2:
            guard let unit = phone.sealed([0x02, 0x04], AliroLinkPhone.unlock) else { return }
            send(AliroLinkRig.changed(unit, &input))
        default:
            guard let unit = phone.sealed([0x02, 0x04], AliroLinkPhone.unlock) else { return }
            hasRequested = link != nil
            send(unit)
        }
    }

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
        (self.link, commands, port.ended, hasRequested) = (nil, [], false, false)
        event(.disconnected(link, reason: .remoteUserTerminated))
    }

    mutating func write(_ value: [UInt8]) {
        guard let link, let written = table.handles(of: .aliro)?.written else { return }
        port.eventOctets = value
        event(.written(link, written, value: 0..<value.count))
    }

    mutating func open(spsm: UInt16) {
        guard let link else { return }
        event(
            .channelOpened(
                link, AliroLinkRig.channel, ChannelDescription(spsm: spsm, isEnhanced: false, peerMTU: 512, mtu: 512)))
    }

    mutating func close() {
        guard let link else { return }
        event(.channelClosed(link, AliroLinkRig.channel))
    }

    mutating func send(_ unit: [UInt8]) {
        guard let link else { return }
        port.eventOctets = unit
        event(.channelReceived(link, AliroLinkRig.channel, value: 0..<unit.count))
    }

    mutating func measure(_ dBm: Int8) {
        guard let link else { return }
        for _ in 0..<3 { event(.rssi(link, .value(dBm))) }
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
            case .door(.setLock(energised: true), _):
                require(hasRequested, "the lock has current without a request")
            case .notice(.decided(_, let decision, _)) where decision.isGranted:
                require(hasRequested, "a phone is granted that has requested nothing")
                granted += 1
            default: break
            }
        }
        for unit in port.units {
            if unit.starts(with: [0x00, 0x00]) { commands.append(unit) } else { _ = phone.respond(to: unit) }
        }
        port.units = []
    }

    mutating func recover() {
        leave()
        // After the re-arm time, and with nothing open.
        pass(.seconds(400))
        let before = granted
        connect(set: 0)
        measure(-45)
        write(AliroLinkPhone.version)
        open(spsm: 0x80)
        send(phone.initiate())
        while !commands.isEmpty {
            guard let response = phone.respond(to: commands.removeFirst()) else { finding("no response") }
            send(response)
        }
        guard let request = phone.sealed([0x02, 0x04], AliroLinkPhone.unlock) else { finding("no keys") }
        hasRequested = true
        send(request)
        require(granted == before + 1, "a listed phone does not go through")
    }
}
