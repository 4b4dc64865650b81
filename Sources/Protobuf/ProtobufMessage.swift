/// A message with a fixed set of fields, as `script/generate-messages` makes it from its schema.
///
/// A message contains no message of its own kind, at no depth (the generator refuses a schema in which one does), so
/// how deep input can nest is bounded by the types and not counted.
public protocol ProtobufMessage: Equatable, Sendable {
    /// Reads the message that is all of `range` of `bytes`.
    ///
    /// Unknown fields are passed over; everything else that is not as the schema says is an error.
    init(decoding bytes: Span<UInt8>, in range: Range<Int>) throws(ProtobufError)

    /// Writes the fields in the order of their numbers.
    func write(to writer: inout ProtobufWriter)
}

extension ProtobufMessage {
    /// Reads the message that is all of `bytes`.
    @inlinable
    public init(decoding bytes: Span<UInt8>) throws(ProtobufError) {
        try self.init(decoding: bytes, in: 0..<bytes.count)
    }

    /// Reads a message that follows its length, and moves `position` behind it.
    @inlinable
    public init(decodingDelimited bytes: Span<UInt8>, at position: inout Int) throws(ProtobufError) {
        let start = min(max(position, 0), bytes.count)
        var reader = ProtobufReader(bytes, in: start..<bytes.count)
        let range = try reader.delimited(bytes)
        try self.init(decoding: bytes, in: range)
        position = reader.position
    }

    /// Reads a message that follows its length; octets after it are an error.
    @inlinable
    public init(decodingDelimited bytes: Span<UInt8>) throws(ProtobufError) {
        var position = 0
        try self.init(decodingDelimited: bytes, at: &position)
        guard position == bytes.count else { throw .trailing(bytes: bytes.count - position) }
    }

    /// Reads a message that follows its length, and ignores what follows the message: the padding of a decrypted
    /// session payload.
    @inlinable
    public init(decodingDelimitedPrefixOf bytes: Span<UInt8>) throws(ProtobufError) {
        var position = 0
        try self.init(decodingDelimited: bytes, at: &position)
    }

    /// How many octets the message has.
    @inlinable
    public var encodedCount: Int {
        ProtobufWriter.count { write(to: &$0) }
    }

    /// How many octets the message has with its length before it.
    @inlinable
    public var delimitedCount: Int {
        let count = encodedCount
        return ProtobufWriter.count { $0.put(varint: UInt64(count)) } + count
    }

    /// Appends the message.
    @inlinable
    public func encode(into octets: inout [UInt8]) {
        ProtobufWriter.append(to: &octets) { write(to: &$0) }
    }

    /// Appends the length of the message and the message.
    @inlinable
    public func encodeDelimited(into octets: inout [UInt8]) {
        ProtobufWriter.append(to: &octets) { writer in
            writer.put(varint: UInt64(encodedCount))
            write(to: &writer)
        }
    }
}
