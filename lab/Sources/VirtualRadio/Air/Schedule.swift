// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// Scheduled events, earliest first, in insertion order among equals. A binary heap.
///
/// Inlinable: without specialization in other modules it takes a tenth of a run's time.
public struct Schedule<Element> {
    @usableFromInline
    struct Entry {
        @usableFromInline var time: Instant
        @usableFromInline var order: UInt64
        @usableFromInline var occurrence: Element

        @inlinable
        init(time: Instant, order: UInt64, occurrence: Element) {
            (self.time, self.order, self.occurrence) = (time, order, occurrence)
        }

        @inlinable
        func isBefore(_ other: Entry) -> Bool {
            time != other.time ? time < other.time : order < other.order
        }
    }

    @usableFromInline var entries: [Entry] = []
    @usableFromInline var order: UInt64 = 0

    /// A schedule without events.
    @inlinable
    public init() {}

    /// The earliest entry.
    @inlinable
    public var first: (time: Instant, occurrence: Element)? {
        entries.first.map { ($0.time, $0.occurrence) }
    }

    /// Adds an occurrence at `time`.
    @inlinable
    public mutating func add(_ occurrence: Element, at time: Instant) {
        order += 1
        entries.append(Entry(time: time, order: order, occurrence: occurrence))
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].isBefore(entries[parent]) else { return }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes the earliest entry.
    @inlinable
    public mutating func removeFirst() {
        guard let last = entries.popLast(), !entries.isEmpty else { return }
        entries[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
                if entries[child].isBefore(entries[least]) { least = child }
            }
            if least == parent { return }
            entries.swapAt(parent, least)
            parent = least
        }
    }
}
