// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Testing

@testable import LoadGenerator

@Suite struct DoorFiguresTests {
    @Test func allocationsAreToldApart() {
        let before = AllocationCounts(all: 100, libcrypto: 40, otherThreads: 10)
        let after = AllocationCounts(all: 190, libcrypto: 90, otherThreads: 30)
        #expect(after.since(before, of: 10) == AllocationFigures(serving: 2, disk: 2, libcrypto: 5))
    }

    /// An allocation made once counts towards the mean, and not towards the cost of each operation.
    @Test func whatIsAllocatedOnceIsToldFromWhatEachCosts() {
        var marks = AllocationMarks()
        #expect(marks.report == nil)
        var counts = AllocationCounts(all: 7, libcrypto: 3, otherThreads: 2)
        marks.record(0, counts)
        #expect(marks.report == nil, "nothing was done")
        for part in 1...10 {
            counts.all += part == 4 ? 55 : 50
            counts.libcrypto += 30
            counts.otherThreads += 20
            marks.record(10 * part, counts)
        }
        #expect(
            marks.report
                == AllocationReport(
                    mean: AllocationFigures(serving: 0.05, disk: 2, libcrypto: 3),
                    steady: AllocationFigures(serving: 0, disk: 2, libcrypto: 3)))
        marks.record(110, nil)
        #expect(marks.report?.mean.serving == 0.05)
    }

    @Test func aRunIsToldInTenths() {
        #expect((0..<2000).count { DoorPlan.endsPart($0, of: 2000) } == 10)
        #expect(DoorPlan.endsPart(199, of: 2000) && !DoorPlan.endsPart(200, of: 2000))
        #expect(DoorPlan.endsPart(0, of: 1))
        var times = DoorTimes()
        #expect(times.result(.command) == nil)
        for number in 0..<20 {
            let bare: Int64 = number < 2 ? 200_000 : 100_000
            times.append(
                DoorTimes.One(
                    edge: 150_000, inside: 120_000, insideProcessor: 110_000, answer: 300_000, bare: bare,
                    bareProcessor: 90_000))
        }
        let result = times.result(.command)
        #expect(result?.edge.median == 150 && result?.wake.median == 30 && result?.inside.median == 120)
        #expect(result?.bare.median == 100 && result?.insideProcessor.median == 110 && result?.answer.p99 == nil)
        #expect(result?.bareProcessor.maximum == 90)
        #expect(result?.rounds == [0.6, 1.2, 1.2, 1.2, 1.2, 1.2, 1.2, 1.2, 1.2, 1.2] && result?.quotient == 1.2)
    }

    /// The machine is half as fast in one half of the run, and one opening is disturbed: the quotient of the medians
    /// would be 240 by 100.
    @Test func aMachineThatChangesItsSpeedDoesNotChangeTheQuotient() {
        var times = DoorTimes()
        for number in 0..<20 {
            let bare: Int64 = number < 10 ? 200_000 : 100_000
            let inside = number == 15 ? 900_000 : bare / 10 * 12
            times.append(
                DoorTimes.One(
                    edge: inside, inside: inside, insideProcessor: inside, answer: inside, bare: bare,
                    bareProcessor: bare))
        }
        let result = times.result(.command)
        #expect(result?.inside.median == 240 && result?.bare.median == 100)
        #expect(result?.quotient == 1.2)
    }

    @Test func memoryIsReadFromTheKernelsSum() {
        let text = """
            55d0-7ffe ---p 00000000 00:00 0    [rollup]
            Rss:               17604 kB
            Pss:                6649 kB
            Pss_Dirty:          2204 kB
            Private_Clean:       404 kB
            Private_Dirty:      2204 kB
            """
        let memory = HostMemory(rollup: text)
        #expect(memory?.resident == 17_604 && memory?.proportional == 6649 && memory?.own == 2608)
        #expect(HostMemory(rollup: "Rss: 1 kB\nPss: 1 kB\nPrivate_Clean: 1 kB") == nil)
        #expect(HostMemory(rollup: "") == nil)
    }

    @Test func aPlanOutOfRangeIsRefused() {
        var plan = DoorPlan()
        #expect(throws: Never.self) { try plan.validate() }
        plan.phones = 65
        #expect(throws: LoadPlanFault.outOfRange("phones", 65, 1...64)) { try plan.validate() }
        (plan.phones, plan.openings) = (1, 0)
        #expect(throws: LoadPlanFault.outOfRange("openings", 0, 1...1_000_000)) { try plan.validate() }
    }
}

@Suite struct DoorTokensTests {
    /// Access protocol, 6.1 and 6.2: the text of a command, and the four files of a credential.
    @Test func whatIsSignedIsCounted() throws {
        let tokens = try DoorTokens()
        #expect(tokens.token(.command, 0).signedCount == "BENCH00010:tokn:2020:1:1:0:0:2099:12:31:0:0".utf8.count)
        // Info 15, header 16, a door 3, a schedule 68, an empty blacklist 1.
        #expect(tokens.token(.credential, 0).signedCount == 15 + 16 + 3 + 68 + 1)
    }

    /// A credential repeats after fifteen others; all have the same length, so that each costs the same.
    @Test func credentialsComeInTurn() throws {
        let tokens = try DoorTokens()
        for opening in DoorPlan.Opening.allCases {
            let octets = (0..<16).map { tokens.token(opening, $0).octets }
            #expect(Set(octets).count == 16)
            #expect(tokens.token(opening, 16).octets == octets[0])
            #expect(Set((0..<16).map { tokens.token(opening, $0).signedCount }).count == 1)
        }
    }

    @Test func theBareOperationsSucceed() throws {
        var bare = try BareOperations(tokenCount: 200, signed: 100)
        #expect(bare.run() && bare.run())
    }

    @Test func theOtherProcessDoesWhatItIsAskedAndNothingElse() throws {
        guard var work = BareWork() else {
            Issue.record("libcrypto refuses its work")
            return
        }
        let done = [0, 1, 2, 3, 255].map { work.carryOut(BareExchange.Request(rawValue: $0)) }
        #expect(done == [true, true, true, false, false])
        #expect(BareExchange.Request(.command) == .command && BareExchange.Request(.credential) == .credential)
    }

    @Test func whereNobodyListensTheOtherProcessEnds() {
        #expect(!BarePeer.serve("unix:/nowhere/socket"))
        #expect(!BarePeer.serve("tcp-client:127.0.0.1:1"))
    }
}
