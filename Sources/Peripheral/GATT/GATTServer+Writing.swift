// SPDX-License-Identifier: Apache-2.0

import Octets

// Core 5.4, Vol 3, Part F, 3.4.5.
extension GATTServer {
    /// Writes a value.
    ///
    /// - Returns: The question to the device; nil if the value is written.
    mutating func write(
        _ handle: UInt16, _ value: Span<UInt8>, _ client: inout Client, withResponse: Bool, _ events: inout GATTEvents
    ) throws(ATTFault) -> AttributeQuestion? {
        let index = try writable(handle, client)
        try check(value, index, client)
        if withResponse, database.attributes[index].kind == .dynamic {
            return AttributeQuestion(index: index, rest: .write(events.append(value)))
        }
        apply(value, index, &client, withResponse: withResponse, &events)
        return nil
    }

    /// The index of an attribute that the link may write.
    func writable(_ handle: UInt16, _ client: borrowing Client) throws(ATTFault) -> Int {
        guard let index = database.index(of: handle) else { throw ATTFault(.invalidHandle, handle) }
        if let refusal = database.attributes[index].permissions.refusalOfWriting(
            client.security, minimumKeySize: limits.minimumKeySize)
        {
            throw ATTFault(refusal, handle)
        }
        return index
    }

    /// Checks that the attribute may have this value.
    ///
    /// A client characteristic configuration has two octets (Core 5.4, Vol 3, Part G, 3.3.3.3). Bits that the
    /// characteristic's properties do not support are Improperly Configured (Core Specification Supplement, Part B,
    /// 1.2); reserved bits are ignored.
    func check(_ value: Span<UInt8>, _ index: Int, _ client: borrowing Client) throws(ATTFault) {
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
            // A client must not clear a feature bit (Core 5.4, Vol 3, Part G, 7.2).
            guard client.features.isSubset(of: ClientFeatures(rawValue: value[0])) else {
                throw ATTFault(.valueNotAllowed, attribute.handle)
            }
        }
    }

    /// Sets a value that passed `check`. A write command to a dynamic value is emitted as an event; write requests were
    /// answered by the device.
    mutating func apply(
        _ value: Span<UInt8>, _ index: Int, _ client: inout Client, withResponse: Bool, _ events: inout GATTEvents
    ) {
        switch database.attributes[index].kind {
        case .static:
            database.store(value, at: index)
            if database.attributes[index].reportsWrites { report(value, index, withResponse, &events) }
        case .writeOnly: report(value, index, withResponse, &events)
        case .dynamic: if !withResponse { report(value, index, withResponse, &events) }
        case .configuration:
            let number = database.attributes[index].configuration
            let requested = GATTServer.requested(value)
            client.configurations[number] = requested
            let handle = AttributeHandle(rawValue: database.configurations[number].valueHandle)
            events.events.append(.subscribed(handle, requested))
            client.mayHaveOutput = client.mayHaveOutput || client.owesServiceChanged
        case .clientFeatures:
            client.features = ClientFeatures(rawValue: value[0]).intersection(.known)
            events.events.append(.clientStateChanged)
        }
    }

    private func report(_ value: Span<UInt8>, _ index: Int, _ withResponse: Bool, _ events: inout GATTEvents) {
        let handle = AttributeHandle(rawValue: database.attributes[index].handle)
        events.events.append(.written(handle, value: events.append(value), withResponse: withResponse))
    }

    /// Precondition: two octets.
    private static func requested(_ value: Span<UInt8>) -> ClientConfiguration {
        ClientConfiguration(rawValue: UInt16(value[0]) | UInt16(value[1]) << 8)
            .intersection([.notification, .indication])
    }
}
