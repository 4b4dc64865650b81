import Octets

/// The LE signalling channel of a peripheral that has no credit-based channels: it only ever answers
/// (Core 5.4, Vol 3, Part A, 4).
///
/// A response, a reject, or an indication is never answered, known or not, so two ends cannot keep each other busy.
public struct L2CAPSignalling: Sendable {
    /// The longest signalling PDU that is taken, MTUsig on LE (Core 5.4, Vol 3, Part A, 4).
    public static let maximumUnit = 23

    /// The code of a signalling command (Core 5.4, Vol 3, Part A, table 4.2).
    struct Code: RawRepresentable, Hashable {
        var rawValue: UInt8
        init(rawValue: UInt8) { self.rawValue = rawValue }

        static let commandReject = Code(rawValue: 0x01)
        static let disconnectionRequest = Code(rawValue: 0x06)
        static let creditBasedConnectionRequest = Code(rawValue: 0x14)
        static let creditBasedConnectionResponse = Code(rawValue: 0x15)
        static let flowControlCredit = Code(rawValue: 0x16)
        static let enhancedConnectionRequest = Code(rawValue: 0x17)
        static let enhancedConnectionResponse = Code(rawValue: 0x18)
        static let reconfigureResponse = Code(rawValue: 0x1A)

        /// Requests are even up to 0x14 and responses odd up to 0x15; from 0x16 on the table has no such rule.
        var asksForAnswer: Bool {
            switch self {
            case .flowControlCredit, .enhancedConnectionResponse, .reconfigureResponse: false
            default: rawValue > Code.creditBasedConnectionResponse.rawValue || rawValue % 2 == 0
            }
        }
    }

    /// Why a command is rejected (Core 5.4, Vol 3, Part A, 4.1).
    private enum Reason: UInt16 {
        case notUnderstood = 0x0000
        case signallingMTUExceeded = 0x0001
        case invalidChannel = 0x0002
    }

    /// "Connection refused – SPSM not supported" (Core 5.4, Vol 3, Part A, 4.23).
    private static let serviceNotSupported: UInt16 = 0x0002
    private static let headerCount = 4

    /// A signalling channel; it keeps nothing between commands.
    public init() {}

    /// Takes one signalling PDU, which on LE is one command, and appends at most one PDU to `response`.
    ///
    /// A PDU too short for code, identifier and length cannot be answered and is ignored, and so is identifier 0, which
    /// the specification calls illegal. A length that is not the one of the data makes the command not understood.
    public func receive(_ pdu: Span<UInt8>, response: inout [UInt8]) {
        guard pdu.count >= L2CAPSignalling.headerCount, pdu[1] != 0 else { return }
        let code = Code(rawValue: pdu[0])
        let identifier = pdu[1]
        guard code.asksForAnswer else { return }
        guard pdu.count <= L2CAPSignalling.maximumUnit else {
            reject(identifier, .signallingMTUExceeded, [UInt16(L2CAPSignalling.maximumUnit)], &response)
            return
        }
        let count = Int(pdu[2]) | Int(pdu[3]) << 8
        guard count == pdu.count - L2CAPSignalling.headerCount else {
            reject(identifier, .notUnderstood, [], &response)
            return
        }
        switch (code, count) {
        case (.creditBasedConnectionRequest, 10):
            // No destination channel, MTU, MPS or credits: only the result means anything (4.23).
            append(
                .creditBasedConnectionResponse, identifier, [0, 0, 0, 0, L2CAPSignalling.serviceNotSupported], &response
            )
        case (.disconnectionRequest, 4):
            // There are no dynamic channels, so the destination is invalid; it comes back with the source (4.1, 4.6).
            let destination = UInt16(pdu[4]) | UInt16(pdu[5]) << 8
            let source = UInt16(pdu[6]) | UInt16(pdu[7]) << 8
            reject(identifier, .invalidChannel, [destination, source], &response)
        default:
            // Among them Connection Parameter Update Request, which a peripheral sends and never takes (4.20).
            reject(identifier, .notUnderstood, [], &response)
        }
    }

    private func reject(_ identifier: UInt8, _ reason: Reason, _ data: [UInt16], _ response: inout [UInt8]) {
        append(.commandReject, identifier, [reason.rawValue] + data, &response)
    }

    private func append(_ code: Code, _ identifier: UInt8, _ fields: [UInt16], _ response: inout [UInt8]) {
        response.append(code.rawValue)
        response.append(identifier)
        response.append(littleEndian: UInt16(fields.count * 2))
        for field in fields { response.append(littleEndian: field) }
    }
}
