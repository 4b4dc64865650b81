// SPDX-License-Identifier: Apache-2.0

import Octets

/// An order for an output (osdp_OUT, 6.10), four octets.
public struct OSDPOutputOrder: Equatable, Sendable, OSDPFields {
    /// The change of the output.
    public enum Control: UInt8, Sendable {
        case none = 0
        /// Off or on for good; a running timer ends.
        case off = 1, on = 2
        /// Off or on after a running timer.
        case offAfterTimer = 3, onAfterTimer = 4
        /// On or off for a time, then the previous state.
        case timedOn = 5, timedOff = 6

        /// True if the output is on at once or later.
        var switchesOn: Bool { self == .on || self == .onAfterTimer || self == .timedOn }
    }

    /// The output, from 0.
    public var output: UInt8
    /// Its change.
    public var control: Control
    /// The time of a timed order, in tenths of a second; 0 is unlimited.
    public var tenths: UInt16

    /// An order.
    public init(output: UInt8, control: Control, tenths: UInt16 = 0) {
        self.output = output
        self.control = control
        self.tenths = tenths
    }

    init(_ cursor: inout OctetCursor, _ octets: Span<UInt8>) throws(OSDPFieldFault) {
        output = try cursor.field8(octets)
        control = try cursor.fieldEnum(octets)
        tenths = try cursor.field16(octets)
    }

    var encoded: [UInt8] { [output, control.rawValue] + tenths.encoded }
}

/// An order for a light (osdp_LED, 6.11), 14 octets.
public struct OSDPLightOrder: Equatable, Sendable, OSDPFields {
    /// A colour.
    public enum Color: UInt8, Sendable, CaseIterable {
        case off = 0
        case red, green, amber, blue, magenta, cyan, white

        /// True if it has red in it.
        public var hasRed: Bool { self == .red || self == .amber || self == .magenta || self == .white }
        /// True if it has green in it.
        public var hasGreen: Bool { self == .green || self == .amber || self == .cyan || self == .white }
    }

    /// The change of the temporary state.
    public enum Temporary: UInt8, Sendable {
        case unchanged = 0, cancel, start
    }

    /// Two colours in turn; times in tenths of a second.
    public struct Blinking: Equatable, Sendable {
        /// The time of the first colour.
        public var onTenths: UInt8
        /// The time of the second colour; 0 if there is only the first.
        public var offTenths: UInt8
        /// The first colour.
        public var onColor: Color
        /// The second colour.
        public var offColor: Color

        /// Two colours, or one.
        public init(onTenths: UInt8 = 1, offTenths: UInt8 = 0, onColor: Color, offColor: Color = .off) {
            self.onTenths = onTenths
            self.offTenths = offTenths
            self.onColor = onColor
            self.offColor = offColor
        }

        init(_ cursor: inout OctetCursor, _ octets: Span<UInt8>) throws(OSDPFieldFault) {
            onTenths = try cursor.field8(octets)
            offTenths = try cursor.field8(octets)
            onColor = try cursor.fieldEnum(octets)
            offColor = try cursor.fieldEnum(octets)
        }

        var encoded: [UInt8] { [onTenths, offTenths, onColor.rawValue, offColor.rawValue] }
    }

    /// The reader, from 0.
    public var reader: UInt8
    /// Its light, from 0.
    public var light: UInt8
    /// The change of the temporary state, which takes precedence over the permanent one.
    public var temporary: Temporary
    /// The temporary state.
    public var temporaryBlinking: Blinking
    /// The time of the temporary state, in tenths of a second; 0 lasts until another order.
    public var temporaryTenths: UInt16
    /// True if the permanent state is set.
    public var setsPermanent: Bool
    /// The permanent state.
    public var permanentBlinking: Blinking

    /// An order.
    public init(
        reader: UInt8 = 0, light: UInt8 = 0, temporary: Temporary = .unchanged,
        temporaryBlinking: Blinking = Blinking(onColor: .off), temporaryTenths: UInt16 = 0,
        setsPermanent: Bool = false, permanentBlinking: Blinking = Blinking(onColor: .off)
    ) {
        self.reader = reader
        self.light = light
        self.temporary = temporary
        self.temporaryBlinking = temporaryBlinking
        self.temporaryTenths = temporaryTenths
        self.setsPermanent = setsPermanent
        self.permanentBlinking = permanentBlinking
    }

    init(_ cursor: inout OctetCursor, _ octets: Span<UInt8>) throws(OSDPFieldFault) {
        reader = try cursor.field8(octets)
        light = try cursor.field8(octets)
        temporary = try cursor.fieldEnum(octets)
        temporaryBlinking = try Blinking(&cursor, octets)
        temporaryTenths = try cursor.field16(octets)
        let permanent = try cursor.field8(octets)
        guard permanent <= 1 else { throw .value }
        setsPermanent = permanent == 1
        permanentBlinking = try Blinking(&cursor, octets)
    }

    var encoded: [UInt8] {
        let permanent: UInt8 = setsPermanent ? 1 : 0
        return [reader, light, temporary.rawValue] + temporaryBlinking.encoded + temporaryTenths.encoded
            + [permanent] + permanentBlinking.encoded
    }
}

/// An order for the buzzer (osdp_BUZ, 6.12), five octets.
public struct OSDPBuzzerOrder: Equatable, Sendable, OSDPFields {
    /// The tone.
    public enum Tone: UInt8, Sendable {
        case none = 0, off, usual
    }

