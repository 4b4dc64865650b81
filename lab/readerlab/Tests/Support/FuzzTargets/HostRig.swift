// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Reader
import TestSupport
import Timekeeping

/// A host, its controller, and a witness of what it promises to a device.
struct HostRig: ~Copyable, TimedRig {
    var host: Host
    var controller: FuzzController
    var now = Instant.origin
    private(set) var links: [LinkID] = []
    /// Channels that are open, and the longest SDU that each takes.
    private(set) var channels: [OpenChannel] = []
    /// Pairings that are complete, and the links on which one was.
    private(set) var paired: [LinkID] = []
    /// The packet that is being received tells of encryption, and that it succeeded.
    private var tellsOfEncryption = false
    /// The size of the key of each link that is encrypted.
    private var encrypted: [LinkID: Int] = [:]
    private var generations: Set<UInt32> = []
    /// The requests of clients, of which every third is answered at once, and the others late or never.
    private var asked: [AttributeRequestID] = []
    private var questions = 0
    private var packet: [UInt8] = []
    private var isReady = false

    /// More packets than the host has to say at once: bring-up, advertising, and full queues of every link.
    private static let longestTalk = 10_000

    /// A channel of a link.
    struct OpenChannel: Equatable {
        var link: LinkID
        var channel: ChannelID
        var mtu: Int
    }

    /// The services of the devices besides attributes: credit-based channels, of which the last needs encryption.
    static let services = [
        ChannelService(spsm: 0x80, mtu: 100, mps: 40, credits: 3, maximumPerLink: 3, queueOctets: 300),
        ChannelService(spsm: 0x27, modes: .enhanced, mtu: 64, mps: 64, maximumPerLink: 4),
        ChannelService(spsm: 0x81, security: ChannelSecurity(needsEncryption: true)),
    ]

    /// A host of one device; or of two with channels, of which the first pairs.
    init(extended: Bool, store: FuzzBondStore? = nil) {
        var configuration = HostConfiguration()
        configuration.links = 4
        if let store {
            configuration.channelServices = HostRig.services
            host = Host(
                devices: [
                    ServedDevice(
                        database: FuzzTable.access.database, advertisingSets: [0], security: HostRig.policy),
                    ServedDevice(database: FuzzTable.handling, advertisingSets: [1]),
                ],
                configuration: configuration,
                security: SecuritySetup(identity: CentralKeys.own, store: store, random: CountingRandom()))
        } else {
            host = Host(database: FuzzTable.access.database, configuration: configuration)
        }
        controller = FuzzController(extended: extended)
        host.configure(
            advertising: (0..<2).map {
                AdvertisingSet(
                    id: $0, address: .randomStatic(from: UInt64($0)), data: [3, 3, 0xBA, 0xFC], scanResponse: [],
                    interval: .milliseconds(100))
            })
    }

    mutating func start() {
        host.start(at: now)
        settle()
    }

    mutating func transportLost() {
        host.transportLost(at: now)
        settle()
    }

    /// Just Works, and a central that failed may try again at once.
    private static var policy: SecurityPolicy {
        var policy = SecurityPolicy()
        policy.freeAttempts = .max
        return policy
    }

    mutating func send(_ packet: [UInt8]) {
        // Encryption Change and Encryption Key Refresh Complete with success (Core 5.4, Vol 4, Part E, 7.7.8, 7.7.39).
        tellsOfEncryption =
            packet.starts(with: [0x04, 0x08, 4, 0]) && packet.last == 1 || packet.starts(with: [0x04, 0x30, 3, 0])
        defer { tellsOfEncryption = false }
        host.receive(packet.span, at: now)
        settle()
    }

    /// Lets both sides talk until neither has more to say, which has to come.
    mutating func settle() {
        for _ in 0..<HostRig.longestTalk {
            while let event = host.nextEvent() { see(event) }
            guard host.outbound.popFirst(into: &packet) else { return }
            if let answer = controller.receive(packet) { host.receive(answer.span, at: now) }
        }
        finding("the host does not stop talking")
    }

    var deadline: Instant? { host.nextDeadline }

