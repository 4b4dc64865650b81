import Octets
import Peripheral

/// ATT opcodes used by a client (Core 5.4, Vol 3, Part F, 3.4.8).
enum ClientPDU {
    static let errorResponse: UInt8 = 0x01
    static let exchangeMTURequest: UInt8 = 0x02
    static let findInformationRequest: UInt8 = 0x04
    static let findByTypeValueRequest: UInt8 = 0x06
    static let readByTypeRequest: UInt8 = 0x08
    static let readRequest: UInt8 = 0x0A
    static let readBlobRequest: UInt8 = 0x0C
    static let readByGroupTypeRequest: UInt8 = 0x10
    static let writeRequest: UInt8 = 0x12
    static let notification: UInt8 = 0x1B
    static let indication: UInt8 = 0x1D
    static let confirmation: UInt8 = 0x1E
    static let writeCommand: UInt8 = 0x52

    /// Error codes that complete an operation without a failure (3.4.1.1).
    static let requestNotSupported: UInt8 = 0x06
    static let invalidOffset: UInt8 = 0x07
    static let attributeNotFound: UInt8 = 0x0A
    static let attributeNotLong: UInt8 = 0x0B

    /// «Primary Service» and «Characteristic» (Assigned Numbers).
    static let primaryService: UInt16 = 0x2800
    static let characteristic: UInt16 = 0x2803

    /// Whether the opcode is a request. Request opcodes are even, and the response is the next number; the exceptions
    /// are 0x1E, a confirmation, and bit 6, which marks a command (3.3.1).
    static func isRequest(_ opcode: UInt8) -> Bool {
        opcode & 0x41 == 0 && opcode != confirmation
    }

    /// Whether the opcode is a response other than an error.
    static func isResponse(_ opcode: UInt8) -> Bool {
        opcode & 0x41 == 1 && opcode != errorResponse && opcode != notification && opcode != indication
            && opcode != multipleNotification
    }

    /// ATT_MULTIPLE_HANDLE_VALUE_NTF: sent only to clients that have declared support.
    static let multipleNotification: UInt8 = 0x23
}

/// A queue of PDUs in sending order, which reuses its memory.
struct PDUQueue {
    private var octets: [UInt8] = []
    private var ends: [Int] = []
    private var first = 0

    /// Appends the PDU that `body` writes.
    mutating func append(_ body: (inout [UInt8]) -> Void) {
        body(&octets)
        ends.append(octets.count)
    }

    /// Replaces the contents of `pdu` with the next PDU; false if there is none.
    mutating func removeFirst(into pdu: inout [UInt8]) -> Bool {
        guard first < ends.count else { return false }
        let start = first == 0 ? 0 : ends[first - 1]
        pdu.removeAll(keepingCapacity: true)
        pdu.append(octets.span.extracting(start..<ends[first]))
        first += 1
        if first == ends.count { removeAll() }
        return true
    }

    mutating func removeAll() {
        octets.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        first = 0
    }
}

/// A reader of a server's response; any deviation makes the response malformed.
struct AnswerReader {
    private var cursor: OctetCursor
    private let opcode: UInt8

    /// Starts after the opcode.
    init(_ pdu: Span<UInt8>) throws(GATTClientError) {
        cursor = OctetCursor(pdu)
        guard let opcode = try? cursor.u8(pdu) else { throw .malformed(opcode: 0) }
        self.opcode = opcode
    }

    var malformed: GATTClientError { .malformed(opcode: opcode) }

    var remaining: Int { cursor.remaining }

    mutating func u8(_ pdu: Span<UInt8>) throws(GATTClientError) -> UInt8 {
        do { return try cursor.u8(pdu) } catch { throw malformed }
    }

    mutating func u16(_ pdu: Span<UInt8>) throws(GATTClientError) -> UInt16 {
        do { return try cursor.u16(pdu) } catch { throw malformed }
    }

    mutating func handle(_ pdu: Span<UInt8>) throws(GATTClientError) -> AttributeHandle {
        AttributeHandle(rawValue: try u16(pdu))
    }

    /// A UUID of 2 or 16 octets.
    mutating func uuid(_ pdu: Span<UInt8>, count: Int) throws(GATTClientError) -> BluetoothUUID {
        if count == 2 { return BluetoothUUID(try u16(pdu)) }
        do {
            let low = try cursor.u64(pdu)
            return BluetoothUUID(high: try cursor.u64(pdu), low: low)
        } catch {
            throw malformed
        }
    }

    mutating func rest() -> Range<Int> { cursor.rest() }

    func finish() throws(GATTClientError) {
        do { try cursor.finish() } catch { throw malformed }
    }

    /// Requires that the rest is a non-empty list of entries of `count` octets.
    func requireList(of count: Int) throws(GATTClientError) {
        guard remaining > 0, remaining % count == 0 else { throw malformed }
    }
}
