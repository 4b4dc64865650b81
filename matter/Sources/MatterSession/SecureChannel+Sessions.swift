// SPDX-License-Identifier: Apache-2.0

public import MatterCredentials
public import MatterTLV
public import Timekeeping

/// The beginning and end of secure sessions.
extension SecureChannel {
    mutating func insertSession(_ session: Session, effects: inout [ChannelEffect]) {
        sessions.insert(session)
        effects.append(.established(session.id))
    }

    /// Ends a session with its exchanges, without a message.
    mutating func endSession(_ id: SessionID, effects: inout [ChannelEffect]) {
        guard let index = sessions.index(of: id) else { return }
        _ = sessions.remove(at: index)
        exchanges.removeAll { $0.context == .secured(id) }
        effects.append(.ended(id))
    }

    /// Ends a session with its exchanges.
    ///
    /// - Parameter isNotifying: true to notify the peer, without acknowledgement (4.11.1.4).
    public mutating func closeSession(
        _ id: SessionID, notifyingPeer isNotifying: Bool, at now: Instant, effects: inout [ChannelEffect]
    ) {
        if isNotifying, let exchange = openExchange(on: id, at: now) {
            conclude(.closeSession, on: exchange, isReliable: false, at: now, effects: &effects)
        }
        endSession(id, effects: &effects)
    }

    /// Sets the fabric of a PASE session to the fabric that its AddNOC created.
    public mutating func setFabric(_ fabric: FabricIndex?, of id: SessionID) {
        guard let index = sessions.index(of: id), sessions[index].isPASE else { return }
        sessions[index].fabric = fabric
    }

    /// Sets the fabrics for CASE. Ends the sessions, handshakes and resumption records of removed fabrics. A fabric
    /// with another certificate loses handshakes and resumption records, and keeps its sessions.
    ///
    /// - Parameter lasting: sessions that outlive their fabric for a last reply, which is possible with their own keys.
    public mutating func setFabrics(
        _ fabrics: [OperationalIdentity], keeping lasting: Set<SessionID> = [], effects: inout [ChannelEffect]
    ) {
        let before = self.fabrics
        self.fabrics = fabrics
        for old in before {
            let new = fabrics.first { $0.index == old.index }
            guard new?.node != old.node || new?.root != old.root else { continue }
            endHandshakes { $0.fabric.index == old.index }
            resumptions.remove(old.index)
            guard new?.fabricID != old.fabricID || new?.root != old.root else { continue }
            for id in sessions(of: old.index) where !lasting.contains(id) { endSession(id, effects: &effects) }
        }
    }

    /// Ends the sessions and handshakes of a lost BLE link.
    public mutating func linkLost(_ peer: TransportPeer, effects: inout [ChannelEffect]) {
        for session in sessions.sessions where session.peer == peer { endSession(session.id, effects: &effects) }
        endHandshakes { $0.peer == peer }
        if let attempt, attempt.peer == peer {
            abandon(attempt.exchange)
            endAttempt(isSuccess: false, effects: &effects)
        }
        let lost = initiators.filter { $0.peer == peer }.map { Exchange.Context.unsecured($0.handle) }
        exchanges.removeAll { lost.contains($0.context) }
        initiators.removeAll { $0.peer == peer }
    }
}