    mutating func reach(_ instant: Instant) {
        host.advance(to: instant)
        settle()
    }

    /// An order of a device, about a link that is there or not.
    mutating func device(_ choice: UInt8, _ input: inout FuzzInput) {
        let slot = Int(choice & 3)
        let link = links.first { $0.slot == slot } ?? LinkID(slot: slot, generation: UInt32(input.octet()))
        switch choice & 0x0C {
        case 0 where choice & 0x10 != 0: host.readTransmitPower(link, at: now)
        case 0: _ = host.readRSSI(link, at: now)
        case 4: host.disconnect(link, reason: .remoteUserTerminated, at: now)
        default:
            let value = input.block()
            let tx = FuzzTable.access.services[0].tx
            let outcome = host.notify(link, tx, value.span, at: now)
            let isThere = links.contains(link)
            require(isThere || outcome == .gone, "\(outcome) for a link that is not there")
            require(outcome != .accepted || value.count <= host.attMTU(link) - 3, "accepted and too long")
        }
    }

    /// An order of a device about a channel, open or not.
    mutating func channel(_ choice: UInt8, _ input: inout FuzzInput) {
        let number = Int(input.octet())
        let nowhere = ChannelID(endpoint: .init(rawValue: UInt16(number)), serial: 99)
        let place =
            channels.isEmpty || number >= 0xF0
            ? (links.first ?? LinkID(slot: 0, generation: 99), nowhere)
            : (channels[number % channels.count].link, channels[number % channels.count].channel)
        let wasOpen = isOpen(place.0, place.1)
        switch choice & 3 {
        case 0: host.closeChannel(place.0, place.1, at: now)
        case 1:
            if number & 1 == 0 {
                host.pauseChannel(place.0, place.1)
            } else {
                host.resumeChannel(place.0, place.1, at: now)
            }
        default:
            let outcome = host.send(place.0, place.1, input.block().span, at: now)
            require(wasOpen || outcome == .gone, "\(outcome) on a channel that is not open")
        }
        settle()
        if choice & 3 == 0 { require(!isOpen(place.0, place.1), "a channel that the device has closed is open") }
    }

    private func isOpen(_ link: LinkID, _ channel: ChannelID) -> Bool {
        channels.contains { $0.link == link && $0.channel == channel }
    }

    /// A device that takes its time: a third at once, a third with the next question, a third never, and once more what
    /// has been answered already.
    private mutating func answer(_ request: AttributeRequestID, isRead: Bool) {
        require(links.contains(request.link), "\(request.link) is not there and asks")
        require(!asked.contains(request), "\(request) is asked twice")
        asked.append(request)
        questions += 1
        if asked.count > 8 { asked.removeFirst() }
        guard questions % 3 != 0, let answered = questions % 3 == 1 ? request : asked.first else { return }
        let value = [UInt8](repeating: 0x5A, count: questions % 513)
        let outcome =
            isRead ? host.respond(to: answered, value: value.span, at: now) : host.accept(answered, at: now)
        require(answered != request || outcome == .taken, "an answer in time is not taken")
        guard outcome == .taken else { return }
        require(host.refuse(answered, .unlikelyError, at: now) != .taken, "a second answer is taken")
    }

