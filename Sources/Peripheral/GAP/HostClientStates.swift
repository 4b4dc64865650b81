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
        guard security.clientStates != nil, connections[slot].provenPeer == nil,
            let peer = connections[slot].security.provenPeer
        else { return }
        connections[slot].provenPeer = peer
        guard !hasPaired else { return clientStateChanged(slot, at: now) }
        guard let octets = security.clientStates?.clientState(of: peer, device: connections[slot].device) else {
            return
        }
        // What cannot be read is of another version, and as good as nothing.
        try? restoreClientState(octets.span, connections[slot].id, at: now)
        connections[slot].clientStateDue = nil
    }

    /// The client has configured something: to be kept if it is bonded.
    mutating func clientStateChanged(_ slot: Int, at now: Instant) {
        guard connections[slot].provenPeer != nil, connections[slot].clientStateDue == nil else { return }
        connections[slot].clientStateDue = now + Host.clientStateDelay
    }

    /// Keeps what has changed and was not kept yet.
    mutating func keepClientState(_ slot: Int) {
        guard connections[slot].clientStateDue != nil, let peer = connections[slot].provenPeer else { return }
        connections[slot].clientStateDue = nil
        let device = connections[slot].device
        guard let state = servers[device].state(of: connections[slot].client) else { return }
        security.clientStates?.save(state.octets, of: peer, device: device)
    }

    /// The bond is forgotten: nothing of its client is kept any more.
    mutating func forgetClientStates(of identity: BluetoothAddress) {
        for slot in connections.indices where connections[slot].provenPeer == identity {
            connections[slot].provenPeer = nil
            connections[slot].clientStateDue = nil
        }
        security.clientStates?.removeClientStates(of: identity)
    }
}
