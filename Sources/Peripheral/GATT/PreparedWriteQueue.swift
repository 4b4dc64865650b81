// SPDX-License-Identifier: Apache-2.0

import Timekeeping
import Octets

/// The limits of queued prepared writes (Core 5.4, Vol 3, Part F, 3.4.6.1).
public struct PreparedWriteLimits: Equatable, Sendable {
    /// Parts per link. A value of 512 octets takes 29 parts at ATT_MTU 23.
    public var partsPerLink = 64
    /// Octets per link: two values of the maximum length.
    public var octetsPerLink = 2 * AttributeDatabase.maximumValueCount
    /// Parts on all links.
    public var parts = 256
    /// Octets on all links.
    public var octets = 8 * AttributeDatabase.maximumValueCount
    /// The time after the last addition until a queue is dropped: the transaction time-out of 3.3.3.
    public var lifetime = Duration.seconds(30)

    /// The default limits.
    public init() {}
}

/// The prepared writes of one link.
struct PreparedWriteQueue {
    /// A part of a value, with its range of `octets`.
    struct Part {
        var handle: UInt16
        var index: Int
        var offset: Int
        var range: Range<Int>
    }

    private(set) var parts: [Part] = []
    private(set) var octets: [UInt8] = []
    var deadline = Instant.origin

    var isEmpty: Bool { parts.isEmpty }

    /// True if no earlier part is for the same attribute.
    func isFirst(_ number: Int) -> Bool {
        for earlier in 0..<number where parts[earlier].index == parts[number].index { return false }
        return true
    }

    mutating func append(_ value: Span<UInt8>, handle: UInt16, index: Int, offset: Int) {
        let start = octets.count
        octets.append(value)
        parts.append(Part(handle: handle, index: index, offset: offset, range: start..<octets.count))
    }

    mutating func removeAll() {
        parts.removeAll(keepingCapacity: true)
        octets.removeAll(keepingCapacity: true)
    }
}
