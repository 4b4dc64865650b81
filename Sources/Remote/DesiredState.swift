// SPDX-License-Identifier: Apache-2.0

internal import AccessProtocol
public import Configuration
internal import Crypto
public import Fleet
internal import Octets
public import Reader
public import Timekeeping

/// The state that a back end desires: the accepted state with its received chunks, and the state in force. A value
/// without I/O.
///
/// A state is a signed order with the digests of its chunks, which may arrive in any order, and repeatedly. It is kept
/// as a whole, with the blacklist, in one generation of the policy, and is in force from then. Until then, and after
/// any failure, the previous state is in force.
public struct DesiredState: Equatable, Sendable {
    /// A complete state, which the caller keeps; it reports the result by `kept`.
    public struct Complete: Equatable, Sendable {
        /// The version.
        public var version: UInt64
        /// The blacklist; nil to leave it as it is.
        public var blacklist: [Blacklist.Entry]?
        /// The number of its entries that only the present list has, some of which may be younger than the state.
        public var additions = 0
        /// The octets of the setting.
        public var octets: [UInt8]
        /// The actor in the record: the first octets of the key's SHA-256, in digits.
        public var actor: String
        fileprivate var parts: Set<OwnedPart>
    }

    /// The part to request from the broker.
    public enum Need: Equatable, Sendable {
        /// Chunks are missing.
        case chunks
        /// The order was refused for a temporary reason.
        case manifest
    }

    /// A state with missing chunks, or a state that is being kept.
    private struct Pending: Equatable {
        var version: UInt64
        var digest: [UInt8]
        var digests: [[UInt8]]
        var chunks: [DesiredChunk?]
        var actor: String
        var notBefore: UInt64
        var expires: UInt64
        var record: DesiredRecord?

        var missing: Int { chunks.count { $0 == nil } }
    }

    /// A refused state.
    private struct Refused: Equatable {
        var version: UInt64
        var digest: [UInt8]?
        var reason: RemoteAnswer.Reason
    }

    /// The maximum difference in seconds between the clocks of the back end and the reader, up to which an entry counts
    /// as younger than a state.
    static let clockSlackSeconds: Int64 = 300

    private let device: String
    /// The time at which a phone, a credential or an operator last added to the blacklist, since 1970 in UTC.
    private var addedAt = Int64.min
    /// The state in force; nil for none.
    private var record: DesiredRecord?
    /// False while the policy is unknown.
    private var isKnown = false
    private var pending: Pending?
    private var refused: Refused?

    /// The desired state of the reader with this identifier in topics.
    init(device: String) { self.device = device }

    /// The name of the setting with the state in force.
    public static var setting: String { DesiredRecord.setting }

    /// Begins with the kept setting, nil if there was no state. Before this call, and after invalid octets, every state
    /// is refused. `addedAt` is the setting with the time of the last addition to the blacklist; nil without additions.
    public mutating func restore(_ kept: [UInt8]?, addedAt: [UInt8]? = nil) {
        guard !isKnown, record == nil else { return }
        if let addedAt { noteAddition(at: PolicyTime.seconds(addedAt)) }
        record = kept.flatMap { DesiredRecord($0) }
        isKnown = kept == nil || record != nil
    }

    /// Records an addition to the blacklist by a phone, a credential or an operator, at this time since 1970 in UTC;
    /// nil for an unknown time, after which no state removes an entry until an addition with a known time.
    public mutating func noteAddition(at seconds: Int64?) { addedAt = seconds ?? .max }

    /// The settings in force; nil without a state.
    public var settings: DesiredSettings? { record?.settings }

    /// The version and the settings of a kept state; nil for invalid octets.
    public static func kept(_ octets: [UInt8]) -> (version: UInt64, settings: DesiredSettings)? {
        DesiredRecord(octets).map { ($0.version, $0.settings) }
    }

    /// True while a state is being written to the disk.
    var isBeingKept: Bool { pending?.record != nil }

    /// The part to request from the broker; nil if no part is missing.
    public var need: Need? {
        if let pending { return pending.record == nil ? .chunks : nil }
        return refused.map { DesiredState.passes($0.reason) } == true ? .manifest : nil
    }

