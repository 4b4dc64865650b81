// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

extension ATTOpcode {
    /// True if the opcode is a response other than an error: odd, without the command flag, and not a value that the
    /// server sends automatically (Core 5.4, Vol 3, Part F, 3.3.1).
    var isResponse: Bool {
        switch self {
        case .errorResponse, .handleValueNotification, .handleValueIndication, .multipleHandleValueNotification: false
        default: rawValue & 0x41 == 1
        }
    }

    /// The opcode of the response to this request.
    var response: ATTOpcode { ATTOpcode(rawValue: rawValue &+ 1) }
}

/// A reader of a server's response; any deviation makes the response malformed.
struct AnswerReader {
    private var cursor: OctetCursor
    /// The response up to its value or list.
    let response: ATTResponse
    let malformed: GATTClientError

    /// Starts at the value or the list.
    init(_ pdu: Span<UInt8>) throws(GATTClientError) {
        malformed = .malformed(opcode: pdu.isEmpty ? 0 : pdu[0])
        cursor = OctetCursor(pdu)
        guard let response = try? ATTResponse(pdu, &cursor) else { throw malformed }
        self.response = response
    }

    var remaining: Int { cursor.remaining }

    /// Reads a field, or a field of `count` octets, the whole of which it consumes.
    mutating func read<Field>(
        _ pdu: Span<UInt8>, count: Int? = nil,
        _ field: (Span<UInt8>, inout OctetCursor) throws(OctetError) -> Field
    ) throws(GATTClientError) -> Field {
        do throws(OctetError) {
            guard let count else { return try field(pdu, &cursor) }
            var octets = OctetCursor(pdu, in: try cursor.consume(count, of: pdu))
            let value = try field(pdu, &octets)
            try octets.finish()
            return value
        } catch { throw malformed }
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
