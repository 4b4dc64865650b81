// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import CBOR
import Configuration
import Crypto
import Fleet
import Reader
import Testing
import Timekeeping

@testable import Remote

/// The desired state of a back end: taken as a whole, in any order of its chunks, or not at all.
@Suite struct DesiredStateTests {
    private static let entries = (0..<200).map { DesiredChunk.Entry(credential: "CARD\($0)", end: nil) }
    private static let settings: [String: CBORValue] = ["door.pulse-s": .integer(7)]

    private static func digest(_ octets: [UInt8]) throws -> [UInt8] {
        let digest = try SHA256.hash(octets.span)
        return digest.indices.map { digest[$0] }
    }

    private static func chunks() throws -> [[UInt8]] { try DesiredChunk.chunks(blacklist: entries, settings: settings) }

    private static func order(
        _ bench: RemoteBench, version: UInt64, _ chunks: [[UInt8]], change: (inout RemoteOrder) -> Void = { _ in }
    ) throws -> RemoteOrder {
        let digests = try chunks.map(digest)
        return bench.order(UInt8(truncatingIfNeeded: version), counter: version, "desired") { order in
            order.arguments = DesiredManifest.arguments(digests: digests)
            order.expires = order.notBefore + 86_400
            change(&order)
        }
    }

    private static let all = OwnedPart.allCases

    /// The outcome of an order: its result, or the reason for its refusal.
    private static func answer(
        _ bench: inout RemoteBench, _ order: RemoteOrder, settable: [OwnedPart] = all
    ) throws -> RemoteAnswer {
        let step = bench.orders.receive(
            try bench.message(order), isRetained: true, number: 1, permitted: [], settable: settable, zone: .utc,
            at: bench.moment)
        guard case .answer(let answer) = step else { throw NoAnswer() }
        return answer
    }

    private struct NoAnswer: Error {}

    private static func receive(
        _ bench: inout RemoteBench, _ octets: [UInt8], _ index: Int, settable: [OwnedPart] = all,
        list: Blacklist = Blacklist()
    ) -> DesiredState.Complete? {
        bench.orders.desired.receive(chunk: octets, index: index, settable: settable, list: list, at: bench.moment)
    }

    private static func bench() throws -> RemoteBench {
        var bench = try RemoteBench()
        bench.orders.desired.restore(nil)
        return bench
    }

    /// Takes a whole state, and keeps it.
    private static func establish(_ bench: inout RemoteBench, version: UInt64, _ chunks: [[UInt8]]) throws -> [UInt8] {
        #expect(try answer(&bench, order(bench, version: version, chunks)).result == .pending)
        var complete: DesiredState.Complete?
        for (index, chunk) in chunks.enumerated() { complete = receive(&bench, chunk, index) }
        let state = try #require(complete)
        bench.orders.desired.kept(version, true)
        return state.octets
    }

    // MARK: - Chunks

    @Test func theChunksComeInAnyOrderAndAgain() throws {
        let chunks = try Self.chunks()
        try #require(chunks.count == 4)
        for order in [[0, 1, 2, 3], [3, 1, 0, 2], [2, 2, 3, 1, 1, 0]] {
            var bench = try Self.bench()
            let signed = try Self.order(bench, version: 7, chunks)
            let first = try Self.answer(&bench, signed)
            #expect(first.result == .pending && first.missing == 4 && first.counter == nil)
            #expect(bench.orders.desired.need == .chunks)
            for index in order.dropLast() {
                let early = Self.receive(&bench, chunks[index], index)
                #expect(early == nil)
            }
            let again = try Self.answer(&bench, signed)
            #expect(again.result == .pending && again.missing == 1)
            let last = try #require(order.last)
            let taken = Self.receive(&bench, chunks[last], last)
            let complete = try #require(taken)
            #expect(complete.version == 7 && complete.blacklist?.count == 200)
            #expect(complete.blacklist?.first?.credentialID.text == "CARD0")
            #expect(bench.orders.desired.need == nil && bench.orders.desired.settings == nil, "not in force yet")
            let twice = Self.receive(&bench, chunks[last], last)
            #expect(twice == nil, "it is kept once")
            bench.orders.desired.kept(7, true)
            let done = try Self.answer(&bench, signed)
            #expect(done.result == .done && done.counter == 7)
            #expect(bench.orders.desired.settings == DesiredSettings(Self.settings))
            #expect(bench.orders.desired.report.version == 7)
        }
    }

