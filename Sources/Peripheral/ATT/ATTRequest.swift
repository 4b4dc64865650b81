// SPDX-License-Identifier: Apache-2.0

public import Octets

/// A PDU of an ATT client: the request of that name, a command or a confirmation (Core 5.4, Vol 3, Part F, 3.4).
///
/// Values and lists are ranges: of the PDU that was read, or of the octets that are passed to write it. Reading
/// consumes the complete PDU or throws; the server verifies the values of the fields.
public enum ATTRequest: Equatable, Sendable {
    case exchangeMTU(client: UInt16)
    case findInformation(HandleRange)
    case findByTypeValue(HandleRange, type: BluetoothUUID, value: Range<Int>)
    case readByType(HandleRange, type: BluetoothUUID)
    case read(UInt16)
    case readBlob(UInt16, offset: UInt16)
    case readMultiple(handles: Range<Int>)
    case readMultipleVariable(handles: Range<Int>)
    case readByGroupType(HandleRange, type: BluetoothUUID)
    case write(UInt16, value: Range<Int>)
    case writeCommand(UInt16, value: Range<Int>)
    case prepareWrite(UInt16, offset: UInt16, value: Range<Int>)
    case executeWrite(flags: UInt8)
    case confirmation
    /// A request that the server does not support.
    case unsupported
    /// A PDU that is not answered: an unsolicited response or notification; a signed write, for which no signing key is
    /// distributed; an unknown command.
    case ignored

    /// Reads a complete PDU.
    public init(_ pdu: Span<UInt8>) throws(OctetError) {
        var cursor = OctetCursor(pdu)
        let opcode = ATTOpcode(rawValue: try cursor.u8(pdu))
        switch opcode {
        case .readRequest: self = .read(try cursor.u16(pdu))
        case .writeRequest: self = .write(try cursor.u16(pdu), value: cursor.rest())
        case .writeCommand: self = .writeCommand(try cursor.u16(pdu), value: cursor.rest())
        case .readBlobRequest: self = .readBlob(try cursor.u16(pdu), offset: try cursor.u16(pdu))
        case .prepareWriteRequest:
            self = .prepareWrite(try cursor.u16(pdu), offset: try cursor.u16(pdu), value: cursor.rest())
        case .executeWriteRequest: self = .executeWrite(flags: try cursor.u8(pdu))
        case .exchangeMTURequest: self = .exchangeMTU(client: try cursor.u16(pdu))
        case .handleValueConfirmation: self = .confirmation
        case .findInformationRequest: self = .findInformation(try HandleRange(pdu, &cursor))
        case .findByTypeValueRequest:
            self = .findByTypeValue(
                try HandleRange(pdu, &cursor), type: BluetoothUUID(try cursor.u16(pdu)), value: cursor.rest())
        case .readByTypeRequest:
            self = .readByType(try HandleRange(pdu, &cursor), type: try BluetoothUUID(pdu, &cursor))
        case .readByGroupTypeRequest:
            self = .readByGroupType(try HandleRange(pdu, &cursor), type: try BluetoothUUID(pdu, &cursor))
        case .readMultipleRequest: self = .readMultiple(handles: try cursor.handleList(pdu))
        case .readMultipleVariableRequest: self = .readMultipleVariable(handles: try cursor.handleList(pdu))
        default:
            _ = cursor.rest()
            self = opcode.isRequest ? .unsupported : .ignored
        }
        try cursor.finish()
    }

    /// Appends the PDU; values and lists are ranges of `source`. `unsupported` and `ignored` are not written.
    public func append(to pdu: inout [UInt8], _ source: Span<UInt8>) {
        switch self {
        case .exchangeMTU(let mtu): pdu.append(.exchangeMTURequest, mtu)
        case .findInformation(let range): pdu.append(.findInformationRequest, range.first, range.last)
        case .findByTypeValue(let range, let type, let value):
            pdu.append(.findByTypeValueRequest, range.first, range.last)
            type.append(to: &pdu)
            pdu.append(source.extracting(value))
        case .readByType(let range, let type):
            pdu.append(.readByTypeRequest, range.first, range.last)
            type.append(to: &pdu)
        case .read(let handle): pdu.append(.readRequest, handle)
        case .readBlob(let handle, let offset): pdu.append(.readBlobRequest, handle, offset)
        case .readMultiple(let handles):
            pdu.append(.readMultipleRequest)
            pdu.append(source.extracting(handles))
        case .readMultipleVariable(let handles):
            pdu.append(.readMultipleVariableRequest)
            pdu.append(source.extracting(handles))
        case .readByGroupType(let range, let type):
            pdu.append(.readByGroupTypeRequest, range.first, range.last)
            type.append(to: &pdu)
        case .write(let handle, let value):
            pdu.append(.writeRequest, handle)
            pdu.append(source.extracting(value))
        case .writeCommand(let handle, let value):
            pdu.append(.writeCommand, handle)
            pdu.append(source.extracting(value))
        case .prepareWrite(let handle, let offset, let value):
            pdu.append(.prepareWriteRequest, handle, offset)
            pdu.append(source.extracting(value))
        case .executeWrite(let flags):
            pdu.append(.executeWriteRequest)
            pdu.append(flags)
        case .confirmation: pdu.append(.handleValueConfirmation)
        case .unsupported, .ignored: break
        }
    }

    /// Appends a PDU without a value or a list.
    public func append(to pdu: inout [UInt8]) {
        let none: [UInt8] = []
        append(to: &pdu, none.span)
    }
}

extension OctetCursor {
    /// The remaining octets as a list of handles: two or more (Core 5.4, Vol 3, Part F, 3.4.4.7).
    fileprivate mutating func handleList(_ pdu: Span<UInt8>) throws(OctetError) -> Range<Int> {
        let start = position
        _ = try u32(pdu)
        while remaining > 0 { _ = try u16(pdu) }
        return start..<position
    }
}
