import Glibc

/// A system call that failed, and why.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The call, as its manual page is named.
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

    /// Passes on what a shim answered, or throws the errno that it answered negated.
    static func check(_ result: CInt, _ call: String) throws(SystemError) -> CInt {
        guard result >= 0 else { throw SystemError(call: call, code: -result) }
        return result
    }
}
