// SPDX-License-Identifier: Apache-2.0

import Octets

/// The security block of a frame (OSDP 2.2, annex D): its type, and what the type adds.
public struct OSDPSecurityBlock: Equatable, Sendable {
    /// The types, SCS_11 to SCS_18.
    public enum Kind: UInt8, Sendable {
        case challenge = 0x11
        case clientCryptogram = 0x12
        case serverCryptogram = 0x13
        case initialMAC = 0x14
        case commandWithMAC = 0x15
        case replyWithMAC = 0x16
        case encryptedCommand = 0x17
        case encryptedReply = 0x18

        /// True if the frame carries a MAC.
        public var hasMAC: Bool { rawValue >= Kind.commandWithMAC.rawValue }
        /// True if the data is encrypted.
        public var isEncrypted: Bool { rawValue >= Kind.encryptedCommand.rawValue }
        /// True in frames of the device.
        public var isOfReply: Bool { rawValue & 1 == 0 }
    }

    /// The type.
    public var kind: Kind
    /// The octets after the type: in the handshake the kind of key, or the result.
    public var data: [UInt8]

    /// A block.
    public init(_ kind: Kind, _ data: [UInt8] = []) {
        self.kind = kind
        self.data = data
    }
}

/// A frame of the line (OSDP 2.2, 5.5 to 5.9), without the mark octet that may precede it.
public struct OSDPFrame: Equatable, Sendable {
    /// The start of every message.
    public static let start: UInt8 = 0x53
    /// The idle line, which may precede a frame.
    public static let mark: UInt8 = 0xFF
    /// The address at which every device listens.
    public static let broadcast: UInt8 = 0x7F
    /// The maximum length of a frame in octets, from the start to the check.
    public static let lengthLimit = 1440
    /// The minimum length in octets: header, code, checksum.
    public static let lengthMinimum = 7
    /// The number of octets of a MAC on the wire.
    public static let macCount = 4

    static let headerCount = 5

    enum Control {
        static let sequence: UInt8 = 0x03
        static let crc: UInt8 = 0x04
        static let securityBlock: UInt8 = 0x08
        static let reserved: UInt8 = 0xF0
    }

    /// The device's address, 0 to 0x7E, or `broadcast`.
    public var address: UInt8
    /// True in frames of the device.
    public var isReply: Bool
    /// The sequence number, 0 to 3.
    public var sequence: UInt8
    /// The kind of check.
    public var check: OSDPCheck
    /// The security block, if there is one.
    public var security: OSDPSecurityBlock?
    /// The code of the command or reply.
    public var code: UInt8
    /// The data, encrypted if the security block says so.
    public var data: [UInt8]
    /// The MAC: four octets, or none.
    public var mac: [UInt8]

    /// A frame without MAC.
    public init(
        address: UInt8, isReply: Bool, sequence: UInt8, check: OSDPCheck, security: OSDPSecurityBlock? = nil,
        code: UInt8, data: [UInt8] = []
    ) {
        self.address = address & OSDPFrame.broadcast
        self.isReply = isReply
        self.sequence = sequence & Control.sequence
        self.check = check
        self.security = security
        self.code = code
        self.data = data
        mac = []
    }

    /// Reads a whole frame.
    public init(_ octets: Span<UInt8>) throws(OSDPFault) {
        guard octets.count >= OSDPFrame.lengthMinimum, octets.count <= OSDPFrame.lengthLimit else { throw .length }
        guard octets[0] == OSDPFrame.start else { throw .start }
        guard Int(octets[2]) | Int(octets[3]) << 8 == octets.count else { throw .length }
        let control = octets[4]
        let kind: OSDPCheck = control & Control.crc == 0 ? .checksum : .crc
        check = kind
        let content = octets.extracting(0..<octets.count - kind.count)
        let expected = content.withUnsafeBufferPointer { kind.octets(after: $0) }
        for (index, octet) in expected.enumerated() where octets[content.count + index] != octet { throw .check }
        // They would not be covered by the MAC.
        guard control & Control.reserved == 0 else { throw .contents }
        address = octets[1] & OSDPFrame.broadcast
        isReply = octets[1] & 0x80 != 0
        sequence = control & Control.sequence
        var end = content.count
        do throws(OSDPFieldFault) {
            var cursor = OctetCursor(content, in: OSDPFrame.headerCount..<end)
            security = nil
            if control & Control.securityBlock != 0 {
                let block = try OSDPFrame.securityBlock(&cursor, content)
                guard block.kind.isOfReply == isReply else { throw .value }
                security = block
                if block.kind.hasMAC { end -= OSDPFrame.macCount }
            }
            code = try cursor.field8(content)
            data = try cursor.fieldArray(end - cursor.position, content)
            mac = cursor.fieldRest(content)
        } catch {
            throw error == .size ? .contents : .securityBlock
        }
    }

    private static func securityBlock(
        _ cursor: inout OctetCursor, _ octets: Span<UInt8>
    ) throws(OSDPFieldFault) -> OSDPSecurityBlock {
        let count = Int(try cursor.field8(octets))
        let kind: OSDPSecurityBlock.Kind = try cursor.fieldEnum(octets)
        return OSDPSecurityBlock(kind, try cursor.fieldArray(count - 2, octets))
    }

    /// The octets under the MAC: the frame up to its data. Its length field includes MAC and check.
    public var authenticated: [UInt8] {
        var control = sequence | (check == .crc ? Control.crc : 0)
        if security != nil { control |= Control.securityBlock }
        var octets = [OSDPFrame.start, address | (isReply ? 0x80 : 0), 0, 0, control]
        if let security {
            octets.append(UInt8(truncatingIfNeeded: security.data.count + 2))
            octets.append(security.kind.rawValue)
            octets += security.data
        }
        octets.append(code)
        octets += data
        let count = octets.count + (security?.kind.hasMAC == true ? OSDPFrame.macCount : 0) + check.count
        octets[2] = UInt8(truncatingIfNeeded: count)
        octets[3] = UInt8(truncatingIfNeeded: count >> 8)
        return octets
    }

    /// The encoding.
    public var octets: [UInt8] {
        let octets = authenticated + mac
        return octets + check.octets(after: octets)
    }
}
