// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Testing

@testable import Reader

@Suite struct LinkEndReasonTests {
    /// Remote User Terminated Connection, Low Resources and Power Off (Core 5.4, Vol 1, Part F, 2.19 to 2.21).
    @Test func eachReasonIsAStatusForThePeer() {
        let octets = [LinkEndReason.refused, .noRoom, .shutDown].map(\.status.rawValue)
        #expect(octets == [0x13, 0x14, 0x15])
    }
}
