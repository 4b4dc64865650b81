// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A socket or an interface that cannot be used.
public struct NetworkFault: Error, Equatable, CustomStringConvertible {
    /// The fault and the remedy, in one line.
    public let text: String
    /// The same.
    public var description: String { text }
}

extension NetworkFault {
    /// The text of an errno.
    static func reason(_ code: CInt) -> String { String(cString: strerror(code)) }
}
