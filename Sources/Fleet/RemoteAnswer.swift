// SPDX-License-Identifier: Apache-2.0

public import JSON
import Octets

/// A reader's answer to an order, signed by its terminal key.
public struct RemoteAnswer: Equatable, Sendable {
    /// The outcome.
    public enum Result: String, CaseIterable, Sendable {
        /// The order was executed; an opening was recorded first.
        case done
        /// The order had no effect.
        case refused
        /// The desired state is accepted, but chunks are missing or being stored. Nothing has changed yet.
        case pending
        /// The order was accepted before, but its outcome was not stored. The repetition had no effect.
        case repeated
    }

    /// The reason for a refusal.
    public enum Reason: String, CaseIterable, Sendable {
        /// The signature does not match a key of the reader.
        case signature
        /// The reader does not have the order's key.
        case key
        /// The order is for another reader.
        case reader
        /// The octets are not an order, or the arguments do not fit the command.
        case form
        /// The order has expired, or its validity exceeds the command's maximum.
        case expired
        /// The order is not valid yet.
        case early
        /// The order predates the current policy: earlier orders and state were deleted when it began.
        case policyBegun = "policy-begun"
        /// The clock is not set.
        case clock
        /// The order was retained, but must not be late.
        case retained
        /// The counter does not exceed the key's last counter.
        case counter
        /// The setting `link.may` does not permit the command.
        case forbidden
        /// The door is locked down.
        case lockdown
        /// The door is blocked after a tamper.
        case tampered
        /// The door is locked out after too many attempts.
        case lockedOut = "locked-out"
        /// The door is not in use, since the reader is shutting down.
        case inactive
        /// No tamper is active, or the housing is still open.
        case nothingToReset = "nothing-to-reset"
        /// The event log is full.
        case logFull = "log-full"
        /// The counter could not be stored on the disk.
        case notKept = "not-kept"
        /// The event could not be recorded.
        case notRecorded = "not-recorded"
        /// Too many orders arrived at once, or another desired state is being stored.
        case busy
        /// The blacklist of the desired state has more entries than `credentials.blacklist-capacity`.
        case full
    }

    /// The reader's identifier in topics.
    public var device: String
    /// The order's identifier; nil if it could not be read.
    public var id: [UInt8]?
    /// The order's command; nil if it could not be read.
    public var command: String?
    /// The outcome.
    public var result: Result
    /// The reason for a refusal; nil for another outcome.
    public var reason: Reason?
    /// The sequence number of the event of an executed opening; nil for another order.
    public var sequence: UInt64?
    /// The last counter of the order's key; for a desired state the version in force. Nil without a key.
    public var counter: UInt64?
    /// The number of missing chunks; nil unless the result is `pending`.
    public var missing: Int?

    /// A prefix of the signed octets, so that no signature of another use is valid.
    private static let domain = Array("readerd-answer-v1\0".utf8)

    /// An answer.
    public init(
        device: String, id: [UInt8]?, command: String?, _ result: Result, _ reason: Reason? = nil,
        sequence: UInt64? = nil, counter: UInt64? = nil, missing: Int? = nil
    ) {
        self.device = device
        self.id = id
        self.command = command
        self.result = result
        self.reason = reason
        self.sequence = sequence
        self.counter = counter
        self.missing = missing
    }

    /// The message without the signature and the closing brace.
    public var body: String {
        let object: JSONObject = [
            "reader": device, "id": id.map { Hexadecimal.text($0) }, "command": command, "result": result.rawValue,
            "reason": reason?.rawValue, "sequence": sequence, "counter": counter, "missing": missing,
        ]
        return String(object.text.dropLast())
    }

    /// The octets to be signed of a body.
    public static func signedOctets(_ body: String) -> [UInt8] { domain + Array(body.utf8) }

    /// The message of a body and its signature.
    public static func text(_ body: String, signature: [UInt8]) -> String {
        SignedObject.text(body, signature: signature)
    }
}

extension RemoteAnswer {
    /// A received answer with its signature, not yet verified.
    public struct Signed: Equatable, Sendable {
        /// The answer.
        public var answer: RemoteAnswer
        /// The signed octets.
        public var signedOctets: [UInt8]
        /// The signature, DER.
        public var signature: [UInt8]

        /// Parses a message.
        public init(_ octets: [UInt8]) throws(JSONPlaceFault) {
            let members = try JSONPlace(file: octets).members([
                "reader", "id", "command", "result", "reason", "sequence", "counter", "missing", "signature",
            ])
            answer = try RemoteAnswer(members)
            let (body, signature) = try SignedObject.split(octets, members)
            self.signature = signature
            signedOctets = domain + body
        }
    }

    private init(_ members: JSONMembers) throws(JSONPlaceFault) {
        let device = try members.required("reader").device()
        let outcome: Result = try members.required("result").value()
        let reason: Reason? = try members["reason"].map { place throws(JSONPlaceFault) in try place.value() }
        guard (outcome == .refused) == (reason != nil) else {
            throw members.place.fault("a refusal has a reason, and nothing else has one")
        }
        self.init(
            device: device,
            id: try members["id"].map { place throws(JSONPlaceFault) in
                try place.octets(maximum: RemoteOrder.idCount)
            },
            command: try members["command"].map { place throws(JSONPlaceFault) in try place.shortText() },
            outcome, reason,
            sequence: try members["sequence"].map { place throws(JSONPlaceFault) in try place.sequence() },
            counter: try members["counter"].map { place throws(JSONPlaceFault) in try place.sequence() },
            missing: try members["missing"].map { place throws(JSONPlaceFault) in
                try place.number(0...FleetLimits.chunksPerState)
            })
    }
}
