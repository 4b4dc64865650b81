// SPDX-License-Identifier: Apache-2.0

public import Octets

/// An event with its position in the log.
///
/// The chain covers its octets, so there is exactly one encoding: little endian, in the order of `encode`, each text
/// preceded by its length.
public struct AuditRecord: Hashable, Sendable {
    /// The sequence number, ascending by one from 1 for the life of the device.
    public var sequence: UInt64
    /// The event.
    public var event: AuditEvent

    /// Creates a record with these parts.
    public init(sequence: UInt64, event: AuditEvent) {
        self.sequence = sequence
        self.event = event
    }

    /// The first octet of every record.
    static let version: UInt8 = 1
    /// The maximum length of a record in octets: 53 of fixed length, and four texts.
    public static let octetLimit =
        53 + AuditEvent.credentialLimit + AuditEvent.commandLimit + AuditEvent.actorLimit + AuditEvent.detailLimit
    /// The value for "no RSSI"; controllers use it in the same sense (Core 5.4, Vol 4, Part E, 7.5.4).
    private static let noReading: Int8 = 127

    /// Appends the record's encoding.
    public func encode(into octets: inout [UInt8]) {
        octets.append(AuditRecord.version)
        octets.append(littleEndian: sequence)
        octets.append(littleEndian: event.kind.rawValue)
        octets.append(event.time.quality.rawValue)
        octets.append(littleEndian: UInt64(bitPattern: event.time.epochSeconds))
        octets.append(littleEndian: UInt16(bitPattern: event.time.utcOffsetMinutes))
        octets.append(littleEndian: UInt64(bitPattern: event.time.uptimeMilliseconds))
        octets.append(littleEndian: UInt32(bitPattern: event.info))
        octets.append(littleEndian: event.mark)
        octets.append(event.channel.rawValue)
        octets.append(littleEndian: event.link)
        octets.append(event.mode.auditCode)
        octets.append(UInt8(bitPattern: event.dBm ?? AuditRecord.noReading))
        for text in [event.credential, event.command, event.actor, event.detail] {
            octets.append(UInt8(truncatingIfNeeded: text.utf8.count))
            octets.append(contentsOf: text.utf8)
        }
    }

    /// The record's encoding.
    public var octets: [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(AuditRecord.octetLimit)
        encode(into: &octets)
        return octets
    }

    /// Decodes a record from all of `octets`.
    public init(decoding octets: Span<UInt8>) throws(AuditRecordError) {
        let fields: Fields
        // Other versions may have another length, so the version is checked first.
        if !octets.isEmpty, octets[0] != AuditRecord.version { throw .version(octets[0]) }
        do throws(OctetError) {
            var cursor = OctetCursor(octets)
            _ = try cursor.u8(octets)
            fields = try Fields(octets, &cursor)
            try cursor.finish()
        } catch {
            throw .octets(error)
        }
        guard let quality = AuditTime.Quality(rawValue: fields.quality),
            let channel = AuditChannel(rawValue: fields.channel),
            let mode = AdvertisingMode.named(fields.mode), let texts = fields.texts
        else { throw .invalid }
        let time = AuditTime(
            epochSeconds: fields.epoch, utcOffsetMinutes: fields.offset, quality: quality,
            uptimeMilliseconds: fields.uptime)
        sequence = fields.sequence
        event = AuditEvent(
            AuditKind(rawValue: fields.kind), at: time, info: fields.info, channel: channel, credential: texts[0],
            command: texts[1], actor: texts[2], detail: texts[3])
        event.mark = fields.mark
        event.link = fields.link
        event.mode = mode
        event.dBm = fields.dBm == AuditRecord.noReading ? nil : fields.dBm
    }
}

/// The fields of a record as numbers.
private struct Fields {
    let sequence: UInt64
    let kind: UInt16
    let quality: UInt8
    let epoch: Int64
    let offset: Int16
    let uptime: Int64
    let info: Int32
    let mark: UInt64
    let channel: UInt8
    let link: UInt32
    let mode: UInt8
    let dBm: Int8
    /// Nil if a text is too long or not UTF-8.
    let texts: [String]?

    init(_ octets: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) {
        sequence = try cursor.u64(octets)
        kind = try cursor.u16(octets)
        quality = try cursor.u8(octets)
        epoch = Int64(bitPattern: try cursor.u64(octets))
        offset = Int16(bitPattern: try cursor.u16(octets))
        uptime = Int64(bitPattern: try cursor.u64(octets))
        info = Int32(bitPattern: try cursor.u32(octets))
        mark = try cursor.u64(octets)
        channel = try cursor.u8(octets)
        link = try cursor.u32(octets)
        mode = try cursor.u8(octets)
        dBm = try cursor.i8(octets)
        texts = try Fields.texts(octets, &cursor)
    }

    /// Decodes the four texts; nil if one is too long or not UTF-8.
    private static func texts(_ octets: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) -> [String]? {
        var texts: [String] = []
        var areSound = true
        for limit in [
            AuditEvent.credentialLimit, AuditEvent.commandLimit, AuditEvent.actorLimit, AuditEvent.detailLimit,
        ] {
            let range = try cursor.consume(Int(cursor.u8(octets)), of: octets)
            var text: [UInt8] = []
            text.append(octets.extracting(range))
            // An invalid text must not hide missing octets further on.
            guard text.count <= limit, let string = String(validating: text, as: UTF8.self) else {
                areSound = false
                continue
            }
            texts.append(string)
        }
        return areSound ? texts : nil
    }
}

/// The reason why octets are not a record.
public enum AuditRecordError: Error, Equatable, Sendable {
    /// Another version of the encoding, written by a later firmware.
    case version(UInt8)
    /// Too few or too many octets.
    case octets(OctetError)
    /// A field with an undefined value, or an invalid text.
    case invalid
}

extension Optional where Wrapped == AdvertisingMode {
    /// The mode's code in a record.
    fileprivate var auditCode: UInt8 {
        switch self {
        case nil: 0
        case .classic: 1
        case .onTouch: 2
        case .access: 3
        case .accessIBeacon: 4
        case .pkoc: 5
        case .aliro: 6
        }
    }
}

extension AdvertisingMode {
    /// Returns the mode with this code, `.some(nil)` for 0; nil for an unknown code.
    fileprivate static func named(_ auditCode: UInt8) -> AdvertisingMode?? {
        switch auditCode {
        case 0: .some(nil)
        case 1: .classic
        case 2: .onTouch
        case 3: .access
        case 4: .accessIBeacon
        case 5: .pkoc
        case 6: .aliro
        default: nil
        }
    }
}
