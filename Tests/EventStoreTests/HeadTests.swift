// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reader
import Testing

@testable import EventStore

/// `events.head` and a power cut: the head is on the disk before what it is to vouch for can be. What the power leaves
/// is made here by hand; Tests/Kernel cuts it.
@Suite struct HeadTests {
    private func head(_ bench: StoreBench) throws -> ChainPlace {
        guard case .head(let place, _, _) = HeadFile.read(in: bench.directory) else {
            throw TestError("no head")
        }
        return place
    }

    private struct TestError: Error {
        let text: String
        init(_ text: String) { self.text = text }
    }

    @Test func aNewLogHasAHeadBeforeItsFirstRecord() throws {
        let bench = try StoreBench()
        let database = try bench.database()
        #expect(try head(bench).sequence == 0)
        #expect(try head(bench).chain == database.state.checkpoint.chain)
        #expect(try bench.verify().isSound)
    }

    /// The head that was on the disk when the log began, and every record since: nothing was taken away.
    @Test(arguments: [0, 1, 2, 9]) func recordsBehindTheHeadThatThePowerLeftAreSound(records: Int) throws {
        let bench = try StoreBench()
        try bench.fill(0)
        try bench.copy("events.head", to: "head.first")
        try bench.fill(records)
        try bench.copy("head.first", to: "events.head")
        #expect(try bench.verify().isSound)
        let database = try bench.database()
        #expect(database.state.last == UInt64(records))
        #expect(try bench.verify().isSound)
    }

    /// The log was made, and the power went before its head was.
    @Test func aLogWithoutRecordsOrHeadIsNotLost() throws {
        let bench = try StoreBench()
        try bench.fill(0)
        unlink("\(bench.directory)/events.head")
        #expect(try bench.database().state.count == 0)
        #expect(try bench.verify().isSound)
    }

    /// The ring turns over while the head that is on the disk stays: the checkpoint never passes it.
    @Test func aRingNeverDropsRecordsBeyondTheHeadOnTheDisk() throws {
        let bench = try StoreBench()
        let database = try bench.database(40)
        for info in 0..<200 {
            let former = database.state.checkpoint.sequence
            let before = try head(bench)
            _ = try database.append([StoreBench.event(info)])
            // What was synchronised when the checkpoint moved is what was written then.
            if database.state.checkpoint.sequence != former {
                #expect(before.sequence >= database.state.checkpoint.sequence)
            }
        }
        #expect(database.state.checkpoint.sequence > 100)
    }

    @Test func anEmptyLogInPlaceOfAnotherIsNoticed() throws {
        let bench = try StoreBench()
        try bench.fill(0)
        unlink("\(bench.directory)/events.db")
        #expect(try bench.database().state.lastKind == .logLost)
    }
}
