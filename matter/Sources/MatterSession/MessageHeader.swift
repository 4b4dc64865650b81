// SPDX-License-Identifier: Apache-2.0

import Octets

/// The message header (Core 4.4.1), which precedes the payload and is authenticated with it.
///
/// Other versions, the reserved destination form and reserved session types are refused. Other reserved bits are
/// ignored.
public struct MessageHeader: Equatable, Sendable {
    /// The destination field.
    public enum Destination: Equatable, Sendable {
        /// No destination, as on secure unicast sessions.
        case none
        /// A node: the ephemeral identifier of an initiator on the unsecured session.
        case node(UInt64)
        /// A group.
        case group(UInt16)
    }

    /// The session in the receiver's numbering; 0 for the unsecured session.
    public var session: UInt16
    /// The security flags as sent, part of the nonce: P 0x80, C 0x40, MX 0x20, session type in bits 0 and 1.
    public var securityFlags: UInt8
    /// The message counter.
    public var counter: UInt32
    /// The source node, if present.
    public var source: UInt64?
    /// The destination, if present.
    public var destination: Destination

    /// The number of octets of the header, with extensions, in the octets that it was read from.
    public private(set) var count: Int

    private enum Flag {
        static let version: UInt8 = 0xF0
        static let hasSource: UInt8 = 0x04
        static let destination: UInt8 = 0x03
    }

    private enum SecurityFlag {
        static let privacy: UInt8 = 0x80
        static let control: UInt8 = 0x40
        static let extensions: UInt8 = 0x20
        static let type: UInt8 = 0x03
    }

    /// A header of a unicast message without extensions.
    public init(session: UInt16, counter: UInt32, source: UInt64? = nil, destination: Destination = .none) {
        self.session = session
        self.counter = counter
        self.source = source
        self.destination = destination
        securityFlags = 0
        count = 0
        count = octets.count
    }

    /// Reads the header at the start of a datagram. Extensions are skipped.
    public init(_ datagram: Span<UInt8>) throws(MessageFault) {
        let flags: UInt8
        do throws(OctetError) {
            var cursor = OctetCursor(datagram)
            flags = try cursor.u8(datagram)
            session = try cursor.u16(datagram)
            securityFlags = try cursor.u8(datagram)
            counter = try cursor.u32(datagram)
            source = flags & Flag.hasSource != 0 ? try cursor.u64(datagram) : nil
            switch flags & Flag.destination {
            case 1: destination = .node(try cursor.u64(datagram))
            case 2: destination = .group(try cursor.u16(datagram))
            default: destination = .none
            }
            if securityFlags & SecurityFlag.extensions != 0 {
                let length = Int(try cursor.u16(datagram))
                _ = try cursor.consume(length, of: datagram)
            }
            count = cursor.position
        } catch {
            throw .truncated
        }
        guard flags & Flag.version == 0 else { throw .unsupportedVersion(flags >> 4) }
        guard flags & Flag.destination != 3 else { throw .reservedDestination }
    }

    /// Refuses everything but unicast messages with a clear header.
    func requireUnicast() throws(MessageFault) {
        let type = securityFlags & SecurityFlag.type
        guard type <= 1 else { throw .reservedSessionType(type) }
        guard type == 0, securityFlags & (SecurityFlag.privacy | SecurityFlag.control) == 0 else {
            throw .unsupported
        }
    }

    /// The encoding, without extensions.
    public var octets: [UInt8] {
        var flags: UInt8 = source == nil ? 0 : Flag.hasSource
        switch destination {
        case .none: break
        case .node: flags |= 1
        case .group: flags |= 2
        }
        var octets = [flags]
        octets.append(littleEndian: session)
        octets.append(securityFlags & ~SecurityFlag.extensions)
        octets.append(littleEndian: counter)
        if let source { octets.append(littleEndian: source) }
        switch destination {
        case .none: break
        case .node(let node): octets.append(littleEndian: node)
        case .group(let group): octets.append(littleEndian: group)
        }
        return octets
    }
}
