// SPDX-License-Identifier: Apache-2.0

/// A consequence of an input of `InteractionServer`.
public enum InteractionEffect: Sendable, Equatable {
    /// A message of the interaction model. Without an expected reply, the exchange ends with it.
    case send(opcode: UInt8, payload: [UInt8], exchange: UInt32, expectingReply: Bool)
    /// The end of an exchange without a message.
    case close(exchange: UInt32)
    /// A request for a new exchange on `session`. `InteractionServer.exchangeOpened` answers.
    case openReport(session: UInt16, subscription: UInt32)
    /// A session that should end, since its peer did not answer a report.
    case sessionSuspect(UInt16)
    /// A notice for the transcript.
    case notice(InteractionNotice)
}

/// A notice for the transcript.
public enum InteractionNotice: Sendable, Equatable {
    /// A message was refused as a whole.
    case rejected(opcode: UInt8, session: UInt16, InteractionStatus)
    /// A command was refused before it reached the model: unknown, not permitted, not timed, or malformed.
    case commandRefused(CommandPath, session: UInt16, StatusInformation)
    /// A subscription is established.
    case subscribed(subscription: UInt32, session: UInt16, maximumInterval: UInt16)
    /// A subscription ended.
    case unsubscribed(subscription: UInt32, SubscriptionEnd)
    /// A transaction ended because the peer or the model took too long.
    case abandoned(exchange: UInt32)
}

/// The reason of the end of a subscription.
public enum SubscriptionEnd: Sendable, Equatable {
    /// The peer answered a report with a status other than SUCCESS.
    case refused(InteractionStatus)
    /// The peer did not answer a report.
    case unanswered
    /// The peer subscribed again without keepSubscriptions.
    case replaced
    /// The session ended.
    case sessionEnded
    /// The fabric was removed.
    case fabricRemoved
}
