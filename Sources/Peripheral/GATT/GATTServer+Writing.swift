import Octets

// Core 5.4, Vol 3, Part F, 3.4.5.
extension GATTServer {
    mutating func write(
        _ handle: UInt16, _ value: Span<UInt8>, _ slot: Int, withResponse: Bool, _ events: inout GATTEvents
    ) throws(ATTFault) {
        let index = try writable(handle, slot)
        try check(value, index)
        apply(value, index, slot, withResponse: withResponse, &events)
    }

    /// The index of an attribute that the link may write.
    func writable(_ handle: UInt16, _ slot: Int) throws(ATTFault) -> Int {
        guard let index = database.index(of: handle) else { throw ATTFault(.invalidHandle, handle) }
        if let refusal = database.attributes[index].permissions.refusalOfWriting(links[slot].security) {
            throw ATTFault(refusal, handle)
        }
        return index
    }

    /// Whether the attribute can have this value.
    ///
    /// A client characteristic configuration has two octets (Core 5.4, Vol 3, Part G, 3.3.3.3). One that asks for what
    /// the characteristic's properties do not have is Improperly Configured (Core Specification Supplement, Part B, 1.2);
    /// bits reserved for future use are ignored.
    func check(_ value: Span<UInt8>, _ index: Int) throws(ATTFault) {
        let attribute = database.attributes[index]
        guard value.count <= attribute.maximumCount, attribute.kind != .configuration || value.count == 2 else {
            throw ATTFault(.invalidAttributeValueLength, attribute.handle)
        }
        guard attribute.kind == .configuration else { return }
        guard GATTServer.requested(value).isSubset(of: database.configurations[attribute.configuration].supported)
        else { throw ATTFault(.configurationImproper, attribute.handle) }
    }

    /// Gives the attribute a value that `check` has let through.
    mutating func apply(
        _ value: Span<UInt8>, _ index: Int, _ slot: Int, withResponse: Bool, _ events: inout GATTEvents
    ) {
        switch database.attributes[index].kind {
        case .stored:
            database.store(value, at: index)
        case .delivered:
            let start = events.octets.count
            events.octets.append(value)
            let handle = AttributeHandle(rawValue: database.attributes[index].handle)
            events.events.append(
                .written(slot: slot, handle, value: start..<events.octets.count, withResponse: withResponse))
        case .configuration:
            let number = database.attributes[index].configuration
            let requested = GATTServer.requested(value)
            configurations[slot * database.configurations.count + number] = requested
            let handle = AttributeHandle(rawValue: database.configurations[number].valueHandle)
            events.events.append(.subscribed(slot: slot, handle, requested))
        }
    }

    /// The caller has checked that there are two octets.
    private static func requested(_ value: Span<UInt8>) -> ClientConfiguration {
        ClientConfiguration(rawValue: UInt16(value[0]) | UInt16(value[1]) << 8)
            .intersection([.notification, .indication])
    }
}
