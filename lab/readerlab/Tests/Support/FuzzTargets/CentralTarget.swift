// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Phone
import TestSupport
import Timekeeping

/// A phone's host and its controller: links begin and end in order, and what is sent is whole packets.
func fuzzCentral(_ input: inout FuzzInput) {
    var rig = CentralRig(extended: input.octet() & 1 == 0)
    rig.central.start(at: rig.now)
    rig.settle()
    while let choice = input.next() {
        switch choice {
        case 0..<0x20: rig.pass(.milliseconds(Int(choice) * Int(choice) * 10))
        case 0x20..<0x24: rig.controller.isAnswering = choice & 1 == 0
        case 0x24: rig.central.start(at: rig.now)
        case 0x28..<0x60: rig.phone(choice, &input)
        case 0x60..<0x70: rig.send(ControllerPacket.connected(choice & 7 | 0x40, role: 0))
        case 0x80..<0x88: rig.send(ControllerPacket.disconnected(choice & 7 | 0x40))
        case 0x88..<0x90: rig.send(ControllerPacket.completed(choice & 7 | 0x40, input.octet()))
        case 0x90..<0xC0: rig.send(ControllerPacket.data(choice & 7 | 0x40, input.block()))
        case 0xC0..<0xD0: rig.send(ControllerPacket.data(choice & 7 | 0x40, input.block(), channel: input.octet()))
        case 0xD0..<0xE0:
            let parameters = input.block()
            rig.send([0x04, 0x3E, UInt8(truncatingIfNeeded: parameters.count)] + parameters)
        default: rig.send(input.block())
        }
        rig.settle()
    }
    rig.pass(.seconds(60))
}

private struct CentralRig: TimedRig {
    var central = Central(address: .randomStatic(from: 7))
    var controller: FuzzController
    var now = Instant.origin
    private var links: [LinkID] = []
    private var generations: Set<UInt32> = []
    private var packet: [UInt8] = []

    init(extended: Bool) {
        controller = FuzzController(extended: extended)
    }

    mutating func send(_ packet: [UInt8]) {
        central.receive(packet.span, at: now)
        settle()
    }

    mutating func settle() {
        while true {
            while let event = central.popEvent() { see(event) }
            guard central.popPacket(into: &packet) else { break }
            if let answer = controller.receive(packet) { central.receive(answer.span, at: now) }
        }
        controller.data.removeAll(keepingCapacity: true)
        require(central.openLinks == links, "the links that are open are not those that were told")
    }

    var deadline: Instant? { central.nextDeadline }

    mutating func reach(_ instant: Instant) {
        central.advance(to: instant)
        settle()
    }

    /// A request of the phone, possible or not.
    mutating func phone(_ choice: UInt8, _ input: inout FuzzInput) {
        let link = links.isEmpty ? LinkID(slot: 0, generation: 9) : links[input.number(below: links.count)]
        do throws(CentralRefusal) {
            switch choice & 7 {
            case 0: try central.startScanning(at: now)
            case 1: central.stopScanning(at: now)
            case 2: try central.connect(to: .randomStatic(from: UInt64(input.octet())), at: now)
            case 3: central.cancelConnecting(at: now)
            case 4: central.disconnect(link, at: now)
            case 5: try central.readRSSI(link, at: now)
            default: try central.sendAttribute(link, input.block().span)
            }
        } catch {}
    }

    private mutating func see(_ event: CentralEvent) {
        switch event {
        case .connected(let link, _, _):
            require(generations.insert(link.generation).inserted, "\(link) comes again")
            links.append(link)
        case .disconnected(let link, _):
            require(links.contains(link), "\(link) ends without a beginning")
            links.removeAll { $0 == link }
        case .intervalChanged(let link, _), .dataLengthChanged(let link, _), .rssi(let link, _):
            require(links.contains(link), "an event of \(link), which is not there")
        case .attribute(let link, let pdu):
            require(links.contains(link) && pdu.count <= 517, "\(pdu.count) octets of \(link)")
        case .ready, .failed, .scanRefused, .report, .connectionFailed: break
        }
    }
}
