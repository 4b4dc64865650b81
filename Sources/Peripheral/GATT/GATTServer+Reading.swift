// SPDX-License-Identifier: Apache-2.0

import Octets

// Core 5.4, Vol 3, Part F, 3.4.4.3 to 3.4.4.8 and 3.4.4.11.
extension GATTServer {
    // Each returns the question to the device, with an unusable response so far; nil when the response is complete.

    func read(
        _ handle: UInt16, _ client: borrowing Client, _ bearer: Int, _ response: inout [UInt8]
    ) throws(ATTFault) -> AttributeQuestion? {
        let index = try readable(handle, client.security)
        if let question = question(index, client, bearer, then: .read) { return question }
        ATTResponse.bare(.readResponse).append(to: &response)
        appendValue(index, from: 0, limit: client.bearers[bearer].mtu - 1, client, bearer, &response)
        return nil
    }

    /// Reads from an offset. An offset at the end of the value yields an empty response, one beyond it an error.
    /// Attribute Not Long is never used: it is optional for servers.
    func readBlob(
        _ handle: UInt16, _ offset: Int, _ client: borrowing Client, _ bearer: Int, _ response: inout [UInt8]
    ) throws(ATTFault) -> AttributeQuestion? {
        let index = try readable(handle, client.security)
        if let question = question(index, client, bearer, then: .readBlob(offset: offset)) { return question }
        guard offset <= valueCount(index, client, bearer) else { throw ATTFault(.invalidOffset, handle) }
        ATTResponse.bare(.readBlobResponse).append(to: &response)
        appendValue(index, from: offset, limit: client.bearers[bearer].mtu - 1, client, bearer, &response)
        return nil
    }

    /// Reads several values. The first handle that cannot be read is the error, even if its value would not fit. Values
    /// are cut at the maximum length; a length field is never split (3.4.4.12). The device is not asked for values that
    /// do not fit.
    func readMultiple(
        _ handles: Span<UInt8>, _ client: borrowing Client, _ bearer: Int, withLengths: Bool, _ response: inout [UInt8]
    ) throws(ATTFault) -> AttributeQuestion? {
        ATTResponse.bare(withLengths ? .readMultipleVariableResponse : .readMultipleResponse).append(to: &response)
        var room = client.bearers[bearer].mtu - 1
        for position in stride(from: 0, to: handles.count - 1, by: 2) {
            let handle = UInt16(handles[position]) | UInt16(handles[position + 1]) << 8
            let index = try readable(handle, client.security)
            guard room >= (withLengths ? 2 : 1) else {
                room = 0
                continue
            }
            let rest = AttributeQuestion.Rest.readMultiple(withLengths: withLengths)
            if let question = question(index, client, bearer, then: rest) { return question }
            if withLengths {
                response.append(littleEndian: UInt16(valueCount(index, client, bearer)))
                room -= 2
            }
            room -= appendValue(index, from: 0, limit: room, client, bearer, &response)
        }
        return nil
    }

    /// The index of an attribute that the link may read.
    func readable(_ handle: UInt16, _ security: LinkSecurityLevel) throws(ATTFault) -> Int {
        guard let index = database.index(of: handle) else { throw ATTFault(.invalidHandle, handle) }
        if let refusal = refusalOfReading(index, security) { throw ATTFault(refusal, handle) }
        return index
    }

    func refusalOfReading(_ index: Int, _ security: LinkSecurityLevel) -> ATTErrorCode? {
        database.attributes[index].permissions.refusalOfReading(security, minimumKeySize: limits.minimumKeySize)
    }

    /// The length of the value; for a dynamic value, the length that the device has given.
    func valueCount(_ index: Int, _ client: borrowing Client, _ bearer: Int) -> Int {
        switch database.attributes[index].kind {
        case .static: database.attributes[index].count
        case .writeOnly: 0
        case .dynamic: client.bearers[bearer].transaction.value(of: index)?.count ?? 0
        case .configuration: 2
        case .clientFeatures: 1
        }
    }

    /// Appends at most `limit` octets of the value from `offset`, which is not beyond its end.
    ///
    /// - Returns: The number of octets appended.
    @discardableResult
    func appendValue(
        _ index: Int, from offset: Int, limit: Int, _ client: borrowing Client, _ bearer: Int,
        _ response: inout [UInt8]
    ) -> Int {
        let count = max(0, min(valueCount(index, client, bearer) - offset, limit))
        guard count > 0 else { return 0 }
        switch database.attributes[index].kind {
        case .static:
            let start = database.attributes[index].offset + offset
            response.append(database.values.span.extracting(start..<start + count))
        case .writeOnly:
            return 0
        case .dynamic:
            let start = (client.bearers[bearer].transaction.value(of: index)?.lowerBound ?? 0) + offset
            client.bearers[bearer].transaction.append(start..<start + count, to: &response)
        case .configuration:
            let value = client.configurations[database.attributes[index].configuration].rawValue >> UInt16(8 * offset)
            response.append(UInt8(truncatingIfNeeded: value))
            if count > 1 { response.append(UInt8(truncatingIfNeeded: value >> 8)) }
        case .clientFeatures:
            response.append(client.features.rawValue)
        }
        return count
    }

    /// The question to the device before the value can be read; nil for a value that is not dynamic, or that was given.
    func question(
        _ index: Int, _ client: borrowing Client, _ bearer: Int, then rest: AttributeQuestion.Rest
    ) -> AttributeQuestion? {
        guard database.attributes[index].kind == .dynamic,
            client.bearers[bearer].transaction.value(of: index) == nil
        else { return nil }
        return AttributeQuestion(index: index, rest: rest)
    }
}