    /// The reader, from 0.
    public var reader: UInt8
    /// The tone.
    public var tone: Tone
    /// The duration of a tone, in tenths of a second.
    public var onTenths: UInt8
    /// The pause after a tone, in tenths of a second.
    public var offTenths: UInt8
    /// The number of tones; 0 lasts until another order.
    public var count: UInt8

    /// An order.
    public init(reader: UInt8 = 0, tone: Tone, onTenths: UInt8, offTenths: UInt8, count: UInt8) {
        self.reader = reader
        self.tone = tone
        self.onTenths = onTenths
        self.offTenths = offTenths
        self.count = count
    }

    init(_ cursor: inout OctetCursor, _ octets: Span<UInt8>) throws(OSDPFieldFault) {
        reader = try cursor.field8(octets)
        tone = try cursor.fieldEnum(octets)
        onTenths = try cursor.field8(octets)
        offTenths = try cursor.field8(octets)
        count = try cursor.field8(octets)
    }

    var encoded: [UInt8] { [reader, tone.rawValue, onTenths, offTenths, count] }
}

/// A text for the display (osdp_TEXT, 6.13).
public struct OSDPTextOrder: Equatable, Sendable, OSDPFields {
    /// For good or for a time, with or without line breaks.
    public enum Control: UInt8, Sendable {
        case permanent = 1, permanentWrapped, temporary, temporaryWrapped
    }

    /// The reader, from 0.
    public var reader: UInt8
    /// Permanent or temporary, with wrapping or without.
    public var control: Control
    /// The time of a temporary text.
    public var seconds: UInt8
    /// The row of the first character, from 1.
    public var row: UInt8
    /// Its column, from 1.
    public var column: UInt8
    /// Printable ASCII, at most 255.
    public var text: [UInt8]

    /// A text.
    public init(
        reader: UInt8 = 0, control: Control, seconds: UInt8 = 0, row: UInt8 = 1, column: UInt8 = 1, text: [UInt8]
    ) {
        self.reader = reader
        self.control = control
        self.seconds = seconds
        self.row = row
        self.column = column
        self.text = Array(text.prefix(255))
    }

    init(_ cursor: inout OctetCursor, _ octets: Span<UInt8>) throws(OSDPFieldFault) {
        reader = try cursor.field8(octets)
        control = try cursor.fieldEnum(octets)
        seconds = try cursor.field8(octets)
        row = try cursor.field8(octets)
        column = try cursor.field8(octets)
        let count = Int(try cursor.field8(octets))
        text = try cursor.fieldArray(count, octets)
        // Control characters could affect a display, a terminal or a log.
        guard text.allSatisfy({ (0x20...0x7E).contains($0) }) else { throw .value }
    }

    var encoded: [UInt8] {
        [reader, control.rawValue, seconds, row, column, UInt8(truncatingIfNeeded: text.count)] + text
    }
}

/// Address and speed (osdp_COMSET and osdp_COM, 6.14 and 7.13), five octets.
public struct OSDPLine: Equatable, Sendable, OSDPFields {
    /// The speeds of the standard, in bit/s.
    public static let speeds: [UInt32] = [9600, 19200, 38400, 57600, 115_200, 230_400]

    /// The address, 0 to 0x7E.
    public var address: UInt8
    /// The speed in bit/s.
    public var speed: UInt32

    /// Address and speed.
    public init(address: UInt8, speed: UInt32) {
        self.address = address
        self.speed = speed
    }

    /// True if a device can use them.
    public var isValid: Bool { address < OSDPFrame.broadcast && OSDPLine.speeds.contains(speed) }

    init(_ cursor: inout OctetCursor, _ octets: Span<UInt8>) throws(OSDPFieldFault) {
        address = try cursor.field8(octets)
        speed = try cursor.field32(octets)
    }

    var encoded: [UInt8] { [address] + speed.encoded }
}

/// A part of a file (osdp_FILETRANSFER, 6.26).
public struct OSDPFileFragment: Equatable, Sendable, OSDPFields {
    /// The kind of file.
    public var type: UInt8
    /// The size of the file in octets.
    public var total: UInt32
    /// The offset of the part in octets.
    public var offset: UInt32
    /// The octets of the part; empty while the panel waits for the processing of the file.
    public var data: [UInt8]

    /// A part.
    public init(type: UInt8, total: UInt32, offset: UInt32, data: [UInt8]) {
        self.type = type
        self.total = total
        self.offset = offset
        self.data = data
    }

    init(_ cursor: inout OctetCursor, _ octets: Span<UInt8>) throws(OSDPFieldFault) {
        type = try cursor.field8(octets)
        total = try cursor.field32(octets)
        offset = try cursor.field32(octets)
        let count = Int(try cursor.field16(octets))
        data = try cursor.fieldArray(count, octets)
    }

    var encoded: [UInt8] {
        [type] + total.encoded + offset.encoded + UInt16(truncatingIfNeeded: data.count).encoded + data
    }
}

/// A manufacturer's message (osdp_MFG and osdp_MFGREP): a vendor code of three octets, and data.
public struct OSDPManufacturerData: Equatable, Sendable, OSDPFields {
    /// The vendor code, an IEEE organisation identifier.
    public var vendor: [UInt8]
    /// The data.
    public var data: [UInt8]

    /// Creates a message. A vendor code has three octets.
    public init(vendor: [UInt8], data: [UInt8]) {
        self.vendor = vendor
        self.data = data
    }

    init(_ cursor: inout OctetCursor, _ octets: Span<UInt8>) throws(OSDPFieldFault) {
        vendor = try cursor.fieldArray(3, octets)
        data = cursor.fieldRest(octets)
    }

    var encoded: [UInt8] { vendor + data }
}
