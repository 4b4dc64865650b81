// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// The state of the buzzer after its last order (osdp_BUZ, 6.12).
///
/// It is a function of time: a late caller gets the current state, without the changes before it.
public struct OSDPBuzzer: Equatable, Sendable {
    /// The tones with their start; nil if the buzzer is silent.
    private var playing: (cadence: OSDPCadence, since: Instant)?

    /// A buzzer without orders.
    public init() {}

    /// Executes an order, which replaces the previous one.
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

    /// The time of the next change without a further order.
    public func nextChange(after now: Instant) -> Instant? {
        playing.flatMap { $0.cadence.nextChange(after: now, since: $0.since) }
    }

    /// True if both have the same tones and start.
    public static func == (one: OSDPBuzzer, other: OSDPBuzzer) -> Bool {
        one.playing?.cadence == other.playing?.cadence && one.playing?.since == other.playing?.since
    }
}
