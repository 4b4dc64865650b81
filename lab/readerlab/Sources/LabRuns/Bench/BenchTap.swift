// SPDX-License-Identifier: Apache-2.0

import Glibc
package import TapBench

/// The measurement of `readerlab bench tap`: the reader's own parts on this machine, the others by the clock of the
/// field and the assumed times of cards.
package struct BenchTap {
    /// The stages of each kind, at the bit rate of the options.
    package let rows: [TapStages]
    /// The number of transactions of each kind.
    package let runs: Int

    /// Measures the kinds. Ends early, with the kinds so far, if `isEnding` is true.
    package init(
        _ kinds: [TapKind], runs: Int, _ clock: ContactlessClock, _ assumptions: TapAssumptions,
        isEnding: () -> Bool
    ) throws {
        var reader = TapReader { BenchTap.processor() }
        let store = try TapStore()
        var doors: [TapDoor] = []
        for _ in 0..<runs where !isEnding() { doors.append(try reader.door { try store.record($0) }) }
        let door = TapDoor(
            decision: TapTrace.median(doors.map(\.decision)), record: TapTrace.median(doors.map(\.record)),
            edge: TapTrace.median(doors.map(\.edge)))
        var rows: [TapStages] = []
        for kind in kinds where !isEnding() {
            BenchProgress.show(rows.count, of: kinds.count, kind.rawValue)
            var traces: [TapTrace] = []
            for _ in 0..<runs where traces.isEmpty || !isEnding() { traces.append(try reader.transaction(kind)) }
            rows.append(TapStages(try TapTrace(medianOf: traces), door, clock, assumptions))
        }
        BenchProgress.show(kinds.count, of: kinds.count, "")
        (self.rows, self.runs) = (rows, runs)
    }

    /// The processor time of this thread, in nanoseconds.
    private static func processor() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
