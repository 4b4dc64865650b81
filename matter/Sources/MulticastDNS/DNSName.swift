// SPDX-License-Identifier: Apache-2.0

internal import Octets

/// A domain name (RFC 1035, 3.1). Names that differ only in the case of ASCII letters are equal.
public struct DNSName: Sendable, CustomStringConvertible {
    /// The maximum length of an uncompressed name in octets, terminator included (RFC 1035, 2.3.4).
    public static let maximumCount = 255
    /// The maximum length of a label in octets (RFC 1035, 2.3.4).
    public static let maximumLabelCount = 63

    /// The uncompressed encoding: length and octets of each label, and a terminating 0.
    public let octets: [UInt8]

    /// The name with these labels; nil if one is empty or too long, or if the name is too long.
    public init?(_ labels: [String]) {
        var octets: [UInt8] = []
        for label in labels {
            let count = label.utf8.count
            guard (1...DNSName.maximumLabelCount).contains(count) else { return nil }
            octets.append(UInt8(truncatingIfNeeded: count))
            octets.append(contentsOf: label.utf8)
        }
        guard octets.count < DNSName.maximumCount else { return nil }
        self.octets = octets + [0]
    }

    /// A name from valid octets.
    init(trusted octets: [UInt8]) { self.octets = octets }

    /// The labels as text, each followed by a dot; for display.
    public var description: String {
        var text = ""
        var at = 0
        while at < octets.count, octets[at] > 0 {
            let end = min(at + 1 + Int(octets[at]), octets.count)
            text += String(decoding: octets[at + 1..<end], as: UTF8.self) + "."
            at = end
        }
        return text
    }

    /// Folds a letter's case. Lengths are below 64, hence not letters, so that all octets can be folded alike.
    fileprivate static func folded(_ octet: UInt8) -> UInt8 { (0x41...0x5A).contains(octet) ? octet | 0x20 : octet }
}

extension DNSName: Hashable {
    /// Compares names regardless of case (RFC 6762, 16).
    public static func == (left: DNSName, right: DNSName) -> Bool {
        left.octets.count == right.octets.count
            && zip(left.octets, right.octets).allSatisfy { folded($0) == folded($1) }
    }

    /// Feeds the name into `hasher`.
    public func hash(into hasher: inout Hasher) {
        for octet in octets { hasher.combine(DNSName.folded(octet)) }
    }
}

extension DNSName {
    /// Reads a name at the cursor, following pointers anywhere in `message`.
    ///
    /// A pointer must refer to a position before the labels that it ends (RFC 1035, 4.1.4: a prior occurrence), so
    /// that reading terminates.
    init(_ message: Span<UInt8>, at cursor: inout DNSCursor) throws(DNSError) {
        var octets: [UInt8] = []
        var at = cursor.position
        var start = at
        var behind: Int?
        while true {
            guard at < message.count else { throw .truncated(offset: at) }
            let length = message[at]
            switch length & 0xC0 {
            case 0x00:
                let end = at + 1 + Int(length)
                guard end <= message.count else { throw .truncated(offset: at) }
                guard octets.count + end - at + (length > 0 ? 1 : 0) <= DNSName.maximumCount else {
                    throw .nameTooLong(offset: cursor.position)
                }
                octets.append(message.extracting(at..<end))
                at = end
                if length == 0 {
                    cursor.position = behind ?? at
                    self.init(trusted: octets)
                    return
                }
            case 0xC0:
                guard at + 1 < message.count else { throw .truncated(offset: at) }
                let target = Int(length & 0x3F) << 8 | Int(message[at + 1])
                guard target < start else { throw .pointerForward(offset: at) }
                behind = behind ?? at + 2
                at = target
                start = target
            default: throw .unknownLabel(offset: at)
            }
        }
    }
}
