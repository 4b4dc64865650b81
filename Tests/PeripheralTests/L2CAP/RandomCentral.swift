// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Octets
import Timekeeping

@testable import Peripheral

/// A central with random, mostly nearly valid input, and a device that answers; verifies the invariants of a link.
struct RandomCentral {
    private static let services = [
        ChannelService(spsm: 0x80, mtu: 100, mps: 64, credits: 5, maximumPerLink: 10, queueOctets: 500),
        ChannelService(spsm: 0x27, modes: .enhanced, mtu: 64, mps: 64, credits: 2, maximumPerLink: 10),
    ]
    private static let codes: [UInt8] = [0x01, 0x06, 0x07, 0x12, 0x13, 0x14, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1A]
    /// An SDU of each channel coming in, the SDUs waiting (one may be beyond the queue, and some that were sent stay
    /// for a while), and the answers.
    private static let bound = 16 * (100 + 4096 + 500 + 600) + 8 * 23 + 1100

    private(set) var fault: String?
    private(set) var opened = 0
    private(set) var received = 0
    private(set) var sent = 0
    private(set) var violations = 0

    private var random: SplitMix64
    private var channels = LinkChannels(services: services)
    private var now = Instant.origin
    private var events: [ChannelEvent] = []
    private var octets: [UInt8] = []
    private var live: [ChannelID] = []

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Performs one input and verifies the invariants.
    mutating func act() {
        switch random.below(16) {
        case 0..<5: signal()
        case 5..<9: frame()
        case 9..<13: readPackets()
        case 13: device()
        case 14: now = now + .milliseconds(Int(random.below(4000)))
        default: channels.advance(to: now)
        }
        check()
    }

    private mutating func field() -> UInt16 {
        switch random.below(8) {
        case 0: UInt16(truncatingIfNeeded: random.next())
        case 1: [0, 1, 22, 23, 63, 64, 0xFFFF][Int(random.below(7))]
        case 2, 3: [0x80, 0x27][Int(random.below(2))]
        default: 0x40 + UInt16(random.below(0x18))
        }
    }

    private mutating func signal() {
        let code = RandomCentral.codes[Int(random.below(UInt64(RandomCentral.codes.count)))]
        var fields: [UInt16] = (0..<Int(random.below(11))).map { _ in field() }
        switch code {
        case 0x14:
            fields = [
                0x80, 0x40 + UInt16(random.below(0x40)), 64, 23 + UInt16(random.below(80)), UInt16(random.below(9)),
            ]
        case 0x17: fields.replaceSubrange(0..<min(4, fields.count), with: [0x27, 64, 64, 1 + UInt16(random.below(5))])
        case 0x06, 0x16:
            if let channel = channels.channels.randomElement(using: &random) {
                fields = [channel.id.endpoint.rawValue, channel.peer]
                if code == 0x16 { fields = [channel.peer, random.below(50) == 0 ? 0xFFFF : UInt16(random.below(6))] }
            }
        default: break
        }
        var pdu: [UInt8] = [code, UInt8(truncatingIfNeeded: random.next()), UInt8(fields.count * 2), 0]
        for field in fields { pdu.append(littleEndian: field) }
        if random.below(10) == 0 { pdu[Int(random.below(UInt64(pdu.count)))] ^= 1 << UInt8(random.below(8)) }
        if random.below(10) == 0 { pdu.removeLast(Int(random.below(UInt64(pdu.count)))) }
        let answers = channels.responses.count
        let isAnswer = pdu.first.map { !SignallingCode(rawValue: $0).asksForAnswer } ?? true
        channels.receiveSignal(pdu.span, security: LinkSecurityLevel(), at: now, events: &events)
        if isAnswer, channels.responses.count != answers { fault = "\(hex(pdu)) is answered" }
    }

    private mutating func frame() {
        let endpoint = channels.channels.randomElement(using: &random)?.id.endpoint.rawValue ?? field()
        var payload = (0..<Int(random.below(random.below(20) == 0 ? 80 : 40))).map { _ in
            UInt8(truncatingIfNeeded: random.next())
        }
        if payload.count >= 2, random.below(2) == 0 {
            payload[0] = UInt8(payload.count - 2)
            payload[1] = 0
        } else if payload.count >= 2, random.below(4) != 0 {
            payload[0] = UInt8(random.below(102))
            payload[1] = 0
        }
        _ = channels.receive(
            payload.span, on: L2CAPChannelID(rawValue: endpoint), at: now, octets: &octets, events: &events)
    }

    private mutating func readPackets() {
        for _ in 0..<random.below(12) {
            var frame: [UInt8] = []
            guard channels.takeFrame(into: &frame, events: &events) else { return }
            guard frame.count >= 5, frame.count == 4 + Int(frame[0]) + Int(frame[1]) << 8 else {
                fault = "a frame says that it has another length: \(hex(frame))"
                return
            }
            if frame[2] != 5 {
                sent += 1
            } else if frame.count > 27 || frame.count != 8 + Int(frame[6]) || frame[5] == 0 {
                fault = "a signalling PDU is malformed: \(hex(frame))"
            } else if frame[4] == 6 {
                violations += 1
            }
        }
    }

    private mutating func device() {
        guard let id = live.randomElement(using: &random) else { return }
        switch random.below(20) {
        case 0: channels.close(id, at: now, events: &events)
        case 1: channels.setPaused(random.below(2) == 0, channel: id)
        case 2:
            channels.reset()
            for id in live { events.append(.closed(id)) }
        default: _ = channels.send([UInt8](repeating: 7, count: Int(random.below(70))).span, on: id)
        }
    }

    private mutating func check() {
        for event in events {
            switch event {
            case .opened(let id, _):
                opened += 1
                if live.contains(id) { fault = "\(id) is opened twice" }
                live.append(id)
            case .closed(let id):
                if !live.contains(id) { fault = "\(id) is closed, and was not open" }
                live.removeAll { $0 == id }
            case .received(let id, let value):
                received += 1
                if !live.contains(id) || value.upperBound > octets.count { fault = "\(id) delivers \(value)" }
            case .writable(let id), .reconfigured(let id, _):
                if !live.contains(id) { fault = "\(id) is spoken of, and is not open" }
            }
        }
        events.removeAll(keepingCapacity: true)
        octets.removeAll(keepingCapacity: true)
        let endpoints = channels.channels.map(\.id.endpoint.rawValue)
        if channels.count > ChannelLimits.perLink { fault = "\(channels.count) channels" }
        if Set(endpoints).count != endpoints.count || !endpoints.allSatisfy(ChannelLimits.dynamic.contains) {
            fault = "endpoints \(endpoints)"
        }
        if Set(channels.channels.map(\.peer)).count != endpoints.count {
            fault = "the central's endpoints are not unique"
        }
        if channels.channels.count(where: \.isOpen) != live.count { fault = "the device does not know of a channel" }
        if channels.heldOctets > RandomCentral.bound { fault = "\(channels.heldOctets) octets are held" }
        if channels.deadline == nil, channels.channels.contains(where: { !$0.isOpen }) { fault = "no deadline" }
    }
}
