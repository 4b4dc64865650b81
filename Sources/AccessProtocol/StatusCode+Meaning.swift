extension StatusCode {
    /// The code with its meaning: `-12 (wrong signature)`; the number only where a reader does not use the code.
    public var explained: String {
        meaning.map { "\(rawValue) (\($0))" } ?? "\(rawValue)"
    }

    /// The meaning of the code when a reader sends or logs it.
    private var meaning: String? {
        switch self {
        case .ok: "ok"
        case .invalidArguments: "empty signature"
        case .invalidState: "first frame too short"
        case .notSupported: "not supported"
        case .overflow: "too long"
        case .crc: "checksum"
        case .signature: "wrong signature"
        case .validity: "outside its time"
        case .unavailable: "busy"
        case .decode: "not understood"
        case .salt: "weak salt"
        case .encrypt: "could not encrypt"
        case .decrypt: "could not decrypt"
        case .currentTime: "clock not set"
        case .peerStatus: "the peer sent a status"
        default: nil
        }
    }
}
