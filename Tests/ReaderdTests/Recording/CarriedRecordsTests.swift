// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Reader
import Testing

@testable import readerd

/// Events that phones may carry.
@Suite struct CarriedRecordsTests {
    private func record(_ sequence: UInt64) -> AuditRecord {
        let time = AuditTime(
            epochSeconds: Int64(sequence), utcOffsetMinutes: 0, quality: .system, uptimeMilliseconds: 0)
        return AuditRecord(sequence: sequence, event: AuditEvent(.granted, at: time, info: 2))
    }

    private func numbers(_ records: inout CarriedRecords) -> [UInt32]? { records.takeChanged()?.map(\.sequenceId) }

    @Test func whatIsInTheLogIsCarriedOnce() {
        var records = CarriedRecords()
        #expect(numbers(&records) == nil)
        records.append(record(11))
        #expect(numbers(&records) == [11])
        #expect(numbers(&records) == nil)
        records.append(record(13))
        records.append(record(14))
        #expect(numbers(&records) == [11, 13, 14])
    }

    @Test func theNewestAreKept() {
        var records = CarriedRecords()
        for sequence in 1...100 as ClosedRange<UInt64> { records.append(record(sequence)) }
        #expect(numbers(&records) == Array(37...100))
    }

    /// Records of before come while new ones are stored already.
    @Test func recordsOfAnEarlierRunStandBeforeTheNewOnes() {
        var records = CarriedRecords()
        records.append(record(80))
        records.found((10...79).reversed().map { record($0) })
        #expect(numbers(&records) == Array(17...80))
        records.append(record(81))
        #expect(numbers(&records) == Array(18...81))
    }

    /// A phone that has cleared the log sees nothing of before.
    @Test func aClearedLogHasNothingToCarry() {
        var records = CarriedRecords()
        records.append(record(7))
        records.clear()
        #expect(numbers(&records) == [])
        records.append(record(9))
        #expect(numbers(&records) == [9])
    }
}
