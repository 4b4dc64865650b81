// SPDX-License-Identifier: Apache-2.0

public import Crypto

/// A record as stored: its octets, the column by which it is found, and the chain's value.
public struct StoredRecord: Hashable, Sendable {
    /// The sequence number in the table.
    public var sequence: UInt64
    /// The kind in the table.
    public var kind: AuditKind
    /// The record's octets.
    public var octets: [UInt8]
    /// The chain's value after the record; nil if the stored one has another length.
    public var chain: ChainValue?

    /// Creates a stored record with these parts.
    public init(sequence: UInt64, kind: AuditKind, octets: [UInt8], chain: ChainValue?) {
        self.sequence = sequence
        self.kind = kind
        self.octets = octets
        self.chain = chain
    }

    /// The decoded record; nil if the octets are not one.
    public var record: AuditRecord? { try? AuditRecord(decoding: octets.span) }
}

/// A finding of a log's verification.
public enum ChainFinding: Hashable, Sendable {
    /// The checkpoint is not this device's: the log is another device's, or was replaced.
    case foreign
    /// The record or its chain value is not what was written.
    case changed(UInt64)
    /// The record at this position belongs at another.
    case moved(UInt64, from: UInt64)
    /// These records are missing.
    case missing(ClosedRange<UInt64>)
    /// The log ends before the last record of this device: it was cut, or replaced by an older copy.
    case truncated(after: UInt64, head: UInt64)
    /// The device noted with this record that the log was not as it had left it.
    case lost(UInt64, upTo: UInt64)
    /// The head's file is missing, so a cut at the end could not be detected.
    case headMissing
    /// The head's file is not this device's.
    case headForeign
    /// The log has another chain value at the head or the anchor: its records were replaced.
    case headDiffers(UInt64)
    /// The anchor is before the first record that is kept, so it proves nothing.
    case anchorTooOld(UInt64)
}

/// The result of a verification.
public struct ChainReport: Equatable, Sendable {
    /// The range of the checked records; nil before the first.
    public internal(set) var range: ClosedRange<UInt64>?
    /// The number of checked records.
    public internal(set) var count: UInt64 = 0
    /// The last record that was dropped in an orderly way; 0 if none was.
    public internal(set) var droppedThrough: UInt64 = 0
    /// The chain's value after the last record, to be kept elsewhere as an anchor.
    public internal(set) var end: ChainValue?
    /// The findings in the order of the log; at most `ChainVerifier.findingLimit`.
    public internal(set) var findings: [ChainFinding] = []
    /// True if there were more findings.
    public internal(set) var hasMore = false

    /// True if no difference from the log that this device wrote was found.
    public var isSound: Bool { findings.isEmpty }
}

/// The verification of a log, record by record in ascending order of the stored sequence numbers.
///
/// Each record is checked against the stored chain value before it, so a changed record does not affect those that
/// follow, and each break is reported at its position.
public struct ChainVerifier: Sendable {
    /// The maximum number of findings, so that a log overwritten as a whole does not fill the memory.
    public static let findingLimit = 1000

    private let key: AuditKey
    private let head: ChainPlace?
    private let anchor: (sequence: UInt64, chain: ChainValue)?
    private var last: UInt64
    private var chain: ChainValue?
    /// The correct chain value after the last record if it differs from the stored one.
    private var ownChain: ChainValue?
    /// True if the previous record belongs elsewhere, and its stored chain value possibly too.
    private var isAfterMoved = false
    private var report = ChainReport()
    private var headMatches = false
    private var anchorMatches = false

    /// Creates a verification that begins at the log's checkpoint. `anchor` is a position of the log that was noted
    /// elsewhere before.
    public init(
        key: AuditKey, checkpoint: ChainPlace, head: ChainPlace?,
        anchor: (sequence: UInt64, chain: ChainValue)? = nil
    ) throws(CryptoError) {
        self.key = key
        self.anchor = anchor
        last = checkpoint.sequence
        chain = checkpoint.chain
        report.droppedThrough = checkpoint.sequence
        if try !key.made(checkpoint, .checkpoint) { report.findings.append(.foreign) }
        if let head, try !key.made(head, .head) {
            self.head = nil
            report.findings.append(.headForeign)
        } else {
            self.head = head
            if head == nil { report.findings.append(.headMissing) }
        }
        compare(at: checkpoint.sequence, checkpoint.chain)
    }

