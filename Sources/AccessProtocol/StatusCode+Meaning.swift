// SPDX-License-Identifier: Apache-2.0

extension StatusCode {
    /// The code with its meaning: `-12 (wrong signature)`; the number only where a reader does not use the code.
    public var explained: String {
        meaning.map { "\(rawValue) (\($0))" } ?? "\(rawValue)"
    }

    /// The meaning of the code when a reader sends or logs it.
    public var meaning: String? {
        switch self {
        case .ok: "ok"
        case .invalidArguments: "empty signature"
        case .invalidState: "first frame too short"
        case .notSupported: "not supported"
        case .overflow: "too long"
        case .crc: "checksum"
        case .signature: "invalid signature"
        case .validity: "outside its validity"
        case .unavailable: "busy"
        case .decode: "cannot be decoded"
        case .salt: "weak salt"
        case .encrypt: "encryption failed"
        case .decrypt: "decryption failed"
        case .currentTime: "clock not set"
        case .peerStatus: "the peer sent a status"
        default: nil
        }
    }
}
