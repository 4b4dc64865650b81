// SPDX-License-Identifier: Apache-2.0

import HostLoop
import Timekeeping

/// The program of an emulation, whose pairings can fail on command.
struct TamperedProgram: ~Copyable, HostedDevice {
    /// The program.
    var program: DeviceProgram<EmulationSession>
    private var tamper = PairingTamper()
    /// Packets for the controller that the host has not sent.
    private var own: [[UInt8]] = []

    init(_ program: consuming DeviceProgram<EmulationSession>) { self.program = program }

    mutating func start(at now: Instant) { program.start(at: now) }

    mutating func transportLost(at now: Instant) {
        tamper = PairingTamper()
        program.transportLost(at: now)
    }

    mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
        let session = program.state
        switch tamper.receive(packet, faults: { session.faultsOfPairing($0, at: now) }) {
        case .passed: program.receive(packet, at: now)
        case .swallowed(let answer): if !answer.isEmpty { own.append(answer) }
        }
    }

    mutating func advance(to now: Instant) { program.advance(to: now) }

    var nextDeadline: Instant? { program.nextDeadline }

    mutating func popPacket(into packet: inout [UInt8]) -> Bool {
        if !own.isEmpty {
            packet = own.removeFirst()
            return true
        }
        guard program.popPacket(into: &packet) else { return false }
        tamper.send(&packet)
        return true
    }
}
