// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV

/// Group Key Management (Matter Core 11.2).
///
/// Key set 0 holds the identity protection key of each fabric; it is listed, and cannot be replaced here. Other sets
/// are stored on devices with the cluster Groups. Group messages are not received.
extension NodeModel {
    static let groupKeyManagementDeclaration = ClusterDeclaration(
        .groupKeyManagement, revision: 2,
        attributes: [
            AttributeDeclaration(0, writePrivilege: .manage, isFabricScoped: true, isList: true),
            AttributeDeclaration(1, isFabricScoped: true, isList: true), AttributeDeclaration(2, isFixed: true),
            AttributeDeclaration(3, isFixed: true),
        ],
        commands: [
            CommandDeclaration(0, privilege: .administer, isFabricScoped: true),
            CommandDeclaration(1, privilege: .administer, isFabricScoped: true, response: 2),
            CommandDeclaration(3, privilege: .administer, isFabricScoped: true),
            CommandDeclaration(4, privilege: .administer, isFabricScoped: true, response: 5),
        ])

    private var hasGroups: Bool {
        switch configuration.device {
        case .light, .plug: true
        case .lock, .contact: false
        }
    }

    private var groupLimit: Int { hasGroups ? Limits.groupsPerFabric : 0 }
    private var keySetLimit: Int { hasGroups ? Limits.groupKeySetsPerFabric : 1 }

    func readGroupKeyManagement(
        _ attribute: AttributeID, _ scope: FabricScope, _ writer: inout TLVWriter, _ tag: TLVTag
    ) -> Bool {
        switch attribute {
        case 0:
            writer.array(as: tag) { list in
                for mapping in state.groupKeyMap where scope.lists(mapping.fabric) { mapping.write(into: &list) }
            }
        case 1:
            writer.array(as: tag) { list in
                for group in state.groups where scope.lists(group.fabric) { group.write(into: &list) }
            }
        case 2: writer.unsigned(UInt16(groupLimit), as: tag)
        case 3: writer.unsigned(UInt16(keySetLimit), as: tag)
        default: return false
        }
        return true
    }

    mutating func writeGroupKeyManagement(
        _ attribute: AttributeID, _ operation: WriteOperation, by accessor: Accessor
    ) throws(StatusInformation) {
        guard attribute == 0 else { throw StatusInformation(.unsupportedWrite) }
        guard let fabric = accessor.fabric else { throw StatusInformation(.unsupportedAccess) }
        var mappings: [NodeState.GroupKeyMapping]
        switch operation {
        case .replace(let element):
            mappings = []
            let members = try StatusInformation.ofData { () throws(TLVError) in try element.array() }
            for member in members { mappings.append(try NodeState.GroupKeyMapping(member, fabric: fabric)) }
        case .append(let element):
            mappings = state.groupKeyMap.filter { $0.fabric == fabric }
            mappings.append(try NodeState.GroupKeyMapping(element, fabric: fabric))
        }
        guard mappings.count <= groupLimit else { throw StatusInformation(.resourceExhausted) }
        guard Set(mappings.map(\.group)).count == mappings.count else { throw StatusInformation(.constraintError) }
        state.groupKeyMap.removeAll { $0.fabric == fabric }
        state.groupKeyMap += mappings
        changed(.root, .groupKeyManagement, 0)
    }

    mutating func invokeGroupKeyManagement(
        _ command: CommandID, _ call: Invocation
    ) throws(StatusInformation) -> CommandOutcome {
        let fabric = try call.fabric
        switch command {
        case 0: return try writeKeySet(call, fabric)
        case 1:
            let id = try call.fields.unsigned(0, UInt16.self)
            let set = try keySet(id, of: fabric)
            return .response(2) { set.write(into: &$0) }
        case 3:
            let id = try call.fields.unsigned(0, UInt16.self)
            guard id != 0 else { throw StatusInformation(.invalidCommand) }
            _ = try keySet(id, of: fabric)
            state.groupKeySets.removeAll { $0.fabric == fabric && $0.id == id }
            state.groupKeyMap.removeAll { $0.fabric == fabric && $0.keySet == id }
            changed(.root, .groupKeyManagement, 0)
            return .done
        case 4:
            return .response(5) { response in
                response.array(as: 0) { list in
                    list.unsigned(UInt16(0), as: .anonymous)
                    for set in state.groupKeySets where set.fabric == fabric { list.unsigned(set.id, as: .anonymous) }
                }
            }
        default: throw StatusInformation(.unsupportedCommand)
        }
    }

