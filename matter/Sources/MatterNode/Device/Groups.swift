// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV

/// Groups (Matter Application Clusters 1.3), mandatory on lights and sockets. Names are not stored.
extension NodeModel {
    static let groupsDeclaration = ClusterDeclaration(
        .groups, revision: 4, attributes: [AttributeDeclaration(0, isFixed: true)],
        commands: [
            CommandDeclaration(0, privilege: .manage, isFabricScoped: true, response: 0),
            CommandDeclaration(1, isFabricScoped: true, response: 1),
            CommandDeclaration(2, isFabricScoped: true, response: 2),
            CommandDeclaration(3, privilege: .manage, isFabricScoped: true, response: 3),
            CommandDeclaration(4, privilege: .manage, isFabricScoped: true),
            CommandDeclaration(5, privilege: .manage, isFabricScoped: true),
        ])

    func readGroups(_ attribute: AttributeID, _ writer: inout TLVWriter, _ tag: TLVTag) -> Bool {
        guard attribute == 0 else { return false }
        writer.unsigned(UInt8(0), as: tag)
        return true
    }

    mutating func invokeGroups(_ command: CommandID, _ call: Invocation) throws(StatusInformation) -> CommandOutcome {
        let fabric = try call.fabric
        switch command {
        case 0:
            let id = try call.fields.unsigned(0, UInt16.self)
            _ = try call.fields.text(1, upTo: 16)
            return groupResponse(0, addGroup(id, of: fabric), id)
        case 1:
            let id = try call.fields.unsigned(0, UInt16.self)
            let status = groupStatus(id, of: fabric)
            return .response(1) { response in
                response.unsigned(status.rawValue, as: 0)
                response.unsigned(id, as: 1)
                response.text("", as: 2)
            }
        case 2: return try groupMembership(call, fabric)
        case 3:
            let id = try call.fields.unsigned(0, UInt16.self)
            let status = groupStatus(id, of: fabric)
            if status == .success { removeGroups { $0.fabric == fabric && $0.id == id } }
            return groupResponse(3, status, id)
        case 4:
            removeGroups { $0.fabric == fabric }
            return .done
        case 5:
            let id = try call.fields.unsigned(0, UInt16.self)
            _ = try call.fields.text(1, upTo: 16)
            guard identification.end != nil else { return .done }
            return .status(addGroup(id, of: fabric))
        default: throw StatusInformation(.unsupportedCommand)
        }
    }

    private mutating func addGroup(_ id: UInt16, of fabric: FabricIndex) -> InteractionStatus {
        guard id != 0 else { return .constraintError }
        // A group without a key is useless (Matter Application Clusters 1.3.7.1).
        guard state.groupKeyMap.contains(where: { $0.fabric == fabric && $0.group == id }) else {
            return .unsupportedAccess
        }
        guard groupStatus(id, of: fabric) == .notFound else { return .success }
        guard state.groups.count(where: { $0.fabric == fabric }) < Limits.groupsPerFabric else {
            return .resourceExhausted
        }
        state.groups.append(NodeState.Group(fabric: fabric, id: id))
        changed(.root, .groupKeyManagement, 1)
        return .success
    }

    private mutating func removeGroups(where isRemoved: (NodeState.Group) -> Bool) {
        guard state.groups.contains(where: isRemoved) else { return }
        state.groups.removeAll(where: isRemoved)
        changed(.root, .groupKeyManagement, 1)
    }

    private func groupStatus(_ id: UInt16, of fabric: FabricIndex) -> InteractionStatus {
        guard id != 0 else { return .constraintError }
        return state.groups.contains(NodeState.Group(fabric: fabric, id: id)) ? .success : .notFound
    }

    private func groupMembership(_ call: Invocation, _ fabric: FabricIndex) throws(StatusInformation) -> CommandOutcome
    {
        var asked: [UInt16] = []
        for member in try call.fields.array(0) {
            do throws(TLVError) {
                asked.append(try member.unsigned())
            } catch {
                throw StatusInformation(.invalidCommand)
            }
        }
        let groups = state.groups.filter { $0.fabric == fabric }.map(\.id)
        return .response(2) { response in
            response.unsigned(UInt8(clamping: Limits.groupsPerFabric - groups.count), as: 0)
            response.array(as: 1) { list in
                for id in groups where asked.isEmpty || asked.contains(id) { list.unsigned(id, as: .anonymous) }
            }
        }
    }

    private func groupResponse(_ command: CommandID, _ status: InteractionStatus, _ id: UInt16) -> CommandOutcome {
        .response(command) { response in
            response.unsigned(status.rawValue, as: 0)
            response.unsigned(id, as: 1)
        }
    }
}
