// SPDX-License-Identifier: Apache-2.0

import Timekeeping

// The configuration of a bonded client persists beyond the link (Core 5.4, Vol 3, Part G, 2.5.2 and 3.3.3.3). It is
// restored only after the peer is proven to be the bonded one: any device may use its address.

extension Host {
    /// The delay before a change is stored. A client configures several values in a row, and storing writes to a disk.
    static let clientStateDelay = Duration.seconds(1)

    /// Handles possible proof of the peer's identity. After a reconnection its state is restored; a newly paired peer
    /// begins without state.
    mutating func peerMayBeProven(_ slot: Int, hasPaired: Bool, at now: Instant) {
        guard let peer = connections[slot].security.provenPeer else { return }
        let isKnown = connections[slot].provenPeer == peer
        connections[slot].provenPeer = peer
        guard !hasPaired else { return clientStateChanged(slot, at: now) }
        guard !isKnown, let octets = security.clientStates.clientState(of: peer, device: connections[slot].device)
        else { return }
        // Octets that cannot be decoded are of another version and are ignored.
        try? restoreClientState(octets.span, connections[slot].id, at: now)
        connections[slot].clientStateDue = nil
    }

    /// Handles a change by the client, to be stored if it is bonded.
    mutating func clientStateChanged(_ slot: Int, at now: Instant) {
        guard connections[slot].provenPeer != nil, connections[slot].clientStateDue == nil else { return }
        connections[slot].clientStateDue = now + Host.clientStateDelay
    }

    /// Stores an outstanding change.
    mutating func keepClientState(_ slot: Int) {
        guard connections[slot].clientStateDue != nil, let peer = connections[slot].provenPeer else { return }
        connections[slot].clientStateDue = nil
        let device = connections[slot].device
        guard let state = servers[device].state(of: connections[slot].client) else { return }
        security.clientStates.save(state.octets, of: peer, device: device)
    }

    /// Removes the stored states of a removed bond's client.
    mutating func forgetClientStates(of identity: BluetoothAddress) {
        for slot in connections.indices where connections[slot].provenPeer == identity {
            connections[slot].provenPeer = nil
            connections[slot].clientStateDue = nil
        }
        security.clientStates.removeClientStates(of: identity)
    }
}
