import AccessProtocol
import EventStore
import Reader
import Testing

@testable import readerd

/// Which events phones may take along.
@Suite struct StorageDeskTests {
    private func event(_ second: Int64) -> AuditEvent {
        AuditEvent(
            .granted,
            at: AuditTime(epochSeconds: second, utcOffsetMinutes: 0, quality: .system, uptimeMilliseconds: 0), info: 2)
    }

    private func numbers(_ desk: inout StorageDesk) -> [UInt32]? { desk.takeCarried()?.map(\.sequenceId) }

    @Test func whatIsInTheLogIsCarriedOnce() {
        var desk = StorageDesk()
        #expect(numbers(&desk) == nil)
        for id in 1...3 as ClosedRange<UInt64> { desk.handedOver(id, event(Int64(id))) }
        desk.stored(1, as: 11)
        #expect(numbers(&desk) == [11])
        #expect(numbers(&desk) == nil)
        // One that failed is handed over again, and one that nobody handed over is none.
        desk.failed(2)
        desk.stored(2, as: 12)
        #expect(numbers(&desk) == nil)
        desk.stored(3, as: 13)
        desk.handedOver(2, event(2))
        desk.stored(2, as: 14)
        desk.stored(2, as: 15)
        #expect(numbers(&desk) == [11, 13, 14])
    }

    @Test func theNewestAreKept() {
        var desk = StorageDesk()
        for id in 1...100 as ClosedRange<UInt64> {
            desk.handedOver(id, event(0))
            desk.stored(id, as: id)
        }
        #expect(numbers(&desk) == Array(37...100))
    }

    /// Records of before come while new ones are stored already.
    @Test func recordsOfAnEarlierRunStandBeforeTheNewOnes() {
        var desk = StorageDesk()
        desk.handedOver(1, event(0))
        desk.stored(1, as: 80)
        desk.found((10...79).reversed().map { AuditRecord(sequence: $0, event: event(0)) })
        #expect(numbers(&desk) == Array(17...80))
        desk.handedOver(2, event(0))
        desk.stored(2, as: 81)
        #expect(numbers(&desk) == Array(18...81))
    }
}
