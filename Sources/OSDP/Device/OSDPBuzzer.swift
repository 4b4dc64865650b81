// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// The buzzer as its last order has left it (osdp_BUZ, 6.12).
///
/// A function of time: a late caller gets the state of its time, not the changes before.
public struct OSDPBuzzer: Equatable, Sendable {
    /// The tones with their start; nil if there are none.
    private var playing: (cadence: OSDPCadence, since: Instant)?

    /// A buzzer without orders.
    public init() {}

    /// Takes an order, which ends the former one.
    public mutating func execute(_ order: OSDPBuzzerOrder, at now: Instant) {
        guard order.tone == .usual, order.onTenths > 0 else { return playing = nil }
        let cadence = OSDPCadence(onTenths: order.onTenths, offTenths: order.offTenths, count: order.count)
        playing = (cadence, now)
    }

    /// True while tones are due, also in the pauses between them.
    public func isPlaying(at now: Instant) -> Bool {
        playing.map { !$0.cadence.isOver(at: now, since: $0.since) } ?? false
    }

    /// True if the tones last until another order.
    public var isEndless: Bool { playing?.cadence.count == 0 }

    /// True while a tone sounds.
    public func isSounding(at now: Instant) -> Bool {
        playing.map { $0.cadence.isOn(at: now, since: $0.since) } ?? false
    }

    /// The time of the next change by itself.
    public func nextChange(after now: Instant) -> Instant? {
        playing.flatMap { $0.cadence.nextChange(after: now, since: $0.since) }
    }

    /// True if both have the same tones and start.
    public static func == (one: OSDPBuzzer, other: OSDPBuzzer) -> Bool {
        one.playing?.cadence == other.playing?.cadence && one.playing?.since == other.playing?.since
    }
}
