// SPDX-License-Identifier: Apache-2.0

import Octets

// Core 5.4, Vol 3, Part F, 3.4.3, 3.4.4.1 and 3.4.4.9.
extension GATTServer {
    /// Appends pairs of handle and type, all types of the size of the first (3.4.3.2).
    func findInformation(
        _ range: HandleRange, _ client: borrowing Client, _ bearer: Int, _ response: inout [UInt8]
    ) throws(ATTFault) {
        try range.check()
        var index = database.firstIndex(from: range.first)
        guard isWithin(range, index) else { throw ATTFault(.attributeNotFound, range.first) }
        let width = database.attributes[index].type.encodedCount
        ATTResponse.findInformation(isShort: width == 2).append(to: &response)
        var room = client.bearers[bearer].mtu - 2 - (2 + width)
        while isWithin(range, index), room >= 0 {
            let attribute = database.attributes[index]
            guard attribute.type.encodedCount == width else { break }
            response.append(littleEndian: attribute.handle)
            attribute.type.append(to: &response)
            room -= 2 + width
            index += 1
        }
    }

    /// Appends pairs of handle and group end. Values that the link may not read do not match, so that they cannot be
    /// guessed (3.4.3.3); nor do dynamic values: the procedure is for declarations.
    func findByTypeValue(
        _ range: HandleRange, _ type: BluetoothUUID, _ value: Span<UInt8>, _ client: borrowing Client, _ bearer: Int,
        _ response: inout [UInt8]
    ) throws(ATTFault) {
        try range.check()
        ATTResponse.bare(.findByTypeValueResponse).append(to: &response)
        var room = (client.bearers[bearer].mtu - 1) / 4
        let start = response.count
        var index = database.firstIndex(from: range.first)
        while isWithin(range, index), room > 0 {
            let attribute = database.attributes[index]
            if attribute.type == type, refusalOfReading(index, client.security) == nil,
                valueEquals(value, index, client)
            {
                response.append(littleEndian: attribute.handle)
                response.append(littleEndian: attribute.groupEnd)
                room -= 1
            }
            index += 1
        }
        guard response.count > start else { throw ATTFault(.attributeNotFound, range.first) }
    }

    /// Appends pairs of handle and value, all values of the length of the first, which is limited to the ATT_MTU less 4
    /// or 253 octets (3.4.4.2). The list ends before an attribute that the link may not read; if that is the first, it
    /// is the error (3.4.4.1). It also ends before a further dynamic value.
    func readByType(
        _ range: HandleRange, _ type: BluetoothUUID, _ client: borrowing Client, _ bearer: Int,
        _ response: inout [UInt8]
    ) throws(ATTFault) -> AttributeQuestion? {
        try range.check()
        return try list(range, type, client, bearer, &response, asGroups: false)
    }

    /// As Read By Type, with the group's end; only for services (3.4.4.9, Core 5.4, Vol 3, Part G, 2.5.3). Values are
    /// limited to the ATT_MTU less 6 or 251 octets (3.4.4.10).
    func readByGroupType(
        _ range: HandleRange, _ type: BluetoothUUID, _ client: borrowing Client, _ bearer: Int,
        _ response: inout [UInt8]
    ) throws(ATTFault) {
        try range.check()
        guard type == .primaryService || type == .secondaryService else {
            throw ATTFault(.unsupportedGroupType, range.first)
        }
        _ = try list(range, type, client, bearer, &response, asGroups: true)
    }

    private func list(
        _ range: HandleRange, _ type: BluetoothUUID, _ client: borrowing Client, _ bearer: Int,
        _ response: inout [UInt8], asGroups: Bool
    ) throws(ATTFault) -> AttributeQuestion? {
        let header = asGroups ? 4 : 2
        // The length octet limits an element to 255 octets.
        let limit = min(client.bearers[bearer].mtu - 2, Int(UInt8.max)) - header
        var room = client.bearers[bearer].mtu - 2
        var count = -1
        var index = database.firstIndex(from: range.first)
        while isWithin(range, index) {
            defer { index += 1 }
            let attribute = database.attributes[index]
            guard attribute.type == type else { continue }
            if let refusal = refusalOfReading(index, client.security) {
                guard count >= 0 else { throw ATTFault(refusal, attribute.handle) }
                break
            }
            if attribute.kind == .dynamic {
                guard count < 0 else { break }
                let rest = HandleRange(first: attribute.handle, last: range.last)
                if let question = question(index, client, bearer, then: .readByType(rest, type)) { return question }
            }
            let length = min(valueCount(index, client, bearer), limit)
            if count < 0 {
                count = length
                let entryCount = UInt8(header + count)
                (asGroups ? ATTResponse.readByGroupType(entryCount: entryCount) : .readByType(entryCount: entryCount))
                    .append(to: &response)
            }
            guard length == count, room >= header + count else { break }
            response.append(littleEndian: attribute.handle)
            if asGroups { response.append(littleEndian: attribute.groupEnd) }
            appendValue(index, from: 0, limit: count, client, bearer, &response)
            room -= header + count
        }
        guard count >= 0 else { throw ATTFault(.attributeNotFound, range.first) }
        return nil
    }

    private func isWithin(_ range: HandleRange, _ index: Int) -> Bool {
        index < database.attributes.count && database.attributes[index].handle <= range.last
    }

    private func valueEquals(_ value: Span<UInt8>, _ index: Int, _ client: borrowing Client) -> Bool {
        guard database.attributes[index].kind != .dynamic, value.count == valueCount(index, client, 0) else {
            return false
        }
        switch database.attributes[index].kind {
        case .static:
            let start = database.attributes[index].offset
            for position in 0..<value.count where value[position] != database.values[start + position] { return false }
            return true
        case .writeOnly, .dynamic:
            return true
        case .configuration:
            return UInt16(value[0]) | UInt16(value[1]) << 8
                == client.configurations[database.attributes[index].configuration].rawValue
        case .clientFeatures:
            return value[0] == client.features.rawValue
        }
    }
}
