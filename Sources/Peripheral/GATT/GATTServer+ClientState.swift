/// What outlives a link, and what outlives a database (Core 5.4, Vol 3, Part G, 2.5.2 and 3.3.3.3).
extension GATTServer {
    /// What is to be kept of the client if it is bonded; nil for a slot without a link.
    public func clientState(slot: Int) -> ClientState? {
        guard isOpen(slot) else { return nil }
        var kept: [ClientState.Configuration] = []
        for (number, configuration) in database.configurations.enumerated() {
            let value = configurations[slot * database.configurations.count + number]
            guard !value.isEmpty, let index = database.index(of: configuration.valueHandle) else { continue }
            kept.append(
                ClientState.Configuration(
                    handle: AttributeHandle(rawValue: configuration.valueHandle),
                    characteristic: database.attributes[index].type, value: value))
        }
        kept.sort { $0.handle < $1.handle }
        return ClientState(
            configurations: kept, features: links[slot].features, databaseHash: database.hash,
            isChangeAware: links[slot].isChangeAware)
    }

    /// Gives a client back what was kept of it. To be called when the peer has proved to be the bonded one, which is when
    /// the link has been encrypted with the bond's key, and not before (BLESA).
    ///
    /// What the client has configured on this link already stays. Each configuration that comes back is an event
    /// `subscribed`; those of characteristics that are no longer at their handle are dropped. A client that knows another
    /// database, or has not confirmed the change to this one, is change-unaware, and is sent Service Changed if it has
    /// subscribed to that.
    public mutating func restore(_ state: ClientState, slot: Int, events: inout GATTEvents) {
        guard isOpen(slot) else { return }
        links[slot].features.formUnion(state.features.intersection(.known))
        for kept in state.configurations {
            guard let number = configurationNumber(kept.handle.rawValue, kept.characteristic) else { continue }
            let place = slot * database.configurations.count + number
            let value = kept.value.intersection(database.configurations[number].supported)
            guard configurations[place].isEmpty, !value.isEmpty else { continue }
            configurations[place] = value
            events.events.append(.subscribed(slot: slot, kept.handle, value))
        }
        if !state.isChangeAware || state.databaseHash != database.hash { becomeUnaware(slot, &events) }
    }

    /// Serves another database from now on; links stay.
    ///
    /// Configurations stay where a characteristic with the same UUID has the same handle; each of the others ends with
    /// an event `subscribed` with nothing. What is prepared is dropped, and requests for which the device is being asked
    /// are answered with Unlikely Error. If the definitions are not the same, by their hash, all clients are
    /// change-unaware, and get Service Changed if they have subscribed to it. Take PDUs with `nextOutput`.
    public mutating func replaceDatabase(with database: AttributeDatabase, events: inout GATTEvents) {
        let before = self.database
        let beforehand = configurations
        self.database = database
        configurations = Array(repeating: [], count: links.count * database.configurations.count)
        sayFeatures()
        for slot in links.indices where links[slot].isOpen {
            dropPrepared(slot)
            for place in place(slot, 0)...place(slot, limits.enhancedBearers) {
                bearers[place].transaction.failOrForget(.unlikelyError)
            }
            for (number, configuration) in before.configurations.enumerated() {
                let value = beforehand[slot * before.configurations.count + number]
                guard !value.isEmpty, let index = before.index(of: configuration.valueHandle) else { continue }
                let type = before.attributes[index].type
                if let now = configurationNumber(configuration.valueHandle, type),
                    value.isSubset(of: database.configurations[now].supported)
                {
                    configurations[slot * database.configurations.count + now] = value
                } else {
                    let handle = AttributeHandle(rawValue: configuration.valueHandle)
                    events.events.append(.subscribed(slot: slot, handle, []))
                }
            }
            if before.hash != database.hash { becomeUnaware(slot, &events) }
        }
        mayHaveOutput = true
    }

    /// The number of the configuration of this characteristic, if it is at this handle.
    private func configurationNumber(_ handle: UInt16, _ type: BluetoothUUID) -> Int? {
        guard let index = database.index(of: handle), database.attributes[index].type == type,
            database.attributes[index].kind != .configuration, database.attributes[index].configuration >= 0
        else { return nil }
        return database.attributes[index].configuration
    }
}
