// SPDX-License-Identifier: Apache-2.0

/// State that persists beyond a link or a database (Core 5.4, Vol 3, Part G, 2.5.2 and 3.3.3.3).
extension GATTServer {
    /// The state to be stored for a bonded client; nil without a link.
    public func state(of client: borrowing Client) -> ClientState? {
        guard client.isOpen else { return nil }
        var kept: [ClientState.Configuration] = []
        for (number, configuration) in database.configurations.enumerated() {
            let value = client.configurations[number]
            guard !value.isEmpty, let index = database.index(of: configuration.valueHandle) else { continue }
            kept.append(
                ClientState.Configuration(
                    handle: AttributeHandle(rawValue: configuration.valueHandle),
                    characteristic: database.attributes[index].type, value: value))
        }
        kept.sort { $0.handle < $1.handle }
        return ClientState(
            configurations: kept, features: client.features, databaseHash: database.hash,
            isChangeAware: client.isChangeAware)
    }

    /// Restores the stored state of a client. Must only be called for a proven peer, after encryption of the link with
    /// the key of its bond (BLESA).
    ///
    /// Configurations already set on this link are retained. Each restored configuration is an event `subscribed`.
    /// Configurations of characteristics that are no longer at their handle are dropped. A client that knows another
    /// database, or has not confirmed the change to this one, is change-unaware, and receives Service Changed if it has
    /// subscribed.
    public func restore(_ state: ClientState, _ client: inout Client, events: inout GATTEvents) {
        guard client.isOpen else { return }
        client.features.formUnion(state.features.intersection(.known))
        for kept in state.configurations {
            guard let number = configurationNumber(kept.handle.rawValue, kept.characteristic) else { continue }
            let value = kept.value.intersection(database.configurations[number].supported)
            guard client.configurations[number].isEmpty, !value.isEmpty else { continue }
            client.configurations[number] = value
            events.events.append(.subscribed(kept.handle, value))
        }
        if !state.isChangeAware || state.databaseHash != database.hash { client.becomeUnaware(&events) }
    }

    /// Replaces the database; links stay. `databaseReplaced` must be called for each open client.
    ///
    /// - Returns: the database that was served before.
    public mutating func replaceDatabase(with database: AttributeDatabase) -> AttributeDatabase {
        let former = self.database
        self.database = database
        storeFeatures()
        return former
    }

    /// Handles the replacement of the database for one client.
    ///
    /// Configurations are retained for a characteristic with the same UUID and handle; each other one ends with an
    /// event `subscribed` with an empty configuration. Prepared writes are dropped, and requests that wait for the
    /// device are answered with Unlikely Error. If the hashes differ, the client is change-unaware, and receives
    /// Service Changed if it has subscribed. PDUs are taken with `nextOutput`.
    public mutating func databaseReplaced(
        _ former: AttributeDatabase, _ client: inout Client, events: inout GATTEvents
    ) {
        guard client.isOpen else { return }
        let before = client.configurations
        client.configurations = Array(repeating: [], count: database.configurations.count)
        dropPrepared(&client)
        for bearer in client.bearers.indices { client.bearers[bearer].transaction.failOrForget(.unlikelyError) }
        for (number, configuration) in former.configurations.enumerated() {
            let value = before[number]
            guard !value.isEmpty, let index = former.index(of: configuration.valueHandle) else { continue }
            let type = former.attributes[index].type
            if let now = configurationNumber(configuration.valueHandle, type),
                value.isSubset(of: database.configurations[now].supported)
            {
                client.configurations[now] = value
            } else {
                events.events.append(.subscribed(AttributeHandle(rawValue: configuration.valueHandle), []))
            }
        }
        if former.hash != database.hash { client.becomeUnaware(&events) }
        client.mayHaveOutput = true
    }

    /// The index of this characteristic's configuration, if it is at this handle.
    private func configurationNumber(_ handle: UInt16, _ type: BluetoothUUID) -> Int? {
        guard let index = database.index(of: handle), database.attributes[index].type == type,
            database.attributes[index].kind != .configuration, database.attributes[index].configuration >= 0
        else { return nil }
        return database.attributes[index].configuration
    }
}
