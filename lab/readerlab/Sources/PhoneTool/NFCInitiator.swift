// SPDX-License-Identifier: Apache-2.0

import CNFCInitiator
package import Commands
import Glibc

/// The NFC chip of a phone: activates the card in its field, and exchanges APDUs with it.
package final class NFCInitiator {
    /// The outcome of an exchange without a response.
    package enum Fault: Error {
        /// The card has left, or does not answer.
        case lost
        /// The chip is faulty.
        case failed
    }

    /// The maximum length of a response: 256 octets and the status word.
    private static let responseLimit = 258

    private let connection: String
    private let chip: OpaquePointer
    private var buffer = [UInt8](repeating: 0, count: NFCInitiator.responseLimit)

    /// Opens the chip of a libnfc connection string.
    package init(_ connection: String) throws(CommandError) {
        if let problem = NFCInitiator.missingDevice(connection) { throw .failed(problem) }
        guard let chip = readerlab_nfc_open(connection) else {
            throw .failed("no NFC chip answers at \(connection): check its power, its wiring and its mode switches")
        }
        self.connection = connection
        self.chip = chip
    }

    deinit { readerlab_nfc_close(chip) }

    /// The failure of the chip, in a line.
    package var failure: CommandError {
        .failed("the NFC chip at \(connection) answers something else, or nothing: check its power and its wiring")
    }

    /// Activates the card in the field. Returns false if the field is empty.
    package func activate() throws(Fault) -> Bool {
        let outcome = readerlab_nfc_activate(chip)
        guard outcome >= 0 else { throw .failed }
        return outcome > 0
    }

    /// The response to a command.
    package func exchange(_ command: [UInt8]) throws(Fault) -> [UInt8] {
        let count = buffer.withUnsafeMutableBufferPointer {
            readerlab_nfc_exchange(chip, command, command.count, $0.baseAddress, $0.count)
        }
        guard count >= 0 else { throw count == Int(READERLAB_NFC_LOST.rawValue) ? .lost : .failed }
        return Array(buffer[..<Int(count)])
    }

    /// Deselects the card.
    package func release() { readerlab_nfc_release(chip) }

    /// The problem of the device file in the connection string, if it names one.
    private static func missingDevice(_ connection: String) -> String? {
        let parts = connection.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count > 1, parts[1].hasPrefix("/") else { return nil }
        let path = String(parts[1])
        guard access(path, R_OK | W_OK) != 0 else { return nil }
        return errno == EACCES
            ? "\(path): not permitted; give the user access to it, usually by a group"
            : "\(path): there is no such device; name the chip as libnfc does, see: readerlab phone open --help"
    }
}
