// SPDX-License-Identifier: Apache-2.0

import Reader
import Testing

struct DoorOrderTests {
    /// The names are in event logs that readers have written.
    @Test func everyOrderHasItsNameInRecords() {
        #expect(
            DoorOrder.allCases.map(\.command)
                == ["pulse", "extended", "office", "office-x", "lockdown", "unlockdn", "tamper", "osdp", "osdp"])
    }

    @Test func onlyOrdersThatSecureTheDoorMayBeLate() {
        #expect(DoorOrder.allCases.filter { !$0.mayRelease } == [.officeOff, .lockdownOn, .panelOff])
    }

    @Test func onlyOpeningsWaitForTheirRecord() {
        #expect(DoorOrder.allCases.filter { $0.opening != nil } == [.pulse, .extended, .officeOn])
    }

    @Test func everyVerdictButDoneIsARefusal() {
        #expect(DoorRefusal(.done) == nil)
        let verdicts: [(DoorVerdict, DoorRefusal)] = [
            (.inactive, .inactive), (.lockdown, .lockdown), (.tampered, .tampered), (.lockedOut, .lockedOut),
            (.leftToPanel, .inactive),
        ]
        for (verdict, refusal) in verdicts { #expect(DoorRefusal(verdict) == refusal) }
    }
}
