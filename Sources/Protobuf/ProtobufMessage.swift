// SPDX-License-Identifier: Apache-2.0

/// A message with a fixed set of fields, generated from its schema by `script/generate-messages`.
///
/// Messages are not recursive at any depth (the generator refuses such schemas), so that the types bound the nesting
/// of input, and it is not counted.
public protocol ProtobufMessage: Equatable, ProtobufValue {
    /// Decodes a message from all of `range` of `bytes`.
    ///
    /// Unknown fields are skipped; any other deviation from the schema is an error.
    init(decoding bytes: Span<UInt8>, in range: Range<Int>) throws(ProtobufError)

    /// Writes the fields in the order of their numbers.
    func write(to writer: inout ProtobufWriter)
}

extension ProtobufMessage {
    /// Decodes a message from all of `bytes`.
    @inlinable
    public init(decoding bytes: Span<UInt8>) throws(ProtobufError) {
        try self.init(decoding: bytes, in: 0..<bytes.count)
    }

    /// Decodes a length-delimited message, and advances `position` past it.
    @inlinable
    public init(decodingDelimited bytes: Span<UInt8>, at position: inout Int) throws(ProtobufError) {
        let start = min(max(position, 0), bytes.count)
        var reader = ProtobufReader(bytes, in: start..<bytes.count)
        let range = try reader.delimited(bytes)
        try self.init(decoding: bytes, in: range)
        position = reader.position
    }

    /// Decodes a length-delimited message; surplus octets are an error.
    @inlinable
    public init(decodingDelimited bytes: Span<UInt8>) throws(ProtobufError) {
        var position = 0
        try self.init(decodingDelimited: bytes, at: &position)
        guard position == bytes.count else { throw .trailing(bytes: bytes.count - position) }
    }

    /// Decodes a length-delimited message, and ignores octets after it: the padding of a decrypted session payload.
    @inlinable
    public init(decodingDelimitedPrefixOf bytes: Span<UInt8>) throws(ProtobufError) {
        var position = 0
        try self.init(decodingDelimited: bytes, at: &position)
    }

    /// The length of the encoded message in octets.
    @inlinable
    public var encodedCount: Int {
        ProtobufWriter.count { write(to: &$0) }
    }

    /// The length of the encoded message in octets, including its length prefix.
    @inlinable
    public var delimitedCount: Int {
        let count = encodedCount
        return ProtobufWriter.count { $0.put(varint: UInt64(count)) } + count
    }

    /// Appends the encoded message.
    @inlinable
    public func encode(into octets: inout [UInt8]) {
        ProtobufWriter.append(to: &octets) { write(to: &$0) }
    }

    /// Appends the length prefix and the encoded message.
    @inlinable
    public func encodeDelimited(into octets: inout [UInt8]) {
        ProtobufWriter.append(to: &octets) { writer in
            writer.put(varint: UInt64(encodedCount))
            write(to: &writer)
        }
    }
}
