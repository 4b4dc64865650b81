// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

/// A device that sends back every SDU, and a central that sends faster than it takes.
@Suite struct HostEchoTests {
    @Test(arguments: [[27, 0, 2], [0xFB, 0x00, 0x08]] as [[UInt8]])
    func echoWithBackPressure(buffers: [UInt8]) throws {
        let service = ChannelService(spsm: 0x80, mtu: 400, mps: 64, credits: 6, queueOctets: 600)
        var controller = ScriptedController.extended
        controller.leBuffers = buffers
        var configuration = HostConfiguration.unverified
        configuration.channelServices = [service]
        let (rig, _) = try Rig.linked(controller, links: 1, configuration: configuration)
        let device = EchoDevice(rig)
        device.act()
        var random = SplitMix64(seed: 0x4543_484F)
        // Most are longer than a K-frame, one is as long as may be, one is empty.
        let units = (0..<60).map { index in
            (0..<(index == 7 ? 400 : index == 8 ? 0 : Int(random.next() % 400))).map { _ in
                UInt8(truncatingIfNeeded: random.next())
            }
        }
        let central = EchoCentral(rig, units: units)
        var steps = 0
        while central.echoes.count < units.count, steps < 20_000, !device.isClosed {
            central.sendFrame()
            device.act()
            central.takePackets(givesCredit: steps % 4 == 0)
            device.act()
            steps += 1
        }
        #expect(central.echoes == units && !device.isClosed)
        // There was back-pressure, in both directions, and the device held no more than the credits allow.
        #expect(device.pauses > 5 && central.waits > 5)
        #expect(device.mostPending <= service.credits * service.mps)
        #expect(rig.host.ignoredPackets == 0)
    }
}

/// Sends back what it gets; while the channel is busy, it gives no credits.
private final class EchoDevice {
    private let rig: Rig
    private var pending: [[UInt8]] = []
    private(set) var isClosed = false
    private(set) var pauses = 0
    /// Octets of SDUs beyond the first, which is the one that the channel did not take.
    private(set) var mostPending = 0

    init(_ rig: Rig) { self.rig = rig }

    func act() {
        for event in rig.takeEvents() {
            switch event {
            case .channelReceived(let link, let channel, let value):
                pending.append(Array(rig.host.eventOctets[value]))
                mostPending = max(mostPending, pending.dropFirst().reduce(0) { $0 + $1.count })
                if pending.count == 1 { flush(link, channel) }
            case .channelWritable(let link, let channel): flush(link, channel)
            case .channelClosed: isClosed = true
            default: break
            }
        }
    }

    private func flush(_ link: LinkID, _ channel: ChannelID) {
        while let unit = pending.first {
            guard rig.host.send(link, channel, unit.span, at: rig.now) == .accepted else {
                pauses += 1
                rig.host.pauseChannel(link, channel)
                return
            }
            pending.removeFirst()
        }
        rig.host.resumeChannel(link, channel, at: rig.now)
    }
}

/// A central with one channel, MTU 400 and MPS 50, that sends SDUs and gathers what comes back.
private final class EchoCentral {
    private let rig: Rig
    /// The K-frames that are still to be sent.
    private var frames: [[UInt8]] = []
    private var credits = 0
    private var owed = 0
    private var reassembly = L2CAPReassembly()
    private var unit: [UInt8] = []
    private var announced: Int?
    private(set) var echoes: [[UInt8]] = []
    /// Times at which it had no credit.
    private(set) var waits = 0

    init(_ rig: Rig, units: [[UInt8]]) {
        self.rig = rig
        for unit in units {
            var rest = [UInt8(unit.count & 0xFF), UInt8(unit.count >> 8)] + unit
            while !rest.isEmpty {
                frames.append(Array(rest.prefix(64)))
                rest.removeFirst(min(64, rest.count))
            }
        }
        rig.signal(octets("14 01 0a00 8000 4500 9001 3200 0200"))
    }

    func sendFrame() {
        guard let frame = frames.first else { return }
        guard credits > 0 else {
            waits += 1
            return
        }
        credits -= 1
        frames.removeFirst()
        rig.frame(frame)
    }

    /// Takes what the host has sent, and gives back a credit for a frame that came, now and then.
    func takePackets(givesCredit: Bool) {
        rig.settle()
        let packets = exchange(&rig.controller.data, with: [])
        for packet in packets {
            let fragment = Array(packet.dropFirst(5))
            guard
                case .complete(let channel, let payload, let inFragment) = reassembly.receive(
                    fragment.span, isStart: packet[2] & 0x30 == 0)
            else { continue }
            receive(Array((inFragment ? fragment : reassembly.octets)[payload]), channel.rawValue)
        }
        if !packets.isEmpty { rig.complete(0x40, UInt8(packets.count)) }
        guard givesCredit, owed > 0 else { return }
        owed -= 1
        rig.signal(octets("16 02 0400 4500 0100"))
    }

    private func receive(_ frame: [UInt8], _ channel: UInt16) {
        switch (channel, frame[0]) {
        case (5, 0x15):
            #expect(hex(frame) == packed("15 01 0a00 4000 9001 4000 0600 0000"))
            credits = 6
        case (5, 0x16): credits += Int(frame[6]) | Int(frame[7]) << 8
        case (0x45, _):
            owed += 1
            #expect(frame.count <= 50)
            gather(frame)
        default: Issue.record("\(hex(frame)) on channel \(channel)")
        }
    }

    private func gather(_ frame: [UInt8]) {
        if announced == nil {
            announced = Int(frame[0]) | Int(frame[1]) << 8
            unit = Array(frame.dropFirst(2))
        } else {
            unit += frame
        }
        guard unit.count == announced else { return }
        echoes.append(unit)
        announced = nil
    }
}
