// SPDX-License-Identifier: Apache-2.0

import Glibc
import System

/// Output to the streams inherited by the process.
public enum StandardStream {
    /// Writes `text` if the stream accepts it at once; false, with nothing written, if the call would block.
    ///
    /// A pipe reported as writable accepts 4096 octets (PIPE_BUF) without blocking; lines of the log are far shorter.
    public static func offer(_ text: String, to descriptor: Int32) -> Bool {
        var stream = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&stream, 1, 0) == 1, stream.revents & Int16(POLLOUT) != 0 else { return false }
        write(text, to: descriptor)
        return true
    }

    /// Writes all of `text`. Errors are ignored, since there is no other place to report them.
    public static func write(_ text: String, to descriptor: Int32) { WholeWrite.write(text, to: descriptor) }
}
