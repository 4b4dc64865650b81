// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Journal

// Protect the memory before any key is read: keys must not appear in core dumps, or to a debugger of the same user.
if case let code = readerd_close_memory(), code < 0 {
    StandardStream.write(
        "readerd-matter: cannot protect its memory: \(String(cString: strerror(-code)))\n", to: STDERR_FILENO)
    exit(1)
}
exit(LockProgram.perform(Array(CommandLine.arguments.dropFirst())))
