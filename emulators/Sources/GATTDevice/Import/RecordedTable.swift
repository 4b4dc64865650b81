// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

/// The attributes of a server as its responses show them (Core 5.4, Vol 3, Part G, 4).
struct RecordedTable {
    /// A service, by the handle of its declaration.
    struct Service {
        var end: UInt16
        var uuid: BluetoothUUID
        var isPrimary: Bool
    }

    /// The services by start handle.
    private(set) var services: [UInt16: Service] = [:]
    /// The values of include declarations by handle.
    private(set) var includes: [UInt16: [UInt8]] = [:]
    /// The values of characteristic declarations by handle.
    private(set) var declarations: [UInt16: [UInt8]] = [:]
    /// The types of attributes by handle, as Find Information shows them.
    private(set) var types: [UInt16: BluetoothUUID] = [:]
    /// The values by handle.
    var values: [UInt16: RecordedValue] = [:]
    /// The ATT_MTU that the server offers; nil if no client asked.
    var mtu: Int?

    /// Reads a response of the server to this request.
    ///
    /// - Parameter mtu: the ATT_MTU of the link.
    mutating func receive(
        _ response: ATTResponse, _ pdu: Span<UInt8>, _ list: OctetCursor, to request: ATTRequest,
        _ asked: Span<UInt8>, mtu: Int
    ) throws(OctetError) {
        var list = list
        switch (response, request) {
        case (.exchangeMTU(let server), .exchangeMTU): self.mtu = Int(server)
        case (.readByGroupType(let count), .readByGroupType(_, let type)):
            try groups(type, Int(count), pdu, &list)
        case (.bare(.findByTypeValueResponse), .findByTypeValue(_, .primaryService, let value)):
            var cursor = OctetCursor(asked, in: value)
            let uuid = try BluetoothUUID(asked, &cursor)
            try cursor.finish()
            while list.remaining > 0 { add(try HandleRange(pdu, &list), uuid, isPrimary: true) }
        case (.readByType(let count), .readByType(_, let type)):
            try entries(type, Int(count), pdu, &list, mtu: mtu)
        case (.findInformation(let isShort), .findInformation):
            while list.remaining > 0 {
                let handle = try list.u16(pdu)
                let range = try list.consume(isShort ? 2 : 16, of: pdu)
                var cursor = OctetCursor(pdu, in: range)
                types[handle] = try BluetoothUUID(pdu, &cursor)
            }
        case (.bare(.readResponse), .read(let handle)):
            let octets = pdu.octets(list.rest())
            values[handle, default: RecordedValue()].read(octets, mayBeCut: octets.count == mtu - 1)
        case (.bare(.readBlobResponse), .readBlob(let handle, let offset)):
            let octets = pdu.octets(list.rest())
            values[handle, default: RecordedValue()]
                .readPart(octets, offset: Int(offset), mayBeCut: octets.count == mtu - 1)
        case (.bare(.readMultipleVariableResponse), .readMultipleVariable(let handles)):
            try several(asked, handles, pdu, &list)
        case (.error(_, _, let code), _): refused(request, code)
        default: break
        }
    }

    /// The table with the contents of single reads: declarations, and services that only an include names, which are
    /// secondary (Core 5.4, Vol 3, Part G, 3.2).
    func completed() -> RecordedTable {
        var table = self
        for (handle, type) in types {
            guard let octets = values[handle]?.reads.last else { continue }
            switch type {
            case .characteristic where octets.count == 5 || octets.count == 19:
                table.declarations[handle] = declarations[handle] ?? octets
            case .include: table.includes[handle] = includes[handle] ?? octets
            default: break
            }
        }
        for include in table.includes.values {
            var cursor = OctetCursor(include.span)
            do throws(OctetError) {
                let range = try HandleRange(include.span, &cursor)
                guard table.services[range.first] == nil else { continue }
                // A UUID of 128 bits is not in the include: the declaration was read, or it is unknown.
                let uuid = cursor.remaining > 0 ? Array(include.dropFirst(4)) : values[range.first]?.reads.last ?? []
                cursor = OctetCursor(uuid.span)
                table.add(range, try BluetoothUUID(uuid.span, &cursor), isPrimary: false)
            } catch {
                // No include: it names no service.
            }
        }
        return table
    }

