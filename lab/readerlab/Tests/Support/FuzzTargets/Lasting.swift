// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Makes a value that lasts until the end of the process, and that LeakSanitizer, where it is linked, is not to report:
/// it does not see arrays in enums with a payload, whose pointers have a tag.
func lasting<Value>(_ make: () -> Value) -> Value {
    leakDetection("__lsan_disable")
    defer { leakDetection("__lsan_enable") }
    return make()
}

private func leakDetection(_ function: String) {
    // RTLD_DEFAULT, which Swift does not import, is the null handle.
    guard let symbol = dlsym(nil, function) else { return }
    unsafeBitCast(symbol, to: (@convention(c) () -> Void).self)()
}
