// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NFC

/// The failures of a polling chip that are reported.
@Suite struct ChipRecoveryTests {
    @Test func aChipThatWorkedIsReopenedOnceWithoutAReport() {
        var recovery = ChipRecovery()
        recovery.opened(at: .zero)
        #expect(recovery.isRecoverable(at: .seconds(10)) == true)
        // Reopening failed.
        #expect(recovery.isRecoverable(at: .seconds(11)) == false)
        recovery.opened(at: .seconds(12))
        #expect(recovery.isRecoverable(at: .seconds(21)) == false)
        recovery.opened(at: .seconds(22))
        #expect(recovery.isRecoverable(at: .seconds(60)) == true)
    }

    @Test func aChipThatNeverOpenedIsReported() {
        var recovery = ChipRecovery()
        #expect(recovery.isRecoverable(at: .seconds(60)) == false)
    }
}
