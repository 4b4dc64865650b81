/// What outlives a link, and what outlives a database (Core 5.4, Vol 3, Part G, 2.5.2 and 3.3.3.3).
extension GATTServer {
    /// What is to be kept of the client if it is bonded; nil without a link.
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

    /// Gives a client back what was kept of it. To be called when the peer has proved to be the bonded one, which is when
    /// the link has been encrypted with the bond's key, and not before (BLESA).
    ///
    /// What the client has configured on this link already stays. Each configuration that comes back is an event
    /// `subscribed`; those of characteristics that are no longer at their handle are dropped. A client that knows another
    /// database, or has not confirmed the change to this one, is change-unaware, and is sent Service Changed if it has
    /// subscribed to that.
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

    /// Serves another database from now on; links stay. Each open client is to be told by `databaseReplaced`.
    ///
    /// - Returns: the database that was served before.
    public mutating func replaceDatabase(with database: AttributeDatabase) -> AttributeDatabase {
        let former = self.database
        self.database = database
        sayFeatures()
        return former
    }

    /// The client was served `former` until now.
    ///
    /// Configurations stay where a characteristic with the same UUID has the same handle; each of the others ends with
    /// an event `subscribed` with nothing. What is prepared is dropped, and requests for which the device is being asked
    /// are answered with Unlikely Error. If the definitions are not the same, by their hash, the client is change-unaware,
    /// and gets Service Changed if it has subscribed to it. Take PDUs with `nextOutput`.
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

    /// The number of the configuration of this characteristic, if it is at this handle.
    private func configurationNumber(_ handle: UInt16, _ type: BluetoothUUID) -> Int? {
        guard let index = database.index(of: handle), database.attributes[index].type == type,
            database.attributes[index].kind != .configuration, database.attributes[index].configuration >= 0
        else { return nil }
        return database.attributes[index].configuration
    }
}
