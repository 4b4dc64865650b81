import Octets

/// The code of a signalling command (Core 5.4, Vol 3, Part A, table 4.2).
struct SignallingCode: RawRepresentable, Hashable {
    var rawValue: UInt8
    init(rawValue: UInt8) { self.rawValue = rawValue }

    static let commandReject = SignallingCode(rawValue: 0x01)
    static let disconnectionRequest = SignallingCode(rawValue: 0x06)
    static let disconnectionResponse = SignallingCode(rawValue: 0x07)
    static let parameterUpdateRequest = SignallingCode(rawValue: 0x12)
    static let parameterUpdateResponse = SignallingCode(rawValue: 0x13)
    static let creditBasedConnectionRequest = SignallingCode(rawValue: 0x14)
    static let creditBasedConnectionResponse = SignallingCode(rawValue: 0x15)
    static let flowControlCredit = SignallingCode(rawValue: 0x16)
    static let enhancedConnectionRequest = SignallingCode(rawValue: 0x17)
    static let enhancedConnectionResponse = SignallingCode(rawValue: 0x18)
    static let reconfigureRequest = SignallingCode(rawValue: 0x19)
    static let reconfigureResponse = SignallingCode(rawValue: 0x1A)

    /// Requests are even up to 0x14 and responses odd up to 0x15; from 0x16 on the table has no such rule.
    var asksForAnswer: Bool {
        switch self {
        case .flowControlCredit, .enhancedConnectionResponse, .reconfigureResponse: false
        default: rawValue > SignallingCode.creditBasedConnectionResponse.rawValue || rawValue % 2 == 0
        }
    }
}

/// One signalling command: on LE a PDU is one (Core 5.4, Vol 3, Part A, 4).
struct SignallingCommand: Equatable {
    /// The longest signalling PDU that is taken, MTUsig on LE (4). Five channels fit into it.
    static let maximumUnit = 23
    static let headerCount = 4

    var code: SignallingCode
    var identifier: UInt8
    /// The whole PDU fits the MTU.
    var fits: Bool
    /// The octets behind the header are as many as it says.
    var isWhole: Bool

    /// The header of `pdu`. Nil for one too short for code, identifier and length, which cannot be answered, and for
    /// identifier 0, which the specification calls illegal.
    init?(_ pdu: Span<UInt8>) {
        guard pdu.count >= SignallingCommand.headerCount, pdu[1] != 0 else { return nil }
        code = SignallingCode(rawValue: pdu[0])
        identifier = pdu[1]
        fits = pdu.count <= SignallingCommand.maximumUnit
        isWhole = Int(pdu[2]) | Int(pdu[3]) << 8 == pdu.count - SignallingCommand.headerCount
    }

    /// How many two-octet fields follow the header; nil if half a field is left over.
    static func fieldCount(_ pdu: Span<UInt8>) -> Int? {
        let count = pdu.count - headerCount
        return count >= 0 && count % 2 == 0 ? count / 2 : nil
    }

    /// A two-octet field behind the header; 0 for one that is not there.
    static func field(_ index: Int, of pdu: Span<UInt8>) -> UInt16 {
        let at = headerCount + 2 * index
        guard index >= 0, at + 1 < pdu.count else { return 0 }
        return UInt16(pdu[at]) | UInt16(pdu[at + 1]) << 8
    }
}

extension [UInt8] {
    /// Appends the header of a command with `count` fields of two octets.
    mutating func append(_ code: SignallingCode, _ identifier: UInt8, fields count: Int) {
        append(code.rawValue)
        append(identifier)
        append(littleEndian: UInt16(truncatingIfNeeded: count * 2))
    }

    /// Appends a command of up to four fields of two octets; nil is no field.
    mutating func append(
        _ code: SignallingCode, _ identifier: UInt8, _ first: UInt16?, _ second: UInt16? = nil, _ third: UInt16? = nil,
        _ fourth: UInt16? = nil
    ) {
        var count = 0
        for field in [first, second, third, fourth] where field != nil { count += 1 }
        append(code, identifier, fields: count)
        for field in [first, second, third, fourth] { if let field { append(littleEndian: field) } }
    }
}
