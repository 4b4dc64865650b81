// SPDX-License-Identifier: Apache-2.0

package import Commands
import Glibc

/// Reads files that a user names.
package enum InputFile {
    /// Reads the file at `path` with `read`; an error is reported as `FILE:LINE: PLACE: PROBLEM`.
    ///
    /// - Parameter maximum: the maximum length in octets. `read` gets at most one octet more, and refuses it then.
    /// - Parameter kind: the kind of file, in a few words.
    package static func load<Value, Fault: Error>(
        _ path: String, maximum: Int, _ kind: String, _ read: ([UInt8]) throws(Fault) -> Value
    ) throws(CommandError) -> Value {
        let octets = try octets(path, maximum: maximum, kind)
        do throws(Fault) { return try read(octets) } catch {
            throw .misuse("\(path):\(error)")
        }
    }

    /// The content of a file, cut to one octet more than `maximum`, so that its parser can detect the excess.
    ///
    /// - Parameter kind: the kind of file, in a few words.
    package static func octets(_ path: String, maximum: Int, _ kind: String) throws(CommandError) -> [UInt8] {
        guard let file = fopen(path, "r") else {
            throw .misuse("\(path): cannot open it: \(String(cString: strerror(errno))); name \(kind)")
        }
        defer { fclose(file) }
        var octets = [UInt8](repeating: 0, count: maximum + 1)
        let count = fread(&octets, 1, octets.count, file)
        guard ferror(file) == 0 else {
            throw .misuse("\(path): cannot read it; name \(kind)")
        }
        octets.removeLast(octets.count - count)
        return octets
    }
}
