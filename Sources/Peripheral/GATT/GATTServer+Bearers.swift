/// Enhanced ATT bearers, each on a channel of its own (Core 5.4, Vol 3, Part G, 5.3).
extension GATTServer {
    /// Opens a further bearer for a client, of which `mtu` is the smaller of its channel's two MTUs.
    ///
    /// The caller has seen to it that the link is encrypted, as enhanced bearers demand (Core 5.4, Vol 3, Part G, 5.3.2).
    ///
    /// - Returns: its number, 1 up to `enhancedBearers`, for `receive` and the like; nil without a link, if all are open,
    ///   or for an MTU under 64.
    public func openBearer(_ client: inout Client, mtu: Int) -> Int? {
        guard client.isOpen, mtu >= GATTServer.minimumEnhancedMTU,
            let bearer = client.bearers.indices.dropFirst().first(where: { !client.bearers[$0].isOpen })
        else { return nil }
        client.bearers[bearer].reset(isOpen: true, mtu: mtu)
        client.enhancedBearers += 1
        return bearer
    }

    /// The channel of an enhanced bearer was reconfigured: the smaller of its two MTUs from now on. It never shrinks
    /// (Core 5.4, Vol 3, Part A, 4.27), and the fixed channel's is exchanged.
    public func setMTU(_ mtu: Int, _ client: inout Client, bearer: Int) {
        guard bearer > 0, client.isOpen(bearer) else { return }
        client.bearers[bearer].mtu = max(client.bearers[bearer].mtu, mtu)
    }

    /// The channel of an enhanced bearer is gone, and with it what was asked and indicated on it. The fixed channel ends
    /// only with its link.
    public mutating func closeBearer(_ client: inout Client, bearer: Int) {
        guard bearer > 0, client.isOpen(bearer) else { return }
        if client.executing == bearer { dropPrepared(&client) }
        client.bearers[bearer].reset(isOpen: false)
        client.enhancedBearers -= 1
    }

    /// Says by Server Supported Features whether there are enhanced bearers (Core 5.4, Vol 3, Part G, 7.4).
    mutating func sayFeatures() {
        guard database.own.serverFeatures >= 0 else { return }
        let features: [UInt8] = [limits.enhancedBearers > 0 ? 0x01 : 0x00]
        database.store(features.span, at: database.own.serverFeatures)
    }
}