    private mutating func see(_ event: HostEvent) {
        switch event {
        case .connected(let link, _):
            require(generations.insert(link.generation).inserted, "\(link) comes again")
            require(!links.contains { $0.slot == link.slot }, "\(link) in a taken place")
            links.append(link)
        case .disconnected(let link, _):
            require(links.contains(link), "\(link) ends without a beginning")
            require(!channels.contains { $0.link == link }, "a channel outlives its link")
            links.removeAll { $0 == link }
            encrypted[link] = nil
        case .written(let link, _, let value):
            require(links.contains(link), "\(link) is not there and writes")
            require(value.upperBound <= host.eventOctets.count && value.count <= 512, "the value is out of bounds")
        case .intervalChanged(let link, _), .rssi(let link, _), .transmitPower(let link, _),
            .mtuExchanged(let link, _), .subscribed(let link, _, _), .writable(let link), .refused(let link, _):
            require(links.contains(link), "an event of \(link), which is not there")
        case .confirmed(let link, _): require(links.contains(link), "\(link) is not there and confirms")
        case .readRequested(let request, _, let offset):
            require(offset <= 512, "a part of a value beyond the longest")
            answer(request, isRead: true)
        case .writeRequested(let request, _, let value):
            require(value.upperBound <= host.eventOctets.count && value.count <= 512, "the value is out of bounds")
            answer(request, isRead: false)
        case .displayPasskey(let link, _), .requestPasskey(let link), .compare(let link, _):
            finding("\(link) asks the user something, and pairings are Just Works")
        case .securityChanged(let link, let level):
            require(links.contains(link), "a level of \(link), which is not there")
            require(!level.isAuthenticated, "a level that no pairing can have led to")
            if level.isEncrypted, level.keySize != encrypted[link] {
                require(tellsOfEncryption && !controller.keys.isEmpty, "a level out of nothing")
                require(level.isSecureConnections && level.keySize == 16, "a level below the policy")
            }
            encrypted[link] = level.isEncrypted ? level.keySize : nil
        case .bondRemoved(let link, _): require(links.contains(link), "\(link) is not there and bonds")
        case .paired(let link, _):
            require(encrypted[link] != nil, "paired without encryption")
            paired.append(link)
        case .pairingFailed(let link, _): require(links.contains(link), "\(link) is not there and fails to pair")
        case .channelOpened(let link, let channel, let description):
            require(links.contains(link), "a channel of \(link), which is not there")
            require(!isOpen(link, channel), "\(channel) is opened twice")
            require(description.spsm != 0x81 || encrypted[link] != nil, "a channel without the encryption it needs")
            channels.append(OpenChannel(link: link, channel: channel, mtu: description.mtu))
        case .channelReceived(let link, let channel, let value):
            guard let open = channels.first(where: { $0.link == link && $0.channel == channel }) else {
                finding("an SDU of a channel that is not open")
            }
            require(value.count <= open.mtu, "an SDU of \(value.count) octets, the MTU is \(open.mtu)")
            require(value.upperBound <= host.eventOctets.count, "the SDU is out of bounds")
        case .channelWritable(let link, let channel), .channelReconfigured(let link, let channel, _):
            require(isOpen(link, channel), "an event of a channel that is not open")
        case .channelClosed(let link, let channel):
            require(isOpen(link, channel), "a channel is closed that was not open")
            channels.removeAll { $0.link == link && $0.channel == channel }
        case .ready:
            require(links.isEmpty, "links outlive their controller")
            isReady = true
        case .controllerFailed: require(links.isEmpty, "links outlive their controller")
        case .advertising(let status):
            require(status.onAir.isEmpty || isReady, "a set is on the air, and no controller is ready")
        case .transmitPowerUnavailable: require(isReady, "a controller without powers, and none is ready")
        }
    }

    /// A sound controller from now on: the host advertises, and a phone is answered.
    mutating func recover() {
        controller.isAnswering = true
        controller.unsound.removeAll()
        isReady = false
        send([0x04, 0x10, 0x01, 0x00])
        // Longer than the longest pause between two attempts; a host without a transport waits for one.
        for _ in 0..<100 where !isReady { pass(.milliseconds(100)) }
        if !isReady { start() }
        require(isReady, "the host does not recover")
        host.setAdvertising(enabled: true, at: now)
        pass(.milliseconds(10))
        send(ControllerPacket.connected(0x40))
        pass(.milliseconds(20))
        require(links.count == 1, "a phone that connects to a host at rest makes \(links.count) links")
        controller.data.removeAll()
        send(ControllerPacket.data(0x40, [0x0A, 0x03, 0x00]))
        require(controller.data == [ControllerPacket.response(0x40, [0x0B] + Array("wa0y1YwS".utf8))], "no answer")
    }
}

extension ControllerPacket {
    /// The packet of a host for one PDU of ATT that fits: Packet_Boundary_Flag 0b00.
    static func response(_ handle: UInt8, _ pdu: [UInt8]) -> [UInt8] {
        var packet = data(handle, pdu)
        packet[2] = 0
        return packet
    }
}
