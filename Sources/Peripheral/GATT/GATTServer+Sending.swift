public import Timekeeping
import Octets

// Core 5.4, Vol 3, Part F, 3.4.7.
extension GATTServer {
    /// What the client has configured for the characteristic whose value has this handle; nothing if it has no
    /// configuration, or there is no such link.
    public func configuration(of handle: AttributeHandle, slot: Int) -> ClientConfiguration {
        guard isOpen(slot), let index = database.index(of: handle.rawValue),
            database.attributes[index].configuration >= 0
        else { return [] }
        return configuration(index, slot)
    }

    /// Appends a Handle Value Notification to `octets`, if the client has subscribed and may still have the value: the
    /// demands of the configuration and of reading the value are checked against the link as it is now.
    ///
    /// - Returns: `accepted`, `notSubscribed`, `tooLong` for more than ATT_MTU less 3 octets, or `gone`.
    public func notification(
        of handle: AttributeHandle, value: Span<UInt8>, slot: Int, into octets: inout [UInt8]
    ) -> NotificationOutcome {
        let outcome = admission(handle, value.count, slot, as: .notification)
        guard outcome == .accepted else { return outcome }
        append(.handleValueNotification, handle, value, to: &octets)
        return .accepted
    }

    /// Appends a Handle Value Indication to `octets`, under the conditions of a notification.
    ///
    /// - Returns: as for a notification; `busy` while the client has not confirmed the one before. `advance` tells when
    ///   it has not done so in time.
    public mutating func indication(
        of handle: AttributeHandle, value: Span<UInt8>, slot: Int, at now: Instant, into octets: inout [UInt8]
    ) -> NotificationOutcome {
        let outcome = admission(handle, value.count, slot, as: .indication)
        guard outcome == .accepted else { return outcome }
        guard links[slot].confirmationDeadline == nil else { return .busy }
        links[slot].confirmationDeadline = now + GATTServer.transactionTimeout
        append(.handleValueIndication, handle, value, to: &octets)
        return .accepted
    }

    /// Whether an indication waits for its confirmation.
    public func awaitsConfirmation(slot: Int) -> Bool {
        isOpen(slot) && links[slot].confirmationDeadline != nil
    }

    private func admission(
        _ handle: AttributeHandle, _ count: Int, _ slot: Int, as kind: ClientConfiguration
    ) -> NotificationOutcome {
        guard isOpen(slot) else { return .gone }
        guard let index = database.index(of: handle.rawValue), database.attributes[index].kind != .configuration,
            database.attributes[index].configuration >= 0, configuration(index, slot).contains(kind)
        else { return .notSubscribed }
        let security = links[slot].security
        let descriptor = database.configurations[database.attributes[index].configuration].descriptor
        let permissions = database.attributes[index].permissions
        guard database.attributes[descriptor].permissions.refusalOfWriting(security) == nil,
            permissions.isDisjoint(with: .anyRead) || permissions.refusalOfReading(security) == nil
        else { return .notSubscribed }
        return count <= links[slot].mtu - 3 ? .accepted : .tooLong
    }

    private func append(_ opcode: ATTOpcode, _ handle: AttributeHandle, _ value: Span<UInt8>, to octets: inout [UInt8])
    {
        octets.append(opcode.rawValue)
        octets.append(littleEndian: handle.rawValue)
        octets.append(value)
    }
}
