// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// Alternating on and off times in tenths of a second, repeated `count` times; 0 repeats forever. It ends with the last
/// on time.
struct OSDPCadence: Equatable, Sendable {
    var onTenths: UInt8
    var offTenths: UInt8
    var count: UInt8

    /// True after the last time on.
    func isOver(at now: Instant, since start: Instant) -> Bool { round(at: now, since: start) == nil }

    /// True while it is on.
    func isOn(at now: Instant, since start: Instant) -> Bool { round(at: now, since: start)?.isOn ?? false }

    /// The time of the next change; nil if the state is final.
    func nextChange(after now: Instant, since start: Instant) -> Instant? {
        guard let (round, isOn) = round(at: now, since: start) else { return nil }
        // If either time is 0, the only possible change is the end.
        guard on > 0, off > 0 else { return count == 0 ? nil : start + .milliseconds(on * Int64(count)) }
        let begin = round * (on + off)
        return start + .milliseconds(begin + (isOn ? on : on + off))
    }

    private var on: Int64 { Int64(onTenths) * 100 }
    private var off: Int64 { Int64(offTenths) * 100 }

    /// The number of complete rounds, and whether the present one is on; nil after the end.
    private func round(at now: Instant, since start: Instant) -> (Int64, isOn: Bool)? {
        let elapsed = max((now - start).wholeMilliseconds, 0)
        guard on + off > 0 else { return nil }
        let (round, rest) = elapsed.quotientAndRemainder(dividingBy: on + off)
        guard count == 0 || round < Int64(count) - 1 || round == Int64(count) - 1 && rest < on else { return nil }
        return (round, rest < on)
    }
}
