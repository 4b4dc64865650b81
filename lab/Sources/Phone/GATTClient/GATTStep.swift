import Octets
import Peripheral

/// The state of an operation: the next request and the results so far, advanced by responses.
enum GATTStep {
    case exchangeMTU(own: Int)
    case services(from: UInt16, [RemoteService])
    case servicesByUUID(BluetoothUUID, from: UInt16, [RemoteService])
    case characteristics(from: UInt16, to: UInt16, [RemoteCharacteristic])
    case descriptors(from: UInt16, to: UInt16, [RemoteDescriptor])
    case read(AttributeHandle)
    case readLong(AttributeHandle, [UInt8])
    case write(AttributeHandle, [UInt8])

    /// The result of a response.
    enum Progress {
        case next(GATTStep)
        case completed(GATTOutcome)
    }

    /// The request's opcode; the response has the next number.
    var opcode: UInt8 {
        switch self {
        case .exchangeMTU: ClientPDU.exchangeMTURequest
        case .services: ClientPDU.readByGroupTypeRequest
        case .servicesByUUID: ClientPDU.findByTypeValueRequest
        case .characteristics: ClientPDU.readByTypeRequest
        case .descriptors: ClientPDU.findInformationRequest
        case .read: ClientPDU.readRequest
        case .readLong(_, let value): value.isEmpty ? ClientPDU.readRequest : ClientPDU.readBlobRequest
        case .write: ClientPDU.writeRequest
        }
    }

    /// Appends the request (Core 5.4, Vol 3, Part F, 3.4).
    func appendRequest(to pdu: inout [UInt8]) {
        pdu.append(opcode)
        switch self {
        case .exchangeMTU(let own):
            pdu.append(littleEndian: UInt16(truncatingIfNeeded: own))
        case .services(let first, _):
            pdu.append(littleEndian: first)
            pdu.append(littleEndian: UInt16.max)
            pdu.append(littleEndian: ClientPDU.primaryService)
        case .servicesByUUID(let uuid, let first, _):
            pdu.append(littleEndian: first)
            pdu.append(littleEndian: UInt16.max)
            pdu.append(littleEndian: ClientPDU.primaryService)
            uuid.append(to: &pdu)
        case .characteristics(let first, let last, _):
            pdu.append(littleEndian: first)
            pdu.append(littleEndian: last)
            pdu.append(littleEndian: ClientPDU.characteristic)
        case .descriptors(let first, let last, _):
            pdu.append(littleEndian: first)
            pdu.append(littleEndian: last)
        case .read(let handle):
            pdu.append(littleEndian: handle.rawValue)
        case .readLong(let handle, let value):
            pdu.append(littleEndian: handle.rawValue)
            if !value.isEmpty { pdu.append(littleEndian: UInt16(truncatingIfNeeded: value.count)) }
        case .write(let handle, let value):
            pdu.append(littleEndian: handle.rawValue)
            pdu += value
        }
    }

    /// Handles the request's complete response, opcode included; a partly unread response is malformed.
    consuming func advanced(by pdu: Span<UInt8>, mtu: Int) throws(GATTClientError) -> Progress {
        var answer = try AnswerReader(pdu)
        switch self {
        case .exchangeMTU(let own):
            let server = Int(try answer.u16(pdu))
            try answer.finish()
            return .completed(.mtu(max(GATTClient.defaultMTU, min(own, server))))
        case .services(let first, let found):
            return try Self.services(found, from: first, pdu, &answer)
        case .servicesByUUID(let uuid, let first, let found):
            return try Self.services(found, of: uuid, from: first, pdu, &answer)
        case .characteristics(let first, let last, let found):
            return try Self.characteristics(found, from: first, to: last, pdu, &answer)
        case .descriptors(let first, let last, let found):
            return try Self.descriptors(found, from: first, to: last, pdu, &answer)
        case .read:
            var value: [UInt8] = []
            value.append(pdu.extracting(answer.rest()))
            return .completed(.value(value))
        case .readLong(let handle, let value):
            return try Self.append(pdu.extracting(answer.rest()), to: value, of: handle, mtu: mtu)
        case .write:
            try answer.finish()
            return .completed(.written)
        }
    }

    /// Handles the server's error response, which completes some operations without a failure.
    consuming func refused(_ handle: AttributeHandle, code: UInt8) throws(GATTClientError) -> Progress {
        switch (self, code) {
        case (.exchangeMTU, ClientPDU.requestNotSupported):
            return .completed(.mtu(GATTClient.defaultMTU))
        case (.services(_, let found), ClientPDU.attributeNotFound):
            return .completed(.services(found))
        case (.servicesByUUID(_, _, let found), ClientPDU.attributeNotFound):
            return .completed(.services(found))
        case (.characteristics(_, let last, let found), ClientPDU.attributeNotFound):
            return .completed(.characteristics(Self.bounded(found, by: last)))
        case (.descriptors(_, _, let found), ClientPDU.attributeNotFound):
            return .completed(.descriptors(found))
        // A value that fills its first response exactly is not long, and has no further octets (Part G, 4.8.3).
        case (.readLong(_, let value), ClientPDU.attributeNotLong) where !value.isEmpty,
            (.readLong(_, let value), ClientPDU.invalidOffset) where !value.isEmpty:
            return .completed(.value(value))
        default:
            throw .refused(handle: handle, code: code)
        }
    }

    /// Appends a part of a long value; one that does not fill its response is the last.
    private static func append(
        _ part: Span<UInt8>, to value: consuming [UInt8], of handle: AttributeHandle, mtu: Int
    ) throws(GATTClientError) -> Progress {
        value.append(part)
        guard value.count <= GATTClient.maximumValueCount else {
            throw .valueTooLong(count: value.count, limit: GATTClient.maximumValueCount)
        }
        guard part.count == mtu - 1, value.count < GATTClient.maximumValueCount else {
            return .completed(.value(value))
        }
        return .next(.readLong(handle, value))
    }
}
