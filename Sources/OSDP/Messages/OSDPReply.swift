// SPDX-License-Identifier: Apache-2.0

import Octets

/// A reply of the device (OSDP 2.2, chapter 7).
public enum OSDPReply: Equatable, Sendable {
    case acknowledged
    case refused(Refusal)
    case identity(OSDPIdentity)
    case capabilities([OSDPCapability])
    case localStatus(isTampered: Bool, hasPowerFailure: Bool)
    case inputStatus([Bool])
    case outputStatus([Bool])
    /// 0 usual, 1 not connected, 2 tampered; one for each reader.
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

    /// The reason of a refusal (osdp_NAK, 7.3).
    public enum Refusal: UInt8, Sendable, CaseIterable {
        case none = 0
        case check, length, unknownCommand, sequence, securityUnsupported, securityRequired
        case biometricType, biometricFormat, unable

        /// In words.
        public var text: String {
            switch self {
            case .none: "no error"
            case .check: "bad check"
            case .length: "bad length"
            case .unknownCommand: "unknown command"
            case .sequence: "wrong sequence"
            case .securityUnsupported: "security block not supported"
            case .securityRequired: "secure channel required"
            case .biometricType: "biometric type not supported"
            case .biometricFormat: "biometric format not supported"
            case .unable: "unable to process"
            }
        }
    }

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
        case keypad = 0x53
        case line = 0x54
        case clientCryptogram = 0x76
        case initialMAC = 0x78
        case busy = 0x79
        case fileStatus = 0x7A
        case manufacturer = 0x90

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
            case .keypad: "KEYPAD"
            case .line: "COM"
            case .clientCryptogram: "CCRYPT"
            case .initialMAC: "RMAC_I"
            case .busy: "BUSY"
            case .fileStatus: "FTSTAT"
            case .manufacturer: "MFGREP"
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
            let refusal: Refusal = try cursor.fieldEnum(data)
            // Some reasons have details, which are of no use here.
            _ = cursor.fieldRest(data)
            return .refused(refusal)
        case .identity: return .identity(try OSDPIdentity(&cursor, data))
        case .capabilities:
            var list: [OSDPCapability] = []
            while cursor.remaining > 0 { list.append(try OSDPCapability(&cursor, data)) }
            return .capabilities(list)
        case .localStatus:
            return .localStatus(isTampered: try flag(&cursor, data), hasPowerFailure: try flag(&cursor, data))
        case .inputStatus: return .inputStatus(try flags(&cursor, data))
        case .outputStatus: return .outputStatus(try flags(&cursor, data))
        case .readerStatus:
            let states = cursor.fieldRest(data)
            guard states.allSatisfy({ $0 <= 2 }) else { throw .value }
            return .readerStatus(states)
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
        case .refused(let refusal): (.refused, [refusal.rawValue])
        case .identity(let identity): (.identity, identity.encoded)
        case .capabilities(let list): (.capabilities, list.flatMap(\.encoded))
        case .localStatus(let isTampered, let hasPowerFailure):
            (.localStatus, [isTampered ? 1 : 0, hasPowerFailure ? 1 : 0])
        case .inputStatus(let states): (.inputStatus, states.map { $0 ? 1 : 0 })
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
        }
    }
}
