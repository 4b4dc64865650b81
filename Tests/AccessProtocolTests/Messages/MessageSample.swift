// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Protobuf

/// A message of any kind with its expected octets.
struct MessageSample: Sendable {
    /// The message's name in Swift.
    let name: String
    /// The numbers of the fields that the published table marks as required.
    let required: [UInt32]
    /// The message as another implementation encodes it.
    let octets: [UInt8]
    /// The sample's value as this implementation encodes it, after its length if `delimited`, and the size computed in
    /// advance.
    let encode: @Sendable (_ delimited: Bool) -> (octets: [UInt8], foretold: Int)
    /// Decodes octets as a message of this kind; returns whether it equals the sample's value.
    let decode: @Sendable (_ octets: [UInt8]) throws(ProtobufError) -> Bool
    /// Decodes length-delimited octets as a message of this kind, with nothing after it.
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
