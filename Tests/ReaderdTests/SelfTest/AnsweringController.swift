// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Timekeeping

@testable import readerd

/// A controller that answers each command at once with Command Complete (Core 5.4, Vol 4, Part E, 7.7.14), on a
/// virtual clock.
struct AnsweringController {
    /// Whether it has the commands of extended advertising.
    var isExtended = true
    /// Whether it lists Read RSSI.
    var readsRSSI = true
    /// Commands that it refuses, with the status.
    var refused: [UInt16: UInt8] = [:]
    /// Commands that it does not answer.
    var silent: Set<UInt16> = []
    /// How many Reset commands it lets pass before it answers one.
    var deafResets = 0
    /// Every packet that it was sent.
    private(set) var received: [[UInt8]] = []

    /// The answer; nil for none.
    mutating func answer(_ packet: [UInt8]) -> [UInt8]? {
        received.append(packet)
        let opcode = UInt16(packet[1]) | UInt16(packet[2]) << 8
        if opcode == 0x0C03, deafResets > 0 {
            deafResets -= 1
            return nil
        }
        if silent.contains(opcode) { return nil }
        let parameters = refused[opcode].map { [$0] } ?? [0x00] + returned(opcode)
        return [0x04, 0x0E, UInt8(3 + parameters.count), 0x01, packet[1], packet[2]] + parameters
    }

    private func returned(_ opcode: UInt16) -> [UInt8] {
        switch opcode {
        case 0x1001: [0x0D, 0x00, 0x00, 0x0D, 0x0F, 0x00, 0x00, 0x00]
        case 0x1002:
            (0..<64).map { octet in
                if octet == 15, readsRSSI { return 0x20 }
                return octet == 36 && isExtended ? 0xBE : 0x00
            }
        case 0x1009: [0x66, 0x55, 0x44, 0x33, 0x22, 0x11]
        case 0x2002: [0xFB, 0x00, 0x08]
        case 0x2003: [0, 0, 0, 0, 0, 0, 0, 0]
        case 0x2036: [0x07]
        case 0x203B: [0x04]
        default: []
        }
    }

    /// Runs a trial against it, to its verdict or the time limit.
    mutating func run(_ trial: inout ControllerTrial, limit: Duration = .seconds(30)) {
        var now = Instant.origin
        let end = now + limit
        trial.start(at: now)
        while !trial.isDone {
            var packet: [UInt8] = []
            if trial.popPacket(into: &packet) {
                if let answer = answer(packet) { trial.receive(answer.span, at: now) }
                continue
            }
            guard let deadline = trial.nextDeadline, deadline < end else { return trial.fail("time is up") }
            now = max(now, deadline)
            trial.advance(to: now)
        }
    }
}
