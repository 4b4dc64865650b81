// SPDX-License-Identifier: Apache-2.0

/// The status with which the server ends a call: the trailers `grpc-status` and `grpc-message` ("gRPC over HTTP2",
/// Responses).
package struct CallStatus: Error, Equatable, Sendable {
    /// The codes of `grpc-status` that this server has ("Status codes and their use in gRPC").
    package enum Code: UInt8, Sendable {
        case ok = 0
        case invalidArgument = 3
        case deadlineExceeded = 4
        case resourceExhausted = 8
        case unimplemented = 12
        case unavailable = 14
    }

    package let code: Code
    /// The reason, for a person; empty for `ok`.
    package let reason: String

    /// The end of a call that the client has ended.
    package static let ok = CallStatus(.ok, "")

    package init(_ code: Code, _ reason: String) {
        (self.code, self.reason) = (code, reason)
    }

    /// The value of `grpc-message`: octets other than printable ASCII, and the percent sign, as `%XX`.
    package var message: String {
        var text = ""
        for octet in reason.utf8 {
            if (0x20...0x7E).contains(octet), octet != UInt8(ascii: "%") {
                text.unicodeScalars.append(Unicode.Scalar(octet))
            } else {
                let digits = String(octet, radix: 16, uppercase: true)
                text += digits.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        return text
    }
}