    /// True for a temporary reason, which ends without a new order.
    private static func passes(_ reason: RemoteAnswer.Reason) -> Bool {
        [.clock, .early, .notKept, .busy].contains(reason)
    }

    // MARK: - The order

    /// Receives an order `desired` with a verified signature, and answers it. `settable` are the parts that the
    /// configuration permits. Orders that are not from after `since` are refused.
    mutating func receive(
        _ order: RemoteOrder, settable: [OwnedPart], since: Int64?, at moment: Moment
    ) -> RemoteAnswer {
        guard let manifest = DesiredManifest(order),
            let digest = DesiredState.digest(manifest.digests.flatMap(\.self))
        else { return answer(order, .refused, .form) }
        guard isKnown else { return answer(order, .refused, .notKept) }
        if let record, record.version == manifest.version, record.digest == digest { return answer(order, .done) }
        if let pending, pending.version == manifest.version, pending.digest == digest {
            return answer(order, .pending, missing: pending.missing)
        }
        if let refused, refused.version == manifest.version, refused.digest == digest {
            return answer(order, .refused, refused.reason)
        }
        if let reason = refusal(of: order, settable, since, at: moment) {
            refused = Refused(version: order.counter, digest: nil, reason: reason)
            return answer(order, .refused, reason)
        }
        refused = nil
        pending = Pending(
            version: manifest.version, digest: digest, digests: manifest.digests,
            chunks: [DesiredChunk?](repeating: nil, count: manifest.digests.count),
            actor: "key \(Hexadecimal.text(order.key.prefix(4)))", notBefore: order.notBefore, expires: order.expires)
        return answer(order, .pending, missing: manifest.digests.count)
    }

    private func refusal(
        of order: RemoteOrder, _ settable: [OwnedPart], _ since: Int64?, at moment: Moment
    ) -> RemoteAnswer.Reason? {
        if let reason = RemoteOrders.refusal(
            ofTimeOf: order, life: DesiredManifest.lifeSeconds, since: since, at: moment)
        {
            return reason
        }
        if order.counter <= max(record?.version ?? 0, pending?.version ?? 0) { return .counter }
        if settable.isEmpty { return .forbidden }
        return pending?.record == nil ? nil : .busy
    }

    // MARK: - Chunks

    /// Receives a chunk. A chunk of another state, or a repeated one, changes nothing. `list` is the present blacklist.
    /// Returns the state if it is complete now; the caller then keeps it.
    public mutating func receive(
        chunk octets: [UInt8], index: Int, settable: [OwnedPart], list: Blacklist, at moment: Moment
    ) -> Complete? {
        guard var next = pending, next.record == nil, next.chunks.indices.contains(index), next.chunks[index] == nil,
            DesiredState.digest(octets) == next.digests[index]
        else { return nil }
        // The signature covers the digest, but the octets are no chunk.
        guard let chunk = try? DesiredChunk(octets) else { return refuse(.form) }
        next.chunks[index] = chunk
        pending = next
        guard next.missing == 0 else { return nil }
        guard let (own, settings) = DesiredState.complete(next) else { return refuse(.form) }
        var complete = own
        if moment.isOver(Int64(clamping: next.expires)) { return refuse(.expired) }
        guard complete.parts.isSubset(of: settable) else { return refuse(.forbidden) }
        addPresent(list, to: &complete, since: next.notBefore)
        guard complete.blacklist.map({ $0.count <= list.capacity }) ?? true else { return refuse(.full) }
        let record = DesiredRecord(version: next.version, digest: next.digest, settings: settings)
        pending?.record = record
        complete.octets = record.octets
        return complete
    }

    /// Adds the present entries to the list of a state that was signed before the last addition: a broker that delays a
    /// state must not undo later revocations. Of two ends of one credential the later counts.
    private func addPresent(_ list: Blacklist, to complete: inout Complete, since notBefore: UInt64) {
        guard let own = complete.blacklist, addedAt >= Int64(clamping: notBefore) - DesiredState.clockSlackSeconds
        else { return }
        var union = Blacklist(capacity: own.count + list.count)
        union.putBack(own)
        union.putBack(list.entries)
        (complete.blacklist, complete.additions) = (union.entries, union.count - own.count)
    }

