// SPDX-License-Identifier: Apache-2.0

import EventStore
import Reader
import Testing
import Timekeeping

@testable import readerd

/// Changes of the policy that could not be kept are written again, in their state of that time.
@Suite struct PolicyChangesTests {
    private func at(_ seconds: Int64) -> Instant { .origin + .seconds(seconds) }

    private func setting(_ value: [UInt8]?, of id: CommandID? = nil) -> StorageRequest {
        StorageRequest(id: id, work: .setting("n", value))
    }

    @Test func everyRequestHasItsToken() {
        var changes = PolicyChanges()
        let id = CommandID(3)
        #expect(changes.begin(setting([1])) == .setting("n", nil))
        #expect(changes.begin(setting([1], of: id)) == .setting("n", id))
        #expect(changes.begin(StorageRequest(id: id, work: .blacklist(.clear))) == .blacklist(id))
        #expect(changes.begin(StorageRequest(id: nil, work: .blacklist(.clear))) == .blacklist(nil))
        #expect(changes.begin(StorageRequest(id: id, work: .counters)) == .command(id))
        #expect(changes.begin(StorageRequest(id: nil, work: .counters)) == .unawaited)
    }

    @Test func aSettingThatFailedIsPutAgainAfterAPause() {
        var changes = PolicyChanges()
        let token = changes.begin(setting([1]))
        changes.end(token, .failed(.full), at: at(0))
        #expect(changes.fault == .full && changes.retryAt == at(5))
        #expect(changes.takeOverdue(at: at(4)) { [] } == [])
        #expect(changes.takeOverdue(at: at(5)) { [] } == [setting([1])])
        #expect(changes.retryAt == nil)
        changes.end(changes.begin(setting([1])), .done, at: at(6))
        #expect(changes.fault == nil && changes.takeOverdue(at: at(60)) { [] } == [])
    }

    /// The later value is on its way: the former is not put again behind it.
    @Test func aLaterValueReplacesTheOneThatFailed() {
        var changes = PolicyChanges()
        let first = changes.begin(setting([1]))
        let second = changes.begin(setting([2]))
        changes.end(first, .failed(.inputOutput), at: at(0))
        #expect(changes.retryAt == nil)
        changes.end(second, .failed(.inputOutput), at: at(0))
        #expect(changes.takeOverdue(at: at(5)) { [] } == [setting([2])])
    }

    /// Of what a phone waits for, only the blacklist: the phone has been told, but the disk may have the change.
    @Test func whatAPhoneWaitedForIsNotPutAgainButTheWholeBlacklistIs() {
        var changes = PolicyChanges()
        let rows = [BlacklistRow(credential: "CRED000001", until: CivilTime(epochSeconds: 4_000_000_000))]
        changes.end(changes.begin(setting([1], of: CommandID(1))), .failed(.full), at: at(0))
        #expect(changes.retryAt == nil && changes.fault == .full)
        let clearing = StorageRequest(id: CommandID(2), work: .blacklist(.clear))
        changes.end(changes.begin(clearing), .failed(.full), at: at(0))
        let again = StorageRequest(id: nil, work: .blacklist(.replace(rows)))
        #expect(changes.takeOverdue(at: at(5)) { rows } == [again])
        // It is behind until it has been handed over.
        changes.end(changes.begin(again), .done, at: at(6))
        #expect(changes.takeOverdue(at: at(60)) { rows } == [])
    }

    /// A policy that is refused has a fault of its own.
    @Test func aRefusedPolicyIsNoFaultOfTheDisk() {
        var changes = PolicyChanges()
        changes.end(changes.begin(setting([1])), .policyRefused(.copiesLost), at: at(0))
        #expect(changes.fault == nil && changes.retryAt == nil)
    }
}
