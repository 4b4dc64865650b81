// SPDX-License-Identifier: Apache-2.0

public import WiFi
public import Timekeeping

/// A pairing token, passed from the user's app to the camera, and from the camera to its vendor's server: usually 16 to
/// 64 octets.
public typealias PairingToken = BoundedSecret<1, 256>

/// A simulated server at which cameras redeem pairing tokens, as a value.
public struct PairingServer: Equatable, Sendable {
    /// A token that the server has issued.
    public struct Issued: Equatable, Sendable {
        /// The token.
        public var token: PairingToken
        /// The validity from the server's start; nil for unlimited.
        public var expiry: Duration?
        /// The user to whom it was issued; nil for any.
        public var userID: String?

        /// A token with these properties.
        public init(_ token: PairingToken, expiry: Duration? = nil, userID: String? = nil) {
            self.token = token
            self.expiry = expiry
            self.userID = userID
        }
    }

    /// The tokens that a server accepts.
    public enum Policy: Equatable, Sendable {
        /// Issued tokens, each once.
        case issued([Issued])
        /// All.
        case any
        /// None.
        case none
    }

    /// The server's answer.
    public enum Verdict: Equatable, Sendable, CaseIterable {
        /// The camera is paired with the user.
        case paired
        /// The token is unknown.
        case unknown
        /// The token has expired.
        case expired
        /// The token has been redeemed before.
        case used
        /// The token was issued to another user.
        case otherUser
        /// The server accepts no tokens.
        case refused
    }

    /// The tokens that the server accepts.
    public var policy: Policy
    private let start: Instant
    private var used: Set<Int> = []

    /// A server started at `start`.
    public init(_ policy: Policy, start: Instant = .origin) {
        self.policy = policy
        self.start = start
    }

    /// Redeems a token for a user. Every issued token is compared, each in constant time.
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
