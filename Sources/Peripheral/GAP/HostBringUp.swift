// SPDX-License-Identifier: Apache-2.0

import Octets
import Timekeeping

/// The initialization of the controller, and its failure.
extension Host {
    /// Resets and initializes the controller, in any state.
    mutating func bringUp(at now: Instant) {
        forgetController()
        phase = .bringUp(BringUp())
        sendCommands(at: now)
    }

    /// Discards the state of the controller.
    mutating func forgetController() {
        commandFlow.reset()
        outbound.removeAll()
        flow.reset(packets: 0)
        advertiser.stopped()
        rejected.removeAll()
        terminatedSets.removeAll()
        unclaimed = EarlyACLData()
        unresponsive = UnresponsiveCommands()
        powerEvents = .masked
        supervision.reset()
    }

    /// Handles a failure of the controller: all links end, and it is initialized again.
    mutating func fail(_ fault: ControllerFault, at now: Instant) {
        endLinks(reason: .hardwareFailure)
        forgetController()
        emit(.controllerFailed(fault))
        let pause = restart.pause(at: now)
        if pause == .zero {
            bringUp(at: now)
        } else {
            phase = .waiting(until: now + pause)
        }
    }

    /// Handles the controller's answer to the command of a step.
    mutating func stepAnswered(_ step: BringUp.Step, _ packet: Span<UInt8>, in range: Range<Int>, at now: Instant) {
        guard case .bringUp(var start) = phase, start.step == step else { return }
        let answer = CommandAnswer(packet, in: range) { (packet, cursor) throws(OctetError) in
            try start.store(packet, &cursor)
        }
        if let refusal = answer.refusal, BringUp.isFatal(refusal, of: step) {
            return fail(.commandRefused(opcode: start.command.opcode.rawValue, refusal), at: now)
        }
        continueBringUp(start, at: now)
    }

    /// Continues after the step in `start`, which is complete or skipped.
    mutating func continueBringUp(_ start: BringUp, at now: Instant) {
        var start = start
        let sizesWereAsked = [.leBufferSize, .leBufferSizeV2, .bufferSize].contains(start.step)
        let advances = start.advance()
        if sizesWereAsked, ![.leBufferSizeV2, .bufferSize].contains(start.step), let fault = start.bufferFault {
            return fail(.unsuitable(fault), at: now)
        }
        guard advances else { return started(start, at: now) }
        phase = .bringUp(start)
    }

    private mutating func started(_ controller: BringUp, at now: Instant) {
        phase = .running(controller)
        restart.readySince = now
        beginSupervision(at: now)
        flow.reset(packets: controller.buffers.packets)
        let description = controller.description
        advertiser.started(
            extended: description.extendedAdvertising, capacity: description.advertisingSets,
            restoresOnly: !supervision.believes(.advertising, at: now), at: now)
        emit(.ready(description))
    }
}
