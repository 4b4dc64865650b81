import Octets

// Core 5.4, Vol 3, Part F, 3.4.5.
extension GATTServer {
    mutating func write(
        _ handle: UInt16, _ value: Span<UInt8>, _ origin: Origin, withResponse: Bool, _ events: inout GATTEvents
    ) throws(ATTFault) {
        let index = try writable(handle, origin.slot)
        try check(value, index, origin.slot)
        if withResponse, database.attributes[index].kind == .dynamic {
            return try ensureAccepted(value, index, origin, &events)
        }
        apply(value, index, origin.slot, withResponse: withResponse, &events)
    }

    /// The index of an attribute that the link may write.
    func writable(_ handle: UInt16, _ slot: Int) throws(ATTFault) -> Int {
        guard let index = database.index(of: handle) else { throw ATTFault(.invalidHandle, handle) }
        if let refusal = database.attributes[index].permissions.refusalOfWriting(
            links[slot].security, minimumKeySize: limits.minimumKeySize)
        {
            throw ATTFault(refusal, handle)
        }
        return index
    }

    /// Whether the attribute can have this value.
    ///
    /// A client characteristic configuration has two octets (Core 5.4, Vol 3, Part G, 3.3.3.3). One that asks for what
    /// the characteristic's properties do not have is Improperly Configured (Core Specification Supplement, Part B, 1.2);
    /// bits reserved for future use are ignored.
    func check(_ value: Span<UInt8>, _ index: Int, _ slot: Int) throws(ATTFault) {
        let attribute = database.attributes[index]
        guard value.count <= attribute.maximumCount else {
            throw ATTFault(.invalidAttributeValueLength, attribute.handle)
        }
        switch attribute.kind {
        case .static, .writeOnly, .dynamic: break
        case .configuration:
            guard value.count == 2 else { throw ATTFault(.invalidAttributeValueLength, attribute.handle) }
            guard GATTServer.requested(value).isSubset(of: database.configurations[attribute.configuration].supported)
            else { throw ATTFault(.configurationImproper, attribute.handle) }
        case .clientFeatures:
            guard value.count > 0 else { throw ATTFault(.invalidAttributeValueLength, attribute.handle) }
            // A client may not take back what it has said (Core 5.4, Vol 3, Part G, 7.2).
            guard links[slot].features.isSubset(of: ClientFeatures(rawValue: value[0])) else {
                throw ATTFault(.valueNotAllowed, attribute.handle)
            }
        }
    }

    /// Gives the attribute a value that `check` has let through. What the device handles itself is told of here if it
    /// was written by command; requests have been answered by the device.
    mutating func apply(
        _ value: Span<UInt8>, _ index: Int, _ slot: Int, withResponse: Bool, _ events: inout GATTEvents
    ) {
        switch database.attributes[index].kind {
        case .static:
            database.store(value, at: index)
            if database.attributes[index].reportsWrites { report(value, index, slot, withResponse, &events) }
        case .writeOnly: report(value, index, slot, withResponse, &events)
        case .dynamic: if !withResponse { report(value, index, slot, withResponse, &events) }
        case .configuration:
            let number = database.attributes[index].configuration
            let requested = GATTServer.requested(value)
            configurations[slot * database.configurations.count + number] = requested
            let handle = AttributeHandle(rawValue: database.configurations[number].valueHandle)
            events.events.append(.subscribed(slot: slot, handle, requested))
            mayHaveOutput = mayHaveOutput || links[slot].owesServiceChanged
        case .clientFeatures:
            links[slot].features = ClientFeatures(rawValue: value[0]).intersection(.known)
            events.events.append(.clientStateChanged(slot: slot))
        }
    }

    private func report(
        _ value: Span<UInt8>, _ index: Int, _ slot: Int, _ withResponse: Bool, _ events: inout GATTEvents
    ) {
        let start = events.octets.count
        events.octets.append(value)
        let handle = AttributeHandle(rawValue: database.attributes[index].handle)
        events.events.append(
            .written(slot: slot, handle, value: start..<events.octets.count, withResponse: withResponse))
    }

    /// The caller has checked that there are two octets.
    private static func requested(_ value: Span<UInt8>) -> ClientConfiguration {
        ClientConfiguration(rawValue: UInt16(value[0]) | UInt16(value[1]) << 8)
            .intersection([.notification, .indication])
    }
}
