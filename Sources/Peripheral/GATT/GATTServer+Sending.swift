// SPDX-License-Identifier: Apache-2.0

public import Timekeeping
import Octets

// Core 5.4, Vol 3, Part F, 3.4.7.
extension GATTServer {
    /// The client's configuration of the characteristic with this value handle; empty if it has none, or there is no
    /// link.
    public func configuration(of handle: AttributeHandle, _ client: borrowing Client) -> ClientConfiguration {
        guard client.isOpen, let index = database.index(of: handle.rawValue),
            database.attributes[index].configuration >= 0
        else { return [] }
        return client.configurations[database.attributes[index].configuration]
    }

    /// Appends a Handle Value Notification to `octets`, if the client has subscribed and has the permissions. The
    /// permissions of the configuration and of the value are checked against the present security of the link. A
    /// change-unaware client with robust caching receives no notification (Part G, 2.5.2.1).
    ///
    /// - Returns: `accepted`, `notSubscribed`, `tooLong` for more than ATT_MTU less 3 octets, or `gone`.
    public func notification(
        of handle: AttributeHandle, value: Span<UInt8>, to client: inout Client, bearer: Int = 0,
        into octets: inout [UInt8]
    ) -> NotificationOutcome {
        guard client.isOpen(bearer) else { return .gone }
        guard !client.isOutOfSync, isAdmitted(handle, client, as: .notification) else { return .notSubscribed }
        guard value.count <= client.bearers[bearer].mtu - 3 else { return .tooLong }
        ATTResponse.notification(handle).append(to: &octets)
        octets.append(value)
        return .accepted
    }

    /// Appends one Multiple Handle Value Notification of two values or more, each a range of `source` (3.4.7.4), under
    /// the conditions of a notification for each of them.
    ///
    /// - Returns: as for a notification; `notSubscribed` also if the client does not support several values,
    ///   as in `features`, and for fewer than two.
    public func notification(
        of values: [(handle: AttributeHandle, value: Range<Int>)], in source: Span<UInt8>, to client: inout Client,
        bearer: Int = 0, into octets: inout [UInt8]
    ) -> NotificationOutcome {
        guard client.isOpen(bearer) else { return .gone }
        guard !client.isOutOfSync, client.features.contains(.multipleNotifications), values.count >= 2 else {
            return .notSubscribed
        }
        var room = client.bearers[bearer].mtu - 1
        for entry in values {
            guard entry.value.lowerBound >= 0, entry.value.upperBound <= source.count,
                entry.value.count <= AttributeDatabase.maximumValueCount
            else { return .tooLong }
            guard isAdmitted(entry.handle, client, as: .notification) else { return .notSubscribed }
            room -= 4 + entry.value.count
        }
        guard room >= 0 else { return .tooLong }
        ATTResponse.bare(.multipleHandleValueNotification).append(to: &octets)
        for entry in values {
            octets.append(littleEndian: entry.handle.rawValue)
            octets.append(littleEndian: UInt16(truncatingIfNeeded: entry.value.count))
            octets.append(source.extracting(entry.value))
        }
        return .accepted
    }

    /// Appends a Handle Value Indication to `octets`, under the conditions of a notification. The event `confirmed`
    /// follows.
    ///
    /// - Returns: as for a notification; `busy` while the client has not confirmed the one before on this bearer.
    ///   `advance` returns true after the time limit.
    public func indication(
        of handle: AttributeHandle, value: Span<UInt8>, to client: inout Client, bearer: Int = 0, at now: Instant,
        into octets: inout [UInt8]
    ) -> NotificationOutcome {
        let isOwn =
            database.own.serviceChanged >= 0
            && database.attributes[database.own.serviceChanged].handle == handle.rawValue
        guard isOwn || !client.isOpen || !client.isOutOfSync else { return .notSubscribed }
        return indication(
            of: handle, value: value, to: &client, bearer: bearer, at: now, tellsOfDatabase: false, into: &octets)
    }

    func indication(
        of handle: AttributeHandle, value: Span<UInt8>, to client: inout Client, bearer: Int, at now: Instant,
        tellsOfDatabase: Bool,
        into octets: inout [UInt8]
    ) -> NotificationOutcome {
        guard client.isOpen(bearer) else { return .gone }
        guard isAdmitted(handle, client, as: .indication) else { return .notSubscribed }
        guard value.count <= client.bearers[bearer].mtu - 3 else { return .tooLong }
        guard client.bearers[bearer].indication == nil else { return .busy }
        client.mayHaveDeadline = true
        client.bearers[bearer].indication = BearerState.Indication(
            handle: handle.rawValue, deadline: now + GATTServer.transactionTimeout, tellsOfDatabase: tellsOfDatabase)
        ATTResponse.indication(handle).append(to: &octets)
        octets.append(value)
        return .accepted
    }

    /// True if the client has subscribed and has the permissions.
    private func isAdmitted(_ handle: AttributeHandle, _ client: borrowing Client, as kind: ClientConfiguration) -> Bool
    {
        guard let index = database.index(of: handle.rawValue), database.attributes[index].kind != .configuration,
            database.attributes[index].configuration >= 0,
            client.configurations[database.attributes[index].configuration].contains(kind)
        else { return false }
        let (security, size) = (client.security, limits.minimumKeySize)
        let descriptor = database.configurations[database.attributes[index].configuration].descriptor
        let permissions = database.attributes[index].permissions
        return database.attributes[descriptor].permissions.refusalOfWriting(security, minimumKeySize: size) == nil
            && (permissions.isDisjoint(with: .anyRead)
                || permissions.refusalOfReading(security, minimumKeySize: size) == nil)
    }
}
