import Crypto
public import Timekeeping

/// What a user's app hands a camera, and the camera its maker's server. It shows its length and never its octets.
public struct PairingToken: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The most octets of a token: more than the 16 to 64 that tokens usually have, and bounded.
    public static let maximumCount = 256

    private let octets: [UInt8]

    /// The token with these octets; nil if there are none, or more than 256.
    public init?(_ octets: [UInt8]) {
        guard (1...PairingToken.maximumCount).contains(octets.count) else { return nil }
        self.octets = octets
    }

    /// How many octets it has.
    public var count: Int { octets.count }

    /// Lends the octets to `body`: for the one that needs them, and not for keeping.
    public func withOctets<Result, Failure: Error>(
        _ body: ([UInt8]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(octets)
    }

    /// Whether both are the same; the time taken depends only on the lengths.
    public static func == (left: PairingToken, right: PairingToken) -> Bool {
        constantTimeEqual(left.octets.span, right.octets.span)
    }

    /// The length alone.
    public var description: String { "(\(octets.count) octets)" }
    /// The length alone.
    public var customMirror: Mirror { Mirror(self, children: ["count": octets.count]) }
}

/// A stand-in for the server at which a camera redeems pairing tokens, as a value.
public struct PairingServer: Equatable, Sendable {
    /// A token that the server has issued.
    public struct Issued: Equatable, Sendable {
        /// The token.
        public var token: PairingToken
        /// How long after the server's start it is good; nil for ever.
        public var expiry: Duration?
        /// Whom it was issued to; nil for anybody.
        public var userID: String?

        /// A token.
        public init(_ token: PairingToken, expiry: Duration? = nil, userID: String? = nil) {
            self.token = token
            self.expiry = expiry
            self.userID = userID
        }
    }

    /// Which tokens it takes.
    public enum Policy: Equatable, Sendable {
        /// Those that were issued, each once.
        case issued([Issued])
        /// All.
        case any
        /// None.
        case none
    }

    /// What it answers.
    public enum Verdict: Equatable, Sendable, CaseIterable {
        /// The camera belongs to the user now.
        case paired
        /// It has not issued such a token.
        case unknown
        /// The token is too old.
        case expired
        /// The token has been redeemed before.
        case used
        /// It was issued to another user.
        case otherUser
        /// It takes none.
        case refused
    }

    /// Which tokens it takes.
    public var policy: Policy
    private let start: Instant
    private var used: Set<Int> = []

    /// A server that runs from `start` on.
    public init(_ policy: Policy, start: Instant = .origin) {
        self.policy = policy
        self.start = start
    }

    /// Redeems a token for a user. Every issued token is compared, in constant time each.
    public mutating func redeem(_ token: PairingToken, userID: String, at now: Instant) -> Verdict {
        switch policy {
        case .any: return .paired
        case .none: return .refused
        case .issued(let issued):
            var found: Int?
            for (index, candidate) in issued.enumerated() where candidate.token == token { found = found ?? index }
            guard let found else { return .unknown }
            if let user = issued[found].userID, user != userID { return .otherUser }
            if used.contains(found) { return .used }
            if let expiry = issued[found].expiry, now - start >= expiry { return .expired }
            used.insert(found)
            return .paired
        }
    }
}
