// SPDX-License-Identifier: Apache-2.0

internal import Octets

/// One command to the mailbox of a phone's credential (tag BA of EXCHANGE): a memory that apps and readers of a site
/// share.
///
/// Its contents prove nothing, since the phone's app can change them.
public struct AliroMailbox: Hashable, Sendable {
    /// One access; offsets and counts are in octets.
    public enum Access: Hashable, Sendable {
        case read(offset: UInt16, count: UInt16)
        case write(offset: UInt16, octets: [UInt8])
        case set(offset: UInt16, count: UInt16, value: UInt8)

        /// The signals without which the phone does not permit it.
        var requirement: AliroSignals {
            if case .read = self { [.mailboxContents, .mailboxReads] } else { .mailboxWrites }
        }
    }

    /// The maximum octets that one command reads, so that they fit a line of a log.
    public static let maximumRead = 64

    /// The accesses in order. Reads have the contents from before the command.
    public let accesses: [Access]
    /// True if a further command of the same atomic session follows. Writes take effect with the last, and the phone
    /// refuses other commands until then.
    public let isContinued: Bool

    /// A command with these accesses.
    public init(_ accesses: [Access], isContinued: Bool = false) {
        (self.accesses, self.isContinued) = (accesses, isContinued)
    }

    /// The signals of a phone that permits all accesses; on the step-up channel it has to permit that as well.
    func requirement(isInStepUp: Bool) -> AliroSignals {
        accesses.reduce(isInStepUp ? .mailboxInStepUp : []) { $0.union($1.requirement) }
    }

    /// The plaintext of EXCHANGE.
    var message: [UInt8] {
        var content: [UInt8] = []
        content.append(tag: 0x8C, [isContinued ? 0x01 : 0x00])
        for access in accesses {
            switch access {
            case .read(let offset, let count): content.append(tag: 0x87, Self.octets(offset) + Self.octets(count))
            case .write(let offset, let octets): content.append(tag: 0x8A, Self.octets(offset) + octets)
            case .set(let offset, let count, let value):
                content.append(tag: 0x95, Self.octets(offset) + Self.octets(count) + [value])
            }
        }
        var message: [UInt8] = []
        message.append(tag: 0xBA, content)
        return message
    }

    /// The contents that the plaintext of the response has, one for each read.
    ///
    /// - Throws: `statusWord` for a status that is no success (0001 out of bounds, 0002 malformed, FFFF), `malformed`
    ///   for more, fewer or other reads than requested.
    func contents(of response: [UInt8]) throws(CardRefusal) -> [[UInt8]] {
        let span = response.span
        var cursor = OctetCursor(span)
        var entries: [Range<Int>] = []
        do throws(OctetError) {
            while cursor.remaining > 0 {
                let count = Int(try cursor.u16BigEndian(span))
                entries.append(try cursor.consume(count, of: span))
            }
        } catch { throw .malformed }
        guard let status = entries.popLast(), status.count == 2 else { throw .malformed }
        guard response[status] == [0x00, 0x00] else { throw .statusWord }
        let counts = accesses.compactMap { if case .read(_, let count) = $0 { Int(count) } else { nil } }
        guard entries.map(\.count) == counts else { throw .malformed }
        return entries.map { Array(response[$0]) }
    }

    private static func octets(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
}
