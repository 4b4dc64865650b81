// SPDX-License-Identifier: Apache-2.0

import Octets

/// The NDEF application of a read-only type 4 tag (NFC Forum Type 4 Tag, mapping version 2.0).
public struct Type4Tag: Equatable, Sendable {
    /// Its two files, by their identifiers (5.1 and 5.3).
    public enum File: UInt16, Equatable, Sendable {
        /// The capability container.
        case capability = 0xE103
        /// The NDEF file.
        case ndef = 0xE104
    }

    private let capability: [UInt8]
    private let ndef: [UInt8]
    private var selected: File?

    /// A tag with this message; nil if it is empty.
    public init?(message: [UInt8]) {
        guard !message.isEmpty else { return nil }
        // 5.3: NLEN and the message.
        ndef = [UInt8(truncatingIfNeeded: message.count >> 8), UInt8(truncatingIfNeeded: message.count)] + message
        capability = Type4Tag.capability(fileCount: ndef.count)
    }

    /// 5.1: CCLEN, mapping version, MLe, MLc, and one control TLV: the file's id, its size, read access for all, no
    /// write access.
    private static func capability(fileCount: Int) -> [UInt8] {
        let most = UInt16(APDULimit.data)
        var octets: [UInt8] = []
        octets.append(bigEndian: 15)
        octets.append(0x20)
        octets.append(bigEndian: most)
        octets.append(bigEndian: most)
        octets += [0x04, 0x06]
        octets.append(bigEndian: File.ndef.rawValue)
        octets.append(bigEndian: UInt16(clamping: fileCount))
        return octets + [0x00, 0xFF]
    }

    /// Deselects the file, after a selection of the application.
    public mutating func reset() { selected = nil }

    /// Selects a file by its identifier (5.4.3, 5.4.5): SELECT with P1 00, P2 0C or 00.
    mutating func select(_ command: CommandAPDU, _ octets: Span<UInt8>) throws(StatusWord) {
        guard command.p1 == 0x00, command.p2 == 0x0C || command.p2 == 0x00 else { throw .wrongParameters }
        let data = octets.extracting(command.data)
        var cursor = OctetCursor(data)
        guard let identifier = try? cursor.u16BigEndian(data), (try? cursor.finish()) != nil else { throw .wrongLength }
        guard let file = File(rawValue: identifier) else { throw .notFound }
        selected = file
    }

    /// READ BINARY of the selected file (5.4.4; ISO/IEC 7816-4, 11.3.3): appends octets from the offset on and returns
    /// `ok`, or `endOfFile` with fewer octets than expected.
    func read(_ command: CommandAPDU, into response: inout [UInt8]) throws(StatusWord) -> StatusWord {
        guard command.data.isEmpty, let expected = command.expected else { throw .wrongLength }
        // P1's high bit would denote a short identifier, and no file has one.
        guard command.p1 & 0x80 == 0 else { throw .wrongParameters }
        guard let selected else { throw .conditionsNotSatisfied }
        let file = selected == .capability ? capability : ndef
        let offset = Int(command.p1) << 8 | Int(command.p2)
        guard offset < file.count else { throw .wrongOffset }
        let count = min(expected, APDULimit.data, file.count - offset)
        response.append(file.span.extracting(offset..<offset + count))
        // Le 00 requests all octets, up to one response.
        return expected < 256 && offset + expected > file.count ? .endOfFile : .ok
    }
}
