// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Peripheral

/// The answer of the process that takes adapters.
@Suite struct AdapterReplyTests {
    @Test func eachAnswerIsReadAsItWasWritten() {
        for (reply, octets) in [
            (.taken, [0, 0]), (.failed(.noBluetooth), [1, 0]), (.failed(.notPermitted), [2, 0]),
            (.failed(.noSuchAdapter), [3, 0]), (.failed(.adapterIsUp), [4, 0]), (.failed(.adapterIsBusy), [5, 0]),
            (.failed(.adapterIsTaken), [6, 0]), (.failed(.radioIsBlocked), [7, 0]),
            (.failed(.adapterIsNotConfigured), [8, 0]), (.failed(.ambiguousAdapter([1, 258])), [0x40, 0, 1, 0, 2, 1]),
            (.failed(.cannotOpen(code: EIO)), [0x41, UInt8(EIO)]),
        ] as [(AdapterReply, [UInt8])] {
            #expect(reply.octets == octets)
            #expect(AdapterReply(octets) == reply)
        }
        // No fault of another transport comes from an adapter; one would still be a fault.
        #expect(AdapterReply.failed(.ended).octets == [0x41, 0])
    }

    @Test func nothingElseIsAnAnswer() {
        let long = [0x40, 0] + [UInt8](repeating: 0, count: AdapterReply.maximumCount)
        for octets in [
            [], [0], [0, 1], [0, 0, 0], [9, 0], [3, 1], [3, 0, 0], [0x40, 0, 1], [0x41, 5, 0], [0xFF, 0], long,
        ]
            as [[UInt8]]
        {
            #expect(AdapterReply(octets) == nil)
        }
    }
}
