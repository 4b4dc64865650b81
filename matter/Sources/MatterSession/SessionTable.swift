// SPDX-License-Identifier: Apache-2.0

import MatterTLV
import Timekeeping

/// A secure session with its keys and counters.
struct Session: Sendable {
    let id: SessionID
    /// The identifier that the peer chose: the session in headers of sent messages.
    let peerID: UInt16
    let kind: SecureSession.Kind
    var fabric: FabricIndex?
    var peer: TransportPeer
    let keys: SessionKeys
    /// The source node in the nonces of sent messages; 0 for PASE.
    let localNode: UInt64
    /// The counter of the next message.
    var counter: UInt32
    let peerParameters: SessionParameters
    var window = ReceptionWindow()
    var lastHeard: Instant
    /// The time of the last authentic message in either direction, for eviction.
    var lastUsed: Instant

    /// The source node in the nonces of received messages; 0 for PASE.
    var peerNode: UInt64 {
        if case .case(let node, _) = kind { node.rawValue } else { 0 }
    }

    var isPASE: Bool { kind == .pase }
}

/// The secure sessions, bounded.
struct SessionTable: Sendable {
    /// The maximum number of CASE sessions: three for each of five fabrics (CapabilityMinima), and one more. If five
    /// fabrics have 16 sessions, at least one fabric has more than three, so that a fabric with three or fewer never
    /// has to give way.
    static let caseLimit = 16

    private(set) var sessions: [Session] = []

    /// The place of a session.
    func index(of id: SessionID) -> Int? { sessions.firstIndex { $0.id == id } }

    subscript(index: Int) -> Session {
        get { sessions[index] }
        _modify { yield &sessions[index] }
    }

    /// Adds a session.
    mutating func insert(_ session: Session) { sessions.append(session) }

    /// Removes the session at `index`; its keys are wiped with it.
    mutating func remove(at index: Int) -> Session { sessions.remove(at: index) }

    /// The session that gives way to a new CASE session of `node` on `fabric`. Nil if there is room.
    ///
    /// With the new session counted, the peer with the most sessions in the fabric with the most sessions loses its
    /// least recently used session. A fabric or node with many sessions thereby never displaces a session of another.
    func victim(for fabric: FabricIndex, _ node: NodeID) -> SessionID? {
        var candidates = sessions.filter { !$0.isPASE }
        guard candidates.count >= SessionTable.caseLimit else { return nil }
        candidates = SessionTable.greatest(candidates, by: \.fabric, with: fabric)
        candidates = SessionTable.greatest(candidates, by: \.peerNode, with: node.rawValue)
        return candidates.min { $0.lastUsed < $1.lastUsed }?.id
    }

    /// The sessions of the owner with the most sessions, when `owner` gets another one.
    private static func greatest<Owner: Equatable>(
        _ sessions: [Session], by property: (Session) -> Owner, with owner: Owner
    ) -> [Session] {
        func share(of session: Session) -> Int {
            sessions.count { property($0) == property(session) } + (property(session) == owner ? 1 : 0)
        }
        let greatest = sessions.map(share).max()
        return sessions.filter { share(of: $0) == greatest }
    }
}
