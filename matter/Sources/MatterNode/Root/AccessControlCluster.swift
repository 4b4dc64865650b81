// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV
import Timekeeping

/// Access Control (Matter Core 9.10).
///
/// A list without an administrator is accepted: administrators replace a list by an empty list and appended entries,
/// and the specification does not refuse either.
extension NodeModel {
    static let accessControlDeclaration = ClusterDeclaration(
        .accessControl, revision: 1,
        attributes: [
            AttributeDeclaration(
                0, readPrivilege: .administer, writePrivilege: .administer, isFabricScoped: true, isList: true),
            AttributeDeclaration(2, isFixed: true), AttributeDeclaration(3, isFixed: true),
            AttributeDeclaration(4, isFixed: true),
        ],
        events: [EventDeclaration(0, privilege: .administer, priority: .info, isFabricSensitive: true)])

    func readAccessControl(
        _ attribute: AttributeID, _ scope: FabricScope, _ writer: inout TLVWriter, _ tag: TLVTag
    ) -> Bool {
        switch attribute {
        case 0:
            writer.array(as: tag) { list in
                for entry in state.accessEntries where scope.lists(entry.fabric) {
                    entry.write(into: &list, as: .anonymous, isRevealed: scope.reveals(entry.fabric))
                }
            }
        case 2: writer.unsigned(UInt16(Limits.subjectsPerEntry), as: tag)
        case 3: writer.unsigned(UInt16(Limits.targetsPerEntry), as: tag)
        case 4: writer.unsigned(UInt16(Limits.accessEntriesPerFabric), as: tag)
        default: return false
        }
        return true
    }

    mutating func writeAccessControl(
        _ operation: WriteOperation, by accessor: Accessor, at now: Instant
    ) throws(StatusInformation) {
        guard let fabric = accessor.fabric else { throw StatusInformation(.unsupportedAccess) }
        let before = state.accessEntries.filter { $0.fabric == fabric }
        var entries = before
        switch operation {
        case .replace(let element):
            entries = []
            let members = try StatusInformation.ofData { () throws(TLVError) in try element.array() }
            for member in members { entries.append(try AccessControlEntry(member, fabric: fabric)) }
        case .append(let element):
            entries.append(try AccessControlEntry(element, fabric: fabric))
        }
        guard entries.count <= Limits.accessEntriesPerFabric else { throw StatusInformation(.resourceExhausted) }
        guard entries != before else { return }
        state.accessEntries.removeAll { $0.fabric == fabric }
        state.accessEntries += entries
        changed(.root, .accessControl, 0)
        for index in 0..<max(before.count, entries.count) {
            recordAccessChange(
                index < before.count ? before[index] : nil, index < entries.count ? entries[index] : nil,
                by: accessor.authentication, fabric: fabric, at: now)
        }
    }

    /// Records AccessControlEntryChanged, unless the entries are equal.
    mutating func recordAccessChange(
        _ before: AccessControlEntry?, _ after: AccessControlEntry?, by author: Accessor.Authentication,
        fabric: FabricIndex, at now: Instant
    ) {
        guard before != after, let latest = after ?? before else { return }
        record(.root, .accessControl, 0, fabric: fabric, at: now) { event in
            switch author {
            case .case(let node, _):
                event.unsigned(node.rawValue, as: 1)
                event.null(as: 2)
            case .pase:
                event.null(as: 1)
                event.unsigned(UInt16(0), as: 2)
            }
            event.unsigned(UInt8(before == nil ? 1 : after == nil ? 2 : 0), as: 3)
            latest.write(into: &event, as: 4, isRevealed: true)
            event.unsigned(fabric.rawValue, as: 254)
        }
    }
}

extension AccessControlEntry {
    /// Parses and verifies an entry of a write. Its fabric index is ignored.
    init(_ element: TLVElement, fabric: FabricIndex) throws(StatusInformation) {
        var subjects: [NodeID]?
        var targets: [AccessControlTarget]?
        let (privilege, mode) = try StatusInformation.ofData { () throws(TLVError) in
            let fields = try element.structure()
            if let list = fields[3], !list.isNull {
                subjects = []
                for member in try list.array() { subjects?.append(NodeID(rawValue: try member.unsigned())) }
            }
            if let list = fields[4], !list.isNull {
                targets = []
                for member in try list.array() { targets?.append(try AccessControlTarget(member)) }
            }
            return (try fields.required(1).unsigned(UInt8.self), try fields.required(2).unsigned(UInt8.self))
        }
        guard let privilege = Privilege(rawValue: privilege),
            let mode = AuthenticationMode(rawValue: mode), mode != .pase
        else { throw StatusInformation(.constraintError) }
        self.init(
            fabric: fabric, privilege: privilege, authenticationMode: mode, subjects: subjects, targets: targets)
        try judge()
    }

    /// Verifies the constraints of Matter Core 9.10.5.6.
    private func judge() throws(StatusInformation) {
        guard subjects?.count ?? 0 <= Limits.subjectsPerEntry, targets?.count ?? 0 <= Limits.targetsPerEntry else {
            throw StatusInformation(.resourceExhausted)
        }
        let isGroup = authenticationMode == .group
        guard !isGroup || privilege != .administer else { throw StatusInformation(.constraintError) }
        for subject in subjects ?? [] {
            let isValid =
                isGroup
                ? subject.rawValue >> 16 == 0xFFFF_FFFF_FFFF && subject.rawValue & 0xFFFF != 0
                : subject.isOperational || subject.authenticatedTag.map { $0.version > 0 } == true
            guard isValid else { throw StatusInformation(.constraintError) }
        }
        for target in targets ?? [] {
            // A target has at least one member, and not both endpoint and device type.
            guard target != AccessControlTarget(), target.endpoint == nil || target.deviceType == nil else {
                throw StatusInformation(.constraintError)
            }
        }
    }

    /// Writes the structure of the entry; only its fabric if the rest is not revealed.
    func write(into writer: inout TLVWriter, as tag: TLVTag, isRevealed: Bool) {
        writer.structure(as: tag) { entry in
            if isRevealed {
                entry.unsigned(privilege.rawValue, as: 1)
                entry.unsigned(authenticationMode.rawValue, as: 2)
                if let subjects {
                    entry.array(as: 3) { list in
                        for subject in subjects { list.unsigned(subject.rawValue, as: .anonymous) }
                    }
                } else {
                    entry.null(as: 3)
                }
                if let targets {
                    entry.array(as: 4) { list in
                        for target in targets { target.write(into: &list) }
                    }
                } else {
                    entry.null(as: 4)
                }
            }
            entry.unsigned(fabric.rawValue, as: 254)
        }
    }
}

extension AccessControlTarget {
    init(_ element: TLVElement) throws(TLVError) {
        let fields = try element.structure()
        self.init()
        if let field = fields[0], !field.isNull { cluster = ClusterID(rawValue: try field.unsigned()) }
        if let field = fields[1], !field.isNull { endpoint = EndpointNumber(rawValue: try field.unsigned()) }
        if let field = fields[2], !field.isNull { deviceType = DeviceTypeID(rawValue: try field.unsigned()) }
    }

    func write(into list: inout TLVWriter) {
        list.structure(as: .anonymous) { target in
            target.nullable(cluster?.rawValue, as: 0)
            target.nullable(endpoint?.rawValue, as: 1)
            target.nullable(deviceType?.rawValue, as: 2)
        }
    }
}
