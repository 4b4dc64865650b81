import Peripheral
import Timekeeping

/// A host, its controller, and a witness of what it promises to a device.
struct HostRig: ~Copyable, TimedRig {
    var host: Host
    var controller: FuzzController
    var now = Instant.origin
    private var links: [LinkID] = []
    private var generations: Set<UInt32> = []
    private var packet: [UInt8] = []
    private var isReady = false

    /// More packets than the host has to say at once: bring-up, advertising, and full queues of every link.
    private static let longestTalk = 10_000

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
            .subscribed(let link, _, _), .writable(let link), .displayPasskey(let link, _), .requestPasskey(let link),
            .compare(let link, _), .securityChanged(let link, _), .paired(let link, _), .pairingFailed(let link, _):
            require(links.contains(link), "an event of \(link), which is not there")
        case .ready:
            require(links.isEmpty, "links outlive their controller")
            isReady = true
        case .controllerFailed: require(links.isEmpty, "links outlive their controller")
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
        send(FuzzPacket.connected(0x40))
        pass(.milliseconds(20))
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