    /// Altered, of another index, of another version, or of another reader's state: nothing changes, and the right one
    /// still counts.
    @Test func aChunkThatIsNotTheSignedOneChangesNothing() throws {
        var bench = try Self.bench()
        let chunks = try Self.chunks()
        let other = try DesiredChunk.chunks(blacklist: Array(Self.entries.dropFirst()), settings: nil)
        #expect(try Self.answer(&bench, Self.order(bench, version: 7, chunks)).missing == 4)
        var altered = chunks[1]
        altered[20] ^= 1
        for (octets, index) in [
            (altered, 1), (chunks[2], 1), (chunks[1], 2), (other[0], 0), ([], 0), (chunks[0] + [0], 0), (chunks[0], 4),
            (chunks[0], -1), (chunks[0], 48),
        ] {
            let taken = Self.receive(&bench, octets, index)
            #expect(taken == nil)
            #expect(bench.orders.desired.report.pending?.missing == 4)
        }
        _ = Self.receive(&bench, chunks[1], 1)
        #expect(bench.orders.desired.report.pending == DesiredState.Underway(version: 7, chunks: 4, missing: 3))
    }

    @Test func withoutAnOrderNoChunkCounts() throws {
        var bench = try Self.bench()
        let taken = Self.receive(&bench, try Self.chunks()[0], 0)
        #expect(taken == nil && bench.orders.desired.report == DesiredState.Report())
    }

    // MARK: - Versions

    /// Lower and equal ones are refused, also by another key and after a restart; a later one replaces one that has not
    /// come as a whole.
    @Test func theVersionRises() throws {
        var bench = try Self.bench()
        let chunks = try Self.chunks()
        let octets = try Self.establish(&bench, version: 7, chunks)
        let others = try DesiredChunk.chunks(blacklist: [], settings: nil)
        var restarted = bench
        restarted.orders = RemoteOrders(device: RemoteBench.device, keys: bench.keys)
        restarted.orders.restore(nil)
        restarted.orders.desired.restore(octets)
        for var bench in [bench, restarted] {
            for version: UInt64 in [0, 6, 7] {
                let answer = try Self.answer(&bench, Self.order(bench, version: version, others))
                #expect(answer.reason == .counter && answer.counter == 7)
                #expect(bench.orders.desired.report.refused?.version == version)
            }
            let former = try Self.order(bench, version: 5, others) { $0.key = bench.keys[1].id }
            let step = bench.orders.receive(
                try bench.message(former, by: bench.former), isRetained: true, number: 1, permitted: [],
                settable: Self.all, zone: .utc, at: bench.moment)
            guard case .answer(let answer) = step else { throw NoAnswer() }
            #expect(answer.reason == .counter, "the version rises over all keys")
            #expect(try Self.answer(&bench, Self.order(bench, version: 7, chunks)).result == .done)
            #expect(try Self.answer(&bench, Self.order(bench, version: 9, chunks)).result == .pending)
            #expect(try Self.answer(&bench, Self.order(bench, version: 8, others)).reason == .counter)
            #expect(try Self.answer(&bench, Self.order(bench, version: 10, others)).missing == 1)
            let late = Self.receive(&bench, chunks[0], 0)
            #expect(late == nil, "a chunk of version 9")
            #expect(bench.orders.desired.report.version == 7, "what is in force stays")
        }
    }

    /// While a state is being kept no other one is begun, so that the disk has the later one last.
    @Test func oneIsKeptAtATime() throws {
        var bench = try Self.bench()
        let chunks = try DesiredChunk.chunks(blacklist: [], settings: nil)
        #expect(try Self.answer(&bench, Self.order(bench, version: 7, chunks)).result == .pending)
        let complete = Self.receive(&bench, chunks[0], 0)
        #expect(complete != nil)
        let other = try Self.order(bench, version: 8, try Self.chunks())
        #expect(try Self.answer(&bench, other).reason == .busy)
        bench.orders.desired.kept(6, true)
        #expect(bench.orders.desired.report.version == nil)
        bench.orders.desired.kept(7, true)
        #expect(bench.orders.desired.report.version == 7)
        #expect(try Self.answer(&bench, other).result == .pending)
    }

    // MARK: - Refusals

