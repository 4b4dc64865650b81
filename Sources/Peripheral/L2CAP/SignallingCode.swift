// SPDX-License-Identifier: Apache-2.0

import Octets

/// The code of a signalling command (Core 5.4, Vol 3, Part A, table 4.2).
public struct SignallingCode: RawRepresentable, Hashable, Sendable {
    /// The first octet of the command.
    public var rawValue: UInt8
    /// The code with this octet, known or not.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// L2CAP_COMMAND_REJECT_RSP.
    public static let commandReject = SignallingCode(rawValue: 0x01)
    static let disconnectionRequest = SignallingCode(rawValue: 0x06)
    static let disconnectionResponse = SignallingCode(rawValue: 0x07)
    /// L2CAP_CONNECTION_PARAMETER_UPDATE_REQ.
    public static let parameterUpdateRequest = SignallingCode(rawValue: 0x12)
    /// L2CAP_CONNECTION_PARAMETER_UPDATE_RSP.
    public static let parameterUpdateResponse = SignallingCode(rawValue: 0x13)
    static let creditBasedConnectionRequest = SignallingCode(rawValue: 0x14)
    static let creditBasedConnectionResponse = SignallingCode(rawValue: 0x15)
    /// L2CAP_FLOW_CONTROL_CREDIT_IND.
    public static let flowControlCredit = SignallingCode(rawValue: 0x16)
    static let enhancedConnectionRequest = SignallingCode(rawValue: 0x17)
    static let enhancedConnectionResponse = SignallingCode(rawValue: 0x18)
    static let reconfigureRequest = SignallingCode(rawValue: 0x19)
    static let reconfigureResponse = SignallingCode(rawValue: 0x1A)

    /// True if the receiver must answer. Up to 0x15, requests are even and responses odd; above, the table has no such
    /// rule.
    public var asksForAnswer: Bool {
        switch self {
        case .flowControlCredit, .enhancedConnectionResponse, .reconfigureResponse: false
        default: rawValue > SignallingCode.creditBasedConnectionResponse.rawValue || rawValue % 2 == 0
        }
    }
}

/// A signalling command; on LE, a PDU contains one (Core 5.4, Vol 3, Part A, 4).
public struct SignallingCommand: Equatable, Sendable {
    /// The maximum length of a signalling PDU, MTUsig on LE (4); a request for five channels fits.
    static let maximumUnit = 23
    /// Octets of code, identifier and length.
    public static let headerCount = 4

    /// The code.
    public var code: SignallingCode
    /// The identifier, which a response repeats.
    public var identifier: UInt8
    /// True if the PDU fits the MTU.
    var fits: Bool
    /// True if the length in the header is the data's length.
    public var isWhole: Bool

    /// The header of `pdu`. Nil if it is too short for code, identifier and length, and thus cannot be answered, and
    /// for the illegal identifier 0.
    public init?(_ pdu: Span<UInt8>) {
        guard pdu.count >= SignallingCommand.headerCount, pdu[1] != 0 else { return nil }
        code = SignallingCode(rawValue: pdu[0])
        identifier = pdu[1]
        fits = pdu.count <= SignallingCommand.maximumUnit
        isWhole = Int(pdu[2]) | Int(pdu[3]) << 8 == pdu.count - SignallingCommand.headerCount
    }

    /// The number of two-octet fields after the header; nil if the data has an odd length.
    static func fieldCount(_ pdu: Span<UInt8>) -> Int? {
        let count = pdu.count - headerCount
        return count >= 0 && count % 2 == 0 ? count / 2 : nil
    }

    /// A two-octet field after the header; 0 if it is missing.
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
    public mutating func append(
        _ code: SignallingCode, _ identifier: UInt8, _ first: UInt16?, _ second: UInt16? = nil, _ third: UInt16? = nil,
        _ fourth: UInt16? = nil
    ) {
        var count = 0
        for field in [first, second, third, fourth] where field != nil { count += 1 }
        append(code, identifier, fields: count)
        for field in [first, second, third, fourth] { if let field { append(littleEndian: field) } }
    }
}
