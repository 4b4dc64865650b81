import Peripheral
import Timekeeping

/// Packets of a controller, time, and a device that does what it may. In the end the controller comes to its senses,
/// and the host has to serve a phone. The first octet chooses the controller.
func fuzzHost(_ input: inout FuzzInput) {
    var rig = HostRig(extended: input.octet() & 1 == 0)
    rig.start()
    while let choice = input.next() {
        switch choice {
        case 0..<0x20: rig.pass(microseconds: Int(choice) * 1000 + Int(input.octet()) * 4)
        case 0x20..<0x24: rig.passToDeadline()
        case 0x24..<0x28: rig.controller.isAnswering = choice & 1 == 0
        case 0x28: rig.transportLost()
        case 0x29: rig.start()
        case 0x2A..<0x30: rig.host.setAdvertising(enabled: choice & 1 == 0, at: rig.now)
        case 0x30..<0x60: rig.device(choice, &input)
        case 0x60..<0x70: rig.send(FuzzPacket.connected(choice & 7 | 0x40))
        case 0x70..<0x80: rig.send(FuzzPacket.terminated(choice & 7 | 0x40, set: input.octet()))
        case 0x80..<0x88: rig.send(FuzzPacket.disconnected(choice & 7 | 0x40))
        case 0x88..<0x90: rig.send(FuzzPacket.completed(choice & 7 | 0x40, input.octet()))
        case 0x90..<0xC0: rig.send(FuzzPacket.data(choice & 7 | 0x40, input.block()))
        case 0xC0..<0xD0: rig.send(FuzzPacket.data(choice & 7 | 0x40, input.block(), channel: input.octet()))
        default: rig.send(input.block())
        }
        rig.settle()
    }
    rig.recover()
}

/// A host, its controller, and a witness of what it promises to a device.
private struct HostRig: ~Copyable {
    var host: Host
    var controller: FuzzController
    var now = Instant.origin
    private var links: [LinkID] = []
    private var generations: Set<UInt32> = []
    private var packet: [UInt8] = []
    private var isReady = false

    init(extended: Bool) {
        var configuration = HostConfiguration()
        configuration.links = 4
        host = Host(database: FuzzTable.access.database, configuration: configuration)
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

    mutating func send(_ packet: [UInt8]) {
        host.receive(packet.span, at: now)
        settle()
    }

    mutating func settle() {
        while true {
            while let event = host.nextEvent() { see(event) }
            guard host.outbound.popFirst(into: &packet) else { return }
            if let answer = controller.receive(packet) { host.receive(answer.span, at: now) }
        }
    }

    mutating func pass(microseconds: Int) {
        let end = now + .microseconds(microseconds)
        while let deadline = host.nextDeadline, deadline <= end { advance(to: deadline) }
        now = end
    }

    mutating func passToDeadline() {
        if let deadline = host.nextDeadline { advance(to: deadline) }
    }

    private mutating func advance(to deadline: Instant) {
        now = max(now, deadline)
        host.advance(to: now)
        settle()
        if let next = host.nextDeadline { require(next > now, "time does not go on") }
    }

    /// What a device may ask for, of a link that is there or not.
    mutating func device(_ choice: UInt8, _ input: inout FuzzInput) {
        let slot = Int(choice & 3)
        let link = links.first { $0.slot == slot } ?? LinkID(slot: slot, generation: UInt32(input.octet()))
        switch choice & 0x0C {
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

    private mutating func see(_ event: HostEvent) {
        switch event {
        case .connected(let link, _):
            require(generations.insert(link.generation).inserted, "\(link) comes again")
            require(!links.contains { $0.slot == link.slot }, "\(link) in a taken place")
            links.append(link)
        case .disconnected(let link, _):
            require(links.contains(link), "\(link) ends without a beginning")
            links.removeAll { $0 == link }
        case .written(let link, _, let value):
            require(links.contains(link), "\(link) is not there and writes")
            require(value.upperBound <= host.eventOctets.count && value.count <= 512, "the value is out of bounds")
        case .intervalChanged(let link, _), .rssi(let link, _), .mtuExchanged(let link, _),
            .subscribed(let link, _, _), .writable(let link),
            .displayPasskey(let link, _), .requestPasskey(let link), .compare(let link, _),
            .securityChanged(let link, _), .paired(let link, _), .pairingFailed(let link, _):
            require(links.contains(link), "an event of \(link), which is not there")
        case .channelOpened(let link, _, _), .channelReceived(let link, _, _), .channelWritable(let link, _),
            .channelReconfigured(let link, _, _), .channelClosed(let link, _):
            finding("a channel on \(link), and the host serves none")
        case .ready:
            require(links.isEmpty, "links outlive their controller")
            isReady = true
        case .controllerFailed: require(links.isEmpty, "links outlive their controller")
        }
    }

    /// A sound controller from now on: the host advertises, and a phone is answered.
    mutating func recover() {
        controller.isAnswering = true
        isReady = false
        send([0x04, 0x10, 0x01, 0x00])
        // Longer than the longest pause between two attempts; a host without a transport waits for one.
        for _ in 0..<100 where !isReady { pass(microseconds: 100_000) }
        if !isReady { start() }
        require(isReady, "the host does not recover")
        host.setAdvertising(enabled: true, at: now)
        pass(microseconds: 10_000)
        send(FuzzPacket.connected(0x40))
        pass(microseconds: 20_000)
        require(links.count == 1, "a phone that connects to a host at rest makes \(links.count) links")
        controller.data.removeAll()
        send(FuzzPacket.data(0x40, [0x0A, 0x03, 0x00]))
        require(controller.data == [FuzzPacket.response(0x40, [0x0B] + Array("wa0y1YwS".utf8))], "no answer")
    }
}

extension FuzzPacket {
    /// What a host sends for one PDU of ATT that fits a packet: Packet_Boundary_Flag 0b00.
    static func response(_ handle: UInt8, _ pdu: [UInt8]) -> [UInt8] {
        var packet = data(handle, pdu)
        packet[2] = 0
        return packet
    }
}
