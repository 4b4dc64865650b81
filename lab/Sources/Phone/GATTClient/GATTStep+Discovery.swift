// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

/// Discovery. The handles of each response must follow the previous ones and lie in the requested range, so that
/// every response advances the discovery, which therefore ends.
extension GATTStep {
    /// All primary services: ATT_READ_BY_GROUP_TYPE_RSP (Core 5.4, Vol 3, Part F, 3.4.4.10).
    static func services(
        _ found: consuming [RemoteService], from first: UInt16, _ pdu: Span<UInt8>, _ answer: inout AnswerReader
    ) throws(GATTClientError) -> Progress {
        guard case .readByGroupType(let entryCount) = answer.response, entryCount == 6 || entryCount == 20 else {
            throw answer.malformed
        }
        let count = Int(entryCount)
        try answer.requireList(of: count)
        var next: UInt16? = first
        while answer.remaining > 0 {
            let handles = try group(pdu, &answer, &next)
            let uuid = try answer.read(pdu, count: count - 4, BluetoothUUID.init)
            try add(RemoteService(uuid: uuid, handles: handles), to: &found)
        }
        guard let next else { return .completed(.services(found)) }
        return .next(.services(from: next, found))
    }

    /// Primary services of one UUID: ATT_FIND_BY_TYPE_VALUE_RSP (3.4.3.4).
    static func services(
        _ found: consuming [RemoteService], of uuid: BluetoothUUID, from first: UInt16, _ pdu: Span<UInt8>,
        _ answer: inout AnswerReader
    ) throws(GATTClientError) -> Progress {
        try answer.requireList(of: 4)
        var next: UInt16? = first
        while answer.remaining > 0 {
            try add(RemoteService(uuid: uuid, handles: try group(pdu, &answer, &next)), to: &found)
        }
        guard let next else { return .completed(.services(found)) }
        return .next(.servicesByUUID(uuid, from: next, found))
    }

    /// Characteristic declarations: ATT_READ_BY_TYPE_RSP (3.4.4.2).
    static func characteristics(
        _ found: consuming [RemoteCharacteristic], from first: UInt16, to last: UInt16, _ pdu: Span<UInt8>,
        _ answer: inout AnswerReader
    ) throws(GATTClientError) -> Progress {
        guard case .readByType(let entryCount) = answer.response, entryCount == 7 || entryCount == 21 else {
            throw answer.malformed
        }
        let count = Int(entryCount)
        try answer.requireList(of: count)
        var next: UInt16? = first
        while answer.remaining > 0 {
            let declaration = try single(pdu, &answer, &next, last)
            let contents = try answer.read(pdu, count: count - 2, CharacteristicDeclaration.init)
            let value = contents.value
            // The value follows its declaration and precedes the next.
            guard value > declaration else { throw .notAdvancing(value) }
            guard value.rawValue <= last else { throw .outOfRange(value) }
            if let before = found.last, declaration <= before.value { throw .notAdvancing(declaration) }
            let characteristic = RemoteCharacteristic(
                uuid: contents.uuid, properties: contents.properties.rawValue, declaration: declaration, value: value,
                last: value)
            try add(characteristic, to: &found)
        }
        guard let next else { return .completed(.characteristics(bounded(found, by: last))) }
        return .next(.characteristics(from: next, to: last, found))
    }

    /// Handles and types: ATT_FIND_INFORMATION_RSP (3.4.3.2).
    static func descriptors(
        _ found: consuming [RemoteDescriptor], from first: UInt16, to last: UInt16, _ pdu: Span<UInt8>,
        _ answer: inout AnswerReader
    ) throws(GATTClientError) -> Progress {
        guard case .findInformation(let isShort) = answer.response else { throw answer.malformed }
        let count = isShort ? 2 : 16
        try answer.requireList(of: 2 + count)
        var next: UInt16? = first
        while answer.remaining > 0 {
            let handle = try single(pdu, &answer, &next, last)
            let uuid = try answer.read(pdu, count: count, BluetoothUUID.init)
            try add(RemoteDescriptor(uuid: uuid, handle: handle), to: &found)
        }
        guard let next else { return .completed(.descriptors(found)) }
        return .next(.descriptors(from: next, to: last, found))
    }

    /// Sets the last handle of each characteristic: the one before the next declaration, or the end of the searched
    /// range.
    static func bounded(_ found: consuming [RemoteCharacteristic], by last: UInt16) -> [RemoteCharacteristic] {
        for index in found.indices {
            found[index].last =
                index + 1 < found.count
                ? AttributeHandle(rawValue: found[index + 1].declaration.rawValue - 1)
                : AttributeHandle(rawValue: last)
        }
        return found
    }

    /// Reads a group's first and last handle. `next` becomes the following handle; nil after the maximum.
    private static func group(
        _ pdu: Span<UInt8>, _ answer: inout AnswerReader, _ next: inout UInt16?
    ) throws(GATTClientError) -> ClosedRange<AttributeHandle> {
        let handles = try answer.read(pdu, HandleRange.init)
        let (first, last) = (AttributeHandle(rawValue: handles.first), AttributeHandle(rawValue: handles.last))
        guard let least = next, first.rawValue >= least else { throw .notAdvancing(first) }
        guard last >= first else { throw .notAdvancing(last) }
        next = last.rawValue < .max ? last.rawValue + 1 : nil
        return first...last
    }

    /// Reads an attribute's handle. `next` becomes the following handle; nil at the end of the range.
    private static func single(
        _ pdu: Span<UInt8>, _ answer: inout AnswerReader, _ next: inout UInt16?, _ last: UInt16
    ) throws(GATTClientError) -> AttributeHandle {
        let handle = try answer.read(pdu, AttributeHandle.init)
        guard handle.rawValue <= last else { throw .outOfRange(handle) }
        guard let least = next, handle.rawValue >= least else { throw .notAdvancing(handle) }
        next = handle.rawValue < last ? handle.rawValue + 1 : nil
        return handle
    }

    private static func add<Attribute>(_ attribute: Attribute, to found: inout [Attribute]) throws(GATTClientError) {
        guard found.count < GATTClient.maximumFoundCount else { throw .tooManyFound }
        found.append(attribute)
    }
}
