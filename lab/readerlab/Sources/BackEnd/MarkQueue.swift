// SPDX-License-Identifier: Apache-2.0

import Fleet

/// The marks to be published: the latest of each log alone, and few at a time, since a connection queues without a
/// limit.
struct MarkQueue {
    /// The maximum number of marks that the broker has not acknowledged.
    static let inFlight = 20

    /// A mark with the reader's identifier in topics.
    struct Entry: Equatable {
        var device: String
        var mark: DeliveryMark
    }

    /// In the order in which their readers came; one for each reader.
    private var waiting: [Entry] = []
    private var unacknowledged = 0

    /// Adds a mark; it takes the place of the reader's that waits.
    mutating func put(_ mark: DeliveryMark, of device: String) {
        let entry = Entry(device: device, mark: mark)
        if let place = waiting.firstIndex(where: { $0.device == device }) {
            waiting[place] = entry
        } else {
            waiting.append(entry)
        }
    }

    /// The next mark to be published, if the broker has acknowledged enough: it counts as published.
    mutating func next() -> Entry? {
        guard unacknowledged < MarkQueue.inFlight, !waiting.isEmpty else { return nil }
        unacknowledged += 1
        return waiting.removeFirst()
    }

    /// The broker has acknowledged one.
    mutating func acknowledge() { unacknowledged = max(0, unacknowledged - 1) }

    /// The connection has ended: what was not published follows with the next, what was is asked for again.
    mutating func disconnect() { unacknowledged = 0 }
}
