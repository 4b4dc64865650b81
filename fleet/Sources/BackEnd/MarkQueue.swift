// SPDX-License-Identifier: Apache-2.0

import Fleet

/// The marks to be published: only the latest of each reader, and few at a time, since a connection's queue is
/// unlimited.
struct MarkQueue {
    /// The maximum number of marks that the broker has not acknowledged.
    static let inFlight = 20

    /// A mark with the reader's identifier in topics.
    struct Entry: Equatable {
        var device: String
        var mark: DeliveryMark
    }

    /// At most one entry for each reader, in the order in which the readers came.
    private var waiting: [Entry] = []
    private var unacknowledged = 0

    /// Adds a mark, which replaces the reader's waiting one.
    mutating func put(_ mark: DeliveryMark, of device: String) {
        let entry = Entry(device: device, mark: mark)
        if let place = waiting.firstIndex(where: { $0.device == device }) {
            waiting[place] = entry
        } else {
            waiting.append(entry)
        }
    }

    /// Removes and returns the next mark to publish, if the broker has acknowledged enough of the previous ones.
    mutating func next() -> Entry? {
        guard unacknowledged < MarkQueue.inFlight, !waiting.isEmpty else { return nil }
        unacknowledged += 1
        return waiting.removeFirst()
    }

    /// Records that the broker has acknowledged a mark.
    mutating func acknowledge() { unacknowledged = max(0, unacknowledged - 1) }

    /// Records the end of the connection. Waiting marks are published over the next one; a reader that has missed a
    /// published mark sends its events again, and gets it then.
    mutating func disconnect() { unacknowledged = 0 }
}
