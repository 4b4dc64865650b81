// SPDX-License-Identifier: Apache-2.0

public import Peripheral

/// Notifications and indications, and the queue of values for which a link has no room.
extension DeviceContext {
    /// The maximum length in octets of a notification or indication on this link: ATT_MTU − 3 (Core 5.4, Vol 3, Part
    /// F, 3.4.7). It is 20 until the client has exchanged the MTU, and for a link that has ended.
    public func longestValue(_ link: LinkID) -> Int { host.attMTU(link) - 3 }

    /// The device's links whose clients have subscribed to notifications or indications of the characteristic.
    public func subscribers(of characteristic: CharacteristicID) -> [LinkID] {
        connections.filter { $0.description.device == device && !$0.wants(characteristic.index).isEmpty }.map(\.link)
    }

    /// Notifies all clients that have subscribed to notifications.
    @discardableResult
    public mutating func notify(_ characteristic: CharacteristicID, _ value: [UInt8]) -> Delivery {
        sendToAll(.notification, characteristic, value)
    }

    /// Notifies one client.
    @discardableResult
    public mutating func notify(_ characteristic: CharacteristicID, _ value: [UInt8], to link: LinkID) -> SendOutcome {
        guard let place = place(of: link) else { return .gone }
        return send(.notification, characteristic, value, place)
    }

    /// Indicates to all clients that have subscribed to indications. One indication per client is outstanding;
    /// further ones are queued until it is confirmed.
    @discardableResult
    public mutating func indicate(_ characteristic: CharacteristicID, _ value: [UInt8]) -> Delivery {
        sendToAll(.indication, characteristic, value)
    }

    /// Indicates to one client; `onConfirm` follows. An indication sent in `onWrite` reaches the client before the
    /// Write Response.
    @discardableResult
    public mutating func indicate(
        _ characteristic: CharacteristicID, _ value: [UInt8], to link: LinkID
    ) -> SendOutcome {
        guard let place = place(of: link) else { return .gone }
        return send(.indication, characteristic, value, place)
    }

    private mutating func sendToAll(
        _ kind: LinkOutbox.Kind, _ characteristic: CharacteristicID, _ value: [UInt8]
    ) -> Delivery {
        var delivery = Delivery()
        for place in connections.indices
        where connections[place].description.device == device
            && connections[place].wants(characteristic.index).contains(kind.configuration)
        {
            delivery.count(send(kind, characteristic, value, place))
        }
        return delivery
    }

    private mutating func send(
        _ kind: LinkOutbox.Kind, _ characteristic: CharacteristicID, _ value: [UInt8], _ place: Int
    ) -> SendOutcome {
        let connection = connections[place]
        guard connection.description.device == device, tables[device].handles.indices.contains(characteristic.index),
            connection.wants(characteristic.index).contains(kind.configuration)
        else { return .notSubscribed }
        guard value.count <= longestValue(connection.link) else {
            return .tooLong(limit: longestValue(connection.link))
        }
        // Queued values go first.
        if connection.outbox.first(kind) == nil {
            switch offer(kind, characteristic.index, value, place) {
            case .accepted: return .sent
            case .notSubscribed: return .notSubscribed
            case .gone: return .gone
            case .tooLong: return .tooLong(limit: longestValue(connection.link))
            case .busy: break
            }
        }
        return connections[place].outbox.add(
            LinkOutbox.Waiting(characteristic: characteristic.index, octets: value), kind,
            tables[device].policies[characteristic.index])
    }

    private mutating func offer(
        _ kind: LinkOutbox.Kind, _ characteristic: Int, _ value: [UInt8], _ place: Int
    ) -> NotificationOutcome {
        let link = connections[place].link
        let handle = tables[connections[place].description.device].handles[characteristic]
        return switch kind {
        case .notification: host.notify(link, handle, value.span, at: now)
        case .indication: host.indicate(link, handle, value.span, at: now)
        }
    }

    // MARK: - Internal to the program

    /// Sends the queued values of this kind on every link until its room is used up. Discards values that the client
    /// has unsubscribed from.
    mutating func flush(_ kind: LinkOutbox.Kind) {
        for place in connections.indices where connections[place].outbox.first(kind) != nil { flush(kind, place) }
    }

    private mutating func flush(_ kind: LinkOutbox.Kind, _ place: Int) {
        while let first = connections[place].outbox.first(kind) {
            guard offer(kind, first.characteristic, first.octets, place) != .busy else { return }
            connections[place].outbox.removeFirst(kind)
        }
        if connections[place].outbox.isEmpty { drainedLinks.append(connections[place].link) }
    }

    /// Records a client's configuration of a characteristic, and discards queued values that it has unsubscribed
    /// from.
    mutating func subscribed(_ place: Int, _ characteristic: Int, _ configuration: ClientConfiguration) {
        connections[place].wanted.removeAll { $0.characteristic == characteristic }
        if !configuration.isEmpty { connections[place].wanted.append((characteristic, configuration)) }
        let wasEmpty = connections[place].outbox.isEmpty
        for kind in LinkOutbox.Kind.allCases where !configuration.contains(kind.configuration) {
            connections[place].outbox.removeAll(kind, of: characteristic)
        }
        if !wasEmpty, connections[place].outbox.isEmpty { drainedLinks.append(connections[place].link) }
    }

    /// Returns true if any client of a device has subscribed to a characteristic.
    func isWanted(_ characteristic: Int, _ device: Int) -> Bool {
        connections.contains { $0.description.device == device && !$0.wants(characteristic).isEmpty }
    }
}

extension LinkOutbox.Kind {
    /// The configuration bit by which a client subscribes to this kind.
    fileprivate var configuration: ClientConfiguration {
        switch self {
        case .notification: .notification
        case .indication: .indication
        }
    }
}
