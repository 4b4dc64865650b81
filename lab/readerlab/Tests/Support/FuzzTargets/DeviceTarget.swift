// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
import Proximity
import Reader
import TestSupport
import Timekeeping

/// A whole reader between a controller and its door. Links come and go, phones write frames, sealed or not, and no
/// input may give the lock current: the only good token there is does not open (it is a PING), and nobody signs one.
func fuzzDevice(_ input: inout FuzzInput) {
    let choice = input.octet()
    var rig = DeviceRig(extended: choice & 1 == 0, near: choice & 2 == 0)
    while let choice = input.next() {
        switch choice {
        case 0..<0x20: rig.pass(.milliseconds(Int(choice) * Int(choice)))
        case 0x20..<0x24: rig.passToDeadline()
        case 0x24..<0x28: rig.controller.isAnswering = choice & 1 == 0
        case 0x28..<0x30: rig.controller.rssi = Int8(bitPattern: input.octet())
        case 0x30: rig.transportLost()
        case 0x31: rig.start()
        case 0x32: rig.epochSeconds = choice & 1 == 0 ? nil : Int64(input.word()) << 17
        case 0x33: rig.shutDown()
        case 0x38..<0x50: rig.connect(choice & 7 | 0x40, set: input.octet())
        case 0x50..<0x58: rig.send(ControllerPacket.disconnected(choice & 7 | 0x40))
        case 0x58..<0x60: rig.send(ControllerPacket.completed(choice & 7 | 0x40, input.octet()))
        case 0x60..<0xA0: rig.write(choice & 7 | 0x40, &input)
        case 0xA0..<0xB0: rig.subscribe(choice & 7 | 0x40, mtu: 100 + 2 * UInt16(input.octet()))
        case 0xB0..<0xD0: rig.send(ControllerPacket.data(choice & 7 | 0x40, input.block()))
        case 0xD0..<0xD8: rig.send(ControllerPacket.data(choice & 7 | 0x40, input.block(), channel: input.octet()))
        case 0xD8...0xFF: rig.send(input.block())
        default: break
        }
    }
    rig.rest()
}

private struct DeviceRig: ~Copyable, TimedRig {
    var device: ReaderDevice<CountingRandom>
    var controller: FuzzController
    var now = Instant.origin
    var epochSeconds: Int64? = FuzzKeys.epochSeconds
    private var handset = FuzzHandset()
    private var packet: [UInt8] = []
    private var effects: [ReaderEffect] = []
    private var links: Set<LinkID> = []

    init(extended: Bool, near: Bool) {
        let configuration = AccessConfiguration(modes: [
            .init(mode: .onTouch, address: .randomStatic(from: 1), gate: .init()),
            .init(mode: .access, address: .randomStatic(from: 2), gate: near ? nil : .init()),
            .init(mode: .classic, address: .randomStatic(from: 3), gate: nil),
        ])
        controller = FuzzController(extended: extended)
        device = FuzzKeys.reader(configuration)
        device.reader.startDoor(at: now)
        start()
    }

    private var moment: Moment { Moment(instant: now, epochSeconds: epochSeconds) }

    mutating func start() {
        device.start(at: moment)
        settle()
    }

    mutating func transportLost() {
        device.transportLost(at: moment)
        settle()
    }

    mutating func shutDown() {
        device.shutDown(at: moment)
        settle()
    }

    mutating func send(_ packet: [UInt8]) {
        device.receive(packet.span, at: moment)
        settle()
    }

    mutating func connect(_ handle: UInt8, set: UInt8) {
        send(ControllerPacket.connected(handle))
        send(ControllerPacket.terminated(handle, set: set % 4))
    }

    /// Exchanges MTUs and asks for notifications of the first service.
    mutating func subscribe(_ handle: UInt8, mtu: UInt16) {
        send(ControllerPacket.data(handle, [0x02, UInt8(mtu & 0xFF), UInt8(mtu >> 8)]))
        let descriptor = UInt8(FuzzTable.access.services[0].tx.rawValue + 1)
        send(ControllerPacket.data(handle, [0x12, descriptor, 0, 1, 0]))
    }

    /// A phone writes frames to the RX of the first service.
    mutating func write(_ handle: UInt8, _ input: inout FuzzInput) {
        let rx = UInt8(FuzzTable.access.services[0].rx.rawValue)
        for frame in handset.frames(input.octet(), &input, limit: 200) {
            send(ControllerPacket.data(handle, [0x52, rx, 0] + frame))
        }
    }

    var deadline: Instant? { device.nextDeadline }

    mutating func reach(_ instant: Instant) {
        device.advance(to: moment)
        settle()
    }

    private mutating func settle() {
        while true {
            look()
            guard device.popPacket(into: &packet) else { return }
            let answer = controller.receive(packet)
            for data in controller.data { receive(data) }
            controller.data.removeAll(keepingCapacity: true)
            if let answer { device.receive(answer.span, at: moment) }
        }
    }

    /// Checks the actions of the door and the notices.
    private mutating func look() {
        device.reader.takeEffects(into: &effects)
        requireNothingOpened(effects)
        for case .notice(let notice) in effects {
            switch notice {
            case .connected(let link, _, _): require(links.insert(link).inserted, "\(link) comes again")
            case .disconnected(let link, _): require(links.remove(link) != nil, "\(link) ends without a beginning")
            default: break
            }
        }
    }

    /// A notification in one ACL packet goes to the phone, which may learn the reader's salt from it; the controller
    /// has room again.
    private mutating func receive(_ data: [UInt8]) {
        guard data.count > 12, data[2] & 0x30 == 0 || data[2] & 0x30 == 0x20, data[9] == 0x1B else { return }
        handset.receive(Array(data[12...]))
    }

    /// Left alone, with a controller that answers, the reader ends every link within a minute.
    mutating func rest() {
        controller.isAnswering = true
        controller.data.removeAll()
        for _ in 0..<240 where device.hasLinks { pass(.milliseconds(250)) }
        require(!device.hasLinks, "links without an exchange do not end")
    }
}
