/// Enhanced ATT bearers, each on a channel of its own (Core 5.4, Vol 3, Part G, 5.3).
extension GATTServer {
    /// Opens a further bearer on the link in `slot`, of which `mtu` is the smaller of its channel's two MTUs.
    ///
    /// The caller has seen to it that the link is encrypted, as enhanced bearers demand (Core 5.4, Vol 3, Part G, 5.3.2).
    ///
    /// - Returns: its number, 1 up to `enhancedBearers`, for `receive` and the like; nil without such a link, if all are
    ///   open, or for an MTU under 64.
    public mutating func openBearer(slot: Int, mtu: Int) -> Int? {
        guard isOpen(slot), mtu >= GATTServer.minimumEnhancedMTU, limits.enhancedBearers > 0 else { return nil }
        for bearer in 1...limits.enhancedBearers where !bearers[place(slot, bearer)].isOpen {
            bearers[place(slot, bearer)].reset(isOpen: true, mtu: mtu)
            links[slot].enhancedBearers += 1
            return bearer
        }
        return nil
    }

    /// The channel of an enhanced bearer was reconfigured: the smaller of its two MTUs from now on. It never shrinks
    /// (Core 5.4, Vol 3, Part A, 4.27), and the fixed channel's is exchanged.
    public mutating func setMTU(_ mtu: Int, slot: Int, bearer: Int) {
        guard bearer > 0, let origin = origin(slot, bearer) else { return }
        bearers[origin.place].mtu = max(bearers[origin.place].mtu, mtu)
    }

    /// The channel of an enhanced bearer is gone, and with it what was asked and indicated on it. The fixed channel ends
    /// only with its link.
    public mutating func closeBearer(slot: Int, bearer: Int) {
        guard bearer > 0, let origin = origin(slot, bearer) else { return }
        if links[slot].executing == origin.place { dropPrepared(slot) }
        bearers[origin.place].reset(isOpen: false)
        links[slot].enhancedBearers -= 1
    }

    /// Says by Server Supported Features whether there are enhanced bearers (Core 5.4, Vol 3, Part G, 7.4).
    mutating func sayFeatures() {
        guard database.own.serverFeatures >= 0 else { return }
        let features: [UInt8] = [limits.enhancedBearers > 0 ? 0x01 : 0x00]
        database.store(features.span, at: database.own.serverFeatures)
    }
}
