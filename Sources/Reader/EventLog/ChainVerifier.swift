public import Crypto

/// A record as it is stored: its octets, and beside them what the log is searched by and the chain's value.
public struct StoredRecord: Hashable, Sendable {
    /// The number that it is stored under.
    public var sequence: UInt64
    /// The kind that it is found by.
    public var kind: AuditKind
    /// The record's octets.
    public var octets: [UInt8]
    /// The chain's value after it; nil if what is stored has another length.
    public var chain: ChainValue?

    /// A stored record with these parts.
    public init(sequence: UInt64, kind: AuditKind, octets: [UInt8], chain: ChainValue?) {
        self.sequence = sequence
        self.kind = kind
        self.octets = octets
        self.chain = chain
    }

    /// The record, if its octets are one.
    public var record: AuditRecord? { try? AuditRecord(decoding: octets.span) }
}

/// Something that is wrong with a log.
public enum ChainFinding: Hashable, Sendable {
    /// The checkpoint is not this device's: the log is another's, or was replaced.
    case foreign
    /// The record is not what was written, or its chain value is not.
    case changed(UInt64)
    /// The record in this place is the one that belongs to another.
    case moved(UInt64, from: UInt64)
    /// These records are gone.
    case missing(ClosedRange<UInt64>)
    /// The log ends before what this device wrote last: cut off, or replaced by an older copy.
    case truncated(after: UInt64, head: UInt64)
    /// The device itself found, when it wrote this record, that the log was not as it had left it.
    case lost(UInt64, upTo: UInt64)
    /// There is no file that tells how far the log went, so a cut at the end would not be seen.
    case headMissing
    /// The file that tells how far the log went is not this device's.
    case headForeign
    /// The log has, where the head or the anchor stands, another chain value: its records are not those.
    case headDiffers(UInt64)
    /// The anchor lies before the first record that is kept, so it says nothing.
    case anchorTooOld(UInt64)
}

/// What a verification came to.
public struct ChainReport: Equatable, Sendable {
    /// The records that were looked at; nil if there is none.
    public internal(set) var range: ClosedRange<UInt64>?
    /// How many there were.
    public internal(set) var count: UInt64 = 0
    /// Everything before and with this record was dropped in order; 0 if nothing was.
    public internal(set) var droppedThrough: UInt64 = 0
    /// The chain's value after the last record, to be kept elsewhere as an anchor.
    public internal(set) var end: ChainValue?
    /// What is wrong, in the order of the log; at most `ChainVerifier.findingLimit`.
    public internal(set) var findings: [ChainFinding] = []
    /// Whether there was more to be found.
    public internal(set) var hasMore = false

    /// Whether the log is as this device wrote it, as far as can be seen.
    public var isSound: Bool { findings.isEmpty }
}

/// Checks a log, record by record in ascending order of the numbers they are stored under.
///
/// Each record is checked against the stored value of the one before it, so one that was changed does not spoil those
/// that follow, and every break is named where it is.
public struct ChainVerifier: Sendable {
    /// How many findings are kept: somebody who wrote over a whole log need not fill the memory as well.
    public static let findingLimit = 1000

    private let key: AuditKey
    private let head: ChainPlace?
    private let anchor: (sequence: UInt64, chain: ChainValue)?
    private var last: UInt64
    private var chain: ChainValue?
    /// What the chain's value after the last record ought to be, where that is not what is stored.
    private var ownChain: ChainValue?
    /// The record before is another's, and so may be the value that is stored with it.
    private var isAfterMoved = false
    private var report = ChainReport()
    private var headMatches = false
    private var anchorMatches = false

    /// A verification that begins at the log's checkpoint. `anchor` is a place in the log that somebody noted
    /// earlier, elsewhere.
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
        look(at: checkpoint.sequence, checkpoint.chain)
    }

    /// Takes the next record.
    public mutating func take(_ stored: StoredRecord) throws(CryptoError) {
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
        look(at: stored.sequence, stored.chain)
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
        // After a gap that the device noticed, its record goes on from the last one that was there.
        if !hasGap || isNotice {
            var isGood = try follows(stored, chain)
            // Only the stored value of the record before was changed, and that has been said.
            if !isGood, let before { isGood = try follows(stored, before) }
            if isGood {
                if isNotice, let record { find(.lost(stored.sequence, upTo: record.event.mark)) }
                if record.map({ $0.event.kind != stored.kind }) ?? false { find(.changed(stored.sequence)) }
                return
            }
        }
        if hasGap {
            // What it followed is gone, so it cannot be checked itself; the next one can.
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

    /// Compares the head and the anchor with what stands at their place.
    private mutating func look(at sequence: UInt64, _ chain: ChainValue?) {
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

    /// What it came to, when there is no further record.
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
