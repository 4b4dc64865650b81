// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Lines of the program: on standard output for the process that started it, on standard error for a person.
enum Output {
    static func line(_ text: String, to descriptor: CInt = STDOUT_FILENO) {
        var octets = Array((text + "\n").utf8)[...]
        while !octets.isEmpty {
            let count = octets.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // No one reads: the program ends with its input.
            guard count > 0 else { return }
            octets = octets.dropFirst(count)
        }
    }
}
