import Timekeeping

// What a bonded client has configured outlasts the link (Core 5.4, Vol 3, Part G, 2.5.2 and 3.3.3.3). It is given back
// once the peer has proved to be the bonded one, and never before: anybody may use its address.

extension Host {
    /// How long a change waits before it is kept. A client configures several values in a row, and keeping is a write to
    /// a disk.
    static let clientStateDelay = Duration.seconds(1)

    /// The link's peer may have proved who it is. After a reconnection it gets back what was kept; a peer that has just
    /// paired begins anew.
    mutating func peerMayBeProven(_ slot: Int, hasPaired: Bool, at now: Instant) {
        guard security.clientStates != nil, links[slot].provenPeer == nil,
            let peer = security.manager.provenPeer(slot: slot)
        else { return }
        links[slot].provenPeer = peer
        guard !hasPaired else { return clientStateChanged(slot, at: now) }
        guard let octets = security.clientStates?.clientState(of: peer, device: links[slot].device) else { return }
        // What cannot be read is of another version, and as good as nothing.
        try? restoreClientState(octets.span, links[slot].id, at: now)
        links[slot].clientStateDue = nil
    }

    /// The client has configured something: to be kept if it is bonded.
    mutating func clientStateChanged(_ slot: Int, at now: Instant) {
        guard links[slot].provenPeer != nil, links[slot].clientStateDue == nil else { return }
        let due = now + Host.clientStateDelay
        links[slot].clientStateDue = due
        security.clientStateDeadline = min(security.clientStateDeadline ?? due, due)
    }

    /// Keeps what has changed a while ago.
    mutating func advanceClientStates(to now: Instant) {
        guard let deadline = security.clientStateDeadline, now >= deadline else { return }
        var next: Instant?
        for slot in links.indices {
            guard let due = links[slot].clientStateDue else { continue }
            if due <= now { keepClientState(slot) } else { next = min(next ?? due, due) }
        }
        security.clientStateDeadline = next
    }

    /// Keeps what has changed and was not kept yet.
    mutating func keepClientState(_ slot: Int) {
        guard links[slot].clientStateDue != nil, let peer = links[slot].provenPeer else { return }
        links[slot].clientStateDue = nil
        let device = links[slot].device
        guard let state = servers[device].clientState(slot: slot) else { return }
        security.clientStates?.save(state.octets, of: peer, device: device)
    }

    /// The bond is forgotten: nothing of its client is kept any more.
    mutating func forgetClientStates(of identity: BluetoothAddress) {
        for slot in links.indices where links[slot].provenPeer == identity {
            links[slot].provenPeer = nil
            links[slot].clientStateDue = nil
        }
        security.clientStates?.removeClientStates(of: identity)
    }
}
