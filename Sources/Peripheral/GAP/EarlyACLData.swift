// SPDX-License-Identifier: Apache-2.0

import Octets
import Timekeeping

/// Bounded storage, in order, of data that cannot be assigned yet.
///
/// Two kinds of early data exist: data on a link whose advertising set is not yet known, and data with an unknown
/// handle, received before Connection Complete (on USB, events and data have separate endpoints).
struct EarlyACLData {
    /// One fragment: handle, arrival and range.
    struct Entry: Equatable {
        var handle: UInt16
        var isStart: Bool
        var range: Range<Int>
        var since: Instant
    }

    /// The maximum number of fragments; a phone sends two or three in the time available.
    static let maximumEntries = 32
    /// The maximum number of octets.
    static let maximumOctets = 4096

    private(set) var entries: [Entry] = []
    private(set) var octets: [UInt8] = []

    /// Appends a fragment; false if there is no room.
    mutating func append(_ fragment: Span<UInt8>, handle: UInt16, isStart: Bool, at now: Instant) -> Bool {
        guard entries.count < EarlyACLData.maximumEntries,
            fragment.count <= EarlyACLData.maximumOctets - octets.count
        else { return false }
        let start = octets.count
        octets.append(fragment)
        entries.append(Entry(handle: handle, isStart: isStart, range: start..<octets.count, since: now))
        return true
    }

    /// Removes the fragments of `handle`.
    mutating func remove(handle: UInt16) {
        guard !entries.isEmpty else { return }
        entries.removeAll { $0.handle == handle }
        compact()
    }

    /// Removes the fragments that arrived before `limit`.
    mutating func remove(before limit: Instant) {
        guard let first = entries.first, first.since < limit else { return }
        entries.removeAll { $0.since < limit }
        compact()
    }

    /// Moves the fragments of `handle` from `other`.
    mutating func move(handle: UInt16, from other: inout EarlyACLData) {
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
