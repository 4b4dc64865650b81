// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Protobuf
import Reader
import Testing
import Timekeeping

@testable import ReaderTestSupport

@Suite struct BlacklistTests {
    private func entry(_ name: String, _ end: CivilTime?) -> Blacklist.Entry {
        Blacklist.Entry(credentialID: credentialID(name), expiresAt: end)
    }

    @Test func anEntryHoldsThroughItsLastMinute() {
        var list = Blacklist(capacity: 2)
        #expect(list.insert(entry("A", wednesday(12, 0)), at: wednesday(11, 0)) == .inserted)
        #expect(list.contains(credentialID("A"), at: wednesday(12, 0, 59)))
        #expect(!list.contains(credentialID("A"), at: wednesday(12, 1)))
        #expect(!list.contains(credentialID("B"), at: wednesday(12, 0)))
        // Seconds count as they stand.
        #expect(list.insert(entry("B", wednesday(12, 0, 30)), at: nil) == .inserted)
        #expect(list.contains(credentialID("B"), at: wednesday(12, 0, 30)))
        #expect(!list.contains(credentialID("B"), at: wednesday(12, 0, 31)))
    }

    @Test func withoutATimeEveryEntryHolds() {
        var list = Blacklist(capacity: 1)
        #expect(list.insert(entry("A", CivilTime(year: 1999, month: 1, day: 1)), at: nil) == .inserted)
        #expect(list.contains(credentialID("A"), at: nil))
        #expect(list.insert(entry("B", nil), at: nil) == .full)
    }

    @Test func whatIsOverMakesRoomAndWhatIsInForceDoesNot() {
        var list = Blacklist(capacity: 2)
        #expect(list.insert(entry("A", wednesday(12, 0)), at: wednesday(11, 0)) == .inserted)
        #expect(list.insert(entry("B", nil), at: wednesday(11, 0)) == .inserted)
        #expect(list.insert(entry("C", wednesday(20, 0)), at: wednesday(12, 0)) == .full)
        #expect(list.insert(entry("C", wednesday(20, 0)), at: wednesday(12, 1)) == .inserted)
        #expect(list.entries == [entry("B", nil), entry("C", wednesday(20, 0))])
        #expect(list.removeExpired(at: CivilTime(year: 9999, month: 1, day: 1)) == 1)
        #expect(list.entries == [entry("B", nil)])
        list.removeAll()
        #expect(list.count == 0 && list.capacity == 2)
    }

    @Test func anEndMovesToLaterOnly() {
        var list = Blacklist(capacity: 1)
        let now = wednesday(11, 0)
        #expect(list.insert(entry("A", wednesday(12, 0)), at: now) == .inserted)
        #expect(list.insert(entry("A", wednesday(12, 0)), at: now) == .known)
        #expect(list.insert(entry("A", wednesday(11, 30)), at: now) == .known)
        #expect(list.insert(entry("A", wednesday(13, 0)), at: now) == .inserted)
        #expect(list.insert(entry("A", nil), at: now) == .inserted)
        #expect(list.insert(entry("A", wednesday(23, 0)), at: now) == .known)
        #expect(list.insert(entry("A", wednesday(10, 0)), at: now) == .expired)
        #expect(list.entries == [entry("A", nil)])
    }

    @Test func aListWithoutRoomTakesNothing() {
        var list = Blacklist(capacity: -1)
        #expect(list.insert(entry("A", nil), at: wednesday(12, 0)) == .full)
        #expect(list.capacity == 0)
    }

    @Test func backendEntries() throws {
        let end = LocalTimestamp(year: 2030, month: 1, day: 2)
        let good = BlacklistEntry(credentialId: CredentialId(id: try BoundedBytes(ascii: "EVIL")), expiresAt: end)
        #expect(Blacklist.Entry(good) == entry("EVIL", CivilTime(year: 2030, month: 1, day: 2)))
        var forEver = good
        forEver.expiresAt = LocalTimestamp(year: 0, month: 0, day: 0)
        #expect(Blacklist.Entry(forEver)?.expiresAt == nil)
        var unnamed = good
        unnamed.credentialId.id = BoundedBytes()
        #expect(Blacklist.Entry(unnamed) == nil)
    }
}

extension LocalTimestamp {
    fileprivate init(year: UInt32, month: UInt32, day: UInt32) {
        self.init(year: year, month: month, date: day, hours: 0, minutes: 0, seconds: 0)
    }
}
