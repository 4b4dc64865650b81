// SPDX-License-Identifier: Apache-2.0

import Octets

/// A command of the panel (OSDP 2.2, chapter 6).
public enum OSDPCommand: Equatable, Sendable {
    case poll
    case identify
    case capabilities
    case localStatus
    case inputStatus
    case outputStatus
    case readerStatus
    case outputs([OSDPOutputOrder])
    case lights([OSDPLightOrder])
    case buzzers([OSDPBuzzerOrder])
    case text(OSDPTextOrder)
    case setLine(OSDPLine)
    /// A key of 16 octets for the secure channel.
    case setKey(OSDPKey)
    /// The panel's random number, eight octets.
    case challenge([UInt8])
    /// The panel's cryptogram, 16 octets.
    case serverCryptogram([UInt8])
    /// The maximum length of a frame that the panel accepts, in octets.
    case receiveSize(UInt16)
    case file(OSDPFileFragment)
    case manufacturer(OSDPManufacturerData)
    /// A mode of the transparent reader, and its data.
    case extendedWrite(mode: UInt8, [UInt8])
    case abort
    /// Keep the card powered for this number of milliseconds.
    case keepActive(UInt16)
    /// A command to biometric or smart card equipment, with its data.
    case other(Code, [UInt8])

    /// The codes.
    public enum Code: UInt8, Sendable, CaseIterable {
        case poll = 0x60
        case identify = 0x61
        case capabilities = 0x62
        case localStatus = 0x64
        case inputStatus = 0x65
        case outputStatus = 0x66
        case readerStatus = 0x67
        case outputs = 0x68
        case lights = 0x69
        case buzzers = 0x6A
        case text = 0x6B
        case setLine = 0x6E
        case readBiometric = 0x73
        case matchBiometric = 0x74
        case setKey = 0x75
        case challenge = 0x76
        case serverCryptogram = 0x77
        case receiveSize = 0x7B
        case file = 0x7C
        case manufacturer = 0x80
        case extendedWrite = 0xA1
        case abort = 0xA2
        case pivData = 0xA3
        case generalAuthenticate = 0xA4
        case challengeAuthenticate = 0xA5
        case keepActive = 0xA7

        /// The name in the standard, without its prefix.
        public var name: String {
            switch self {
            case .poll: "POLL"
            case .identify: "ID"
            case .capabilities: "CAP"
            case .localStatus: "LSTAT"
            case .inputStatus: "ISTAT"
            case .outputStatus: "OSTAT"
            case .readerStatus: "RSTAT"
            case .outputs: "OUT"
            case .lights: "LED"
            case .buzzers: "BUZ"
            case .text: "TEXT"
            case .setLine: "COMSET"
            case .readBiometric: "BIOREAD"
            case .matchBiometric: "BIOMATCH"
            case .setKey: "KEYSET"
            case .challenge: "CHLNG"
            case .serverCryptogram: "SCRYPT"
            case .receiveSize: "ACURXSIZE"
            case .file: "FILETRANSFER"
            case .manufacturer: "MFG"
            case .extendedWrite: "XWR"
            case .abort: "ABORT"
            case .pivData: "PIVDATA"
            case .generalAuthenticate: "GENAUTH"
            case .challengeAuthenticate: "CRAUTH"
            case .keepActive: "KEEPACTIVE"
            }
        }
    }

    /// Reads a command; consumes all of `data`.
    public init(code: UInt8, _ data: Span<UInt8>) throws(OSDPFault) {
        guard let known = Code(rawValue: code) else { throw .code(code) }
        var cursor = OctetCursor(data)
        do throws(OSDPFieldFault) {
            self = try OSDPCommand.read(known, &cursor, data)
        } catch {
            throw error == .size ? .size(code) : .value(code)
        }
        guard cursor.remaining == 0 else { throw .size(code) }
    }

