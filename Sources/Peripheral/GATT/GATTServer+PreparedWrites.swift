import Octets
import Timekeeping

// Core 5.4, Vol 3, Part F, 3.4.6.
extension GATTServer {
    /// Permission is checked here; offset and length when the queue is executed (3.4.6.1).
    mutating func prepare(
        _ handle: UInt16, _ offset: Int, _ value: Span<UInt8>, _ origin: Origin, at now: Instant
    ) throws(ATTFault) {
        if case .refused(let code) = limits.preparedWriting { throw ATTFault(code, handle) }
        let slot = origin.slot
        let index = try writable(handle, slot)
        if database.attributes[index].kind == .dynamic, case .refused(let code) = limits.preparedWritingToDynamic {
            throw ATTFault(code, handle)
        }
        let allowed = limits.preparedWrites
        guard links[slot].executing == nil, links[slot].prepared.parts.count < allowed.partsPerLink,
            preparedParts < allowed.parts, links[slot].prepared.octets.count + value.count <= allowed.octetsPerLink,
            preparedOctets + value.count <= allowed.octets
        else { throw ATTFault(.prepareQueueFull, handle) }
        links[slot].prepared.append(value, handle: handle, index: index, offset: offset)
        links[slot].prepared.deadline = now + allowed.lifetime
        mayHaveDeadline = true
        preparedParts += 1
        preparedOctets += value.count
    }

    /// Writes all of the queue or, if one value cannot be written, nothing; the queue is empty afterwards in any case
    /// (3.4.6.3). Flags other than 0, cancel, and 1, write, are not defined and leave it as it is.
    ///
    /// The device is asked about the values that it handles one after the other, before anything else is written; what
    /// it has accepted stays so if it refuses a later one, which the specification allows.
    mutating func execute(_ flags: UInt8, _ origin: Origin, _ events: inout GATTEvents) throws(ATTFault) {
        guard flags <= 1 else { throw ATTFault(.invalidPDU) }
        let slot = origin.slot
        guard links[slot].executing ?? origin.place == origin.place else { throw ATTFault(.prepareQueueFull) }
        // Taken out of the server while in use, so that it need not be copied.
        var value: [UInt8] = []
        swap(&value, &assembly)
        defer { swap(&value, &assembly) }
        do throws(ATTFault) {
            if flags == 1 { try executeQueue(origin, &value, &events) }
        } catch {
            if error.question != nil { links[slot].executing = origin.place } else { dropPrepared(slot) }
            throw error
        }
        dropPrepared(slot)
    }

    private mutating func executeQueue(
        _ origin: Origin, _ value: inout [UInt8], _ events: inout GATTEvents
    ) throws(ATTFault) {
        let slot = origin.slot
        try checkReliability(slot)
        for number in links[slot].prepared.parts.indices where isFirst(number, slot) {
            let handle = links[slot].prepared.parts[number].handle
            let index = try writable(handle, slot)
            try assemble(number, origin, into: &value)
            try check(value.span, index, slot)
        }
        for number in links[slot].prepared.parts.indices where isFirst(number, slot) {
            let index = links[slot].prepared.parts[number].index
            guard database.attributes[index].kind == .dynamic else { continue }
            try assemble(number, origin, into: &value)
            try ensureAccepted(value.span, index, origin, &events)
        }
        for number in links[slot].prepared.parts.indices where isFirst(number, slot) {
            try assemble(number, origin, into: &value)
            apply(value.span, links[slot].prepared.parts[number].index, slot, withResponse: true, &events)
        }
    }

    /// Parts for several attributes are a reliable write, which each of them has to allow (Core 5.4, Vol 3, Part G, 4.9.5
    /// and 3.3.3.1).
    private func checkReliability(_ slot: Int) throws(ATTFault) {
        guard limits.demandsReliableWriteBit, let first = links[slot].prepared.parts.first?.index,
            links[slot].prepared.parts.contains(where: { $0.index != first })
        else { return }
        for part in links[slot].prepared.parts where !database.attributes[part.index].isReliable {
            throw ATTFault(.requestNotSupported, part.handle)
        }
    }

    /// Frees what the link has prepared.
    mutating func dropPrepared(_ slot: Int) {
        preparedParts -= links[slot].prepared.parts.count
        preparedOctets -= links[slot].prepared.octets.count
        links[slot].prepared.removeAll()
        links[slot].executing = nil
    }

    /// Whether no part before this one is for the same attribute.
    private func isFirst(_ number: Int, _ slot: Int) -> Bool {
        let index = links[slot].prepared.parts[number].index
        for earlier in 0..<number where links[slot].prepared.parts[earlier].index == index { return false }
        return true
    }

    /// Puts together the value of the attribute that part `first` is for, out of all its parts in order.
    ///
    /// If the first of them begins at 0, they make a new value; else they change the one there is, and what they do not
    /// reach of it stays. No part may begin beyond the end of what is there then.
    private func assemble(_ first: Int, _ origin: Origin, into value: inout [UInt8]) throws(ATTFault) {
        value.removeAll(keepingCapacity: true)
        let slot = origin.slot
        let index = links[slot].prepared.parts[first].index
        if links[slot].prepared.parts[first].offset > 0 {
            appendValue(index, from: 0, limit: AttributeDatabase.maximumValueCount, origin, &value)
        }
        for number in first..<links[slot].prepared.parts.count {
            let part = links[slot].prepared.parts[number]
            guard part.index == index else { continue }
            guard part.offset <= value.count else { throw ATTFault(.invalidOffset, part.handle) }
            for position in part.range {
                let target = part.offset + position - part.range.lowerBound
                let octet = links[slot].prepared.octets[position]
                if target < value.count { value[target] = octet } else { value.append(octet) }
            }
            guard value.count <= AttributeDatabase.maximumValueCount else {
                throw ATTFault(.invalidAttributeValueLength, part.handle)
            }
        }
    }
}
