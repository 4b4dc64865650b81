public import Protobuf

/// The name of a credential: 1 to 10 characters of ASCII, none of them zero.
///
/// In OSS files it has ten octets, the characters last and zeros before them (access protocol, 7).
public struct OSSCredentialID: Hashable, Sendable {
    /// How many octets it has in a file, and how many characters at most.
    public static let octetCount = 10

    /// The characters.
    public let characters: BoundedBytes<10>

    /// The name with these characters; nil for none, and for what is not ASCII.
    public init?(_ characters: BoundedBytes<10>) {
        let isName = characters.withSpan { span in
            for index in span.indices where span[index] == 0 || span[index] >= 0x80 { return false }
            return !span.isEmpty
        }
        guard isName else { return nil }
        self.characters = characters
    }

    /// The name that `text` spells; nil unless that is 1 to 10 characters of ASCII.
    public init?(_ text: String) {
        guard let characters = try? BoundedBytes<10>(ascii: text) else { return nil }
        self.init(characters)
    }

    /// The name in the ten octets `octets`; throws −200 for any that are none.
    public init(octets: Span<UInt8>) throws(StatusCode) {
        guard octets.count == OSSCredentialID.octetCount else { throw .credentialID }
        var start = 0
        while start < octets.count, octets[start] == 0 { start += 1 }
        guard let characters = BoundedBytes<10>(copying: octets.extracting(start..<octets.count)),
            let name = OSSCredentialID(characters)
        else { throw .credentialID }
        self = name
    }

    /// Reads ten octets; throws −200 for what is no name, −6 if there are fewer.
    init(_ reader: inout OSSFileReader, _ bytes: Span<UInt8>) throws(StatusCode) {
        let range = try reader.take(OSSCredentialID.octetCount, bytes)
        try self.init(octets: bytes.extracting(range))
    }

    /// Appends the ten octets.
    public func append(to octets: inout [UInt8]) {
        for _ in characters.count..<OSSCredentialID.octetCount { octets.append(0) }
        characters.append(to: &octets)
    }

    /// The characters as text. For files and messages; a log gets no more than its end.
    public var text: String { characters.ascii ?? "" }
}

extension OSSCredentialID: CustomStringConvertible {
    /// The last three characters, which is what a log may have of it.
    public var description: String { "…\(text.suffix(3))" }
}
