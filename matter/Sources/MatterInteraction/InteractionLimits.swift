// SPDX-License-Identifier: Apache-2.0

/// The limits of the server. Each bounds memory or work that a peer can cause.
public enum InteractionLimits {
    /// The maximum number of octets of a received message: the payload of one datagram, 1,280 octets in IPv6.
    public static let largestRequest = 1_280
    /// The maximum number of octets of a sent message: the 1,280 octets of the IPv6 minimum MTU without the headers of
    /// IPv6 and UDP (48), of message (8) and protocol with acknowledgement (10), and the tag (16).
    public static let largestMessage = 1_198
    /// Attribute paths in a read: more than the nine that every node must accept, and about as many as fit a message.
    public static let pathsPerRead = 64
    /// Attribute paths in a subscription, which are stored: ten times the three that every node must accept.
    public static let pathsPerSubscription = 32
    /// Event paths in a read or subscription.
    public static let eventPaths = 16
    /// Attributes in a WriteRequest: this number of statuses, of at most 30 octets each, fits into a WriteResponse.
    public static let attributesPerWrite = 32
    /// Commands in an InvokeRequest: MaxPathsPerInvoke of Basic Information.
    public static let commandsPerInvoke = 1
    /// Transactions that one session may leave open.
    public static let transactionsPerSession = 4
    /// Open transactions of all sessions, without the reports of subscriptions: enough for 16 sessions and a
    /// commissioner's session, so that no peer blocks another.
    public static let transactions = 68
    /// Subscriptions of each fabric, one more than the three that every node must grant. Commissioners over PASE
    /// without a fabric count as a fabric.
    public static let subscriptionsPerFabric = 4
    /// Subscriptions of all fabrics: enough for five fabrics and a commissioner.
    public static let subscriptions = 24

    /// The time for the answer to a report or the next part of a write. Retransmissions end within it.
    static let peerTimeout: Duration = .seconds(30)
    /// The time during which a message of an expired timed interaction is still answered with TIMEOUT.
    static let timedGrace: Duration = .seconds(10)
    /// The time for the outcome of a command; joining a network takes up to 73 s.
    static let commandTimeout: Duration = .seconds(120)
    /// The least maximum interval of a subscription in seconds, so that keep-alives leave time for other work.
    static let shortestMaximumInterval: UInt16 = 2
}