    private mutating func writeKeySet(_ call: Invocation, _ fabric: FabricIndex) throws(StatusInformation)
        -> CommandOutcome
    {
        let set = try NodeState.GroupKeySet(try call.fields.structure(0), fabric: fabric)
        guard set.id != 0 else { throw StatusInformation(.resourceExhausted) }
        let others = state.groupKeySets.filter { $0.fabric == fabric && $0.id != set.id }
        guard others.count + 1 < keySetLimit else { throw StatusInformation(.resourceExhausted) }
        state.groupKeySets.removeAll { $0.fabric == fabric && $0.id == set.id }
        state.groupKeySets.append(set)
        return .done
    }

    private func keySet(_ id: UInt16, of fabric: FabricIndex) throws(StatusInformation) -> NodeState.GroupKeySet {
        if id == 0, state.fabric(fabric) != nil {
            return NodeState.GroupKeySet(
                fabric: fabric, id: 0, policy: 0, keys: [NodeState.GroupKeySet.Key(key: [], start: 0)])
        }
        guard let set = state.groupKeySets.first(where: { $0.fabric == fabric && $0.id == id }) else {
            throw StatusInformation(.notFound)
        }
        return set
    }
}

extension NodeState.GroupKeySet {
    /// Parses GroupKeySetStruct of KeySetWrite.
    fileprivate init(_ fields: TLVFields, fabric: FabricIndex) throws(StatusInformation) {
        var keys: [Key] = []
        do throws(TLVError) {
            self.fabric = fabric
            id = try fields.required(0).unsigned()
            policy = try fields.required(1).unsigned()
            for number: UInt8 in [2, 4, 6] {
                let (key, start) = (try fields.required(number), try fields.required(number + 1))
                guard key.isNull == start.isNull else { throw .missing(number) }
                guard !key.isNull else { continue }
                // Keys have no gaps, and the first is mandatory.
                guard keys.count == Int(number - 2) / 2 else { throw .missing(number - 2) }
                keys.append(Key(key: try key.octets(exactly: 16), start: try start.unsigned()))
            }
        } catch {
            throw StatusInformation(.invalidCommand)
        }
        // The policy is Trust First; CacheAndSync is not supported. Later keys start later (Matter Core 11.2.7.1).
        guard policy == 0, keys.first?.start ?? 0 > 0, zip(keys, keys.dropFirst()).allSatisfy({ $0.start < $1.start })
        else { throw StatusInformation(.invalidCommand) }
        self.keys = keys
    }

    /// Writes GroupKeySetStruct without the keys.
    fileprivate func write(into response: inout TLVWriter) {
        response.structure(as: 0) { set in
            set.unsigned(id, as: 0)
            set.unsigned(policy, as: 1)
            for index in 0..<3 {
                set.null(as: .context(UInt8(2 + 2 * index)))
                set.nullable(
                    index < keys.count ? keys[index].start : nil as UInt64?, as: .context(UInt8(3 + 2 * index)))
            }
        }
    }
}

extension NodeState.GroupKeyMapping {
    fileprivate init(_ element: TLVElement, fabric: FabricIndex) throws(StatusInformation) {
        let (group, keySet) = try StatusInformation.ofData { () throws(TLVError) in
            let fields = try element.structure()
            return (try fields.required(1).unsigned(UInt16.self), try fields.required(2).unsigned(UInt16.self))
        }
        guard group != 0, keySet != 0 else { throw StatusInformation(.constraintError) }
        self.init(fabric: fabric, group: group, keySet: keySet)
    }

    fileprivate func write(into list: inout TLVWriter) {
        list.structure(as: .anonymous) { entry in
            entry.unsigned(group, as: 1)
            entry.unsigned(keySet, as: 2)
            entry.unsigned(fabric.rawValue, as: 254)
        }
    }
}

extension NodeState.Group {
    fileprivate func write(into list: inout TLVWriter) {
        list.structure(as: .anonymous) { entry in
            entry.unsigned(id, as: 1)
            entry.array(as: 2) { $0.unsigned(EndpointNumber.device.rawValue, as: .anonymous) }
            entry.unsigned(fabric.rawValue, as: 254)
        }
    }
}
