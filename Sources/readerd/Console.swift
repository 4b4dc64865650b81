import CLinux
import Glibc
import System

/// The output of a command.
struct Console {
    /// Prints a line of what was asked for.
    let print: (String) -> Void
    /// Prints a line that says what is wrong.
    let complain: (String) -> Void

    /// Standard output and standard error.
    static var standard: Console {
        Console(
            print: { StandardStream.write($0 + "\n", to: STDOUT_FILENO) },
            complain: { StandardStream.write($0 + "\n", to: STDERR_FILENO) })
    }
}

/// Writing to the streams that the process was started with.
enum StandardStream {
    /// Writes `text` if the stream takes it at once; false, and nothing is written, if somebody would have to wait.
    ///
    /// A pipe that is ready takes 4096 octets (PIPE_BUF) without a wait; a line of the log is far below that.
    static func offer(_ text: String, to descriptor: Int32) -> Bool {
        var stream = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&stream, 1, 0) == 1, stream.revents & Int16(POLLOUT) != 0 else { return false }
        write(text, to: descriptor)
        return true
    }

    /// Writes all of `text`. The failure of a stream is ignored: there is nobody left to tell.
    static func write(_ text: String, to descriptor: Int32) { WholeWrite.write(text, to: descriptor) }
}
