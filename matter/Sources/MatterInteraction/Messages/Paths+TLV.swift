// SPDX-License-Identifier: Apache-2.0

import MatterTLV

extension TLVFields {
    /// An unsigned member, or nil.
    func optional<Value: FixedWidthInteger & UnsignedInteger>(_ number: UInt8) throws(TLVError) -> Value? {
        try self[number]?.unsigned(Value.self)
    }

    /// An identifier, or nil.
    func identifier<ID: MatterIdentifier>(_ number: UInt8) throws(TLVError) -> ID? {
        guard let value: ID.RawValue = try optional(number) else { return nil }
        return ID(rawValue: value)
    }

    /// A truth value that may be absent, which is false.
    func flag(_ number: UInt8) throws(TLVError) -> Bool { try self[number]?.bool() ?? false }

    /// The elements of an array that may be absent.
    func elements(_ number: UInt8) throws(TLVError) -> [TLVElement] {
        guard let array = try self[number]?.array() else { return [] }
        return Array(array)
    }
}

extension AttributeSelector {
    /// Reads an AttributePathIB of a read or subscription.
    ///
    /// A wildcard cluster with an attribute is allowed only for global attributes. A list index and tag compression
    /// have no meaning in a read.
    init(_ element: TLVElement) throws(TLVError) {
        let fields = try element.list()
        guard try !fields.flag(0) else { throw .outOfRange(0) }
        guard fields[5] == nil else { throw .outOfRange(5) }
        endpoint = try fields.identifier(2)
        cluster = try fields.identifier(3)
        attribute = try fields.identifier(4)
        omissions = WildcardOmissions(rawValue: try fields.optional(6) ?? 0)
        if cluster == nil, let attribute, !attribute.isGlobal { throw .missing(3) }
    }
}

extension EventSelector {
    /// Reads an EventPathIB.
    init(_ element: TLVElement) throws(TLVError) {
        let fields = try element.list()
        endpoint = try fields.identifier(1)
        cluster = try fields.identifier(2)
        event = try fields.identifier(3)
        isUrgent = try fields.flag(4)
        if cluster == nil, event != nil { throw .missing(2) }
    }
}

extension ClusterPath {
    /// Reads a ClusterPathIB.
    init(_ element: TLVElement) throws(TLVError) {
        let fields = try element.list()
        endpoint = EndpointNumber(rawValue: try fields.required(1).unsigned())
        cluster = ClusterID(rawValue: try fields.required(2).unsigned())
    }
}

extension AttributePath {
    /// Writes an AttributePathIB.
    ///
    /// - Parameter isAppending: true for one more entry of a list, listIndex null.
    func write(into writer: inout TLVWriter, as tag: TLVTag, isAppending: Bool = false) {
        writer.open(.list, as: tag)
        writer.unsigned(endpoint.rawValue, as: 2)
        writer.unsigned(cluster.rawValue, as: 3)
        writer.unsigned(attribute.rawValue, as: 4)
        if isAppending { writer.null(as: 5) }
        writer.close()
    }
}

extension CommandPath {
    /// Reads a CommandPathIB without wildcards.
    init(_ element: TLVElement) throws(TLVError) {
        let fields = try element.list()
        endpoint = EndpointNumber(rawValue: try fields.required(0).unsigned())
        cluster = ClusterID(rawValue: try fields.required(1).unsigned())
        command = CommandID(rawValue: try fields.required(2).unsigned())
    }

    /// Writes a CommandPathIB.
    func write(into writer: inout TLVWriter, as tag: TLVTag) {
        writer.open(.list, as: tag)
        writer.unsigned(endpoint.rawValue, as: 0)
        writer.unsigned(cluster.rawValue, as: 1)
        writer.unsigned(command.rawValue, as: 2)
        writer.close()
    }
}

extension EventPath {
    /// Reads an EventPathIB without wildcards.
    init(_ element: TLVElement) throws(TLVError) {
        guard let path = try EventSelector(element).path else { throw .missing(3) }
        self = path
    }

    /// Writes an EventPathIB.
    func write(into writer: inout TLVWriter, as tag: TLVTag) {
        writer.open(.list, as: tag)
        writer.unsigned(endpoint.rawValue, as: 1)
        writer.unsigned(cluster.rawValue, as: 2)
        writer.unsigned(event.rawValue, as: 3)
        writer.close()
    }
}

extension StatusInformation {
    /// Writes a StatusIB.
    func write(into writer: inout TLVWriter, as tag: TLVTag) {
        writer.open(.structure, as: tag)
        writer.unsigned(status.rawValue, as: 0)
        if let clusterStatus { writer.unsigned(clusterStatus, as: 1) }
        writer.close()
    }
}
