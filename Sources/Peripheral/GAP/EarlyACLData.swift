import Octets
import Timekeeping

/// Data that came before it was known what to do with it, kept in order and within limits.
///
/// Two kinds of early data exist: a link's, while the host waits to learn which advertising set it belongs to; and
/// data for a handle that nobody has heard of, because the controller sent it before Connection Complete (events and
/// data have pipes of their own on USB).
struct EarlyACLData {
    /// One fragment: whose, since when, and where.
    struct Entry: Equatable {
        var handle: UInt16
        var isStart: Bool
        var range: Range<Int>
        var since: Instant
    }

    /// How many fragments are kept; a phone sends two or three in the time at hand.
    static let maximumEntries = 32
    /// How many octets are kept.
    static let maximumOctets = 4096

    private(set) var entries: [Entry] = []
    private(set) var octets: [UInt8] = []

    /// Whether nothing is kept.
    var isEmpty: Bool { entries.isEmpty }

    /// Keeps a fragment; false if there is no room.
    mutating func append(_ fragment: Span<UInt8>, handle: UInt16, isStart: Bool, at now: Instant) -> Bool {
        guard entries.count < EarlyACLData.maximumEntries,
            fragment.count <= EarlyACLData.maximumOctets - octets.count
        else { return false }
        let start = octets.count
        octets.append(fragment)
        entries.append(Entry(handle: handle, isStart: isStart, range: start..<octets.count, since: now))
        return true
    }

    /// Forgets what belongs to `handle`.
    mutating func remove(handle: UInt16) {
        guard !entries.isEmpty else { return }
        entries.removeAll { $0.handle == handle }
        compact()
    }

    /// Forgets what is from before `limit`.
    mutating func remove(before limit: Instant) {
        guard let first = entries.first, first.since < limit else { return }
        entries.removeAll { $0.since < limit }
        compact()
    }

    /// Takes over what `other` has for `handle`.
    mutating func take(handle: UInt16, from other: inout EarlyACLData) {
        for entry in other.entries where entry.handle == handle {
            _ = append(
                other.octets.span.extracting(entry.range), handle: handle, isStart: entry.isStart, at: entry.since)
        }
        other.remove(handle: handle)
    }

    private mutating func compact() {
        guard !entries.isEmpty else { return octets.removeAll(keepingCapacity: true) }
        var kept: [UInt8] = []
        for index in entries.indices {
            let start = kept.count
            kept.append(octets.span.extracting(entries[index].range))
            entries[index].range = start..<kept.count
        }
        octets = kept
    }
}
