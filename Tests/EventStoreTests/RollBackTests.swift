// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reader
import TestSupport
import Testing
import Timekeeping

@testable import EventStore

/// Older copies of files of the state directory are put back, or files are removed, in every combination: while either
/// the event log or its head is newer, a credential that was called back stays so, or nobody is let in.
@Suite struct RollBackTests {
    /// The files that a reader keeps in its state directory, besides its keys and settings.
    private static let units = [["policy.a"], ["policy.b"], ["policy.count"], ["events.db"], ["events.head"]]
    private static let (log, head) = (3, 4)

    /// The fate of a file.
    private enum Fate: CaseIterable {
        case present
        case older
        case removed
    }

    /// The contents of a state directory, by name.
    private typealias Files = [String: [UInt8]]

    private let key: AuditKey
    /// The files before and after the revocation.
    private let (older, newer): (Files, Files)

    init() throws {
        let key = try #require(AuditKey([UInt8](repeating: 7, count: 32)))
        let temporary = try TemporaryDirectory()
        try PolicyFiles.markFirstStart(in: temporary.path, signs: [])
        let start = AuditEvent(.start, at: StoreBench.time)
        _ = try Self.run(temporary, key, [.policy, .append(start), .change(.setting("n", [1]))])
        older = try Self.files(temporary)
        let changed = AuditEvent(.blacklistChanged, at: StoreBench.time)
        _ = try Self.run(
            temporary, key,
            [.policy, .append(start), .change(.blacklist(.put([PolicyBench.revoked]))), .append(changed)])
        newer = try Self.files(temporary)
        self.key = key
    }

    /// The answers of a store to these requests, in order.
    private static func run(
        _ directory: TemporaryDirectory, _ key: AuditKey, _ requests: [StoreRequest]
    ) throws -> [StoreAnswer] {
        let store = try EventStore(
            EventStore.Configuration(
                directory: directory.path, key: key, capacity: LogCapacity(records: 1000, whenFull: .overwrite)))
        for request in requests { #expect(store.submit(.unawaited, request)) }
        #expect(store.close(within: TestTimeout.seconds))
        return store.results().map(\.answer)
    }

    private static func files(_ directory: TemporaryDirectory) throws -> Files {
        var files: Files = [:]
        for name in directory.names() where name != "events.lock" { files[name] = try directory.octets(of: name) }
        return files
    }

    /// The policy that a start finds with these files.
    private func policy(_ fates: [Fate], isFirst: Bool = false) throws -> StoreAnswer {
        let directory = try TemporaryDirectory()
        for (names, fate) in zip(Self.units, fates) where fate != .removed {
            for name in names {
                if let octets = fate == .older ? older[name] : newer[name] {
                    try directory.write(name, octets, mode: 0o600)
                }
            }
        }
        if isFirst { try directory.write("policy.first", "", mode: 0o600) }
        return try #require(try Self.run(directory, key, [.policy]).first)
    }

    private static var combinations: [[Fate]] {
        units.reduce([[]]) { rows, _ in rows.flatMap { row in Fate.allCases.map { row + [$0] } } }
    }

    @Test(arguments: [false, true]) func whatIsPutBackRevivesNobody(isFirst: Bool) throws {
        var refused = 0
        for fates in Self.combinations where fates[Self.log] == .present || fates[Self.head] == .present {
            switch try policy(fates, isFirst: isFirst) {
            case .policy(let document, _):
                #expect(document.blacklist == [PolicyBench.revoked], "\(fates)")
            case .policyRefused: refused += 1
            case let other: Issue.record("\(fates): \(other)")
            }
        }
        #expect(refused > 50)
    }

    /// The policy and the log as they were, beside the newer head: the head is the witness.
    @Test func theHeadIsAWitnessOfThePolicy() throws {
        let answer = try policy([.older, .older, .older, .older, .present])
        guard case .policyRefused(.rolledBack(let found, let kept)) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(found < kept)
        // Without the log as well.
        let without = try policy([.older, .older, .older, .removed, .present])
        #expect(without == .policyRefused(.rolledBack(found: found, kept: kept)))
    }

    /// The limit that docs/operate/policy.md states: everything as it was.
    @Test func everythingPutBackIsNotNoticed() throws {
        guard case .policy(let document, _) = try policy([.older, .older, .older, .older, .older]) else {
            Issue.record("refused")
            return
        }
        #expect(document.blacklist == [])
    }

    /// A head of the version before states no generation, and is written with one at the next start.
    @Test func aFormerHeadGetsTheGeneration() throws {
        let directory = try TemporaryDirectory()
        for (name, octets) in newer { try directory.write(name, octets, mode: 0o600) }
        let octets = try #require(newer["events.head"])
        #expect(octets.count == 160)
        let former = octets.prefix(6) + [0x32, 0x0A] + octets[8..<120]
        try directory.write("events.head", Array(former), mode: 0o600)
        #expect(EventStore.generationOfHead(in: directory.path, key: key) == 0)
        #expect(EventStore.timeOfHead(in: directory.path, key: key) == StoreBench.time.epochSeconds)
        guard case .policy(let document, _)? = try Self.run(directory, key, [.policy]).first else {
            Issue.record("no policy")
            return
        }
        #expect(EventStore.generationOfHead(in: directory.path, key: key) == document.generation)
        #expect(try EventArchive(directory: directory.path).verify(key: key).isSound)
    }

    /// A generation of another device, or one that was altered, is none: nobody can lock the reader's people out by it.
    @Test func aForgedGenerationIsNone() throws {
        let octets = try #require(newer["events.head"])
        for place in 120..<160 {
            let directory = try TemporaryDirectory()
            var altered = octets
            altered[place] ^= 0x40
            try directory.write("events.head", altered, mode: 0o600)
            #expect(EventStore.generationOfHead(in: directory.path, key: key) == 0)
        }
    }
}
