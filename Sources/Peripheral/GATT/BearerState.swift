// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The server's state of one ATT bearer (Core 5.4, Vol 3, Part F, 3.2.11).
struct BearerState {
    /// An unconfirmed indication.
    struct Indication {
        var handle: UInt16
        /// The deadline of the confirmation.
        var deadline: Instant
        /// The indication is Service Changed and covers all changes so far.
        var tellsOfDatabase: Bool
    }

    var isOpen = false
    var mtu = GATTServer.defaultMTU
    var mtuExchanged = false
    var indication: Indication?
    /// Database Out Of Sync was sent since the client became change-unaware.
    var outOfSyncSent = false
    var transaction = Transaction()

    /// Resets the bearer to a newly opened or closed one; memory is reused.
    mutating func reset(isOpen: Bool, mtu: Int = GATTServer.defaultMTU) {
        self.isOpen = isOpen
        self.mtu = mtu
        mtuExchanged = false
        indication = nil
        outOfSyncSent = false
        transaction.removeAll()
    }

    /// Handles the answer to a request. A value that fills the response of a Read or Read Blob request for `handle` is
    /// retained for subsequent Read Blob requests: it may be the beginning of a longer one.
    mutating func finish(_ handle: UInt16?, responseCount: Int) {
        guard transaction.isInvolved else { return }
        transaction.finish(keeping: responseCount == mtu ? handle : nil)
    }
}
