// SPDX-License-Identifier: Apache-2.0

public import GPIO
public import Timekeeping

/// A pair of lines, and a clock that waits.
public protocol WiegandWire: ~Copyable {
    /// The time.
    var now: Instant { get }
    /// Pulls DATA1 down, or DATA0, or lets go of it.
    mutating func pull(_ isOne: Bool, _ isDown: Bool) throws(GPIOError)
    /// Waits until a time.
    func wait(until time: Instant)
}

/// The pulses of a card on the two lines of an access panel: DATA0 is pulled down for a 0, DATA1 for a 1 (SIA
/// AC-01-1996.10). The lines have no check but the card's own parities, and no key.
public struct WiegandTiming: Equatable, Sendable {
    /// The longest pulse as it was, and the longest time from one to the next.
    public struct Delays: Equatable, Sendable {
        /// The longest pulse.
        public var pulse = Duration.zero
        /// The longest time between the starts of two pulses.
        public var interval = Duration.zero
        /// True if one was so long that the panel has seen the end of the card: the rest was not sent.
        public var isCut = false

        /// These delays.
        public init(pulse: Duration = .zero, interval: Duration = .zero) {
            self.pulse = pulse
            self.interval = interval
        }

        /// True if a panel by the standard need not have taken the card: pulses of 20 to 100 µs, 0.2 to 20 ms apart.
        public var exceedStandard: Bool { pulse > .microseconds(100) || interval > .milliseconds(20) }
    }

    /// The pause after a card, in which the panel sees its end.
    public static let pause = Duration.milliseconds(250)

    /// The duration of a pulse.
    public let pulse: Duration
    /// The time from the start of a pulse to the next.
    public let interval: Duration

    /// The timing; `interval` is longer than `pulse`.
    public init(pulse: Duration, interval: Duration) {
        self.pulse = pulse
        self.interval = interval
    }

    /// Sends the bits in order, and returns after the pause; nil if it cannot begin before `end`. A delayed pulse
    /// shifts the subsequent pulses, so that none follows too soon. A delay as long as the pause ends the card, since
    /// the rest would count as another card.
    public func send<Wire: WiegandWire & ~Copyable>(
        _ bits: [Bool], before end: Instant = Instant(nanoseconds: .max), on wire: inout Wire
    ) throws(GPIOError) -> Delays? {
        guard wire.now < end else { return nil }
        var delays = Delays()
        var last: Instant?
        for bit in bits {
            if let last { wire.wait(until: last + interval) }
            let called = wire.now
            if let last, called - last >= WiegandTiming.pause {
                (delays.interval, delays.isCut) = (called - last, true)
                break
            }
            try wire.pull(bit, true)
            // The line was set at some time in between: a pulse is never too short.
            let set = wire.now
            wire.wait(until: set + pulse)
            try wire.pull(bit, false)
            delays.pulse = max(delays.pulse, wire.now - called)
            if let last { delays.interval = max(delays.interval, set - last) }
            last = set
        }
        wire.wait(until: wire.now + WiegandTiming.pause)
        return delays
    }
}
