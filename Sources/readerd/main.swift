// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

// Before any key is read: keys must not appear in core dumps, nor to a debugger of the same user.
if case let code = readerd_close_memory(), code < 0 {
    Console.standard.complain("readerd: cannot protect its memory: \(String(cString: strerror(-code)))")
    exit(1)
}
exit(Program(console: .standard).perform(Array(CommandLine.arguments.dropFirst())))