    @Test func theOrderOfTheChecks() throws {
        var bench = try Self.bench()
        let chunks = try Self.chunks()
        let sound = try Self.order(bench, version: 7, chunks)
        var rows: [(RemoteAnswer.Reason?, (inout RemoteOrder) -> Void)] = [
            (.reader, { $0.reader = "0000000000000000" }), (.key, { $0.key[0] ^= 1 }),
            (.form, { $0.arguments = [:] }), (.early, { $0.notBefore += 1 }),
            (.expired, { $0.expires = $0.notBefore - 1 }), (.expired, { $0.expires = $0.notBefore + 366 * 86_400 + 1 }),
            (nil, { $0.expires = $0.notBefore + 366 * 86_400 }),
        ]
        rows[4] = (.expired, { ($0.notBefore, $0.expires) = ($0.notBefore - 100, $0.notBefore - 1) })
        for (reason, change) in rows {
            var test = bench
            var order = sound
            change(&order)
            #expect(try Self.answer(&test, order).reason == reason)
        }
        let nothing = try Self.answer(&bench, sound, settable: [])
        #expect(nothing.reason == .forbidden)
        bench.now = nil
        #expect(try Self.answer(&bench, sound).reason == .clock)
        #expect(bench.orders.desired.need == .manifest, "it is asked for again")
        bench.now = RemoteBench.begin
        let forged = bench.orders.receive(
            try bench.message(sound, by: bench.former), isRetained: true, number: 1, permitted: [], settable: Self.all,
            zone: .utc, at: bench.moment)
        guard case .answer(let answer) = forged else { throw NoAnswer() }
        #expect(answer.reason == .signature && answer.counter == nil)
        #expect(try Self.answer(&bench, sound).result == .pending)
    }

    @Test func beforeThePolicyIsKnownNothingIsTaken() throws {
        var bench = try RemoteBench()
        let order = try Self.order(bench, version: 7, try Self.chunks())
        #expect(try Self.answer(&bench, order).reason == .notKept)
        bench.orders.desired.restore([9])
        #expect(try Self.answer(&bench, order).reason == .notKept, "octets that are no record")
    }

