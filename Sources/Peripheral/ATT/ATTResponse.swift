// SPDX-License-Identifier: Apache-2.0

public import Octets

/// A PDU of an ATT server (Core 5.4, Vol 3, Part F, 3.4), without the value or the list at its end: a reader finds it
/// in the remainder of the PDU, a writer appends it.
public enum ATTResponse: Equatable, Sendable {
    /// ATT_ERROR_RSP: the request, the attribute handle in error or 0, and the error code.
    case error(ATTOpcode, handle: UInt16, ATTErrorCode)
    /// ATT_EXCHANGE_MTU_RSP.
    case exchangeMTU(server: UInt16)
    /// ATT_FIND_INFORMATION_RSP: handles, each with a UUID of 2 octets, or of 16.
    case findInformation(isShort: Bool)
    /// ATT_READ_BY_TYPE_RSP: entries of this length, each a handle and a value.
    case readByType(entryCount: UInt8)
    /// ATT_READ_BY_GROUP_TYPE_RSP: entries of this length, each a range of handles and a value.
    case readByGroupType(entryCount: UInt8)
    /// A PDU of nothing but its opcode and a value or a list, if any.
    case bare(ATTOpcode)
    /// ATT_PREPARE_WRITE_RSP: the part, as in the request.
    case prepareWrite(UInt16, offset: UInt16)
    /// ATT_HANDLE_VALUE_NTF: the value.
    case notification(AttributeHandle)
    /// ATT_HANDLE_VALUE_IND: the value.
    case indication(AttributeHandle)

    /// Reads a PDU up to the value or the list; nil for a PDU that a server does not send.
    public init?(_ pdu: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) {
        let opcode = ATTOpcode(rawValue: try cursor.u8(pdu))
        switch opcode {
        case .errorResponse:
            self = .error(
                ATTOpcode(rawValue: try cursor.u8(pdu)), handle: try cursor.u16(pdu),
                ATTErrorCode(rawValue: try cursor.u8(pdu)))
        case .exchangeMTUResponse: self = .exchangeMTU(server: try cursor.u16(pdu))
        case .findInformationResponse:
            let format = try cursor.u8(pdu)
            guard format == 1 || format == 2 else { throw .trailing(offset: 1, count: cursor.remaining) }
            self = .findInformation(isShort: format == 1)
        case .readByTypeResponse: self = .readByType(entryCount: try cursor.u8(pdu))
        case .readByGroupTypeResponse: self = .readByGroupType(entryCount: try cursor.u8(pdu))
        case .prepareWriteResponse: self = .prepareWrite(try cursor.u16(pdu), offset: try cursor.u16(pdu))
        case .handleValueNotification: self = .notification(try AttributeHandle(pdu, &cursor))
        case .handleValueIndication: self = .indication(try AttributeHandle(pdu, &cursor))
        case .findByTypeValueResponse, .readResponse, .readBlobResponse, .readMultipleResponse,
            .readMultipleVariableResponse, .writeResponse, .executeWriteResponse, .multipleHandleValueNotification:
            self = .bare(opcode)
        default: return nil
        }
    }

    /// Appends the PDU up to the value or the list.
    public func append(to pdu: inout [UInt8]) {
        switch self {
        case .error(let request, let handle, let code):
            pdu.append(.errorResponse)
            pdu.append(request, handle)
            pdu.append(code.rawValue)
        case .exchangeMTU(let mtu): pdu.append(.exchangeMTUResponse, mtu)
        case .findInformation(let isShort):
            pdu.append(.findInformationResponse)
            pdu.append(isShort ? 1 : 2)
        case .readByType(let count):
            pdu.append(.readByTypeResponse)
            pdu.append(count)
        case .readByGroupType(let count):
            pdu.append(.readByGroupTypeResponse)
            pdu.append(count)
        case .bare(let opcode): pdu.append(opcode)
        case .prepareWrite(let handle, let offset): pdu.append(.prepareWriteResponse, handle, offset)
        case .notification(let handle): pdu.append(.handleValueNotification, handle.rawValue)
        case .indication(let handle): pdu.append(.handleValueIndication, handle.rawValue)
        }
    }
}
