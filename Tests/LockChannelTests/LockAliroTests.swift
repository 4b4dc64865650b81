// SPDX-License-Identifier: Apache-2.0

import Crypto
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
            signingKey: SecretOctets([UInt8](repeating: 1, count: 32)), verificationKey: Self.point,
            group: [UInt8](repeating: 2, count: 16), sub: [UInt8](repeating: 3, count: 16))
        let line =
            #"{"aliro":9,"by":null,"configure":{"verification":"\#(Self.digits)","#
            + #""group":"\#(String(repeating: "02", count: 16))","sub":"\#(String(repeating: "03", count: 16))"}}"#
            + "\t" + String(repeating: "01", count: 32)
        let request = LockRequest.aliro(LockAliroRequest(number: 9, change: .configure(reader)))
        #expect(String(decoding: request.line, as: UTF8.self) == line)
        #expect(try LockRequest(line: Array(line.utf8)) == request)
    }

    /// Lacking, too long, no digits, behind another message, in the JSON.
    @Test
    func brokenSecrets() throws {
        let reader =
            #""verification":"\#(Self.digits)","group":"\#(String(repeating: "02", count: 16))","#
            + #""sub":"\#(String(repeating: "03", count: 16))""#
        let line = #"{"aliro":9,"by":null,"configure":{\#(reader)}}"#
        let key = String(repeating: "01", count: 32)
        #expect(throws: Never.self) { try LockRequest(line: Array("\(line)\t\(key)".utf8)) }
        for broken in [
            line, "\(line)\t", "\(line)\t\(key)01", "\(line)\t\(key)0", "\(line)\t\(key.dropLast())x",
            "\(line)\t\(key)\t\(key)", "\(line) \(key)", #"{"aliro":9,"by":null,"clear":true}"# + "\t\(key)",
            #"{"order":7,"move":"locked","fabric":1,"node":"000000000001B669"}"# + "\t00",
            #"{"aliro":9,"by":null,"configure":{"signing":"\#(key)",\#(reader)}}"#,
        ] {
            #expect(throws: JSONPlaceFault.self, "\(broken)") { try LockRequest(line: Array(broken.utf8)) }
        }
    }

    /// A lock's most keys fit in a line, and one more is refused.
    @Test
    func keys() throws {
        let keys = (1...40).map {
            LockAliroKey(
                place: LockAliroPlace(.evictable, $0 + 65000), user: 65000, point: Self.point, isGranted: $0 % 2 == 0)
        }
        let request = LockRequest.aliro(LockAliroRequest(number: .max, change: .keys(keys)))
        #expect(request.line.count <= LockChannelLimits.lineCount)
        #expect(try LockRequest(line: request.line) == request)
        #expect(
            String(
                decoding: LockRequest.aliro(LockAliroRequest(number: 1, change: .keys([keys[0]]))).line, as: UTF8.self)
                == #"{"aliro":1,"by":null,"keys":[{"kind":"evictable","index":65001,"user":65000,"point":"\#(Self.digits)","granted":false}]}"#
        )
        let more = keys + [LockAliroKey(place: LockAliroPlace(.issuer, 1), user: 1, point: Self.point)]
        let line = LockRequest.aliro(LockAliroRequest(number: 1, change: .keys(more))).line
        #expect(throws: JSONPlaceFault.self) { try LockRequest(line: line) }
    }

    /// A phone that a document has let in, and the state that the node compares with its own.
    @Test
    func reports() throws {
        let grant = LockReport.granted(LockAliroGrant(issuer: 2, point: Self.point))
        #expect(grant.line == #"{"granted":"\#(Self.digits)","issuer":2}"#)
        #expect(try LockReport(line: Array(grant.line.utf8)) == grant)
        for key in [nil, Self.point] {
            let state = LockAliroState(verificationKey: key)
            let reader = LockReport.reader(
                LockReader(firmware: "0.1.0", serial: "0", hasContact: false, pulseSeconds: 5, aliro: state))
            let digits = key == nil ? "null" : "\"\(Self.digits)\""
            #expect(reader.line.hasSuffix(#""aliro":{"key":\#(digits)},"pins":false}}"#))
            #expect(try LockReport(line: Array(reader.line.utf8)) == reader)
        }
    }

    @Test(arguments: [
        #"{"granted":"\#(digits)"}"#, #"{"granted":"\#(digits)","issuer":0}"#, #"{"granted":"04","issuer":1}"#,
        #"{"granted":null,"issuer":1}"#, #"{"granted":"\#(digits)","issuer":65536}"#,
        #"{"granted":"\#(digits)","issuer":1,"user":1}"#,
    ])
    func brokenReports(line: String) {
        #expect(throws: JSONPlaceFault.self) { try LockReport(line: Array(line.utf8)) }
    }

    @Test(arguments: [
        #"{"aliro":9}"#, #"{"aliro":9,"by":null}"#, #"{"aliro":9,"clear":true}"#,
        #"{"aliro":9,"by":null,"clear":false}"#, #"{"aliro":-1,"by":null,"clear":true}"#,
        #"{"aliro":9,"by":{"fabric":0,"node":"000000000001B669"},"clear":true}"#,
        #"{"aliro":9,"by":null,"clear":true,"keys":[]}"#, #"{"aliro":9,"by":null,"keys":[{}]}"#,
        keysLine(#"{"kind":"issuer","index":1,"user":1,"point":"04","granted":false}"#),
        keysLine(#"{"kind":"issuer","index":1,"user":1,"point":"\#(digits)"}"#),
        keysLine(#"{"kind":"pin","index":1,"user":1,"point":"\#(digits)","granted":false}"#),
        keysLine(#"{"kind":"issuer","index":0,"user":1,"point":"\#(digits)","granted":false}"#),
        keysLine(#"{"kind":"issuer","index":1,"user":0,"point":"\#(digits)","granted":false}"#),
        keysLine(
            #"{"kind":"issuer","index":1,"user":1,"point":"\#(digits)","granted":false},"#
                + #"{"kind":"issuer","index":1,"user":2,"point":"\#(digits)","granted":false}"#),
        #"{"aliro":9,"by":null,"configure":{"verification":"\#(digits)","group":"","sub":""}}"#,
    ])
    func brokenRequests(line: String) {
        #expect(throws: JSONPlaceFault.self) { try LockRequest(line: Array(line.utf8)) }
    }
}

/// A request with these keys.
private func keysLine(_ list: String) -> String { #"{"aliro":9,"by":null,"keys":[\#(list)]}"# }