    /// A broker holds a state back until somebody has been revoked by a phone: the entry stays, with its later end,
    /// unless the state was signed more than five minutes after it came.
    @Test(arguments: [(-301, nil), (-300, 1), (-1, 1), (0, 1), (86_400, 1), (nil, 1)] as [(Int64?, Int?)])
    func anEntryThatMayBeYoungerThanTheStateStays(age: Int64?, additions: Int?) throws {
        let later = CivilTime(epochSeconds: RemoteBench.begin + 1000)
        var list = Blacklist()
        for name in ["A", "B"] {
            list.insert(.init(credentialID: try #require(OSSCredentialID(name)), expiresAt: later), at: nil)
        }
        for isRestored in [false, true] {
            var bench = try RemoteBench()
            let time = age.map { RemoteBench.begin + $0 }
            bench.orders.desired.restore(nil, addedAt: isRestored ? PolicyTime.octets(time ?? .max) : nil)
            if !isRestored { bench.orders.desired.noteAddition(at: time) }
            let chunks = try DesiredChunk.chunks(
                blacklist: [.init(credential: "A", end: RemoteBench.begin + 10)], settings: nil)
            let order = try Self.order(bench, version: 7, chunks)
            #expect(try Self.answer(&bench, order).result == .pending)
            let complete = try #require(Self.receive(&bench, chunks[0], 0, list: list))
            #expect(complete.additions == additions ?? 0)
            let names = complete.blacklist?.map(\.credentialID.text)
            #expect(names == (additions == nil ? ["A"] : ["A", "B"]))
            #expect((complete.blacklist?[0].expiresAt == list.entries[0].expiresAt) == (additions != nil))
        }
    }

    /// The entries that stay count for the capacity.
    @Test func aListWithTheEntriesThatStayHasToFit() throws {
        var list = Blacklist(capacity: 1)
        list.insert(.init(credentialID: try #require(OSSCredentialID("B")), expiresAt: nil), at: nil)
        var bench = try Self.bench()
        bench.orders.desired.noteAddition(at: RemoteBench.begin)
        let chunks = try DesiredChunk.chunks(blacklist: [.init(credential: "A", end: nil)], settings: nil)
        let order = try Self.order(bench, version: 7, chunks)
        #expect(try Self.answer(&bench, order).result == .pending)
        #expect(Self.receive(&bench, chunks[0], 0, list: list) == nil)
        #expect(try Self.answer(&bench, order).reason == .full)
    }

    /// Octets that are no time: nothing is removed.
    @Test func anUnreadableTimeOfAdditionsRemovesNothing() throws {
        var list = Blacklist()
        list.insert(.init(credentialID: try #require(OSSCredentialID("B")), expiresAt: nil), at: nil)
        var bench = try RemoteBench()
        bench.orders.desired.restore(nil, addedAt: [1, 2, 3])
        let chunks = try DesiredChunk.chunks(blacklist: [], settings: nil)
        let order = try Self.order(bench, version: 7, chunks)
        #expect(try Self.answer(&bench, order).result == .pending)
        #expect(try #require(Self.receive(&bench, chunks[0], 0, list: list)).blacklist?.count == 1)
    }

    /// A whole state is refused for one part that is not permitted, does not fit, or is no value.
    @Test func aStateIsRefusedAsAWhole() throws {
        func refusal(
            _ chunks: [[UInt8]], settable: [OwnedPart] = Self.all, capacity: Int = 1600, later: Int64 = 0
        ) throws -> RemoteAnswer.Reason? {
            var bench = try Self.bench()
            let order = try Self.order(bench, version: 7, chunks)
            #expect(try Self.answer(&bench, order, settable: settable).result == .pending)
            bench.now = RemoteBench.begin + later
            for (index, chunk) in chunks.enumerated() {
                let complete = Self.receive(
                    &bench, chunk, index, settable: settable, list: Blacklist(capacity: capacity))
                #expect(complete == nil || index == chunks.count - 1)
            }
            let again = try Self.answer(&bench, order, settable: settable)
            #expect(again.reason == bench.orders.desired.report.refused?.reason, "the same answer")
            return again.reason
        }
        let chunks = try Self.chunks()
        #expect(try refusal(chunks) == nil)
        #expect(try refusal(chunks, settable: [.blacklist]) == .forbidden)
        #expect(try refusal(chunks, settable: [.setting(.pulse)]) == .forbidden)
        #expect(try refusal(chunks, settable: [.blacklist, .setting(.extended)]) == .forbidden)
        #expect(try refusal(chunks, settable: [.blacklist, .setting(.pulse)]) == nil)
        #expect(try refusal(chunks, capacity: 199) == .full)
        #expect(try refusal(chunks, capacity: 200) == nil)
        #expect(try refusal(chunks, later: 86_400) == nil)
        #expect(try refusal(chunks, later: 86_401) == .expired)
        let one = DesiredChunk.Entry(credential: "A", end: nil)
        for state: [DesiredChunk] in [
            [DesiredChunk(blacklist: [one]), DesiredChunk(blacklist: [one])],
            [DesiredChunk(blacklist: [.init(credential: "", end: nil)])],
            [DesiredChunk(blacklist: [.init(credential: "ELEVEN00000", end: nil)])],
            [DesiredChunk(blacklist: [.init(credential: "A", end: 0)])],
            [DesiredChunk(blacklist: [.init(credential: "A", end: -1)])],
            [DesiredChunk(settings: Self.settings), DesiredChunk(settings: Self.settings)],
            [DesiredChunk(settings: ["door.pulse-s": .integer(0)])],
            [DesiredChunk(settings: ["door.pulse-s": .text("5")])],
            [DesiredChunk(settings: ["door.fail-mode": .text("secure")])],
        ] {
            #expect(try refusal(state.map { try $0.octets() }) == .form)
        }
        #expect(try refusal([[0x80]]) == .form, "signed, and no chunk")
    }

    @Test func aDiskThatFailsLeavesTheFormerState() throws {
        var bench = try Self.bench()
        _ = try Self.establish(&bench, version: 3, DesiredChunk.chunks(blacklist: [], settings: Self.settings))
        let chunks = try DesiredChunk.chunks(blacklist: [], settings: nil)
        let order = try Self.order(bench, version: 7, chunks)
        #expect(try Self.answer(&bench, order).result == .pending)
        let complete = Self.receive(&bench, chunks[0], 0)
        #expect(complete != nil)
        bench.orders.desired.kept(7, false)
        let answer = try Self.answer(&bench, order)
        #expect(answer.reason == .notKept && answer.counter == 3)
        #expect(bench.orders.desired.report.version == 3 && bench.orders.desired.need == .manifest)
        #expect(bench.orders.desired.settings == DesiredSettings(Self.settings))
        bench.orders.desired.reconsider()
        #expect(try Self.answer(&bench, order).result == .pending, "it is tried again")
    }

    // MARK: - On the disk

    @Test func theRecordOctetForOctet() throws {
        var bench = try Self.bench()
        let chunks = try Self.chunks()
        let octets = try Self.establish(&bench, version: 0x0102, chunks)
        let digest = try Self.digest(chunks.map(Self.digest).flatMap(\.self))
        #expect(
            octets == [1, 2, 1, 0, 0, 0, 0, 0, 0] + digest + [0xA1, 0x6C] + Array("door.pulse-s".utf8) + [0x07])
        let record = try #require(DesiredRecord(octets))
        #expect(record.octets == octets && record.version == 0x0102)
        for count in octets.indices { #expect(DesiredRecord(Array(octets[..<count])) == nil) }
        #expect(DesiredRecord(octets + [0]) == nil && DesiredRecord([2] + octets.dropFirst()) == nil)
    }
}
