// SPDX-License-Identifier: Apache-2.0

public import JSON

/// Events of a log in order, signed by the reader's terminal key.
///
/// It covers every sequence number from `first` to `last`: events of the gap are lost, all others are in `events`.
public struct EventBatch: Equatable, Sendable {
    /// The reader's identifier in topics.
    public var device: String
    /// The log.
    public var log: LogID
    /// The first sequence number that is covered.
    public var first: UInt64
    /// The last sequence number that is covered.
    public var last: UInt64
    /// The first sequence numbers, whose events were deleted from the log before they were sent; nil without a gap.
    public var gap: ClosedRange<UInt64>?
    /// The value of the log's chain after the last event, in digits: an anchor for `readerd events --verify`.
    public var chain: String
    /// The events as JSON objects, as `readerd events --json` writes them.
    public var events: [String]

    /// A prefix of the signed octets, so that no signature of another use is valid.
    private static let domain = Array("readerd-batch-v1\0".utf8)

    /// A batch.
    public init(
        device: String, log: LogID, first: UInt64, last: UInt64, gap: ClosedRange<UInt64>?, chain: String,
        events: [String]
    ) {
        self.device = device
        self.log = log
        self.first = first
        self.last = last
        self.gap = gap
        self.chain = chain
        self.events = events
    }

    /// The message without the signature and the closing brace.
    public var body: String {
        let object: JSONObject = [
            "reader": device, "log": log.description, "from": first, "to": last,
            "gap": gap.map { ["from": $0.lowerBound, "to": $0.upperBound] as JSONObject }, "chain": chain,
            "events": events.map(JSONLiteral.init),
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

extension EventBatch {
    /// A received batch with its signature, not yet verified.
    public struct Signed: Equatable, Sendable {
        /// The batch.
        public var batch: EventBatch
        /// The signed octets.
        public var signedOctets: [UInt8]
        /// The signature, DER.
        public var signature: [UInt8]

        /// Parses a message.
        public init(_ octets: [UInt8]) throws(JSONPlaceFault) {
            let root = try JSONPlace(file: octets)
            let members = try root.members(["reader", "log", "from", "to", "gap", "chain", "events", "signature"])
            batch = try EventBatch(members)
            let (body, signature) = try SignedObject.split(octets, members)
            self.signature = signature
            signedOctets = domain + body
        }
    }

    private init(_ members: JSONMembers) throws(JSONPlaceFault) {
        let reader = try members.required("reader")
        let first = try members.required("from").sequence()
        let last = try members.required("to").sequence()
        let device = try reader.device()
        guard first > 0, last >= first else { throw members.place.fault("\"to\" is before \"from\"") }
        let gap: ClosedRange<UInt64>? = try members["gap"].map { place throws(JSONPlaceFault) in
            let range = try place.members(["from", "to"])
            let end = try range.required("to").sequence()
            guard try range.required("from").sequence() == first, (first...last).contains(end) else {
                throw place.fault("is not the beginning of \(first) to \(last)")
            }
            return first...end
        }
        self.init(
            device: device, log: try members.required("log").log(), first: first, last: last, gap: gap,
            chain: try members.required("chain").shortText(), events: [])
        try read(members.required("events"))
    }

    /// Parses the events, which have to be exactly the covered ones.
    private mutating func read(_ place: JSONPlace) throws(JSONPlaceFault) {
        var next = gap.map { $0.upperBound + 1 } ?? first
        for element in try place.elements() {
            guard let number = element.node["sequence"], case .number(let text) = number.content,
                UInt64(text) == next, next <= last
            else { throw element.fault("is not event \(next)") }
            events.append(element.node.written)
            next += 1
        }
        guard next == last + 1 else { throw place.fault("ends before event \(last)") }
        guard events.count <= FleetLimits.eventsPerBatch else {
            throw place.fault("has more than \(FleetLimits.eventsPerBatch) events")
        }
    }
}
