// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Configuration
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// Office mode and office hours are on record from their beginning to their end, each once, whatever else lets people
/// through meanwhile (docs/operate/events.md, `held-open`).
@Suite struct PassageRecordTests {
    /// 2026-11-21 12:00:00 UTC, a Saturday, is the bench's beginning.
    private func bench(_ hours: String...) throws -> ReaderBench {
        let spans = try hours.map { try #require(OfficeHoursLine($0)).span }
        return try ReaderBench {
            $0.isAudited = true
            $0.officeHours = OfficeHours(spans: spans)
        }
    }

    private func run(_ bench: inout ReaderBench, to seconds: Int64) {
        bench.run(.origin + .seconds(seconds) - bench.now)
    }

    private func input(_ bench: inout ReaderBench, _ input: DoorInput, _ isActive: Bool) {
        bench.reader.doorLine(input, isActive: isActive, since: bench.now, at: bench.moment)
        run(&bench, to: (bench.now - .origin).wholeMilliseconds / 1000 + 1)
    }

    private func ask(_ bench: inout ReaderBench, _ request: DoorRequest) {
        #expect(bench.reader.operate(request, at: bench.moment) == .done)
    }

    private func records(_ bench: borrowing ReaderBench) -> [String] {
        bench.reader.auditEvents.map { "\($0.time.uptimeMilliseconds / 1000) \($0.kind.name) \($0.channel)" }
    }

    @Test func hoursThatEndWithinAPulseEndOnRecord() throws {
        var bench = try bench("sat 12:10-12:19")
        run(&bench, to: 1198)
        ask(&bench, .pulse)
        run(&bench, to: 1300)
        #expect(records(bench) == ["600 held-open local", "1200 held-open-ended local"])
        #expect(bench.reader.door.state == .secured)
    }

    @Test func hoursThatBeginWithinAPulseBeginOnRecord() throws {
        var bench = try bench("sat 12:10-12:19")
        run(&bench, to: 598)
        ask(&bench, .pulse)
        run(&bench, to: 700)
        #expect(records(bench) == ["600 held-open local"])
    }

    @Test func fireWithinHoursIsNoSecondBeginning() throws {
        var bench = try bench("sat 12:10-12:19")
        run(&bench, to: 700)
        input(&bench, .fire, true)
        run(&bench, to: 800)
        input(&bench, .fire, false)
        run(&bench, to: 1300)
        #expect(
            records(bench) == [
                "600 held-open local", "700 fire local", "800 fire-restored local", "1200 held-open-ended local",
            ])
    }

    @Test func hoursThatEndWhileItBurnsEndOnRecord() throws {
        var bench = try bench("sat 12:10-12:19")
        run(&bench, to: 700)
        input(&bench, .fire, true)
        run(&bench, to: 1300)
        #expect(bench.reader.door.state == .passage)
        #expect(records(bench) == ["600 held-open local", "700 fire local", "1200 held-open-ended local"])
    }

    @Test func officeModeThatGivesWayToHoursIsOne() throws {
        var bench = try bench("sat 12:10-12:19")
        run(&bench, to: 500)
        ask(&bench, .officeOn)
        run(&bench, to: 1300)
        #expect(records(bench) == ["500 held-open reader", "1200 held-open-ended reader"])
    }

    @Test func aLockdownWithinHoursInterruptsThem() throws {
        var bench = try bench("sat 12:10-12:19")
        run(&bench, to: 700)
        bench.reader.lockdown(true, at: bench.moment)
        run(&bench, to: 800)
        bench.reader.lockdown(false, at: bench.moment)
        run(&bench, to: 1300)
        #expect(
            records(bench) == [
                "600 held-open local", "700 lockdown reader", "700 held-open-ended local", "800 lockdown-ended reader",
                "800 held-open local", "1200 held-open-ended local",
            ])
    }
}
