// SPDX-License-Identifier: Apache-2.0

public import MatterTLV

/// An output of the secure channel.
public enum ChannelEffect: Sendable {
    /// A datagram, or a message of BTP.
    case send([UInt8], to: TransportPeer)
    /// A message of the interaction model on a secure session.
    case received(MatterMessage, exchange: ExchangeID, session: SessionID)
    /// A new secure session.
    case established(SessionID)
    /// The table is full: this session ends next, and is replaced by a new session of `by` on `fabric`.
    case evicted(SessionID, fabric: FabricIndex, by: NodeID)
    /// The end of a session, and of its exchanges: closed by the peer or by an order, evicted, its link lost.
    case ended(SessionID)
    /// The end of an exchange without the acknowledgement or answer that it waited for.
    case exchangeFailed(ExchangeID, session: SessionID)
    /// The beginning of a PASE attempt.
    case attemptBegan
    /// The failure of a PASE attempt that counts: the peer had received an answer against which it can try a passcode.
    case attemptFailed
    /// The end of a PASE attempt, with or without a session.
    case attemptEnded
    /// The twentieth failure that counts. PASE is not answered until the next `acceptPASE(_:)`.
    case attemptsExhausted
    /// A received message without an effect.
    case dropped(MessageDrop, from: TransportPeer)
}

/// The reason why a received message has no effect.
public enum MessageDrop: Equatable, Sendable {
    /// Not a message that this node reads, or not authentic.
    case malformed(MessageFault)
    /// A session that does not exist, or has ended.
    case unknownSession(UInt16)
    /// A counter that was received before. It was acknowledged again if so requested.
    case duplicate
    /// A message that no exchange or protocol handles.
    case unexpected
    /// A table is full. The peer's retransmission may succeed.
    case exhausted
}
