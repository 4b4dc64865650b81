import Glibc

/// Where a command's lines go.
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
    /// Writes all of `text` unless the stream fails: there is nobody left to tell then.
    static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { octets in
            var rest = UnsafeRawBufferPointer(octets)
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
        }
    }
}
