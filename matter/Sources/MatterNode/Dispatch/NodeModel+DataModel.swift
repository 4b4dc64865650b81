// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV
import Timekeeping

extension NodeModel: DataModel {
    var accessEntries: [AccessControlEntry] { state.accessEntries }

    func read(
        _ path: AttributePath, by accessor: Accessor, fabricFiltered: Bool, into writer: inout TLVWriter,
        as tag: TLVTag, at now: Instant
    ) throws(StatusInformation) {
        let scope = FabricScope(fabric: accessor.fabric, isFiltered: fabricFiltered)
        let isKnown =
            switch path.cluster {
            case .descriptor: readDescriptor(path, &writer, tag)
            case .accessControl: readAccessControl(path.attribute, scope, &writer, tag)
            case .basicInformation: readBasicInformation(path.attribute, &writer, tag)
            case .generalCommissioning: readGeneralCommissioning(path.attribute, &writer, tag)
            case .networkCommissioning: readNetworkCommissioning(path.attribute, &writer, tag)
            case .powerSource: readPowerSource(path.attribute, &writer, tag)
            case .generalDiagnostics: readGeneralDiagnostics(path.attribute, &writer, tag, at: now)
            case .administratorCommissioning: readAdministratorCommissioning(path.attribute, &writer, tag)
            case .operationalCredentials: readOperationalCredentials(path.attribute, scope, &writer, tag)
            case .groupKeyManagement: readGroupKeyManagement(path.attribute, scope, &writer, tag)
            case .identify: readIdentify(path.attribute, &writer, tag, at: now)
            case .groups: readGroups(path.attribute, &writer, tag)
            case .onOff: readOnOff(path.attribute, &writer, tag, at: now)
            case .booleanState: readBooleanState(path.attribute, &writer, tag)
            case .doorLock: readDoorLock(path.attribute, &writer, tag)
            default: false
            }
        guard isKnown else { throw StatusInformation(.unsupportedAttribute) }
    }

    mutating func write(
        _ path: AttributePath, _ operation: WriteOperation, by accessor: Accessor, at now: Instant
    ) throws(StatusInformation) {
        switch path.cluster {
        case .accessControl: try writeAccessControl(operation, by: accessor, at: now)
        case .basicInformation: try writeBasicInformation(path.attribute, operation)
        case .generalCommissioning: try writeGeneralCommissioning(path.attribute, operation)
        case .networkCommissioning: try writeNetworkCommissioning(path.attribute, operation)
        case .groupKeyManagement: try writeGroupKeyManagement(path.attribute, operation, by: accessor)
        case .identify: try writeIdentify(path.attribute, operation, at: now)
        case .onOff: try writeOnOff(path.attribute, operation, at: now)
        case .doorLock: try writeDoorLock(path.attribute, operation, at: now)
        default: throw StatusInformation(.unsupportedWrite)
        }
    }

    mutating func invoke(
        _ path: CommandPath, fields: TLVElement?, ticket: CommandTicket, by accessor: Accessor, at now: Instant
    ) -> CommandOutcome {
        if let outcome = interposer?.outcome(of: path, named: CommandName.text(path)) { return outcome }
        let outcome: CommandOutcome
        do throws(StatusInformation) {
            outcome = try perform(
                path, Invocation(fields: CommandFields(fields), accessor: accessor, ticket: ticket, now: now))
        } catch {
            outcome = .status(error)
        }
        notice(.command(path, accessor, outcome, because: refusalReason))
        refusalReason = nil
        return interposer?.outcome(outcome, of: path, named: CommandName.text(path), ticket, at: now) ?? outcome
    }

    private mutating func perform(_ path: CommandPath, _ call: Invocation) throws(StatusInformation) -> CommandOutcome {
        switch path.cluster {
        case .generalCommissioning: try invokeGeneralCommissioning(path.command, call)
        case .networkCommissioning: try invokeNetworkCommissioning(path.command, call)
        case .generalDiagnostics: try invokeGeneralDiagnostics(path.command, call)
        case .administratorCommissioning: try invokeAdministratorCommissioning(path.command, call)
        case .operationalCredentials: try invokeOperationalCredentials(path.command, call)
        case .groupKeyManagement: try invokeGroupKeyManagement(path.command, call)
        case .identify: try invokeIdentify(path.command, call)
        case .groups: try invokeGroups(path.command, call)
        case .onOff: try invokeOnOff(path.command, call)
        case .doorLock: try invokeDoorLock(path.command, call)
        default: throw StatusInformation(.unsupportedCommand)
        }
    }
}
