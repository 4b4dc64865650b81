// SPDX-License-Identifier: Apache-2.0

import Octets

/// A device's identity (osdp_PDID, 7.4), twelve octets.
public struct OSDPIdentity: Equatable, Sendable, OSDPFields {
    /// The vendor code, an IEEE organisation identifier of three octets.
    public var vendor: [UInt8]
    /// The model.
    public var model: UInt8
    /// The version of the model.
    public var version: UInt8
    /// The serial number.
    public var serial: UInt32
    /// The version of the firmware: major, minor, build.
    public var firmware: [UInt8]

    /// Creates an identity. Vendor and firmware have three octets; longer values are cut, shorter ones padded with
    /// zeros.
    public init(vendor: [UInt8], model: UInt8, version: UInt8, serial: UInt32, firmware: [UInt8]) {
        self.vendor = Array((vendor + [0, 0, 0]).prefix(3))
        self.model = model
        self.version = version
        self.serial = serial
        self.firmware = Array((firmware + [0, 0, 0]).prefix(3))
    }

    init(_ cursor: inout OctetCursor, _ octets: Span<UInt8>) throws(OSDPFieldFault) {
        vendor = try cursor.fieldArray(3, octets)
        model = try cursor.field8(octets)
        version = try cursor.field8(octets)
        serial = try cursor.field32(octets)
        firmware = try cursor.fieldArray(3, octets)
    }

    var encoded: [UInt8] { vendor + [model, version] + serial.encoded + firmware }

    /// The identifier of the handshake, from which a panel may derive the device's key: two octets of the vendor,
    /// model, version, serial number.
    public var clientIdentifier: [UInt8] { Array(vendor[..<2]) + [model, version] + serial.encoded }
}

/// One capability of a device (osdp_PDCAP, 7.5, annex B), three octets.
public struct OSDPCapability: Equatable, Sendable, OSDPFields {
    /// The functions.
    public enum Function: UInt8, Sendable, CaseIterable {
        case contactStatus = 1, outputControl, cardFormat, lights, buzzer, text, timeKeeping, checkCharacter
        case security, receiveSize, largestMessage, smartCard, readers, biometrics, securePIN, version
    }

    /// The code of the function, which may be unknown to `Function`.
    public var function: UInt8
    /// The compliance level (annex B).
    public var compliance: UInt8
    /// The number of items of the function.
    public var count: UInt8

    /// A capability.
    public init(_ function: Function, compliance: UInt8, count: UInt8) {
        self.function = function.rawValue
        self.compliance = compliance
        self.count = count
    }

    init(_ cursor: inout OctetCursor, _ octets: Span<UInt8>) throws(OSDPFieldFault) {
        function = try cursor.field8(octets)
        compliance = try cursor.field8(octets)
        count = try cursor.field8(octets)
    }

    var encoded: [UInt8] { [function, compliance, count] }
}

/// The bits of a card (osdp_RAW, 7.10).
public struct OSDPCardData: Equatable, Sendable, OSDPFields {
    /// The reader, from 0.
    public var reader: UInt8
    /// 0 for any bits, 1 for bits between parities, as on a Wiegand line.
    public var format: UInt8
    /// The number of bits.
    public var bitCount: UInt16
    /// The bits, the first in the most significant place; unused bits of the last octet are 0.
    public var octets: [UInt8]

    /// Bits of a card.
    public init(reader: UInt8 = 0, format: UInt8, bitCount: UInt16, octets: [UInt8]) {
        self.reader = reader
        self.format = format
        self.bitCount = bitCount
        self.octets = octets
    }

    init(_ cursor: inout OctetCursor, _ octets: Span<UInt8>) throws(OSDPFieldFault) {
        reader = try cursor.field8(octets)
        format = try cursor.field8(octets)
        bitCount = try cursor.field16(octets)
        self.octets = try cursor.fieldArray((Int(bitCount) + 7) / 8, octets)
    }

    var encoded: [UInt8] { [reader, format] + bitCount.encoded + octets }
}

/// The answer to a part of a file (osdp_FTSTAT, 7.25), seven octets.
public struct OSDPFileStatus: Equatable, Sendable, OSDPFields {
    /// The results.
    public enum Result: Int16, Sendable {
        case unable = -1, unknownContents = -2, malformed = -3
        case proceed = 0, processed, rebooting, working
    }

    /// Flags: 1 other commands between the parts, 2 leave the secure channel, 4 poll responses are available.
    public var action: UInt8
    /// The delay that the device asks for, in milliseconds.
    public var delay: UInt16
    /// The result; negative ends the transfer.
    public var result: Result
    /// The maximum length of the next part in octets; 0 leaves it unchanged.
    public var maximum: UInt16

    /// A status.
    public init(action: UInt8 = 1, delay: UInt16 = 0, _ result: Result, maximum: UInt16 = 0) {
        self.action = action
        self.delay = delay
        self.result = result
        self.maximum = maximum
    }

    init(_ cursor: inout OctetCursor, _ octets: Span<UInt8>) throws(OSDPFieldFault) {
        action = try cursor.field8(octets)
        delay = try cursor.field16(octets)
        guard let result = Result(rawValue: Int16(bitPattern: try cursor.field16(octets))) else { throw .value }
        self.result = result
        maximum = try cursor.field16(octets)
    }

    var encoded: [UInt8] { [action] + delay.encoded + result.rawValue.encoded + maximum.encoded }
}
