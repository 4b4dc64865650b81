// SPDX-License-Identifier: Apache-2.0

import Octets

/// The protocol header (Core 4.4.3): the first octets of the payload of a message.
///
/// Reserved exchange flags are ignored; secured extensions are skipped.
public struct ProtocolHeader: Equatable, Sendable {
    /// True if the sender began the exchange (I).
    public var isFromInitiator: Bool
    /// True if the sender requests an acknowledgement (R).
    public var isReliable: Bool
    /// The counter of the message that this one acknowledges (A).
    public var acknowledged: UInt32?
    /// The opcode within the protocol.
    public var opcode: UInt8
    /// The exchange in the numbering of its initiator.
    public var exchange: UInt16
    /// The protocol in the scope of `vendor`.
    public var protocolID: UInt16
    /// The vendor of the protocol; 0 for the protocols of Matter.
    public var vendor: UInt16

    /// The number of octets of the header, with extensions, in the octets that it was read from.
    public private(set) var count: Int

    private enum Flag {
        static let initiator: UInt8 = 0x01
        static let acknowledges: UInt8 = 0x02
        static let reliable: UInt8 = 0x04
        static let extensions: UInt8 = 0x08
        static let vendor: UInt8 = 0x10
    }

    /// A header of a protocol of Matter.
    public init(
        isFromInitiator: Bool, isReliable: Bool = false, acknowledged: UInt32? = nil, opcode: UInt8, exchange: UInt16,
        protocolID: UInt16
    ) {
        self.isFromInitiator = isFromInitiator
        self.isReliable = isReliable
        self.acknowledged = acknowledged
        self.opcode = opcode
        self.exchange = exchange
        self.protocolID = protocolID
        vendor = 0
        count = 0
        count = octets.count
    }

    /// Reads the header at the start of a clear payload.
    public init(_ payload: Span<UInt8>) throws(MessageFault) {
        do throws(OctetError) {
            var cursor = OctetCursor(payload)
            let flags = try cursor.u8(payload)
            isFromInitiator = flags & Flag.initiator != 0
            isReliable = flags & Flag.reliable != 0
            opcode = try cursor.u8(payload)
            exchange = try cursor.u16(payload)
            protocolID = try cursor.u16(payload)
            vendor = flags & Flag.vendor != 0 ? try cursor.u16(payload) : 0
            acknowledged = flags & Flag.acknowledges != 0 ? try cursor.u32(payload) : nil
            if flags & Flag.extensions != 0 {
                let length = Int(try cursor.u16(payload))
                _ = try cursor.consume(length, of: payload)
            }
            count = cursor.position
        } catch {
            throw .truncated
        }
    }

    /// The encoding, without extensions.
    public var octets: [UInt8] {
        var flags: UInt8 = isFromInitiator ? Flag.initiator : 0
        if acknowledged != nil { flags |= Flag.acknowledges }
        if isReliable { flags |= Flag.reliable }
        if vendor != 0 { flags |= Flag.vendor }
        var octets = [flags, opcode]
        octets.append(littleEndian: exchange)
        octets.append(littleEndian: protocolID)
        if vendor != 0 { octets.append(littleEndian: vendor) }
        if let acknowledged { octets.append(littleEndian: acknowledged) }
        return octets
    }
}
