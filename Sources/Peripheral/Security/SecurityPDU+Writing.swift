// SPDX-License-Identifier: Apache-2.0

import Octets

extension SecurityPDU {
    /// The code of the command.
    public var code: Code {
        switch self {
        case .pairingRequest: .pairingRequest
        case .pairingResponse: .pairingResponse
        case .confirm: .confirm
        case .random: .random
        case .failed: .failed
        case .encryptionInformation: .encryptionInformation
        case .centralIdentification: .centralIdentification
        case .identityInformation: .identityInformation
        case .identityAddress: .identityAddress
        case .signingInformation: .signingInformation
        case .securityRequest: .securityRequest
        case .publicKey: .publicKey
        case .keyCheck: .keyCheck
        case .keypress: .keypress
        }
    }

    /// Appends the PDU, at most 65 octets.
    public func append(to buffer: inout [UInt8]) {
        buffer.append(code.rawValue)
        switch self {
        case .pairingRequest(let features), .pairingResponse(let features):
            features.append(to: &buffer)
        case .confirm(let value), .random(let value), .encryptionInformation(let value),
            .identityInformation(let value), .signingInformation(let value), .keyCheck(let value):
            value.append(leastSignificantFirstTo: &buffer)
        case .failed(let reason):
            buffer.append(reason.rawValue)
        case .centralIdentification(let name):
            buffer.append(littleEndian: name.diversifier)
            buffer.append(littleEndian: name.random)
        case .identityAddress(let address):
            buffer.append(address.isRandom ? 1 : 0)
            address.append(to: &buffer)
        case .securityRequest(let requirements):
            buffer.append(requirements.rawValue)
        case .publicKey(let x, let y):
            x.append(leastSignificantFirstTo: &buffer)
            y.append(leastSignificantFirstTo: &buffer)
        case .keypress(let kind):
            buffer.append(kind)
        }
    }
}

extension BluetoothAddress {
    /// True if the address is an identity address: public, or random static (Core 5.4, Vol 6, Part B, 1.3).
    var isIdentity: Bool {
        switch kind {
        case .public: true
        case .random: value >> 46 == 0b11
        default: false
        }
    }

    /// True if it is a resolvable private address.
    var isResolvable: Bool { kind == .random && value >> 46 == 0b01 }

    /// The same address; a kind that marks a resolved identity is replaced by the plain kind.
    public var unresolvedKind: BluetoothAddress {
        switch kind {
        case .publicIdentity: BluetoothAddress(kind: .public, value: value)
        case .randomIdentity: BluetoothAddress(kind: .random, value: value)
        default: self
        }
    }
}
