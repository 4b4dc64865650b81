import Timekeeping

/// What the server keeps of one ATT bearer (Core 5.4, Vol 3, Part F, 3.2.11).
struct BearerState {
    /// An indication that the client has not confirmed yet.
    struct Indication {
        var handle: UInt16
        /// By when it is to be confirmed.
        var deadline: Instant
        /// It is the server's own Service Changed, and says all that has changed.
        var tellsOfDatabase: Bool
    }

    var isOpen = false
    var mtu = GATTServer.defaultMTU
    var mtuExchanged = false
    var indication: Indication?
    /// Database Out Of Sync was sent since the client became change-unaware.
    var outOfSyncSent = false
    var transaction = Transaction()

    /// Makes the bearer one that has just been opened, or is closed, with the memory it already has.
    mutating func reset(isOpen: Bool, mtu: Int = GATTServer.defaultMTU) {
        self.isOpen = isOpen
        self.mtu = mtu
        mtuExchanged = false
        indication = nil
        outOfSyncSent = false
        transaction.removeAll()
    }

    /// A request is answered. A value that fills the response of a Read or Read Blob request for `handle` stays for the
    /// Read Blob requests that follow: it may be the beginning of a longer one.
    mutating func finish(_ handle: UInt16?, responseCount: Int) {
        guard transaction.isInvolved else { return }
        transaction.finish(keeping: responseCount == mtu ? handle : nil)
    }
}