    private mutating func add(_ range: HandleRange, _ uuid: BluetoothUUID, isPrimary: Bool) {
        services[range.first] = Service(end: range.last, uuid: uuid, isPrimary: isPrimary)
    }

    private mutating func groups(
        _ type: BluetoothUUID, _ count: Int, _ pdu: Span<UInt8>, _ list: inout OctetCursor
    ) throws(OctetError) {
        guard count == 6 || count == 20 else { throw .trailing(offset: 1, count: count) }
        while list.remaining > 0 {
            var entry = OctetCursor(pdu, in: try list.consume(count, of: pdu))
            let range = try HandleRange(pdu, &entry)
            let uuid = try BluetoothUUID(pdu, &entry)
            if type == .primaryService || type == .secondaryService {
                add(range, uuid, isPrimary: type == .primaryService)
            }
        }
    }

    private mutating func entries(
        _ type: BluetoothUUID, _ count: Int, _ pdu: Span<UInt8>, _ list: inout OctetCursor, mtu: Int
    ) throws(OctetError) {
        guard count > 2 else { throw .trailing(offset: 1, count: count) }
        while list.remaining > 0 {
            var entry = OctetCursor(pdu, in: try list.consume(count, of: pdu))
            let handle = try entry.u16(pdu)
            let octets = pdu.octets(entry.rest())
            switch type {
            case .characteristic where octets.count == 5 || octets.count == 19: declarations[handle] = octets
            case .include: includes[handle] = octets
            case .characteristic, .primaryService, .secondaryService: break
            default:
                types[handle] = type
                // A value is cut to the room of one entry (Vol 3, Part F, 3.4.4.2).
                let mayBeCut = octets.count == min(mtu - 4, 253)
                values[handle, default: RecordedValue()].read(octets, mayBeCut: mayBeCut)
            }
        }
    }

    /// Values with their lengths; the last may be cut by the ATT_MTU (Vol 3, Part F, 3.4.4.12).
    private mutating func several(
        _ asked: Span<UInt8>, _ handles: Range<Int>, _ pdu: Span<UInt8>, _ list: inout OctetCursor
    ) throws(OctetError) {
        var asking = OctetCursor(asked, in: handles)
        while list.remaining > 0, asking.remaining > 0 {
            let handle = try asking.u16(asked)
            let count = Int(try list.u16(pdu))
            let octets = pdu.octets(try list.consume(min(count, list.remaining), of: pdu))
            values[handle, default: RecordedValue()].read(octets, mayBeCut: octets.count < count)
        }
    }

    private mutating func refused(_ request: ATTRequest, _ code: ATTErrorCode) {
        switch request {
        case .read(let handle):
            values[handle, default: RecordedValue()].refusedRead = code
            if code.asksForSecurity { values[handle]?.asksForSecurity.reading = true }
        // Attribute Not Long, or an offset behind the end: nothing more was there.
        case .readBlob(let handle, _) where code == .attributeNotLong || code == .invalidOffset:
            values[handle]?.readEnded()
        case .write(let handle, _):
            values[handle, default: RecordedValue()].refusedWrite = code
            if code.asksForSecurity { values[handle]?.asksForSecurity.writing = true }
        default: break
        }
    }
}

extension ATTErrorCode {
    /// True for a refusal that a link with another security does not get (Core 5.4, Vol 3, Part F, 3.4.1.1).
    var asksForSecurity: Bool {
        self == .insufficientAuthentication || self == .insufficientEncryption
            || self == .insufficientEncryptionKeySize
    }
}

extension Span<UInt8> {
    /// A copy of the octets in a range.
    func octets(_ range: Range<Int>) -> [UInt8] {
        var octets: [UInt8] = []
        octets.append(extracting(range))
        return octets
    }
}
