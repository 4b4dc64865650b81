// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV
import Timekeeping

/// Identify (Matter Application Clusters 1.2).
extension NodeModel {
    static func identifyDeclaration(hasEffects: Bool) -> ClusterDeclaration {
        ClusterDeclaration(
            .identify, revision: 4,
            attributes: [AttributeDeclaration(0, writePrivilege: .operate), AttributeDeclaration(1)],
            commands: [CommandDeclaration(0, privilege: .manage)]
                + (hasEffects ? [CommandDeclaration(0x40, privilege: .manage)] : []))
    }

    func readIdentify(
        _ attribute: AttributeID, _ writer: inout TLVWriter, _ tag: TLVTag, at now: Instant
    ) -> Bool {
        switch attribute {
        case 0: writer.unsigned(identification.seconds(at: now), as: tag)
        // A light identifies itself with its light, any other device with an indicator.
        case 1: writer.unsigned(UInt8(configuration.device == .light ? 1 : 2), as: tag)
        default: return false
        }
        return true
    }

    mutating func writeIdentify(
        _ attribute: AttributeID, _ operation: WriteOperation, at now: Instant
    ) throws(StatusInformation) {
        guard attribute == 0 else { throw StatusInformation(.unsupportedWrite) }
        identify(seconds: try operation.value { element throws(TLVError) in try element.unsigned() }, at: now)
    }

    mutating func invokeIdentify(_ command: CommandID, _ call: Invocation) throws(StatusInformation) -> CommandOutcome {
        switch command {
        case 0: identify(seconds: try call.fields.unsigned(0), at: call.now)
        case 0x40:
            let effect = try call.fields.unsigned(0, UInt8.self)
            _ = try call.fields.unsigned(1, UInt8.self)
            guard [0, 1, 2, 11, 254, 255].contains(effect) else { throw StatusInformation(.constraintError) }
            requests.append(.actuate(.effect(effect)))
        default: throw StatusInformation(.unsupportedCommand)
        }
        return .done
    }

    mutating func identify(seconds: UInt16, at now: Instant) {
        identification.end = seconds == 0 ? nil : now + .seconds(Int(seconds))
        changed(.device, .identify, 0)
        requests.append(.actuate(.identify(seconds: seconds)))
        notice(.identifying(seconds: seconds))
    }
}
