// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Peripheral
import Proximity
import Reader
import TestSupport
import Timekeeping

/// The state of a client of another service over Bluetooth LE than the access profile's.
protocol LinkClient {
    /// The mode that advertises the service.
    static var mode: AdvertisingMode { get }
    /// True once the client has done what opens the door.
    var mayOpen: Bool { get }

    /// Handles a message of the reader.
    mutating func receive(_ message: [UInt8])
    /// Handles the end of the link.
    mutating func leave()
}

/// The host of a rig: keeps the messages of the reader.
struct LinkPort: ReaderPort {
    /// The longest SDU; nil for a service without a channel.
    let maximumUnit: Int?
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
        require(maximumUnit == nil, "a notification of a service with a channel")
        require(value.count <= mtu - 3, "a notification of \(value.count) octets")
        messages.append(value.array)
        return .accepted
    }
    func attMTU(_ link: LinkID) -> Int { mtu }
    mutating func send(
        _ link: LinkID, _ channel: ChannelID, _ unit: Span<UInt8>, at now: Instant
    ) -> ChannelSendOutcome {
        require(unit.count <= maximumUnit ?? -1, "an SDU of \(unit.count) octets")
        messages.append(unit.array)
        return .accepted
    }
    mutating func closeChannel(_ link: LinkID, _ channel: ChannelID, at now: Instant) {}
    mutating func setAdvertising(enabled: Bool, at now: Instant) {}
}

/// A reader with a client of one service, near and far.
struct LinkRig<Client: LinkClient>: ~Copyable, TimedRig {
    private static var channel: ChannelID { ChannelID(endpoint: L2CAPChannelID(rawValue: 0x40), serial: 1) }

    var reader: AccessReader
    var client: Client
    var port: LinkPort
    var now = Instant.origin
    private let table: AccessTable
    private var random = CountingRandom()
    private(set) var link: LinkID?
    private var generation: UInt32 = 0
    private(set) var granted = 0

    /// A reader with this client's mode first, equipped by `equip`.
    init(
        _ client: Client, maximumUnit: Int? = nil, configure: (inout AccessConfiguration) -> Void = { _ in },
        equip: (inout AccessReader) -> Void
    ) {
        var configuration = AccessConfiguration(modes: [
            .init(mode: Client.mode, address: .randomStatic(from: 1), gate: .init()),
            .init(mode: .access, address: .randomStatic(from: 2), gate: .init()),
            .init(mode: .classic, address: .randomStatic(from: 3), gate: nil),
        ])
        configure(&configuration)
        table = certain {
            try AccessTable(
                deviceName: "wa0y1YwS", modes: configuration.modes.map(\.mode), identifiers: .init(),
                record: ManufacturerRecord(isFactory: true, applicationVersion: 0, localMidnight: 0))
        }
        reader = AccessReader(
            configuration: configuration, identity: FuzzKeys.identity, table: table, door: DoorConfiguration())
        equip(&reader)
        self.client = client
        port = LinkPort(maximumUnit: maximumUnit)
        reader.startDoor(at: now)
        look()
    }

    private var moment: Moment { Moment(instant: now, epochSeconds: 1_795_262_400) }

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
        (self.link, port.ended) = (nil, false)
        client.leave()
        event(.disconnected(link, reason: .remoteUserTerminated))
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

    mutating func subscribe() {
        guard let link, let notified = table.handles(of: Client.mode)?.notified else { return }
        event(.subscribed(link, notified, .notification))
    }

    mutating func write(_ value: [UInt8]) {
        guard let link, let written = table.handles(of: Client.mode)?.written else { return }
        port.eventOctets = value
        event(.written(link, written, value: 0..<value.count))
    }

    mutating func open(spsm: UInt16) {
        guard let link else { return }
        event(
            .channelOpened(
                link, Self.channel, ChannelDescription(spsm: spsm, isEnhanced: false, peerMTU: 512, mtu: 512)))
    }

    mutating func close() {
        guard let link else { return }
        event(.channelClosed(link, Self.channel))
    }

    mutating func send(_ unit: [UInt8]) {
        guard let link else { return }
        port.eventOctets = unit
        event(.channelReceived(link, Self.channel, value: 0..<unit.count))
    }

    // MARK: Time and effects

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
                require(client.mayOpen, "the lock has current, and the client has proven or requested nothing")
            case .notice(.decided(_, let decision, _)) where decision.isGranted:
                require(client.mayOpen, "a client is granted that has proven or requested nothing")
                granted += 1
            default: break
            }
        }
        for message in port.messages { client.receive(message) }
        port.messages = []
    }

    /// Begins a near link of the client's mode, after the re-arm time and with nothing open.
    mutating func approach() {
        leave()
        pass(.seconds(400))
        port.mtu = 247
        connect(set: 0)
        measure(-45)
    }
}

/// The private key with this scalar.
func linkKey(_ scalar: UInt8) -> P256PrivateKey {
    certain {
        let octets = [UInt8](repeating: 0, count: 31) + [scalar]
        return try P256PrivateKey(scalar: octets.span)
    }
}
