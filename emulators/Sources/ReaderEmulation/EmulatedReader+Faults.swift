// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Emulation
import Peripheral
import Timekeeping

/// Faults at the steps of the protocol.
extension EmulatedReader {
    /// The faults of a step, recorded in the timeline.
    private func faults(at step: String, _ handle: UInt16) -> [Emulation.Fault] {
        let faults = plan.faults(at: step, device: 0)
        for fault in faults {
            timeline.add(.fault(step: step, "\(fault)"), device: 0, link: links[handle]?.number, at: now)
        }
        return faults
    }

    /// Injects the faults of a step at which a link can only be ended.
    func meet(_ step: String, _ handle: UInt16) {
        let faults = FaultedRequest(faults(at: step, handle))
        guard faults.isRefused || faults.disconnectsAfter else { return }
        let reason = faults.isRefused ? HCIStatus.remoteLowResources : .remoteUserTerminated
        later(.disconnect(handle, reason), after: EmulatedReader.disconnectTime)
    }

    /// The treatment of a message of the app that begins. A message that a fault answers with a status reaches the
    /// reader with a wrong MAC: the reader refuses it, so that the door does not move for an app that receives a
    /// failure.
    func treatRequest(on handle: UInt16) -> MessageTreatment {
        guard links[handle]?.phase == .proven else { return MessageTreatment() }
        let faults = faults(at: ReaderStep.answer, handle)
        links[handle]?.faults = faults
        var treatment = MessageTreatment()
        treatment.spoilsProof = faults.contains(where: \.isStatus)
        return treatment
    }

    /// The treatment of a message of the reader that begins.
    func treatAnswer(_ header: MessageHeader, on handle: UInt16) -> MessageTreatment {
        let isProof = links[handle]?.phase == .greeted
        if isProof, header.payloadCount == 0 { return MessageTreatment() }
        let faults = isProof ? faults(at: ReaderStep.proof, handle) : links[handle]?.faults ?? []
        links[handle]?.faults = []
        return faults.reduce(into: MessageTreatment()) { treatment, fault in
            switch fault {
            case .delay(let delay): treatment.delay += delay
            case .drop: treatment.isDropped = true
            case .disconnectBefore: treatment.disconnectsBefore = true
            case .disconnectAfter: treatment.disconnectsAfter = true
            case .wrongProof: treatment.spoilsProof = true
            case .code(let code): treatment.status = StatusCode(rawValue: Int16(clamping: code))
            default: break
            }
        }
    }
}

extension Emulation.Fault {
    /// True if a status takes the place of a result.
    var isStatus: Bool { if case .code = self { true } else { false } }
}
