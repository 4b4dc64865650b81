import TestSupport
import Protobuf

/// A message with the octets it must have, whatever its kind.
struct MessageSample: Sendable {
    /// The message's name in Swift.
    let name: String
    /// What the published table says is required.
    let required: [UInt32]
    /// The message as another implementation writes it.
    let octets: [UInt8]
    /// The sample's value as this implementation writes it, after its length if `delimited`, and the count it foretells.
    let encode: @Sendable (_ delimited: Bool) -> (octets: [UInt8], foretold: Int)
    /// Reads octets as a message of this kind; says whether it is the sample's value.
    let decode: @Sendable (_ octets: [UInt8]) throws(ProtobufError) -> Bool
    /// Reads octets after a length as a message of this kind, nothing following.
    let decodeDelimited: @Sendable (_ octets: [UInt8]) throws(ProtobufError) -> Bool

    init<Message: ProtobufMessage>(_ message: Message, required: [UInt32], _ hex: String) {
        name = "\(Message.self)"
        self.required = required
        octets = TestSupport.octets(hex)
        encode = { delimited in
            var octets: [UInt8] = []
            guard delimited else {
                message.encode(into: &octets)
                return (octets, message.encodedCount)
            }
            message.encodeDelimited(into: &octets)
            return (octets, message.delimitedCount)
        }
        decode = { octets throws(ProtobufError) in try Message(decoding: octets.span) == message }
        decodeDelimited = { octets throws(ProtobufError) in
            try Message(decodingDelimited: octets.span) == message
        }
    }

    /// One of every kind.
    static func all() throws -> [MessageSample] {
        try [
            configuration(), credential(), door(), event(), maintenance(), oss(), session(), system(), time(),
        ].flatMap(\.self)
    }
}
