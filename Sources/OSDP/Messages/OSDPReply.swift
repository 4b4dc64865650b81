// SPDX-License-Identifier: Apache-2.0

import Octets

/// A reply of the device (OSDP 2.2, chapter 7).
public enum OSDPReply: Equatable, Sendable {
    case acknowledged
    /// The reason, and details of it.
    case refused(OSDPRefusal, details: [UInt8] = [])
    case identity(OSDPIdentity)
    case capabilities([OSDPCapability])
    case localStatus(isTampered: Bool, hasPowerFailure: Bool)
    case inputStatus([OSDPInputState])
    case outputStatus([Bool])
    /// The state of each reader: 0 normal, 1 not connected, 2 tampered.
    case readerStatus([UInt8])
    case card(OSDPCardData)
    /// The reader, and keys as ASCII digits, 0x7F for * and 0x0D for #.
    case keypad(reader: UInt8, [UInt8])
    case line(OSDPLine)
    /// The device's identifier (8 octets), its random number (8), its cryptogram (16).
    case clientCryptogram(identifier: [UInt8], random: [UInt8], cryptogram: [UInt8])
    /// The initial MAC of replies, 16 octets.
    case initialMAC([UInt8])
    case busy
    case fileStatus(OSDPFileStatus)
    case manufacturer(OSDPManufacturerData)
    /// A reply of equipment that this library does not support, or that the standard has withdrawn, with its data.
    case other(Code, [UInt8])

    /// The codes.
    public enum Code: UInt8, Sendable, CaseIterable {
        case acknowledged = 0x40
        case refused = 0x41
        case identity = 0x45
        case capabilities = 0x46
        case localStatus = 0x48
        case inputStatus = 0x49
        case outputStatus = 0x4A
        case readerStatus = 0x4B
        case card = 0x50
        case formattedCard = 0x51
        case keypad = 0x53
        case line = 0x54
        case biometric = 0x57
        case biometricMatch = 0x58
        case extendedIdentity = 0x59
        case clientCryptogram = 0x76
        case initialMAC = 0x78
        case busy = 0x79
        case fileStatus = 0x7A
        case pivData = 0x80
        case generalAuthenticate = 0x81
        case challengeAuthenticate = 0x82
        case manufacturerStatus = 0x83
        case manufacturerError = 0x84
        case manufacturer = 0x90
        case extendedRead = 0xB1

        /// True for replies that hold a card, keys or biometric data.
        var isOfCredential: Bool {
            switch self {
            case .card, .formattedCard, .keypad, .biometric, .pivData, .extendedRead: true
            default: false
            }
        }

        /// The name in the standard, without its prefix.
        public var name: String {
            switch self {
            case .acknowledged: "ACK"
            case .refused: "NAK"
            case .identity: "PDID"
            case .capabilities: "PDCAP"
            case .localStatus: "LSTATR"
            case .inputStatus: "ISTATR"
            case .outputStatus: "OSTATR"
            case .readerStatus: "RSTATR"
            case .card: "RAW"
            case .formattedCard: "FMT"
            case .keypad: "KEYPAD"
            case .line: "COM"
            case .biometric: "BIOREADR"
            case .biometricMatch: "BIOMATCHR"
            case .extendedIdentity: "EXT_PDID"
            case .clientCryptogram: "CCRYPT"
            case .initialMAC: "RMAC_I"
            case .busy: "BUSY"
            case .fileStatus: "FTSTAT"
            case .pivData: "PIVDATAR"
            case .generalAuthenticate: "GENAUTHR"
            case .challengeAuthenticate: "CRAUTHR"
            case .manufacturerStatus: "MFGSTATR"
            case .manufacturerError: "MFGERRR"
            case .manufacturer: "MFGREP"
            case .extendedRead: "XRD"
            }
        }
    }

    /// Reads a reply; consumes all of `data`.
    public init(code: UInt8, _ data: Span<UInt8>) throws(OSDPFault) {
        guard let known = Code(rawValue: code) else { throw .code(code) }
        var cursor = OctetCursor(data)
        do throws(OSDPFieldFault) {
            self = try OSDPReply.read(known, &cursor, data)
        } catch {
            throw error == .size ? .size(code) : .value(code)
        }
        guard cursor.remaining == 0 else { throw .size(code) }
    }

