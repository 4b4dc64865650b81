// SPDX-License-Identifier: Apache-2.0

/// The two salts of one exchange, combined for key derivation and tag: one half of each for either.
public struct EnvelopeSalts: Sendable {
    /// The first halves, the transponder's first: the salt of the key derivation.
    public let kdf: [16 of UInt8]
    /// The second halves, the transponder's first: authenticated after the ciphertext.
    public let mac: [16 of UInt8]

    /// The combination of the phone's and the device's salt.
    public init(transponder: SessionSalt, terminal: SessionSalt) {
        kdf = [16 of UInt8] { $0 < 8 ? transponder.octets[$0] : terminal.octets[$0 - 8] }
        mac = [16 of UInt8] { $0 < 8 ? transponder.octets[$0 + 8] : terminal.octets[$0] }
    }
}
