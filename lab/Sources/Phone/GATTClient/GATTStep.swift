// SPDX-License-Identifier: Apache-2.0

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

    /// Appends the request (Core 5.4, Vol 3, Part F, 3.4).
    func appendRequest(to pdu: inout [UInt8]) {
        var value: [UInt8] = []
        let request: ATTRequest
        switch self {
        case .exchangeMTU(let own): request = .exchangeMTU(client: UInt16(truncatingIfNeeded: own))
        case .services(let first, _): request = .readByGroupType(HandleRange(first: first), type: .primaryService)
        case .servicesByUUID(let uuid, let first, _):
            uuid.append(to: &value)
            request = .findByTypeValue(HandleRange(first: first), type: .primaryService, value: value.indices)
        case .characteristics(let first, let last, _):
            request = .readByType(HandleRange(first: first, last: last), type: .characteristic)
        case .descriptors(let first, let last, _): request = .findInformation(HandleRange(first: first, last: last))
        case .readLong(let handle, let value) where !value.isEmpty:
            request = .readBlob(handle.rawValue, offset: UInt16(truncatingIfNeeded: value.count))
        case .read(let handle), .readLong(let handle, _): request = .read(handle.rawValue)
        case .write(let handle, let written):
            value = written
            request = .write(handle.rawValue, value: value.indices)
        }
        request.append(to: &pdu, value.span)
    }

    /// Handles the request's complete response, opcode included; a partly unread response is malformed.
    consuming func advanced(by pdu: Span<UInt8>, mtu: Int) throws(GATTClientError) -> Progress {
        var answer = try AnswerReader(pdu)
        switch self {
        case .exchangeMTU(let own):
            guard case .exchangeMTU(let server) = answer.response else { throw answer.malformed }
            try answer.finish()
            return .completed(.mtu(max(GATTClient.defaultMTU, min(own, Int(server)))))
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
    consuming func refused(_ handle: AttributeHandle, code: ATTErrorCode) throws(GATTClientError) -> Progress {
        switch (self, code) {
        case (.exchangeMTU, .requestNotSupported): return .completed(.mtu(GATTClient.defaultMTU))
        case (.services(_, let found), .attributeNotFound), (.servicesByUUID(_, _, let found), .attributeNotFound):
            return .completed(.services(found))
        case (.characteristics(_, let last, let found), .attributeNotFound):
            return .completed(.characteristics(Self.bounded(found, by: last)))
        case (.descriptors(_, _, let found), .attributeNotFound): return .completed(.descriptors(found))
        // A value that fills its first response exactly is not long, and has no further octets (Part G, 4.8.3).
        case (.readLong(_, let value), .attributeNotLong) where !value.isEmpty,
            (.readLong(_, let value), .invalidOffset) where !value.isEmpty:
            return .completed(.value(value))
        default: throw .refused(handle: handle, code: code.rawValue)
        }
    }

    /// Appends a part of a long value; a part that does not fill its response is the last.
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
