// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterCredentials
import MatterInteraction
import MatterTLV

/// The stored form: one TLV structure with a version.
extension NodeState {
    /// The version of the form. A document of another version is refused.
    private static let version: UInt64 = 1

    /// The tags of the document's members.
    private enum Tag {
        static let version: UInt8 = 0
        static let fabrics: UInt8 = 1
        static let nextFabricIndex: UInt8 = 2
        static let accessEntries: UInt8 = 3
        static let nodeLabel: UInt8 = 4
        static let location: UInt8 = 5
        static let regulatoryConfig: UInt8 = 6
        static let network: UInt8 = 7
        static let groups: UInt8 = 8
        static let groupKeySets: UInt8 = 9
        static let groupKeyMap: UInt8 = 10
        static let rebootCount: UInt8 = 11
        static let lock: UInt8 = 12
        static let load: UInt8 = 13
        static let events: UInt8 = 14
        static let users: UInt8 = 15
        static let pins: UInt8 = 16
    }

    /// The document of this state and of `events`.
    ///
    /// - Throws: if the library cannot write a key.
    func document(events: [UInt8]) throws(CryptoError) -> [UInt8] {
        var writer = TLVWriter(reserving: 1024 + fabrics.count * 2048)
        writer.open(.structure, as: .anonymous)
        writer.unsigned(NodeState.version, as: .context(Tag.version))
        writer.open(.array, as: .context(Tag.fabrics))
        for fabric in fabrics { try fabric.write(into: &writer) }
        writer.close()
        writer.unsigned(nextFabricIndex, as: .context(Tag.nextFabricIndex))
        writer.array(as: .context(Tag.accessEntries)) { list in
            for entry in accessEntries { entry.write(into: &list, as: .anonymous, isRevealed: true) }
        }
        writer.text(nodeLabel, as: .context(Tag.nodeLabel))
        writer.text(location, as: .context(Tag.location))
        writer.unsigned(regulatoryConfig, as: .context(Tag.regulatoryConfig))
        if let network {
            writer.structure(as: .context(Tag.network)) { structure in
                structure.octets(network.id, as: 0)
                structure.octets(network.credentials, as: 1)
            }
        }
        writeGroups(into: &writer)
        writer.unsigned(rebootCount, as: .context(Tag.rebootCount))
        if let lock { lock.write(into: &writer, as: .context(Tag.lock)) }
        if let load { load.write(into: &writer, as: .context(Tag.load)) }
        writer.octets(events, as: .context(Tag.events))
        if users != LockUsers() { users.write(into: &writer, as: .context(Tag.users)) }
        if let pins { pins.write(into: &writer, as: .context(Tag.pins)) }
        writer.close()
        return writer.octets
    }

    private func writeGroups(into writer: inout TLVWriter) {
        writer.array(as: .context(Tag.groups)) { list in
            for group in groups {
                list.structure(as: .anonymous) { entry in
                    entry.unsigned(group.fabric.rawValue, as: 0)
                    entry.unsigned(group.id, as: 1)
                }
            }
        }
        writer.array(as: .context(Tag.groupKeySets)) { list in
            for set in groupKeySets { set.write(into: &list) }
        }
        writer.array(as: .context(Tag.groupKeyMap)) { list in
            for mapping in groupKeyMap {
                list.structure(as: .anonymous) { entry in
                    entry.unsigned(mapping.fabric.rawValue, as: 0)
                    entry.unsigned(mapping.group, as: 1)
                    entry.unsigned(mapping.keySet, as: 2)
                }
            }
        }
    }

    /// The state and the events of a document.
    static func restore(_ document: [UInt8]) throws(MatterStateError) -> (NodeState, events: [UInt8]) {
        do {
            let fields = try TLVElement(document).structure()
            let version: UInt64 = try fields.required(Tag.version).unsigned()
            guard version == NodeState.version else { throw MatterStateError.unknownVersion(version) }
            let state = try NodeState(fields)
            return (state, try fields.required(Tag.events).octets())
        } catch let error as MatterStateError {
            throw error
        } catch {
            throw .damaged
        }
    }

    private init(_ fields: TLVFields) throws {
        for element in try fields.required(Tag.fabrics).array() {
            let fabric = try Fabric(element)
            guard fabrics.last?.index ?? 0 < fabric.index else { throw MatterStateError.damaged }
            fabrics.append(fabric)
        }
        nextFabricIndex = try fields.required(Tag.nextFabricIndex).unsigned()
        guard (1...254).contains(nextFabricIndex), fabrics.count <= Limits.fabrics else {
            throw MatterStateError.damaged
        }
        for element in try fields.required(Tag.accessEntries).array() {
            let index = FabricIndex(rawValue: try element.structure().required(254).unsigned())
            accessEntries.append(try AccessControlEntry(element, fabric: try known(index)))
        }
        nodeLabel = try fields.required(Tag.nodeLabel).text(upTo: 32)
        location = try fields.required(Tag.location).text(upTo: 2)
        regulatoryConfig = try fields.required(Tag.regulatoryConfig).unsigned()
        if let element = fields[Tag.network] {
            let fields = try element.structure()
            network = Network(
                id: try fields.required(0).octets(upTo: 32), credentials: try fields.required(1).octets(upTo: 254))
        }
        try readGroups(fields)
        rebootCount = try fields.required(Tag.rebootCount).unsigned()
        if let element = fields[Tag.lock] { lock = try StoredLock(element) }
        if let element = fields[Tag.load] { load = try StoredLoad(element) }
        if let element = fields[Tag.users] { users = try LockUsers(element, known: known) }
        if let element = fields[Tag.pins] { pins = try LockPINs(element) }
        // Without their salt no PIN can be verified.
        guard pins != nil || !users.credentials.contains(where: { $0.kind == .pin }) else {
            throw MatterStateError.damaged
        }
    }

