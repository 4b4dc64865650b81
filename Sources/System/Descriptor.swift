// SPDX-License-Identifier: Apache-2.0

import CLinux

/// A file descriptor that is closed on deinitialization.
struct Descriptor: ~Copyable, Sendable {
    let raw: CInt

    /// Takes ownership of the result of a shim; throws if it is a negated errno.
    init(_ result: CInt, _ call: String) throws(SystemError) {
        raw = try SystemError.check(result, call)
    }

    deinit {
        readerd_close(raw)
    }
}
