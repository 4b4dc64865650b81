// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Reader
@testable import ReaderTestSupport

/// A log in memory, and what somebody does to it.
struct ChainBench {
    let key: AuditKey
    var checkpoint: ChainPlace
    var head: ChainPlace?
    var records: [StoredRecord] = []

    init(count: UInt64 = 6) throws {
        key = try #require(AuditKey([UInt8](repeating: 1, count: 32)))
        let start = try #require(ChainValue([UInt8](repeating: 9, count: 32)))
        checkpoint = try key.place(.checkpoint, sequence: 0, chain: start)
        var chain = start
        for sequence in 1...count {
            let octets = AuditRecord(sequence: sequence, event: AuditSample.event(info: Int32(sequence))).octets
            chain = try key.value(after: chain, octets.span)
            records.append(StoredRecord(sequence: sequence, kind: .granted, octets: octets, chain: chain))
        }
        head = try key.place(.head, sequence: count, chain: chain)
    }

    func verify(anchor: (sequence: UInt64, chain: ChainValue)? = nil, key other: AuditKey? = nil) throws -> ChainReport
    {
        var verifier = try ChainVerifier(key: other ?? key, checkpoint: checkpoint, head: head, anchor: anchor)
        for record in records { try verifier.verify(record) }
        return verifier.finish()
    }
}

@Suite struct ChainVerifierTests {
    @Test func aLogThatWasLeftAloneIsSound() throws {
        let bench = try ChainBench()
        let report = try bench.verify()
        #expect(report.isSound && report.range == 1...6 && report.count == 6 && report.droppedThrough == 0)
        #expect(report.end == bench.records[5].chain)
    }

    @Test func aChangedOctetIsNamedWithItsRecord() throws {
        let count = try ChainBench().records[0].octets.count
        for index in 0..<6 {
            for octet in 0..<count where octet == 0 || octet > 8 {
                var bench = try ChainBench()
                bench.records[index].octets[octet] ^= 1
                #expect(try bench.verify().findings == [.changed(UInt64(index) + 1)], "\(index) \(octet)")
            }
        }
    }

    @Test func aChangedChainValueIsNamedOnce() throws {
        var bench = try ChainBench()
        bench.records[2].chain = ChainValue([UInt8](repeating: 0, count: 32))
        #expect(try bench.verify().findings == [.changed(3)])
        bench.records[2].chain = nil
        #expect(try bench.verify().findings == [.changed(3)])
    }

    @Test func aKindThatIsSearchedByAnotherNumberIsNamed() throws {
        var bench = try ChainBench()
        bench.records[3].kind = .stop
        #expect(try bench.verify().findings == [.changed(4)])
    }

    @Test func removedRecordsAreNamed() throws {
        var bench = try ChainBench()
        bench.records.remove(at: 1)
        #expect(try bench.verify().findings == [.missing(2...2)])
        bench.records.removeFirst()
        #expect(try bench.verify().findings == [.missing(1...2)])
    }

    @Test(arguments: [true, false]) func swappedRecordsAreNamed(withChain: Bool) throws {
        var bench = try ChainBench()
        let (second, third) = (bench.records[1], bench.records[2])
        (bench.records[1].octets, bench.records[2].octets) = (third.octets, second.octets)
        if withChain { (bench.records[1].chain, bench.records[2].chain) = (third.chain, second.chain) }
        #expect(try bench.verify().findings == [.moved(2, from: 3), .moved(3, from: 2)])
    }

    @Test func aCutEndIsSeenByTheHead() throws {
        var bench = try ChainBench()
        bench.records.removeLast(2)
        #expect(try bench.verify().findings == [.truncated(after: 4, head: 6)])
        // Without the head it is not; that it is missing is.
        bench.head = nil
        #expect(try bench.verify().findings == [.headMissing])
    }

    @Test func aHeadThatIsBehindIsSound() throws {
        var bench = try ChainBench()
        bench.head = try bench.key.place(.head, sequence: 3, chain: bench.records[2].chain!)
        #expect(try bench.verify().isSound)
        bench.head = try bench.key.place(.head, sequence: 3, chain: bench.records[3].chain!)
        #expect(try bench.verify().findings == [.headDiffers(3)])
    }

