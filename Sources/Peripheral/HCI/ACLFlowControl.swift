/// Who may send data to the controller (Core 5.4, Vol 4, Part E, 4.1.1).
///
/// The controller's buffers are shared by all links, and a link whose phone has walked away keeps what it has taken
/// until its supervision time-out. So a link that has nothing with the controller may take the last buffer; one that
/// has something leaves a buffer for each link that has nothing, and one more for a link that is about to come.
struct ACLFlowControl {
    /// What one link has with the controller; it belongs to the connection.
    struct Share {
        fileprivate var inFlight = 0
        fileprivate var isOpen = false
    }

    private(set) var free = 0
    private var idle = 0

    /// Starts again, with `packets` buffers and no link.
    mutating func reset(packets: Int) {
        free = packets
        idle = 0
    }

    /// A link has come.
    mutating func open(_ share: inout Share) {
        close(&share)
        share.isOpen = true
        idle += 1
    }

    /// The link is gone: what the controller had of it is free (4.1.1: no event says so).
    mutating func close(_ share: inout Share) {
        guard share.isOpen else { return }
        if share.inFlight == 0 { idle -= 1 }
        free += share.inFlight
        share = Share()
    }

    /// Whether the link may send one packet now.
    func maySend(_ share: Share) -> Bool {
        guard share.isOpen, free > 0 else { return false }
        return share.inFlight == 0 || free > idle + 1
    }

    /// The link sends one packet. Precondition: `maySend`.
    mutating func take(_ share: inout Share) {
        if share.inFlight == 0 { idle -= 1 }
        share.inFlight += 1
        free -= 1
    }

    /// The controller has sent `count` packets of the link; more than it had is not believed.
    mutating func giveBack(_ share: inout Share, _ count: Int) {
        let returned = min(count, share.inFlight)
        guard returned > 0 else { return }
        share.inFlight -= returned
        free += returned
        if share.inFlight == 0 { idle += 1 }
    }
}
