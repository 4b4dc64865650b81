import Octets

// Core 5.4, Vol 3, Part F, 3.4.4.3 to 3.4.4.8 and 3.4.4.11.
extension GATTServer {
    func read(_ handle: UInt16, _ origin: Origin, _ response: inout [UInt8]) throws(ATTFault) {
        let index = try readable(handle, origin.slot)
        try ensureAnswered(index, origin)
        response.append(ATTOpcode.readResponse.rawValue)
        appendValue(index, from: 0, limit: bearers[origin.place].mtu - 1, origin, &response)
    }

    /// An offset at the value's end is answered with nothing; one beyond it is an error. Attribute Not Long is never
    /// used: the specification leaves it to the server.
    func readBlob(_ handle: UInt16, _ offset: Int, _ origin: Origin, _ response: inout [UInt8]) throws(ATTFault) {
        let index = try readable(handle, origin.slot)
        try ensureAnswered(index, origin, offset: offset)
        guard offset <= valueCount(index, origin) else { throw ATTFault(.invalidOffset, handle) }
        response.append(ATTOpcode.readBlobResponse.rawValue)
        appendValue(index, from: offset, limit: bearers[origin.place].mtu - 1, origin, &response)
    }

    /// The first handle that cannot be read is the error, even if its value would no longer have fitted. Of values
    /// that do not fit, as much as fits is sent; a length is never split from its second octet (3.4.4.12). The device is
    /// not asked for what does not fit.
    func readMultiple(
        _ handles: Span<UInt8>, _ origin: Origin, withLengths: Bool, _ response: inout [UInt8]
    ) throws(ATTFault) {
        let opcode: ATTOpcode = withLengths ? .readMultipleVariableResponse : .readMultipleResponse
        response.append(opcode.rawValue)
        var room = bearers[origin.place].mtu - 1
        for position in stride(from: 0, to: handles.count - 1, by: 2) {
            let handle = UInt16(handles[position]) | UInt16(handles[position + 1]) << 8
            let index = try readable(handle, origin.slot)
            guard room >= (withLengths ? 2 : 1) else {
                room = 0
                continue
            }
            try ensureAnswered(index, origin)
            if withLengths {
                response.append(littleEndian: UInt16(valueCount(index, origin)))
                room -= 2
            }
            room -= appendValue(index, from: 0, limit: room, origin, &response)
        }
    }

    /// The index of an attribute that the link may read.
    func readable(_ handle: UInt16, _ slot: Int) throws(ATTFault) -> Int {
        guard let index = database.index(of: handle) else { throw ATTFault(.invalidHandle, handle) }
        if let refusal = refusalOfReading(index, slot) { throw ATTFault(refusal, handle) }
        return index
    }

    func refusalOfReading(_ index: Int, _ slot: Int) -> ATTErrorCode? {
        database.attributes[index].permissions.refusalOfReading(
            links[slot].security, minimumKeySize: limits.minimumKeySize)
    }

    /// How long the value is; that of a handled one as the device has said.
    func valueCount(_ index: Int, _ origin: Origin) -> Int {
        switch database.attributes[index].kind {
        case .static: database.attributes[index].count
        case .writeOnly: 0
        case .dynamic: answeredValue(index, origin).count
        case .configuration: 2
        case .clientFeatures: 1
        }
    }

    /// Appends the value from `offset`, not beyond its end, at most `limit` octets; returns how many these were.
    @discardableResult
    func appendValue(
        _ index: Int, from offset: Int, limit: Int, _ origin: Origin, _ response: inout [UInt8]
    ) -> Int {
        let count = max(0, min(valueCount(index, origin) - offset, limit))
        guard count > 0 else { return 0 }
        switch database.attributes[index].kind {
        case .static:
            let start = database.attributes[index].offset + offset
            response.append(database.values.span.extracting(start..<start + count))
        case .writeOnly:
            return 0
        case .dynamic:
            let start = answeredValue(index, origin).lowerBound + offset
            bearers[origin.place].transaction.append(start..<start + count, to: &response)
        case .configuration:
            let value = configuration(index, origin.slot).rawValue >> UInt16(8 * offset)
            response.append(UInt8(truncatingIfNeeded: value))
            if count > 1 { response.append(UInt8(truncatingIfNeeded: value >> 8)) }
        case .clientFeatures:
            response.append(links[origin.slot].features.rawValue)
        }
        return count
    }

    /// The link's configuration in the descriptor at `index`.
    func configuration(_ index: Int, _ slot: Int) -> ClientConfiguration {
        configurations[slot * database.configurations.count + database.attributes[index].configuration]
    }
}
