// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A failed system call.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name of the call, as in its manual page.
    public let call: String
    /// The errno.
    public let code: CInt

    /// The failure of `call` with the errno `code`.
    public init(call: String, code: CInt) {
        self.call = call
        self.code = code
    }

    /// `epoll_ctl: Bad file descriptor`.
    public var description: String { "\(call): \(String(cString: strerror(code)))" }

    /// Returns the result of a shim; throws if it is a negated errno.
    static func check(_ result: CInt, _ call: String) throws(SystemError) -> CInt {
        guard result >= 0 else { throw SystemError(call: call, code: -result) }
        return result
    }
}
