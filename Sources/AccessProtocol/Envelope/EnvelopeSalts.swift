/// The two salts of one exchange, mixed as the envelopes use them: half of each to derive keys, half of each under
/// the tags.
public struct EnvelopeSalts: Sendable {
    /// The first halves, the transponder's first: the salt of the key derivation.
    public let kdf: [16 of UInt8]
    /// The second halves, the transponder's first: what follows the ciphertext under a tag.
    public let mac: [16 of UInt8]

    /// The mixture of the phone's salt and the device's.
    public init(transponder: SessionSalt, terminal: SessionSalt) {
        kdf = [16 of UInt8] { $0 < 8 ? transponder.octets[$0] : terminal.octets[$0 - 8] }
        mac = [16 of UInt8] { $0 < 8 ? transponder.octets[$0 + 8] : terminal.octets[$0] }
    }
}
