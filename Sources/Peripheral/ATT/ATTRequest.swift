import Octets

/// A range of handles as requests have it, both ends included.
struct HandleRange: Equatable {
    var first: UInt16
    var last: UInt16

    /// Refuses handle 0 and a start beyond the end, naming the start (Core 5.4, Vol 3, Part F, 3.4.3.1).
    func check() throws(ATTFault) {
        guard first != 0, first <= last else { throw ATTFault(.invalidHandle, first) }
    }
}

/// An ATT PDU as the server reads it (Core 5.4, Vol 3, Part F, 3.4). Values and lists are ranges of the PDU.
///
/// Reading consumes the whole PDU or throws; whether the numbers in it make sense is for the server to say.
enum ATTRequest: Equatable {
    case exchangeMTU(client: UInt16)
    case findInformation(HandleRange)
    case findByTypeValue(HandleRange, type: UInt16, value: Range<Int>)
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
    /// A request that the server does not have.
    case unsupported
    /// A PDU that is never answered: a response or notification, which a server has not asked for; a signed write, for
    /// which no signing key is ever distributed; an unknown command.
    case ignored

    init(_ pdu: Span<UInt8>) throws(OctetError) {
        var cursor = OctetCursor(pdu)
        let opcode = ATTOpcode(rawValue: try cursor.u8(pdu))
        switch opcode {
        case .readRequest:
            self = .read(try cursor.u16(pdu))
        case .writeRequest:
            self = .write(try cursor.u16(pdu), value: cursor.rest())
        case .writeCommand:
            self = .writeCommand(try cursor.u16(pdu), value: cursor.rest())
        case .readBlobRequest:
            self = .readBlob(try cursor.u16(pdu), offset: try cursor.u16(pdu))
        case .prepareWriteRequest:
            self = .prepareWrite(try cursor.u16(pdu), offset: try cursor.u16(pdu), value: cursor.rest())
        case .executeWriteRequest:
            self = .executeWrite(flags: try cursor.u8(pdu))
        case .exchangeMTURequest:
            self = .exchangeMTU(client: try cursor.u16(pdu))
        case .handleValueConfirmation:
            self = .confirmation
        case .findInformationRequest:
            self = .findInformation(try cursor.handles(pdu))
        case .findByTypeValueRequest:
            self = .findByTypeValue(try cursor.handles(pdu), type: try cursor.u16(pdu), value: cursor.rest())
        case .readByTypeRequest:
            self = .readByType(try cursor.handles(pdu), type: try cursor.uuid(pdu))
        case .readByGroupTypeRequest:
            self = .readByGroupType(try cursor.handles(pdu), type: try cursor.uuid(pdu))
        case .readMultipleRequest:
            self = .readMultiple(handles: try cursor.handleList(pdu))
        case .readMultipleVariableRequest:
            self = .readMultipleVariable(handles: try cursor.handleList(pdu))
        default:
            _ = cursor.rest()
            self = opcode.isRequest ? .unsupported : .ignored
        }
        try cursor.finish()
    }
}

extension OctetCursor {
    fileprivate mutating func handles(_ pdu: Span<UInt8>) throws(OctetError) -> HandleRange {
        HandleRange(first: try u16(pdu), last: try u16(pdu))
    }

    /// All that is left as a UUID: 2 or 16 octets.
    fileprivate mutating func uuid(_ pdu: Span<UInt8>) throws(OctetError) -> BluetoothUUID {
        if remaining == 2 { return BluetoothUUID(try u16(pdu)) }
        let low = try u64(pdu)
        return BluetoothUUID(high: try u64(pdu), low: low)
    }

    /// All that is left as handles: two or more (Core 5.4, Vol 3, Part F, 3.4.4.7).
    fileprivate mutating func handleList(_ pdu: Span<UInt8>) throws(OctetError) -> Range<Int> {
        let start = position
        _ = try u32(pdu)
        while remaining > 0 { _ = try u16(pdu) }
        return start..<position
    }
}
