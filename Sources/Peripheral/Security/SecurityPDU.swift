// SPDX-License-Identifier: Apache-2.0

import Octets

/// A command of the Security Manager protocol (Core 5.4, Vol 3, Part H, 3.5 and 3.6).
///
/// A value without heap memory: the longest has 64 octets of key.
public enum SecurityPDU: Equatable, Sendable {
    /// The code of a command (3.3, table 3.3).
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The first octet of the PDU.
        public var rawValue: UInt8
        /// The code with this value, known or not.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        static let pairingRequest = Code(rawValue: 0x01)
        static let pairingResponse = Code(rawValue: 0x02)
        static let confirm = Code(rawValue: 0x03)
        static let random = Code(rawValue: 0x04)
        /// Pairing Failed.
        public static let failed = Code(rawValue: 0x05)
        static let encryptionInformation = Code(rawValue: 0x06)
        static let centralIdentification = Code(rawValue: 0x07)
        static let identityInformation = Code(rawValue: 0x08)
        static let identityAddress = Code(rawValue: 0x09)
        static let signingInformation = Code(rawValue: 0x0A)
        static let securityRequest = Code(rawValue: 0x0B)
        static let publicKey = Code(rawValue: 0x0C)
        static let keyCheck = Code(rawValue: 0x0D)
        static let keypress = Code(rawValue: 0x0E)
    }

    /// A fault of a PDU.
    public enum ParseError: Error, Equatable, Sendable {
        /// The code is reserved or missing: the PDU is ignored (3.3).
        case reserved
        /// The length does not match the code.
        case length(Code)
        /// A field has an invalid value.
        case field(Code)

        /// The code of the faulty command.
        var code: Code? {
            switch self {
            case .reserved: nil
            case .length(let code), .field(let code): code
            }
        }
    }

    /// Pairing Request, of the central (3.5.1).
    case pairingRequest(PairingFeatures)
    /// Pairing Response, of the peripheral (3.5.2).
    case pairingResponse(PairingFeatures)
    /// Pairing Confirm (3.5.3).
    case confirm(Value128)
    /// Pairing Random (3.5.4).
    case random(Value128)
    /// Pairing Failed (3.5.5).
    case failed(PairingFailureReason)
    /// Encryption Information: a long-term key (3.6.2).
    case encryptionInformation(Value128)
    /// Central Identification: EDIV and Rand of that key (3.6.3).
    case centralIdentification(LTKIdentifier)
    /// Identity Information: an identity resolving key (3.6.4).
    case identityInformation(Value128)
    /// Identity Address Information: public, or random static (3.6.5).
    case identityAddress(BluetoothAddress)
    /// Signing Information: a signature resolving key (3.6.6).
    case signingInformation(Value128)
    /// Security Request, of the peripheral (3.6.7).
    case securityRequest(AuthenticationRequirements)
    /// Pairing Public Key (3.5.6).
    case publicKey(x: Value256, y: Value256)
    /// Pairing DHKey Check (3.5.7).
    case keyCheck(Value128)
    /// Pairing Keypress Notification (3.5.8): 0 to 4.
    case keypress(UInt8)

    /// The length of a command's parameters in octets; nil for a reserved code.
    static func parameterCount(of code: Code) -> Int? {
        switch code {
        case .pairingRequest, .pairingResponse: 6
        case .confirm, .random, .encryptionInformation, .identityInformation, .signingInformation, .keyCheck: 16
        case .failed, .securityRequest, .keypress: 1
        case .centralIdentification: 10
        case .identityAddress: 7
        case .publicKey: 64
        default: nil
        }
    }

    /// Reads a complete PDU: the code and exactly its parameters.
    public static func parse(_ pdu: Span<UInt8>) throws(ParseError) -> SecurityPDU {
        guard pdu.count > 0 else { throw .reserved }
        let code = Code(rawValue: pdu[0])
        guard let count = parameterCount(of: code) else { throw .reserved }
        guard pdu.count == 1 + count else { throw .length(code) }
        do {
            return try read(code, pdu)
        } catch {
            throw .field(code)
        }
    }

    /// A field has an invalid value.
    private struct BadField: Error {}

    private static func read(_ code: Code, _ pdu: Span<UInt8>) throws(BadField) -> SecurityPDU {
        switch code {
        case .pairingRequest: return .pairingRequest(try features(pdu))
        case .pairingResponse: return .pairingResponse(try features(pdu))
        case .confirm: return .confirm(try value(pdu, from: 1))
        case .random: return .random(try value(pdu, from: 1))
        case .failed: return .failed(PairingFailureReason(rawValue: pdu[1]))
        case .encryptionInformation: return .encryptionInformation(try value(pdu, from: 1))
        case .centralIdentification:
            var cursor = OctetCursor(pdu, in: 1..<pdu.count)
            guard let diversifier = try? cursor.u16(pdu), let random = try? cursor.u64(pdu) else { throw BadField() }
            return .centralIdentification(LTKIdentifier(diversifier: diversifier, random: random))
        case .identityInformation: return .identityInformation(try value(pdu, from: 1))
        case .identityAddress: return .identityAddress(try address(pdu))
        case .signingInformation: return .signingInformation(try value(pdu, from: 1))
        case .securityRequest: return .securityRequest(AuthenticationRequirements(rawValue: pdu[1]))
        case .publicKey: return .publicKey(x: try value(pdu, from: 1), y: try value(pdu, from: 33))
        case .keyCheck: return .keyCheck(try value(pdu, from: 1))
        default:
            guard pdu[1] <= 4 else { throw BadField() }
            return .keypress(pdu[1])
        }
    }

    private static func value<let count: Int>(
        _ pdu: Span<UInt8>, from start: Int
    ) throws(BadField) -> SecurityValue<count> {
        guard let value = SecurityValue<count>(leastSignificantFirst: pdu.extracting(start..<start + count))
        else { throw BadField() }
        return value
    }

    /// Reserved bits are kept: they are ignored, and the check values cover them.
    private static func features(_ pdu: Span<UInt8>) throws(BadField) -> PairingFeatures {
        guard let capability = IOCapability(rawValue: pdu[1]), pdu[2] <= 1, (7...16).contains(pdu[4]) else {
            throw BadField()
        }
        return PairingFeatures(
            ioCapability: capability, hasOutOfBandData: pdu[2] == 1,
            requirements: AuthenticationRequirements(rawValue: pdu[3]), maximumKeySize: pdu[4],
            initiatorKeys: KeyDistribution(rawValue: pdu[5]), responderKeys: KeyDistribution(rawValue: pdu[6]))
    }

    /// Only a public or a random static address is an identity.
    private static func address(_ pdu: Span<UInt8>) throws(BadField) -> BluetoothAddress {
        var cursor = OctetCursor(pdu, in: 2..<pdu.count)
        let kind = BluetoothAddress.Kind(rawValue: pdu[1])
        guard let address = try? BluetoothAddress(kind: kind, pdu, &cursor), address.isIdentity else {
            throw BadField()
        }
        return address
    }
}
