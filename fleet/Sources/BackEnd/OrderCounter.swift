// SPDX-License-Identifier: Apache-2.0

import Commands
import Fleet
import System

/// The counter of a key's orders, in a file next to the key: a number is on the disk before its order is sent, and is
/// never used twice.
///
/// It is the time in milliseconds, or the last number plus one if the clock has gone back: after the loss of the file
/// no number repeats while the clock is right.
struct OrderCounter {
    private static let digitCount = 17
    private let keyPath: String

    /// The path of the file.
    var path: String { keyPath + ".counter" }

    /// The counter of the key in this file.
    init(keyPath: String) { self.keyPath = keyPath }

    /// The next number. Processes with the same key wait for each other.
    func next(at milliseconds: UInt64) throws(CommandError) -> UInt64 {
        let lock = try FileLock(path)
        defer { lock.release() }
        let next = max(try last() + 1, milliseconds)
        guard next < RemoteOrder.numberLimit else {
            throw .failed("\(path): the numbers of this key are used up; make another key")
        }
        try CommandError.replace(path, with: Array("\(next)\n".utf8))
        return next
    }

    /// The last number; 0 without a file.
    private func last() throws(CommandError) -> UInt64 {
        let octets: [UInt8]?
        do throws(PrivateFileFault) {
            octets = try PrivateFile(path: path, limit: OrderCounter.digitCount).load()
        } catch {
            throw .misuse(error.description)
        }
        guard let octets else { return 0 }
        guard octets.last == UInt8(ascii: "\n"),
            let number = UInt64(String(decoding: octets.dropLast(), as: UTF8.self)),
            number < RemoteOrder.numberLimit
        else { throw .misuse("\(path): is damaged; remove it if this machine's clock is right") }
        return number
    }
}
