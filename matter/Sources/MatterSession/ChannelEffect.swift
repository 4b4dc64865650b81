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
    /// The table is full: this session ends next, and is replaced by a new one of `by` on `fabric`.
    case evicted(SessionID, fabric: FabricIndex, by: NodeID)
    /// The end of a session, and of its exchanges: closed by the peer or by an order, evicted, its link lost.
    case ended(SessionID)
    /// The end of an exchange without the acknowledgement or answer that it waited for.
    case exchangeFailed(ExchangeID, session: SessionID)
    /// The begin of a PASE attempt.
    case attemptBegan
    /// The failure of a PASE attempt that counts: the peer had an answer that a passcode can be tried against.
    case attemptFailed
    /// The end of a PASE attempt, also of one that established a session.
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
    /// A session that does not exist, or no longer.
    case unknownSession(UInt16)
    /// A counter that was received before. It was acknowledged again if so requested.
    case duplicate
    /// A message without an exchange or protocol that takes it.
    case unexpected
    /// A table is full: the peer's retransmission gets another chance.
    case exhausted
}
