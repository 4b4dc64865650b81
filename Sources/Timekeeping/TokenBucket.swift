// SPDX-License-Identifier: Apache-2.0

/// A limit on how often something happens: some in a row, and one more after each interval.
public struct TokenBucket: Sendable {
    /// The size of a bucket, and the time in which it gains room for one more.
    public struct Pace: Equatable, Sendable {
        /// The number in a row.
        public var size: Int
        /// The time for one more.
        public var interval: Duration

        /// A pace.
        public init(size: Int, interval: Duration) { (self.size, self.interval) = (size, interval) }
    }

    private let pace: Pace
    /// The present room, as of the last `refill`.
    public private(set) var room: Int
    /// The time at which `room` was computed.
    private var filled: Instant

    /// A full bucket.
    public init(_ pace: Pace, at now: Instant) {
        self.pace = pace
        room = pace.size
        filled = now
    }

    /// Gains the room of the time that has passed.
    public mutating func refill(at now: Instant) {
        let gained = max((now - filled).wholeNanoseconds / max(pace.interval.wholeNanoseconds, 1), 0)
        // A full bucket gains nothing: its time is reset.
        guard gained < pace.size - room else { return (room, filled) = (pace.size, now) }
        room += Int(gained)
        filled = filled + pace.interval * Int(gained)
    }

    /// Takes the room of one at this time; false if there is none.
    public mutating func admit(at now: Instant) -> Bool {
        refill(at: now)
        return spend()
    }

    /// Takes the room of one; false if there is none.
    public mutating func spend() -> Bool {
        guard room > 0 else { return false }
        room -= 1
        return true
    }
}