    private mutating func refuse(_ reason: RemoteAnswer.Reason) -> Complete? {
        if let pending { refused = Refused(version: pending.version, digest: pending.digest, reason: reason) }
        pending = nil
        return nil
    }

    /// The state of all chunks; nil for a repeated part or an invalid value.
    private static func complete(_ pending: Pending) -> (Complete, DesiredSettings)? {
        var entries: [Blacklist.Entry] = []
        var settings: DesiredSettings?
        for case let chunk? in pending.chunks {
            for entry in chunk.blacklist ?? [] {
                guard let entry = Blacklist.Entry(entry) else { return nil }
                entries.append(entry)
            }
            if let members = chunk.settings {
                guard settings == nil, let own = DesiredSettings(members) else { return nil }
                settings = own
            }
        }
        guard Set(entries.map(\.credentialID)).count == entries.count else { return nil }
        let own = settings ?? DesiredSettings()
        let hasList = pending.chunks.contains { $0?.blacklist != nil }
        let complete = Complete(
            version: pending.version, blacklist: hasList ? entries : nil, octets: [], actor: pending.actor,
            parts: own.parts.union(hasList ? [.blacklist] : []))
        return (complete, own)
    }

    // MARK: - Keeping

    /// Reports that the state of this version is on the disk, which puts it in force, or could not be kept.
    public mutating func kept(_ version: UInt64, _ isKept: Bool) {
        guard let pending, pending.version == version, let record = pending.record else { return }
        guard isKept else {
            _ = refuse(.notKept)
            return
        }
        self.record = record
        self.pending = nil
    }

    /// Forgets a refusal, after some time or with another configuration, so that the order is requested again.
    public mutating func reconsider() { refused = nil }

    private static func digest(_ octets: [UInt8]) -> [UInt8]? {
        guard let digest = try? SHA256.hash(octets.span) else { return nil }
        return digest.indices.map { digest[$0] }
    }

    private func answer(
        _ order: RemoteOrder, _ result: RemoteAnswer.Result, _ reason: RemoteAnswer.Reason? = nil, missing: Int? = nil
    ) -> RemoteAnswer {
        RemoteAnswer(
            device: device, id: order.id, command: order.command, result, reason, counter: record?.version,
            missing: missing)
    }
}

extension DesiredState {
    /// A report of the state.
    public struct Report: Equatable, Sendable {
        /// The version in force; nil without a state.
        public var version: UInt64?
        /// The first octets of the SHA-256 of the digests of its chunks, in digits; nil without a version.
        public var digest: String?
        /// The pending version; nil without one.
        public var pending: Underway?
        /// The last refused version; nil after a version that was accepted later.
        public var refused: Refusal?
    }

    /// A pending version.
    public struct Underway: Equatable, Sendable {
        /// The version.
        public var version: UInt64
        /// The number of its chunks.
        public var chunks: Int
        /// The number of missing chunks.
        public var missing: Int
    }

    /// A refused version.
    public struct Refusal: Equatable, Sendable {
        /// The version.
        public var version: UInt64
        /// The reason.
        public var reason: RemoteAnswer.Reason
    }

    /// The report of the state.
    public var report: Report {
        Report(
            version: record?.version, digest: record.map { Hexadecimal.text($0.digest.prefix(8)) },
            pending: pending.map { Underway(version: $0.version, chunks: $0.chunks.count, missing: $0.missing) },
            refused: refused.map { Refusal(version: $0.version, reason: $0.reason) })
    }
}

extension Blacklist.Entry {
    /// The entry of a chunk; nil for an invalid identifier, or a time before 1970.
    fileprivate init?(_ entry: DesiredChunk.Entry) {
        guard let credentialID = OSSCredentialID(entry.credential), entry.end.map(Self.ends.contains) ?? true else {
            return nil
        }
        self.init(credentialID: credentialID, expiresAt: entry.end.map { CivilTime(epochSeconds: $0) })
    }

    /// From the second after the value for no end, to the last that is kept (`PolicyDocument`).
    private static let ends: ClosedRange<Int64> = 1...253_402_300_799
}
