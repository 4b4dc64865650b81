// SPDX-License-Identifier: Apache-2.0

import Octets

/// The status with which the server ends a call: the trailers `grpc-status` and `grpc-message` ("gRPC over HTTP2",
/// Responses).
public struct CallStatus: Error, Equatable, Sendable {
    /// The codes of `grpc-status` that this server has ("Status codes and their use in gRPC").
    public enum Code: UInt8, Sendable {
        /// The client has ended the call.
        case ok = 0
        /// The client's octets are not what the method accepts.
        case invalidArgument = 3
        /// A message did not come in time.
        case deadlineExceeded = 4
        /// A limit of the server, such as the number of its places.
        case resourceExhausted = 8
        /// A method or an encoding that the server does not have.
        case unimplemented = 12
        /// The place has ended the call.
        case unavailable = 14
    }

    /// The code for programs.
    public let code: Code
    /// The reason, for a person; empty for `ok`.
    public let reason: String

    /// The end of a call that the client has ended.
    public static let ok = CallStatus(.ok, "")

    /// A status with its reason.
    public init(_ code: Code, _ reason: String) {
        (self.code, self.reason) = (code, reason)
    }

    /// The value of `grpc-message`: octets other than printable ASCII, and the percent sign, as `%XX`.
    public var message: String {
        var text = ""
        for octet in reason.utf8 {
            if (0x20...0x7E).contains(octet), octet != UInt8(ascii: "%") {
                text.unicodeScalars.append(Unicode.Scalar(octet))
            } else {
                text += "%" + octet.padded(to: 2, radix: 16, uppercase: true)
            }
        }
        return text
    }
}