    private static func read(
        _ code: Code, _ cursor: inout OctetCursor, _ data: Span<UInt8>
    ) throws(OSDPFieldFault) -> OSDPReply {
        switch code {
        case .acknowledged: return .acknowledged
        case .refused:
            return .refused(OSDPRefusal(rawValue: try cursor.field8(data)), details: cursor.fieldRest(data))
        case .identity: return .identity(try OSDPIdentity(&cursor, data))
        case .capabilities:
            var list: [OSDPCapability] = []
            while cursor.remaining > 0 { list.append(try OSDPCapability(&cursor, data)) }
            return .capabilities(list)
        case .localStatus:
            return .localStatus(isTampered: try flag(&cursor, data), hasPowerFailure: try flag(&cursor, data))
        case .inputStatus: return .inputStatus(cursor.fieldRest(data).map { OSDPInputState(rawValue: $0) })
        case .outputStatus: return .outputStatus(try flags(&cursor, data))
        case .readerStatus: return .readerStatus(cursor.fieldRest(data))
        case .card: return .card(try OSDPCardData(&cursor, data))
        case .keypad:
            let (reader, count) = (try cursor.field8(data), try cursor.field8(data))
            return .keypad(reader: reader, try cursor.fieldArray(Int(count), data))
        case .line: return .line(try OSDPLine(&cursor, data))
        case .clientCryptogram:
            return .clientCryptogram(
                identifier: try cursor.fieldArray(8, data), random: try cursor.fieldArray(8, data),
                cryptogram: try cursor.fieldArray(16, data))
        case .initialMAC: return .initialMAC(try cursor.fieldArray(16, data))
        case .busy: return .busy
        case .fileStatus: return .fileStatus(try OSDPFileStatus(&cursor, data))
        case .manufacturer: return .manufacturer(try OSDPManufacturerData(&cursor, data))
        case .formattedCard, .biometric, .biometricMatch, .extendedIdentity, .pivData, .generalAuthenticate,
            .challengeAuthenticate, .manufacturerStatus, .manufacturerError, .extendedRead:
            return .other(code, cursor.fieldRest(data))
        }
    }

    private static func flag(_ cursor: inout OctetCursor, _ data: Span<UInt8>) throws(OSDPFieldFault) -> Bool {
        let value = try cursor.field8(data)
        guard value <= 1 else { throw .value }
        return value == 1
    }

    private static func flags(_ cursor: inout OctetCursor, _ data: Span<UInt8>) throws(OSDPFieldFault) -> [Bool] {
        var list: [Bool] = []
        while cursor.remaining > 0 { list.append(try flag(&cursor, data)) }
        return list
    }

    /// The code.
    public var code: Code { encoding.code }

    /// The encoding of the fields.
    public var data: [UInt8] { encoding.data }

    /// The code and the encoding of the fields.
    var encoding: (code: Code, data: [UInt8]) {
        switch self {
        case .acknowledged: (.acknowledged, [])
        case .refused(let refusal, let details): (.refused, [refusal.rawValue] + details)
        case .identity(let identity): (.identity, identity.encoded)
        case .capabilities(let list): (.capabilities, list.flatMap(\.encoded))
        case .localStatus(let isTampered, let hasPowerFailure):
            (.localStatus, [isTampered ? 1 : 0, hasPowerFailure ? 1 : 0])
        case .inputStatus(let states): (.inputStatus, states.map(\.rawValue))
        case .outputStatus(let states): (.outputStatus, states.map { $0 ? 1 : 0 })
        case .readerStatus(let states): (.readerStatus, states)
        case .card(let card): (.card, card.encoded)
        case .keypad(let reader, let keys): (.keypad, [reader, UInt8(truncatingIfNeeded: keys.count)] + keys)
        case .line(let line): (.line, line.encoded)
        case .clientCryptogram(let identifier, let random, let cryptogram):
            (.clientCryptogram, identifier + random + cryptogram)
        case .initialMAC(let mac): (.initialMAC, mac)
        case .busy: (.busy, [])
        case .fileStatus(let status): (.fileStatus, status.encoded)
        case .manufacturer(let message): (.manufacturer, message.encoded)
        case .other(let code, let data): (code, data)
        }
    }
}
