// SPDX-License-Identifier: Apache-2.0

/// The allocation of the controller's ACL buffers to links (Core 5.4, Vol 4, Part E, 4.1.1).
///
/// The buffers are shared by all links, and a link whose peer is out of range keeps its buffers until its supervision
/// time-out. A link without packets in the controller may take the last buffer. A link with packets must leave a buffer
/// for each link without packets, and a buffer for a further link.
struct ACLFlowControl {
    /// The packets of one link in the controller; part of its connection.
    struct Share {
        fileprivate var inFlight = 0
        fileprivate var isOpen = false
    }

    private(set) var free = 0
    private var idle = 0

    /// Resets to `packets` buffers without links.
    mutating func reset(packets: Int) {
        free = packets
        idle = 0
    }

    /// Adds a link.
    mutating func open(_ share: inout Share) {
        close(&share)
        share.isOpen = true
        idle += 1
    }

    /// Removes a link: its buffers are free (4.1.1: no event reports that).
    mutating func close(_ share: inout Share) {
        guard share.isOpen else { return }
        if share.inFlight == 0 { idle -= 1 }
        free += share.inFlight
        share = Share()
    }

    /// True if the link may send one packet now.
    func maySend(_ share: Share) -> Bool {
        guard share.isOpen, free > 0 else { return false }
        return share.inFlight == 0 || free > idle + 1
    }

    /// Takes a buffer for one packet. Precondition: `maySend`.
    mutating func reserve(_ share: inout Share) {
        if share.inFlight == 0 { idle -= 1 }
        share.inFlight += 1
        free -= 1
    }

    /// Releases the buffers of `count` completed packets, at most the link's buffers.
    mutating func complete(_ share: inout Share, _ count: Int) {
        let returned = min(count, share.inFlight)
        guard returned > 0 else { return }
        share.inFlight -= returned
        free += returned
        if share.inFlight == 0 { idle += 1 }
    }
}
