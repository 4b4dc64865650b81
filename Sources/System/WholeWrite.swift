// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Writing all octets to a descriptor, however many calls it takes.
public enum WholeWrite {
    /// Writes all octets; a signal does not end it.
    ///
    /// - Returns: 0, or the errno.
    public static func write(_ octets: UnsafeRawBufferPointer, to descriptor: CInt) -> CInt {
        var rest = octets
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? errno : EIO }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
        return 0
    }

    /// Writes all of the text; a signal does not end it.
    ///
    /// - Returns: 0, or the errno.
    @discardableResult public static func write(_ text: String, to descriptor: CInt) -> CInt {
        var text = text
        return text.withUTF8 { write(UnsafeRawBufferPointer($0), to: descriptor) }
    }
}
