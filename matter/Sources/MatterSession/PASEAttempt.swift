// SPDX-License-Identifier: Apache-2.0

public import Crypto
import Timekeeping

/// The parameters of the commissioning window for answering PASE.
public struct PASEParameters: Sendable {
    /// The verifier of the passcode.
    public let verifier: SPAKE2PlusVerifier
    /// The iterations that derived it, 1,000 to 100,000.
    public let iterations: UInt32
    /// The salt that derived it, 16 to 32 octets.
    public let salt: [UInt8]

    /// A verifier with its derivation.
    public init(verifier: SPAKE2PlusVerifier, iterations: UInt32, salt: [UInt8]) {
        self.verifier = verifier
        self.iterations = iterations
        self.salt = salt
    }
}

/// The PASE attempt in progress. Only one is possible at a time.
package struct PASEAttempt: Sendable {
    /// The time of an attempt (4.14.1.1: PASE session establishment is limited to 60 s).
    static let limit = Duration.seconds(60)
    /// The time for Pake1: the initiator derives its key from up to 100,000 iterations, and all transmissions of a
    /// message with default intervals take 8 s.
    static let pake1Limit = Duration.seconds(20)
    /// The time for Pake3.
    static let pake3Limit = Duration.seconds(20)
    /// The time for Pake1 before another host displaces the attempt: a second of key derivation, and two losses.
    static let protectedTime = Duration.seconds(5)
    /// The failures that end the window (5.6.2).
    static let failureLimit = 20

    enum State: Sendable {
        case awaitingPake1
        /// The peer has the confirmation cB, against which it can verify a guess.
        case awaitingPake3(PASEAnswer)
    }

    let exchange: ExchangeID
    let peer: TransportPeer
    /// The identifier that this node chose for the session.
    let localID: SessionID
    let peerID: UInt16
    let peerParameters: SessionParameters
    /// The hash of request and response.
    let context: [UInt8]
    /// The beginning of the first of the attempts that replaced each other.
    let began: Instant
    let ends: Instant
    var stateEnds: Instant
    var state = State.awaitingPake1
    /// True if another host has to wait.
    var isContested: Bool

    var deadline: Instant { min(ends, stateEnds) }

    /// The latest time at which another host can begin.
    var othersWaitUntil: Instant {
        if case .awaitingPake1 = state { min(deadline, began + PASEAttempt.protectedTime) } else { deadline }
    }

    /// SHA-256 of the label, the request and the response as sent (4.14.1.2).
    package static func context(request: [UInt8], response: [UInt8]) throws(CryptoError) -> [UInt8] {
        let transcript = Array("CHIP PAKE V1 Commissioning".utf8) + request + response
        let hash = try SHA256.hash(transcript.span)
        return hash.indices.map { hash[$0] }
    }
}

/// The answer of Pake2, which is stored once in memory, and wiped when the last reference ends.
final class PASEAnswer: Sendable {
    // Written in deinit only, where no other reference exists.
    nonisolated(unsafe) private var answer: SPAKE2PlusAnswer

    init(_ answer: SPAKE2PlusAnswer) { self.answer = answer }

    deinit { answer.wipe() }

    /// Pake2.
    var pake2: Pake2 {
        let share = answer.share.octets
        let confirmation = answer.confirmation
        return Pake2(
            share: share.indices.map { share[$0] }, confirmation: confirmation.indices.map { confirmation[$0] })
    }

    /// The session keys of Ke, without salt (4.14.1.2), if the initiator's confirmation is right; otherwise nil.
    func sessionKeys(confirmedBy confirmation: [UInt8]) -> SessionKeys? {
        guard var key = answer.key(confirmedBy: confirmation.span) else { return nil }
        defer { SessionSecret.wipe(&key) }
        let secret = SessionSecret(key.indices.map { key[$0] })
        return try? SessionKeys(inputKey: secret.octets, salt: [])
    }
}
