// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterCredentials
import MatterInteraction
import MatterTLV
import Timekeeping

/// NodeOperationalCertStatusEnum.
enum CredentialStatus: UInt8 {
    case ok = 0
    case invalidPublicKey = 1
    case invalidNodeID = 2
    case invalidCertificate = 3
    case missingRequest = 4
    case tableFull = 5
    case invalidAdministrator = 6
    case fabricConflict = 9
    case labelConflict = 10
    case invalidFabricIndex = 11
}

/// A refusal by NOCResponse, with the rule that the command broke.
struct CredentialRefusal: Error {
    let status: CredentialStatus
    let reason: String

    init(_ status: CredentialStatus, _ reason: String) {
        self.status = status
        self.reason = reason
    }
}

/// Operational Credentials (Matter Core 11.18): attributes, and commands on existing fabrics.
extension NodeModel {
    static let operationalCredentialsDeclaration = ClusterDeclaration(
        .operationalCredentials, revision: 1,
        attributes: [
            AttributeDeclaration(
                0, readPrivilege: .administer, isFabricScoped: true, isList: true, changesOmitted: true),
            AttributeDeclaration(1, isFabricScoped: true, isList: true), AttributeDeclaration(2, isFixed: true),
            AttributeDeclaration(3), AttributeDeclaration(4, isList: true, changesOmitted: true),
            AttributeDeclaration(5),
        ],
        commands: [
            CommandDeclaration(0x00, privilege: .administer, response: 0x01),
            CommandDeclaration(0x02, privilege: .administer, response: 0x03),
            CommandDeclaration(0x04, privilege: .administer, response: 0x05),
            CommandDeclaration(0x06, privilege: .administer, response: 0x08),
            CommandDeclaration(0x07, privilege: .administer, isFabricScoped: true, response: 0x08),
            CommandDeclaration(0x09, privilege: .administer, isFabricScoped: true, response: 0x08),
            CommandDeclaration(0x0A, privilege: .administer, response: 0x08),
            CommandDeclaration(0x0B, privilege: .administer),
        ])

    func readOperationalCredentials(
        _ attribute: AttributeID, _ scope: FabricScope, _ writer: inout TLVWriter, _ tag: TLVTag
    ) -> Bool {
        switch attribute {
        case 0:
            writer.array(as: tag) { list in
                for fabric in state.fabrics where scope.lists(fabric.index) {
                    fabric.writeCertificates(into: &list, isRevealed: scope.reveals(fabric.index))
                }
            }
        case 1:
            writer.array(as: tag) { list in
                for fabric in state.fabrics where scope.lists(fabric.index) { fabric.writeDescriptor(into: &list) }
            }
        case 2: writer.unsigned(UInt8(Limits.fabrics), as: tag)
        case 3: writer.unsigned(UInt8(state.fabrics.count), as: tag)
        case 4:
            writer.array(as: tag) { list in
                for fabric in state.fabrics { list.octets(fabric.identity.root.tlv, as: .anonymous) }
            }
        case 5: writer.unsigned(scope.fabric?.rawValue ?? 0, as: tag)
        default: return false
        }
        return true
    }

    mutating func invokeOperationalCredentials(
        _ command: CommandID, _ call: Invocation
    ) throws(StatusInformation) -> CommandOutcome {
        switch command {
        case 0x00: return try attest(call)
        case 0x02: return try attestationCertificate(call)
        case 0x04: return try requestCertificate(call)
        case 0x06: return try credentials(call) { model, call in try model.addFabric(call) }
        case 0x07: return try credentials(call) { model, call in try model.updateFabric(call) }
        case 0x09: return try credentials(call) { model, call in try model.labelFabric(call) }
        case 0x0A: return try credentials(call) { model, call in try model.removeFabric(call) }
        case 0x0B: return try addRoot(call)
        default: throw StatusInformation(.unsupportedCommand)
        }
    }

    /// Answers NOCResponse with the outcome of `body`: the fabric, or the code that it throws.
    private mutating func credentials(
        _ call: Invocation, _ body: (inout NodeModel, Invocation) throws -> FabricIndex
    ) throws(StatusInformation) -> CommandOutcome {
        var status = CredentialStatus.ok
        var index: FabricIndex?
        do {
            index = try body(&self, call)
        } catch let error as CredentialRefusal {
            status = error.status
            refusalReason = error.reason
        } catch let error as StatusInformation {
            throw error
        } catch {
            throw StatusInformation(.failure)
        }
        return .response(0x08) { response in
            response.unsigned(status.rawValue, as: 0)
            if let index { response.unsigned(index.rawValue, as: 1) }
        }
    }