    private mutating func readGroups(_ fields: TLVFields) throws {
        for element in try fields.required(Tag.groups).array() {
            let fields = try element.structure()
            groups.append(Group(fabric: try known(fields), id: try fields.required(1).unsigned()))
        }
        for element in try fields.required(Tag.groupKeySets).array() {
            let fields = try element.structure()
            groupKeySets.append(try GroupKeySet(stored: fields, fabric: try known(fields)))
        }
        for element in try fields.required(Tag.groupKeyMap).array() {
            let fields = try element.structure()
            groupKeyMap.append(
                GroupKeyMapping(
                    fabric: try known(fields), group: try fields.required(1).unsigned(),
                    keySet: try fields.required(2).unsigned()))
        }
    }

    private func known(_ fields: TLVFields) throws -> FabricIndex {
        try known(FabricIndex(rawValue: try fields.required(0).unsigned()))
    }

    /// Returns `index` if it belongs to a fabric of the state; otherwise the document is damaged.
    private func known(_ index: FabricIndex) throws -> FabricIndex {
        guard fabric(index) != nil else { throw MatterStateError.damaged }
        return index
    }
}

extension Fabric {
    fileprivate func write(into list: inout TLVWriter) throws(CryptoError) {
        let pem = try key.pem()
        list.structure(as: .anonymous) { entry in
            entry.unsigned(index.rawValue, as: 0)
            entry.octets(identity.root.tlv, as: 1)
            entry.octets(identity.node.tlv, as: 2)
            if let intermediate = identity.intermediate { entry.octets(intermediate.tlv, as: 3) }
            entry.octets(identity.groupKey, as: 4)
            entry.octets(pem, as: 5)
            entry.unsigned(vendor.rawValue, as: 6)
            entry.text(label, as: 7)
        }
    }

    fileprivate init(_ element: TLVElement) throws {
        let fields = try element.structure()
        let index = FabricIndex(rawValue: try fields.required(0).unsigned())
        guard (1...254).contains(index.rawValue) else { throw MatterStateError.damaged }
        let pem = try fields.required(5).octets()
        vendor = VendorID(rawValue: try fields.required(6).unsigned())
        label = try fields.required(7).text(upTo: 32)
        let root = try fields.required(1).octets()
        let node = try fields.required(2).octets()
        let intermediate = try fields[3]?.octets()
        let groupKey = try fields.required(4).octets(exactly: 16)
        do {
            key = try P256PrivateKey(pem: pem.span)
            identity = try OperationalIdentity(
                index: index, root: try OperationalCertificate(tlv: root),
                intermediate: try intermediate.map { try OperationalCertificate(tlv: $0) },
                node: try OperationalCertificate(tlv: node), groupKey: groupKey, key: key)
            // Verify the signatures again, without times: a flipped bit must not become another identity.
            try OperationalChain.verify(root: identity.root)
            _ = try OperationalChain.verify(
                node: identity.node, intermediate: identity.intermediate, root: identity.root, at: nil)
        } catch {
            throw MatterStateError.invalidFabric(index)
        }
    }
}

extension NodeState.GroupKeySet {
    fileprivate func write(into list: inout TLVWriter) {
        list.structure(as: .anonymous) { entry in
            entry.unsigned(fabric.rawValue, as: 0)
            entry.unsigned(id, as: 1)
            entry.unsigned(policy, as: 2)
            entry.array(as: 3) { list in
                for key in keys {
                    list.structure(as: .anonymous) { entry in
                        entry.octets(key.key, as: 0)
                        entry.unsigned(key.start, as: 1)
                    }
                }
            }
        }
    }

    fileprivate init(stored fields: TLVFields, fabric: FabricIndex) throws {
        self.fabric = fabric
        id = try fields.required(1).unsigned()
        policy = try fields.required(2).unsigned()
        keys = []
        for element in try fields.required(3).array() {
            let fields = try element.structure()
            keys.append(
                Key(key: try fields.required(0).octets(exactly: 16), start: try fields.required(1).unsigned()))
        }
        guard (1...3).contains(keys.count) else { throw MatterStateError.damaged }
    }
}

extension StoredLock {
    fileprivate func write(into writer: inout TLVWriter, as tag: TLVTag) {
        writer.structure(as: tag) { entry in
            entry.nullable(state?.rawValue, as: 0)
            entry.unsigned(operatingMode.rawValue, as: 1)
            entry.unsigned(relockSeconds, as: 2)
        }
    }

    fileprivate init(_ element: TLVElement) throws {
        let fields = try element.structure()
        let member = try fields.required(0)
        if !member.isNull {
            guard let known = LockState(rawValue: try member.unsigned()) else { throw MatterStateError.damaged }
            state = known
        }
        guard let mode = LockMode(rawValue: try fields.required(1).unsigned()) else { throw MatterStateError.damaged }
        operatingMode = mode
        relockSeconds = try fields.required(2).unsigned()
    }
}

extension StoredLoad {
    fileprivate func write(into writer: inout TLVWriter, as tag: TLVTag) {
        writer.structure(as: tag) { entry in
            entry.bool(isOn, as: 0)
            entry.nullable(startUp, as: 1)
        }
    }

    fileprivate init(_ element: TLVElement) throws {
        let fields = try element.structure()
        isOn = try fields.required(0).bool()
        let member = try fields.required(1)
        if !member.isNull { startUp = try member.unsigned() }
    }
}
