// SPDX-License-Identifier: Apache-2.0

import Octets
import Timekeeping

// Core 5.4, Vol 3, Part F, 3.4.6.
extension GATTServer {
    /// Queues a part of a value. The permission is checked here, offset and length at execution (3.4.6.1).
    mutating func prepare(
        _ handle: UInt16, _ offset: Int, _ value: Span<UInt8>, _ client: inout Client, at now: Instant
    ) throws(ATTFault) {
        if case .refused(let code) = limits.preparedWriting { throw ATTFault(code, handle) }
        let index = try writable(handle, client)
        if database.attributes[index].kind == .dynamic, case .refused(let code) = limits.preparedWritingToDynamic {
            throw ATTFault(code, handle)
        }
        let allowed = limits.preparedWrites
        guard client.executing == nil, client.prepared.parts.count < allowed.partsPerLink,
            preparedParts < allowed.parts, client.prepared.octets.count + value.count <= allowed.octetsPerLink,
            preparedOctets + value.count <= allowed.octets
        else { throw ATTFault(.prepareQueueFull, handle) }
        client.prepared.append(value, handle: handle, index: index, offset: offset)
        client.prepared.deadline = now + allowed.lifetime
        client.mayHaveDeadline = true
        preparedParts += 1
        preparedOctets += value.count
    }

    /// Writes the complete queue or, if one value cannot be written, nothing; the queue is empty afterwards in either
    /// case (3.4.6.3). Flags other than 0, cancel, and 1, write, are not defined and leave it unchanged.
    ///
    /// The device is asked for the dynamic values one after the other, before other values are written; accepted values
    /// stay accepted if it refuses a later one, which the specification permits.
    ///
    /// - Returns: the first question to the device; nil when the request is answered.
    mutating func execute(
        _ flags: UInt8, _ client: inout Client, _ bearer: Int, _ response: inout [UInt8], _ events: inout GATTEvents
    ) throws(ATTFault) -> AttributeQuestion? {
        guard flags <= 1 else { throw ATTFault(.invalidPDU) }
        guard client.executing ?? bearer == bearer else { throw ATTFault(.prepareQueueFull) }
        if flags == 0 { dropPrepared(&client) }
        return try execute(from: 0, &client, bearer, &response, &events)
    }

    /// Continues `execute` after the device has accepted the dynamic values before this part.
    mutating func execute(
        from part: Int, _ client: inout Client, _ bearer: Int, _ response: inout [UInt8], _ events: inout GATTEvents
    ) throws(ATTFault) -> AttributeQuestion? {
        // Moved out of the server during use, to avoid a copy.
        var value: [UInt8] = []
        swap(&value, &assembly)
        defer { swap(&value, &assembly) }
        do throws(ATTFault) {
            try checkQueue(client, &value)
            for number in client.prepared.parts.indices.dropFirst(part) where client.prepared.isFirst(number) {
                let index = client.prepared.parts[number].index
                guard database.attributes[index].kind == .dynamic else { continue }
                try assemble(number, client, into: &value)
                client.executing = bearer
                return AttributeQuestion(index: index, rest: .execute(part: number, value: events.append(value.span)))
            }
            for number in client.prepared.parts.indices where client.prepared.isFirst(number) {
                try assemble(number, client, into: &value)
                apply(value.span, client.prepared.parts[number].index, &client, withResponse: true, &events)
            }
        } catch {
            dropPrepared(&client)
            throw error
        }
        dropPrepared(&client)
        ATTResponse.bare(.executeWriteResponse).append(to: &response)
        return nil
    }

    /// Checks that each value of the queue can be written.
    private func checkQueue(_ client: borrowing Client, _ value: inout [UInt8]) throws(ATTFault) {
        try checkReliability(client)
        for number in client.prepared.parts.indices where client.prepared.isFirst(number) {
            let index = try writable(client.prepared.parts[number].handle, client)
            try assemble(number, client, into: &value)
            try check(value.span, index, client)
        }
    }

    /// Checks that each attribute permits a reliable write, if the parts are for several attributes (Core 5.4, Vol 3,
    /// Part G, 4.9.5 and 3.3.3.1).
    private func checkReliability(_ client: borrowing Client) throws(ATTFault) {
        guard limits.demandsReliableWriteBit, let first = client.prepared.parts.first?.index,
            client.prepared.parts.contains(where: { $0.index != first })
        else { return }
        for part in client.prepared.parts where !database.attributes[part.index].isReliable {
            throw ATTFault(.requestNotSupported, part.handle)
        }
    }

    /// Removes the prepared writes of the link.
    mutating func dropPrepared(_ client: inout Client) {
        preparedParts -= client.prepared.parts.count
        preparedOctets -= client.prepared.octets.count
        client.prepared.removeAll()
        client.executing = nil
    }

    /// Assembles the value of the attribute of part `first` from all its parts in order.
    ///
    /// If the first part begins at 0, the parts form a new value; otherwise they change the present one, whose
    /// remainder stays. No part may begin beyond the end of the value assembled so far.
    private func assemble(_ first: Int, _ client: borrowing Client, into value: inout [UInt8]) throws(ATTFault) {
        value.removeAll(keepingCapacity: true)
        let index = client.prepared.parts[first].index
        if client.prepared.parts[first].offset > 0, database.attributes[index].kind != .dynamic {
            appendValue(index, from: 0, limit: AttributeDatabase.maximumValueCount, client, 0, &value)
        }
        for number in first..<client.prepared.parts.count {
            let part = client.prepared.parts[number]
            guard part.index == index else { continue }
            guard part.offset <= value.count else { throw ATTFault(.invalidOffset, part.handle) }
            for position in part.range {
                let target = part.offset + position - part.range.lowerBound
                let octet = client.prepared.octets[position]
                if target < value.count { value[target] = octet } else { value.append(octet) }
            }
            guard value.count <= AttributeDatabase.maximumValueCount else {
                throw ATTFault(.invalidAttributeValueLength, part.handle)
            }
        }
    }
}
