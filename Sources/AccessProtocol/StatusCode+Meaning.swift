extension StatusCode {
    /// The code for people: `-12 (wrong signature)`; the number alone where a reader has no use for the code.
    public var explained: String {
        meaning.map { "\(rawValue) (\($0))" } ?? "\(rawValue)"
    }

    /// What the code says when it comes from a reader or is logged by one.
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