    @Test func aPlaceOfAnotherRoleIsNone() throws {
        var bench = try ChainBench()
        bench.head = try bench.key.place(.checkpoint, sequence: 6, chain: bench.records[5].chain!)
        #expect(try bench.verify().findings == [.headForeign])
    }

    @Test func anotherDevicesLogIsForeignThroughout() throws {
        let findings = try ChainBench().verify(key: AuditKey([UInt8](repeating: 2, count: 32))!).findings
        #expect(findings.prefix(3) == [.foreign, .headForeign, .changed(1)] && findings.count == 8)
    }

    @Test func aRingBeginsAtItsCheckpoint() throws {
        var bench = try ChainBench()
        let dropped = bench.records[2]
        bench.records.removeFirst(3)
        bench.checkpoint = try bench.key.place(.checkpoint, sequence: 3, chain: dropped.chain!)
        let report = try bench.verify()
        #expect(report.isSound && report.droppedThrough == 3 && report.range == 4...6)
        // Nobody else moves a checkpoint.
        bench.checkpoint.sequence = 2
        #expect(try bench.verify().findings == [.foreign, .missing(3...3)])
    }

    @Test func anAnchorFromElsewhereShowsAWholeLogThatWasReplaced() throws {
        let bench = try ChainBench()
        let noted = (sequence: UInt64(5), chain: bench.records[4].chain!)
        #expect(try bench.verify(anchor: noted).isSound)
        #expect(try bench.verify(anchor: (5, bench.records[3].chain!)).findings == [.headDiffers(5)])
        #expect(try bench.verify(anchor: (9, noted.chain)).findings == [.truncated(after: 6, head: 9)])
        var ring = bench
        ring.checkpoint = try bench.key.place(.checkpoint, sequence: 6, chain: bench.records[5].chain!)
        ring.records = []
        #expect(try ring.verify(anchor: noted).findings == [.anchorTooOld(5)])
    }

    @Test func whatTheDeviceNoticedItselfIsToldOnce() throws {
        var bench = try ChainBench()
        bench.records.removeLast(2)
        var event = AuditEvent(.logLost, at: AuditSample.time)
        event.mark = 6
        let octets = AuditRecord(sequence: 7, event: event).octets
        let chain = try bench.key.value(after: bench.records[3].chain!, octets.span)
        bench.records.append(StoredRecord(sequence: 7, kind: .logLost, octets: octets, chain: chain))
        bench.head = try bench.key.place(.head, sequence: 7, chain: chain)
        #expect(try bench.verify().findings == [.lost(7, upTo: 6)])
    }

    @Test func findingsAreBounded() throws {
        var bench = try ChainBench(count: 1100)
        for index in bench.records.indices { bench.records[index].octets[9] ^= 1 }
        let report = try bench.verify()
        #expect(report.findings.count == ChainVerifier.findingLimit && report.hasMore)
    }

    @Test func capacityDecidesWhatGoes() {
        let ring = LogCapacity(records: 320, whenFull: .overwrite)
        #expect(ring.admission(of: .granted, count: 329, live: 329) == .write)
        #expect(ring.admission(of: .granted, count: 330, live: 330) == .writeDropping(10))
        #expect(!ring.isFull(live: 1000))
        let strict = LogCapacity(records: 320, whenFull: .refuse)
        #expect(strict.admission(of: .granted, count: 319, live: 319) == .write)
        #expect(strict.isFull(live: 320))
        #expect(strict.admission(of: .granted, count: 320, live: 320) == .refuse)
        #expect(strict.admission(of: .denied, count: 320, live: 320) == .refuse)
        #expect(strict.admission(of: .fire, count: 320, live: 320) == .write)
        #expect(strict.admission(of: .fire, count: 384, live: 384) == .refuse)
        #expect(strict.admission(of: .logCleared, count: 384, live: 384) == .write)
        // What was cleared goes when its room is needed, and nothing else.
        #expect(strict.admission(of: .granted, count: 385, live: 1) == .writeDropping(65))
        #expect(strict.admission(of: .granted, count: 400, live: 319) == .writeDropping(80))
        #expect(strict.admission(of: .granted, count: 325, live: 1) == .write)
    }
}
