// SPDX-License-Identifier: Apache-2.0

import JSON
import LockChannel
import Testing

/// The messages that provision a reader's Aliro.
struct LockAliroTests {
    private static let point = [0x04] + [UInt8](repeating: 0xAB, count: 64)
    private static let digits = "04" + String(repeating: "ab", count: 64)

    @Test
    func aConfiguration() throws {
        let reader = LockAliroReader(
            signingKey: [UInt8](repeating: 1, count: 32), verificationKey: Self.point,
            group: [UInt8](repeating: 2, count: 16), sub: [UInt8](repeating: 3, count: 16))
        let line =
            #"{"aliro":9,"configure":{"signing":"\#(String(repeating: "01", count: 32))","#
            + #""verification":"\#(Self.digits)","group":"\#(String(repeating: "02", count: 16))","#
            + #""sub":"\#(String(repeating: "03", count: 16))"}}"#
        let request = LockRequest.aliro(LockAliroRequest(number: 9, change: .configure(reader)))
        #expect(request.line == line)
        #expect(try LockRequest(line: Array(line.utf8)) == request)
    }

    /// A lock's most keys fit in a line, and one more is refused.
    @Test
    func keys() throws {
        let keys = (1...40).map {
            LockAliroKey(place: LockAliroPlace(.evictable, $0 + 65000), user: 65000, point: Self.point)
        }
        let request = LockRequest.aliro(LockAliroRequest(number: .max, change: .keys(keys)))
        #expect(request.line.utf8.count <= LockChannelLimits.lineCount)
        #expect(try LockRequest(line: Array(request.line.utf8)) == request)
        #expect(
            LockRequest.aliro(LockAliroRequest(number: 1, change: .keys([keys[0]]))).line
                == #"{"aliro":1,"keys":[{"kind":"evictable","index":65001,"user":65000,"point":"\#(Self.digits)"}]}"#)
        let more = keys + [LockAliroKey(place: LockAliroPlace(.issuer, 1), user: 1, point: Self.point)]
        let line = LockRequest.aliro(LockAliroRequest(number: 1, change: .keys(more))).line
        #expect(throws: JSONPlaceFault.self) { try LockRequest(line: Array(line.utf8)) }
    }

    @Test(arguments: [
        #"{"aliro":9}"#, #"{"aliro":9,"clear":false}"#, #"{"aliro":-1,"clear":true}"#,
        #"{"aliro":9,"clear":true,"keys":[]}"#, #"{"aliro":9,"keys":[{}]}"#,
        #"{"aliro":9,"keys":[{"kind":"issuer","index":1,"user":1,"point":"04"}]}"#,
        #"{"aliro":9,"keys":[{"kind":"pin","index":1,"user":1,"point":"\#(digits)"}]}"#,
        #"{"aliro":9,"keys":[{"kind":"issuer","index":0,"user":1,"point":"\#(digits)"}]}"#,
        #"{"aliro":9,"keys":[{"kind":"issuer","index":1,"user":0,"point":"\#(digits)"}]}"#,
        #"{"aliro":9,"keys":[{"kind":"issuer","index":1,"user":1,"point":"\#(digits)"},"#
            + #"{"kind":"issuer","index":1,"user":2,"point":"\#(digits)"}]}"#,
        #"{"aliro":9,"configure":{"signing":"00","verification":"\#(digits)","group":"","sub":""}}"#,
    ])
    func brokenRequests(line: String) {
        #expect(throws: JSONPlaceFault.self) { try LockRequest(line: Array(line.utf8)) }
    }
}
