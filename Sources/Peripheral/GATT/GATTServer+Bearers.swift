// SPDX-License-Identifier: Apache-2.0

/// Enhanced ATT bearers, each on its own channel (Core 5.4, Vol 3, Part G, 5.3).
extension GATTServer {
    /// Opens an enhanced bearer for a client; `mtu` is the smaller MTU of its channel.
    ///
    /// Precondition: the link is encrypted (Core 5.4, Vol 3, Part G, 5.3.2).
    ///
    /// - Returns: The bearer's number, 1 to `enhancedBearers`, for `receive` and the like; nil without a link, if all
    ///   are open, or for an MTU under 64.
    public func openBearer(_ client: inout Client, mtu: Int) -> Int? {
        guard client.isOpen, mtu >= GATTServer.minimumEnhancedMTU,
            let bearer = client.bearers.indices.dropFirst().first(where: { !client.bearers[$0].isOpen })
        else { return nil }
        client.bearers[bearer].reset(isOpen: true, mtu: mtu)
        client.enhancedBearers += 1
        return bearer
    }

    /// Handles the reconfiguration of an enhanced bearer's channel; `mtu` is the smaller of its MTUs. It never
    /// decreases (Core 5.4, Vol 3, Part A, 4.27). The MTU of the fixed channel is exchanged instead.
    public func setMTU(_ mtu: Int, _ client: inout Client, bearer: Int) {
        guard bearer > 0, client.isOpen(bearer) else { return }
        client.bearers[bearer].mtu = max(client.bearers[bearer].mtu, mtu)
    }

    /// Closes an enhanced bearer with its requests and indications. The fixed channel only ends with its link.
    public mutating func closeBearer(_ client: inout Client, bearer: Int) {
        guard bearer > 0, client.isOpen(bearer) else { return }
        if client.executing == bearer { dropPrepared(&client) }
        client.bearers[bearer].reset(isOpen: false)
        client.enhancedBearers -= 1
    }

    /// Sets Server Supported Features according to the enhanced bearers (Core 5.4, Vol 3, Part G, 7.4).
    mutating func storeFeatures() {
        guard database.own.serverFeatures >= 0 else { return }
        let features: [UInt8] = [limits.enhancedBearers > 0 ? 0x01 : 0x00]
        database.store(features.span, at: database.own.serverFeatures)
    }
}
