// SPDX-License-Identifier: Apache-2.0

public import Protobuf

/// The identifier of a credential: 1 to 10 characters of ASCII, none of them NUL.
///
/// OSS files store it in ten octets, right-aligned and padded with leading zeros (access protocol, 7).
public struct OSSCredentialID: Hashable, Sendable {
    /// The length in a file in octets, and the maximum number of characters.
    public static let octetCount = 10

    /// The characters.
    public let characters: BoundedBytes<10>

    /// The identifier with these characters; nil if there are none or they are not ASCII.
    public init?(_ characters: BoundedBytes<10>) {
        let isName = characters.withSpan { span in
            for index in span.indices where span[index] == 0 || span[index] >= 0x80 { return false }
            return !span.isEmpty
        }
        guard isName else { return nil }
        self.characters = characters
    }

    /// The identifier with the characters of `text`; nil unless these are 1 to 10 characters of ASCII.
    public init?(_ text: String) {
        guard let characters = try? BoundedBytes<10>(ascii: text) else { return nil }
        self.init(characters)
    }

    /// Reads the identifier from ten octets.
    ///
    /// - Throws: −200 for invalid octets.
    public init(octets: Span<UInt8>) throws(StatusCode) {
        guard octets.count == OSSCredentialID.octetCount else { throw .credentialID }
        var start = 0
        while start < octets.count, octets[start] == 0 { start += 1 }
        guard let characters = BoundedBytes<10>(copying: octets.extracting(start..<octets.count)),
            let name = OSSCredentialID(characters)
        else { throw .credentialID }
        self = name
    }

    /// Reads ten octets.
    ///
    /// - Throws: −200 for invalid octets, −6 if there are fewer.
    init(_ reader: inout OSSFileReader, _ bytes: Span<UInt8>) throws(StatusCode) {
        let range = try reader.consume(OSSCredentialID.octetCount, bytes)
        try self.init(octets: bytes.extracting(range))
    }

    /// Appends the ten octets.
    public func append(to octets: inout [UInt8]) {
        for _ in characters.count..<OSSCredentialID.octetCount { octets.append(0) }
        characters.append(to: &octets)
    }

    /// The characters as text, for files and messages; logs contain it only `redacted`.
    public var text: String { characters.ascii ?? "" }

    /// The part of an identifier for logs, `CR…001`: its last three characters and its first two, and never more than
    /// half of them.
    public static func redacted(_ identifier: String) -> String {
        let shown = min(identifier.count / 2, 5)
        let end = min(shown, 3)
        return "\(identifier.prefix(shown - end))…\(identifier.suffix(end))"
    }
}

extension OSSCredentialID: CustomStringConvertible {
    /// The redacted identifier.
    public var description: String { OSSCredentialID.redacted(text) }
}