    private static func read(
        _ code: Code, _ cursor: inout OctetCursor, _ data: Span<UInt8>
    ) throws(OSDPFieldFault) -> OSDPCommand {
        switch code {
        case .poll: return .poll
        case .identify: return try standard(.identify, &cursor, data)
        case .capabilities: return try standard(.capabilities, &cursor, data)
        case .localStatus: return .localStatus
        case .inputStatus: return .inputStatus
        case .outputStatus: return .outputStatus
        case .readerStatus: return .readerStatus
        case .outputs: return .outputs(try list(&cursor, data))
        case .lights: return .lights(try list(&cursor, data))
        case .buzzers: return .buzzers(try list(&cursor, data))
        case .text: return .text(try OSDPTextOrder(&cursor, data))
        case .setLine: return .setLine(try OSDPLine(&cursor, data))
        case .setKey:
            let (type, count) = (try cursor.field8(data), try cursor.field8(data))
            guard type == OSDPKey.type, Int(count) == OSDPKey.count else { throw .value }
            return .setKey(OSDPKey(taking: try cursor.fieldArray(OSDPKey.count, data)))
        case .challenge: return .challenge(try cursor.fieldArray(8, data))
        case .serverCryptogram: return .serverCryptogram(try cursor.fieldArray(16, data))
        case .receiveSize: return .receiveSize(try cursor.field16(data))
        case .file: return .file(try OSDPFileFragment(&cursor, data))
        case .manufacturer: return .manufacturer(try OSDPManufacturerData(&cursor, data))
        case .extendedWrite: return .extendedWrite(mode: try cursor.field8(data), cursor.fieldRest(data))
        case .abort: return .abort
        case .keepActive: return .keepActive(try cursor.field16(data))
        case .readBiometric, .matchBiometric, .pivData, .generalAuthenticate, .challengeAuthenticate:
            return .other(code, cursor.fieldRest(data))
        }
    }

    /// A request whose only octet, the kind of report, is 0. Some panels omit it.
    private static func standard(
        _ command: OSDPCommand, _ cursor: inout OctetCursor, _ data: Span<UInt8>
    ) throws(OSDPFieldFault) -> OSDPCommand {
        guard cursor.remaining > 0 else { return command }
        guard try cursor.field8(data) == 0 else { throw .value }
        return command
    }

    private static func list<Order: OSDPFields>(
        _ cursor: inout OctetCursor, _ data: Span<UInt8>
    ) throws(OSDPFieldFault) -> [Order] {
        var orders: [Order] = []
        repeat { orders.append(try Order(&cursor, data)) } while cursor.remaining > 0
        return orders
    }

    /// The code.
    public var code: Code { encoding.code }

    /// The encoding of the fields.
    public var data: [UInt8] { encoding.data }

    private var encoding: (code: Code, data: [UInt8]) {
        switch self {
        case .poll: (.poll, [])
        case .identify: (.identify, [0])
        case .capabilities: (.capabilities, [0])
        case .localStatus: (.localStatus, [])
        case .inputStatus: (.inputStatus, [])
        case .outputStatus: (.outputStatus, [])
        case .readerStatus: (.readerStatus, [])
        case .outputs(let orders): (.outputs, orders.flatMap(\.encoded))
        case .lights(let orders): (.lights, orders.flatMap(\.encoded))
        case .buzzers(let orders): (.buzzers, orders.flatMap(\.encoded))
        case .text(let order): (.text, order.encoded)
        case .setLine(let line): (.setLine, line.encoded)
        case .setKey(let key): (.setKey, [OSDPKey.type, UInt8(OSDPKey.count)] + key.octets)
        case .challenge(let random): (.challenge, random)
        case .serverCryptogram(let cryptogram): (.serverCryptogram, cryptogram)
        case .receiveSize(let size): (.receiveSize, size.encoded)
        case .file(let fragment): (.file, fragment.encoded)
        case .manufacturer(let message): (.manufacturer, message.encoded)
        case .extendedWrite(let mode, let message): (.extendedWrite, [mode] + message)
        case .abort: (.abort, [])
        case .keepActive(let milliseconds): (.keepActive, milliseconds.encoded)
        case .other(let code, let data): (code, data)
        }
    }
}
