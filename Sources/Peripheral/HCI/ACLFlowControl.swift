/// Who may send data to the controller (Core 5.4, Vol 4, Part E, 4.1.1).
///
/// The controller's buffers are shared by all links, and a link whose phone has walked away keeps what it has taken
/// until its supervision time-out. So a link that has nothing with the controller may take the last buffer; one that
/// has something leaves a buffer for each link that has nothing, and one more for a link that is about to come.
struct ACLFlowControl {
    private(set) var free: Int
    private var inFlight: [Int]
    private var open: [Bool]
    private var idle = 0

    /// No buffers yet, for `slots` links.
    init(slots: Int) {
        free = 0
        inFlight = Array(repeating: 0, count: slots)
        open = Array(repeating: false, count: slots)
    }

    /// Starts again, with `packets` buffers and no link.
    mutating func reset(packets: Int) {
        free = packets
        idle = 0
        for slot in inFlight.indices {
            inFlight[slot] = 0
            open[slot] = false
        }
    }

    /// A link has come.
    mutating func open(_ slot: Int) {
        close(slot)
        open[slot] = true
        idle += 1
    }

    /// The link is gone: what the controller had of it is free (4.1.1: no event says so).
    mutating func close(_ slot: Int) {
        guard open[slot] else { return }
        if inFlight[slot] == 0 { idle -= 1 }
        free += inFlight[slot]
        inFlight[slot] = 0
        open[slot] = false
    }

    /// Whether the link may send one packet now.
    func maySend(_ slot: Int) -> Bool {
        guard open[slot], free > 0 else { return false }
        return inFlight[slot] == 0 || free > idle + 1
    }

    /// The link sends one packet. Precondition: `maySend`.
    mutating func take(_ slot: Int) {
        if inFlight[slot] == 0 { idle -= 1 }
        inFlight[slot] += 1
        free -= 1
    }

    /// The controller has sent `count` packets of the link; more than it had is not believed.
    mutating func giveBack(_ slot: Int, _ count: Int) {
        let returned = min(count, inFlight[slot])
        guard returned > 0 else { return }
        inFlight[slot] -= returned
        free += returned
        if inFlight[slot] == 0 { idle += 1 }
    }
}
