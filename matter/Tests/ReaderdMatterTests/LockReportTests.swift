// SPDX-License-Identifier: Apache-2.0

import LockChannel
import MatterNode
import Testing

@testable import readerd_matter

/// The reader's reports as Door Lock has them (Matter Application Clusters 5.2).
struct LockReportTests {
    @Test
    func states() {
        #expect(
            LockReport.door(LockDoor(lock: .unlocked, position: .forced, hold: .open)).operations
                == [.hold(.open), .lockState(.unlocked), .door(.forcedOpen)])
        #expect(
            LockReport.door(LockDoor(lock: .locked, position: nil, hold: .locked)).operations
                == [.hold(.locked), .lockState(.locked)])
        #expect(LockReport.unknown == [.hold(.locked), .lockState(nil)])
    }

    /// OperationSourceEnum, 5.2.6.20.
    @Test(arguments: [
        (LockOrigin.bluetooth, LockSource.proprietaryRemote), (.control, .proprietaryRemote), (.nfc, .rfid),
        (.exit, .button), (.schedule, .schedule), (.panel, .unspecified), (.fire, .unspecified), (.auto, .auto),
    ])
    func origins(origin: LockOrigin, source: LockSource) {
        #expect(LockReport.moved(.unlocked, by: origin).operations == [.locked(.unlock, source)])
        #expect(LockReport.moved(.locked, by: origin).operations == [.locked(.lock, source)])
    }

    @Test
    func aliro() {
        #expect(
            LockReport.movedByAliro(.unlocked, LockAliroPlace(.evictable, 3)).operations
                == [.lockedByAliro(.unlock, .evictableEndpoint, index: 3)])
        #expect(
            LockReport.movedByAliro(.locked, LockAliroPlace(.endpoint, 1)).operations
                == [.lockedByAliro(.lock, .endpoint, index: 1)])
        let point: [UInt8] = [4] + [UInt8](repeating: 0xAB, count: 64)
        #expect(
            LockReport.granted(LockAliroGrant(issuer: 2, point: point)).operations
                == [.aliroGranted(AliroGrantedKey(point: point, issuer: 2))])
        #expect(LockReport.aliro(request: 1, .done).operations.isEmpty)
        #expect(AliroAnswer.allCases.map { AliroResult($0) } == [.done, .refused, .full, .refused])
    }

    @Test
    func alarms() {
        #expect(LockReport.alarm(.tamper).operations == [.alarm(.coverRemoved)])
        #expect(LockReport.alarm(.lockout).operations == [.alarm(.wrongCodeLimit)])
        #expect(LockReport.window(seconds: 3).operations.isEmpty)
    }
}