    private mutating func labelFabric(_ call: Invocation) throws -> FabricIndex {
        let index = try call.fabric
        let label = try call.fields.text(0, upTo: 32)
        guard var fabric = state.fabric(index) else { throw StatusInformation(.unsupportedAccess) }
        guard label.isEmpty || !state.fabrics.contains(where: { $0.label == label && $0.index != index }) else {
            throw CredentialRefusal(.labelConflict, "another fabric has the label")
        }
        fabric.label = label
        state.put(fabric)
        // Only the credentials are rolled back: the label stays.
        if case .updated(var previous) = failSafe?.credentials, previous.index == index {
            previous.label = label
            failSafe?.credentials = .updated(previous: previous)
        }
        changed(.root, .operationalCredentials, 1)
        return index
    }

    private mutating func removeFabric(_ call: Invocation) throws -> FabricIndex {
        let index = FabricIndex(rawValue: try call.fields.unsigned(0))
        guard (1...254).contains(index.rawValue) else { throw StatusInformation(.constraintError) }
        guard state.fabric(index) != nil else {
            throw CredentialRefusal(.invalidFabricIndex, "there is no fabric \(index.rawValue)")
        }
        remove(index, call)
        return index
    }

    /// Removes a fabric. With the last fabric, removes everything created since commissioning: settings, windows of
    /// administrators, and the work of a commissioner that has not completed. Changes under the fabric's fail-safe are
    /// undone first.
    private mutating func remove(_ index: FabricIndex, _ call: Invocation) {
        let (session, now) = (call.accessor.session, call.now)
        if let failSafe, failSafe.fabric == index { rollBack(.fabricRemoved, after: session, at: now) }
        if let fabric = state.fabric(index) {
            state.remove(index)
            didRemove(fabric, by: call.author, after: session, at: now)
        }
        guard lastingState.fabrics.isEmpty else { return }
        rollBack(.fabricRemoved, after: session, at: now)
        if state.network != nil { requests.append(.leave) }
        erase()
        if let window, window.kind != .label { closeWindow(.fabricRemoved) }
        if window == nil { openFirstWindow(at: now) }
    }

    /// Handles a fabric's removal from the state.
    mutating func didRemove(
        _ fabric: Fabric, by author: MatterAuthor? = nil, after session: UInt16?, at now: Instant
    ) {
        let index = fabric.index
        requests.append(.endFabric(index, after: session))
        record(.root, .basicInformation, 2, at: now) { $0.unsigned(index.rawValue, as: 0) }
        changed(.root, .accessControl, 0)
        changed(.root, .groupKeyManagement, 0)
        credentialsChanged()
        notice(.fabricRemoved(index, by: author))
        guard window?.opener == index else { return }
        if configuration.asksForWindows {
            if failSafe?.isOfCommissioner == true { rollBack(.fabricRemoved, after: session, at: now) }
            closeWindow(.fabricRemoved)
        } else {
            // The window stays open, without its administrator (Matter Core 11.19.7.2).
            window?.opener = nil
            changed(.root, .administratorCommissioning, 1)
        }
    }

    /// Performs a factory reset.
    mutating func factoryReset(at now: Instant) {
        rollBack(.factoryReset, after: nil, at: now)
        for fabric in state.fabrics {
            state.remove(fabric.index)
            didRemove(fabric, after: nil, at: now)
        }
        if state.network != nil { requests.append(.leave) }
        erase()
        notice(.factoryReset)
        if case .lock = configuration.device { alarm(.factoryReset, at: now) }
        if configuration.opensWindowWithoutFabrics { openLabelWindow(at: now) } else { closeWindow(.closed) }
    }

    /// Resets all settings to the state as delivered. The inputs of the device stay unchanged: a safety input holds the
    /// door as before.
    mutating func erase() {
        state = state.erased()
        networking = NetworkingState()
        lock.forgetSettings()
        load = LoadModel(stored: nil)
        requests.append(.erase)
    }

    mutating func credentialsChanged() {
        for attribute: AttributeID in [0, 1, 3, 4] { changed(.root, .operationalCredentials, attribute) }
        requests.append(.fabricsChanged)
    }
}

extension Fabric {
    fileprivate func writeCertificates(into list: inout TLVWriter, isRevealed: Bool) {
        list.structure(as: .anonymous) { entry in
            if isRevealed {
                entry.octets(identity.node.tlv, as: 1)
                if let intermediate = identity.intermediate {
                    entry.octets(intermediate.tlv, as: 2)
                } else {
                    entry.null(as: 2)
                }
            }
            entry.unsigned(index.rawValue, as: 254)
        }
    }

    fileprivate func writeDescriptor(into list: inout TLVWriter) {
        list.structure(as: .anonymous) { entry in
            entry.octets(identity.rootPublicKey, as: 1)
            entry.unsigned(vendor.rawValue, as: 2)
            entry.unsigned(identity.fabricID.rawValue, as: 3)
            entry.unsigned(identity.nodeID.rawValue, as: 4)
            entry.text(label, as: 5)
            entry.unsigned(index.rawValue, as: 254)
        }
    }
}
