// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping
import VirtualTime

@testable import MatterSession

/// A link on virtual time, with what it gave.
final class BTPRig {
    var link = BTPLink(at: .origin)
    var indications: [[UInt8]] = []
    var messages: [[UInt8]] = []
    var fault: BTPFault?
    /// True if indications are confirmed at once.
    var confirms = true
    private var now = Instant.origin
    private let attMTU: Int

    init(attMTU: Int) { self.attMTU = attMTU }

    /// A link after the handshake, without the response in `indications`.
    static func open(attMTU: Int) -> BTPRig {
        let rig = BTPRig(attMTU: attMTU)
        rig.write(octets("656c 04000000 0000 06"))
        rig.subscribe()
        rig.indications = []
        return rig
    }

    func write(_ value: [UInt8]) { perform { link.receive(value, attMTU: attMTU, at: now, effects: &$0) } }
    func subscribe() { perform { link.subscribed(at: now, effects: &$0) } }
    func confirm() { perform { link.confirmed(at: now, effects: &$0) } }
    func send(_ message: [UInt8]) { perform { link.send(message, at: now, effects: &$0) } }

    func advance(by milliseconds: Int) {
        now = elapse(from: now, to: now + .milliseconds(milliseconds), deadline: { link.deadline }) {
            now = $0
            perform { link.advance(to: now, effects: &$0) }
        }
    }

    private func perform(_ input: (inout [BTPEffect]) -> Void) {
        var effects: [BTPEffect] = []
        input(&effects)
        for effect in effects {
            switch effect {
            case .indicate(let value):
                indications.append(value)
                if confirms { confirm() }
            case .message(let message): messages.append(message)
            case .close(let fault):
                #expect(self.fault == nil)
                self.fault = fault
            }
        }
    }
}

/// A recorded flow.
struct BTPFlow {
    enum Step {
        case subscription
        case write([UInt8])
        case indication([UInt8])
    }

    private(set) var steps: [Step] = []

    init(_ text: String) {
        // A line without a mark continues the one before.
        var lines: [String] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix(" ") { lines[lines.count - 1] += line } else { lines.append(String(line)) }
        }
        steps = lines.map { line in
            switch line.first {
            case ">": .write(octets(line))
            case "<": .indication(octets(line))
            default: .subscription
            }
        }
    }

    /// The device's message whose first segment is step `index`.
    func message(beginningAt index: Int) throws -> [UInt8]? {
        guard case .indication(let first) = steps[index], first[0] != 0x65 else { return nil }
        var message: [UInt8] = []
        for step in steps[index...] {
            guard case .indication(let value) = step, value[0] != 0x65 else { continue }
            let segment = try BTPSegment(value.span)
            if message.isEmpty {
                guard case .begin = segment.part else { return nil }
            } else if segment.part == .none {
                continue
            }
            message += segment.payload
            if segment.isEnd { return message }
        }
        return nil
    }

    /// The whole messages that the central writes.
    func writtenMessages() throws -> [[UInt8]] {
        var messages: [[UInt8]] = []
        var message: [UInt8] = []
        for case .write(let value) in steps where value[0] != 0x65 {
            let segment = try BTPSegment(value.span)
            message += segment.payload
            guard segment.isEnd else { continue }
            messages.append(message)
            message = []
        }
        return messages
    }
}
