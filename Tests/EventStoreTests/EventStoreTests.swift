// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reader
import TestSupport
import Testing
import Timekeeping

@testable import EventStore

@Suite struct EventStoreTests {
    /// Waits on the descriptor, as the reactor does, until there are so many results.
    private func results(_ store: EventStore, _ count: Int) throws -> [StoreResult] {
        var results: [StoreResult] = []
        while results.count < count {
            try #require(becomes(store.descriptor, POLLIN), "the store does not answer")
            results += store.results()
        }
        return results
    }

    private func store(_ bench: StoreBench, pages: Int64 = 0) throws -> EventStore {
        var configuration = EventStore.Configuration(
            directory: bench.directory, key: bench.key, capacity: LogCapacity(records: 1000, whenFull: .overwrite))
        configuration.pageLimit = pages
        return try EventStore(configuration)
    }

    @Test func answersComeInTheOrderOfTheRequests() throws {
        let bench = try StoreBench()
        try PolicyFiles.markFirstStart(in: bench.directory, signs: [])
        let store = try store(bench)
        for id in 0..<200 {
            let event = StoreBench.event(id)
            let request: StoreRequest = id % 50 == 49 ? .change(.setting("n", [UInt8(id)])) : .append(event)
            #expect(store.submit(.record(RecordID(UInt64(id))), request))
        }
        #expect(
            store.submit(.record(RecordID(200)), .events(.newest(2))) && store.submit(.record(RecordID(201)), .policy))
        let results = try results(store, 202)
        #expect(results.map(\.token) == (0...201).map { .record(RecordID($0)) })
        var numbers: [UInt64] = []
        for case .appended(let number, _) in results.map(\.answer) { numbers.append(number) }
        #expect(numbers == Array(1...196))
        guard case .events(let newest) = results[200].answer else { throw DiskFault.other }
        #expect(newest.map(\.sequence) == [196, 195])
        guard case .policy(let policy, nil) = results[201].answer else { throw DiskFault.other }
        #expect(policy.generation == 5 && policy.settings == ["n": [199]])
        #expect(store.close(within: TestTimeout.seconds))
        #expect(!store.submit(.record(RecordID(1)), .policy))
        // An end in order leaves no log behind the log.
        #expect(
            bench.names
                == ["events.db", "events.head", "events.lock", "policy.a", "policy.b", "policy.count"])
        #expect(try bench.verify().isSound)
    }

    @Test func whatWasHandedOverIsWrittenBeforeTheEnd() throws {
        let bench = try StoreBench()
        let store = try store(bench)
        for id in 0..<500 { #expect(store.submit(.record(RecordID(UInt64(id))), .append(StoreBench.event(id)))) }
        #expect(store.close(within: TestTimeout.seconds))
        #expect(try EventArchive(directory: bench.directory).state().last == 500)
    }

    @Test func aFaultIsAnAnswerAndTheNextRequestTriesAnew() throws {
        let bench = try StoreBench()
        // The directory is not there yet: nothing can be opened.
        let directory = "\(bench.directory)/state"
        let store = try EventStore(
            .init(directory: directory, key: bench.key, capacity: LogCapacity(records: 1000, whenFull: .overwrite)))
        #expect(store.submit(.record(RecordID(1)), .append(StoreBench.event())))
        #expect(try results(store, 1).map(\.answer) == [.failed(.cannotOpen)])
        try #require(mkdir(directory, 0o700) == 0)
        #expect(store.submit(.record(RecordID(2)), .append(StoreBench.event())))
        guard case .appended(1, let state) = try results(store, 1)[0].answer else { throw DiskFault.other }
        #expect(state.last == 1)
    }

    @Test func aWriterInTheWayIsAFaultAndNotAWait() throws {
        let bench = try StoreBench()
        let store = try store(bench)
        _ = store.submit(.record(RecordID(1)), .append(StoreBench.event()))
        _ = try results(store, 1)
        let other = try Connection(path: "\(bench.directory)/events.db", .writing)
        try other.execute("BEGIN IMMEDIATE")
        _ = store.submit(.record(RecordID(2)), .append(StoreBench.event()))
        #expect(try results(store, 1).map(\.answer) == [.failed(.inUse)])
        try other.execute("ROLLBACK")
        _ = store.submit(.record(RecordID(3)), .append(StoreBench.event()))
        guard case .appended(2, _) = try results(store, 1)[0].answer else { throw DiskFault.other }
    }

    @Test func readersGoOnBesideTheWriter() throws {
        let bench = try StoreBench()
        let store = try store(bench)
        _ = store.submit(.record(RecordID(0)), .append(StoreBench.event()))
        _ = try results(store, 1)
        let archive = try EventArchive(directory: bench.directory)
        for id in 1..<300 {
            _ = store.submit(.record(RecordID(UInt64(id))), .append(StoreBench.event(id)))
            if id % 50 == 0 { #expect(try archive.verify(key: bench.key).isSound) }
        }
        _ = try results(store, 299)
        #expect(try archive.state().last == 300)
    }
}
