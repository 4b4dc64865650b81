// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV
import Timekeeping

/// CommissioningErrorEnum.
private enum CommissioningError: UInt8 {
    case ok = 0
    case valueOutsideRange
    case invalidAuthentication
    case noFailSafe
    case busyWithOtherAdministrator
}

/// General Commissioning (Matter Core 11.10).
extension NodeModel {
    static let generalCommissioningDeclaration = ClusterDeclaration(
        .generalCommissioning, revision: 1,
        attributes: [
            AttributeDeclaration(0, writePrivilege: .administer), AttributeDeclaration(1, isFixed: true),
            AttributeDeclaration(2), AttributeDeclaration(3, isFixed: true), AttributeDeclaration(4, isFixed: true),
        ],
        commands: [
            CommandDeclaration(0, privilege: .administer, response: 1),
            CommandDeclaration(2, privilege: .administer, response: 3),
            CommandDeclaration(4, privilege: .administer, isFabricScoped: false, response: 5),
        ])

    func readGeneralCommissioning(_ attribute: AttributeID, _ writer: inout TLVWriter, _ tag: TLVTag) -> Bool {
        switch attribute {
        case 0: writer.unsigned(breadcrumb, as: tag)
        case 1:
            writer.structure(as: tag) { info in
                info.unsigned(configuration.failSafeSeconds, as: 0)
                info.unsigned(configuration.cumulativeFailSafeSeconds, as: 1)
            }
        case 2: writer.unsigned(state.regulatoryConfig, as: tag)
        // Indoor and outdoor.
        case 3: writer.unsigned(UInt8(2), as: tag)
        case 4: writer.bool(true, as: tag)
        default: return false
        }
        return true
    }

    mutating func writeGeneralCommissioning(
        _ attribute: AttributeID, _ operation: WriteOperation
    ) throws(StatusInformation) {
        guard attribute == 0 else { throw StatusInformation(.unsupportedWrite) }
        setBreadcrumb(try operation.value { element throws(TLVError) in try element.unsigned() })
    }

    mutating func setBreadcrumb(_ value: UInt64) {
        guard value != breadcrumb else { return }
        breadcrumb = value
        changed(.root, .generalCommissioning, 0)
    }

    mutating func invokeGeneralCommissioning(
        _ command: CommandID, _ call: Invocation
    ) throws(StatusInformation) -> CommandOutcome {
        switch command {
        case 0:
            let seconds = try call.fields.unsigned(0, UInt16.self)
            let breadcrumb = try call.fields.unsigned(1, UInt64.self)
            return answer(1, armFailSafe(seconds: seconds, breadcrumb: breadcrumb, call))
        case 2: return answer(3, try setRegulatoryConfig(call))
        case 4: return answer(5, completeCommissioning(call))
        default: throw StatusInformation(.unsupportedCommand)
        }
    }

    private func answer(_ command: CommandID, _ error: CommissioningError) -> CommandOutcome {
        .response(command) { response in
            response.unsigned(error.rawValue, as: 0)
            response.text("", as: 1)
        }
    }

    private mutating func armFailSafe(seconds: UInt16, breadcrumb: UInt64, _ call: Invocation) -> CommissioningError {
        if let failSafe, failSafe.fabric != call.accessor.fabric { return .busyWithOtherAdministrator }
        // While a window is open, the fail-safe is reserved for the expected commissioner.
        if failSafe == nil, window != nil, !call.isOverPASE { return .busyWithOtherAdministrator }
        guard seconds > 0 else {
            rollBack(.disarmed, after: call.accessor.session, at: call.now)
            return .ok
        }
        armFailSafe(seconds: seconds, call.accessor, isByCommand: true, at: call.now)
        setBreadcrumb(breadcrumb)
        return .ok
    }

    /// Arms the fail-safe, or restarts its time.
    mutating func armFailSafe(seconds: UInt16, _ accessor: Accessor, isByCommand: Bool, at now: Instant) {
        var failSafe = failSafe ?? FailSafe(session: accessor.session, fabric: accessor.fabric, at: now)
        failSafe.extend(
            to: now + .seconds(Int(seconds)), cumulative: .seconds(Int(configuration.cumulativeFailSafeSeconds)))
        self.failSafe = failSafe
        let length = Int((failSafe.deadline - now).wholeMilliseconds / 1000)
        notice(.failSafeArmed(seconds: length, byCommand: isByCommand))
    }

    private mutating func setRegulatoryConfig(_ call: Invocation) throws(StatusInformation) -> CommissioningError {
        let config = try call.fields.unsigned(0, UInt8.self)
        let country = try call.fields.text(1, upTo: 2)
        let breadcrumb = try call.fields.unsigned(2, UInt64.self)
        guard country.utf8.count == 2 else { throw StatusInformation(.constraintError) }
        guard config <= 2 else { return .valueOutsideRange }
        if state.regulatoryConfig != config {
            state.regulatoryConfig = config
            changed(.root, .generalCommissioning, 2)
        }
        if state.location != country {
            state.location = country
            changed(.root, .basicInformation, 6)
        }
        setBreadcrumb(breadcrumb)
        return .ok
    }

    private mutating func completeCommissioning(_ call: Invocation) -> CommissioningError {
        guard let failSafe else { return .noFailSafe }
        guard !call.isOverPASE, let fabric = call.accessor.fabric, fabric == failSafe.fabric else {
            return .invalidAuthentication
        }
        self.failSafe = nil
        // The changes under the fail-safe are now final.
        isStateChanged = true
        setBreadcrumb(0)
        notice(.commissioned(fabric))
        closeWindow(.commissioned)
        requests.append(.endPASE(after: nil))
        if failSafe.previousNetwork?.network != nil, state.network == nil { requests.append(.leave) }
        return .ok
    }

    /// Undoes all changes under the fail-safe, and disarms it; no effect if none is armed (Matter Core 11.10.7.2.2).
    /// Ends PASE sessions, and the CASE sessions of an added or updated fabric.
    ///
    /// - Parameter session: the session that requested it, which ends after its reply.
    mutating func rollBack(_ end: FailSafeEnd, after session: UInt16?, at now: Instant) {
        guard let failSafe else { return }
        self.failSafe = nil
        let before = state
        state = failSafe.undone(state)
        switch failSafe.credentials {
        case .added(let index):
            if let fabric = before.fabric(index) { didRemove(fabric, after: session, at: now) }
        case .updated(let previous):
            requests.append(.endSessions(of: previous.index, after: session))
            credentialsChanged()
        case nil: break
        }
        if failSafe.previousNetwork != nil { networkRolledBack(from: before.network, at: now) }
        setBreadcrumb(0)
        requests.append(.endPASE(after: session))
        notice(.failSafeExpired(end))
    }

    /// The fail-safe that covers a change by `accessor`.
    func requireFailSafe(_ accessor: Accessor) throws(StatusInformation) -> FailSafe {
        guard let failSafe, failSafe.fabric == accessor.fabric else { throw StatusInformation(.failsafeRequired) }
        return failSafe
    }
}
