// SPDX-License-Identifier: Apache-2.0

public import MatterNode

/// A mistake of an app that commissions or controls a Matter node.
public struct MatterMistake: Equatable, Sendable {
    /// The name of the rule.
    public var rule: String
    /// The mistake and the remedy.
    public var sentence: String
}

/// The review of the apps of one node, as a value: notices come in, mistakes come out.
public struct MatterReview: Sendable {
    /// The phase of a commissioning.
    private enum Phase: Equatable {
        case idle
        case connected
        case added
    }

    private let attestation: AttestationSet
    private var phase = Phase.idle
    private var hasFailedToJoin = false
    private var failSafeSeconds = 0
    private var told: Set<String> = []

    /// The review of a node with this attestation.
    public init(_ attestation: AttestationSet) { self.attestation = attestation }

    /// The mistakes that a notice reveals; each rule once in a commissioning.
    public mutating func receive(_ notice: MatterNotice) -> [MatterMistake] {
        switch notice {
        case .passcodeAccepted: begin()
        case .failSafeArmed(let seconds, _): failSafeSeconds = seconds
        case .networkJoined(_, let status): hasFailedToJoin = status != 0
        case .fabricAdded where phase == .connected:
            phase = .added
            guard attestation.result != .success else { break }
            return find(
                "ignored-attestation",
                "went on although the attestation is not valid (\(attestation.fault)): ask the user first")
        case .commissioned: phase = .idle
        case .failSafeExpired(let end): return expired(end)
        case .windowClosed(.tooManyFailures):
            return find(
                "too-many-passcodes", "tried twenty wrong passcodes: let the user read the code again after each")
        case .command(_, _, let name, _, let outcome): return judge(name, outcome)
        case .sessionDisplaced(let fabric, let node, let author)
        where author == MatterAuthor(fabric: fabric, node: node):
            return find(
                "too-many-sessions",
                "opened more sessions than the device keeps, so that the oldest one ended with its subscriptions: send "
                    + "CloseSession for those that are no longer used, or use them again")
        default: break
        }
        return []
    }

    private mutating func begin() {
        phase = .connected
        hasFailedToJoin = false
        told.removeAll()
    }

    private mutating func expired(_ end: FailSafeEnd) -> [MatterMistake] {
        defer { phase = .idle }
        guard end == .timeout, phase != .idle else { return [] }
        if hasFailedToJoin {
            return find(
                "left-after-failure",
                "learned that the network cannot be joined, and neither tried again nor ended: send ArmFailSafe with 0"
            )
        }
        if phase == .added {
            return find(
                "never-completed",
                "added its fabric, and did not send CommissioningComplete over CASE within \(failSafeSeconds) s: look for "
                    + "the node on the network, and arm the fail-safe again while the user waits")
        }
        return find(
            "waited-too-long",
            "waited longer than the fail-safe of \(failSafeSeconds) s, so that all is undone: send ArmFailSafe again "
                + "before a question to the user")
    }

    private mutating func judge(_ name: String, _ outcome: String) -> [MatterMistake] {
        if outcome.hasPrefix("status 0xc6") {
            return find("not-timed", "sent \(name) without a timed request: send TimedRequest before it")
        }
        if outcome.hasPrefix("status 0xca") {
            return find("no-fail-safe", "sent \(name) without an armed fail-safe: send ArmFailSafe first")
        }
        return []
    }

    private mutating func find(_ rule: String, _ sentence: String) -> [MatterMistake] {
        told.insert(rule).inserted ? [MatterMistake(rule: rule, sentence: sentence)] : []
    }
}