    /// Checks the next record.
    public mutating func verify(_ stored: StoredRecord) throws(CryptoError) {
        report.count += 1
        report.range =
            (report.range?.lowerBound ?? stored.sequence)...max(report.range?.upperBound ?? 0, stored.sequence)
        let record = stored.record
        let (expected, overflow) = last.addingReportingOverflow(1)
        let hasGap = overflow || stored.sequence != expected
        let isNotice = record?.event.kind == .logLost && record?.sequence == stored.sequence
        try check(stored, record, acrossGap: hasGap, isNotice: isNotice)
        last = stored.sequence
        chain = stored.chain
        compare(at: stored.sequence, stored.chain)
    }

    private mutating func check(
        _ stored: StoredRecord, _ record: AuditRecord?, acrossGap hasGap: Bool, isNotice: Bool
    ) throws(CryptoError) {
        let (before, isUncertain) = (ownChain, isAfterMoved)
        ownChain = nil
        isAfterMoved = false
        if let record, record.sequence != stored.sequence {
            if hasGap, stored.sequence > last { find(.missing(last + 1...stored.sequence - 1)) }
            isAfterMoved = true
            return find(.moved(stored.sequence, from: record.sequence))
        }
        // After a gap that the device noticed, its record continues from the last present one.
        if !hasGap || isNotice {
            var isGood = try follows(stored, chain)
            // Only the stored value of the previous record was changed, which is a finding already.
            if !isGood, let before { isGood = try follows(stored, before) }
            if isGood {
                if isNotice, let record { find(.lost(stored.sequence, upTo: record.event.mark)) }
                if record.map({ $0.event.kind != stored.kind }) ?? false { find(.changed(stored.sequence)) }
                return
            }
        }
        if hasGap {
            // Its predecessor is missing, so the record cannot be checked; the next one can.
            if stored.sequence > last &+ 1 { find(.missing(last + 1...stored.sequence - 1)) }
            return
        }
        if isUncertain { return }
        ownChain = try chain.map { previous throws(CryptoError) in try key.value(after: previous, stored.octets.span) }
        find(.changed(stored.sequence))
    }

    private func follows(_ stored: StoredRecord, _ previous: ChainValue?) throws(CryptoError) -> Bool {
        guard let previous, let chain = stored.chain else { return false }
        let own = try key.value(after: previous, stored.octets.span)
        return constantTimeEqual(own.octets.span, chain.octets.span)
    }

    /// Compares the head and the anchor with the chain value at their position.
    private mutating func compare(at sequence: UInt64, _ chain: ChainValue?) {
        if let head, head.sequence == sequence { headMatches = head.chain == chain }
        if let anchor, anchor.sequence == sequence { anchorMatches = anchor.chain == chain }
    }

    private mutating func find(_ finding: ChainFinding) {
        if report.findings.count < ChainVerifier.findingLimit {
            report.findings.append(finding)
        } else {
            report.hasMore = true
        }
    }

    /// Returns the result after the last record.
    public consuming func finish() -> ChainReport {
        if let head { compare(head.sequence, matches: headMatches) }
        if let anchor {
            if anchor.sequence < report.droppedThrough {
                find(.anchorTooOld(anchor.sequence))
            } else {
                compare(anchor.sequence, matches: anchorMatches)
            }
        }
        report.end = chain
        return report
    }

    private mutating func compare(_ sequence: UInt64, matches: Bool) {
        if sequence > last {
            find(.truncated(after: last, head: sequence))
        } else if !matches {
            find(.headDiffers(sequence))
        }
    }
}
