public import AccessProtocol
public import Crypto

/// Who the reader is: its id and its two keys.
public struct ReaderIdentity: Sendable {
    /// How many characters a device id has.
    public static let deviceIDCount = 8

    /// The device id, 8 characters of ASCII; also the name that is advertised.
    public let deviceID: String
    /// The reader's own private key: it signs handshakes and opens requests.
    public let terminalKey: P256PrivateKey
    /// The public key under which tokens are checked. One of its own per reader, since no token names a reader.
    public let signatureKey: P256PublicKey
    /// Whether one of the keys is the published one, whose private half everybody has.
    public let isDemo: Bool

    /// The identity of these parts. Throws −35 unless `deviceID` is 8 printable characters of ASCII.
    public init(
        deviceID: String, terminalKey: P256PrivateKey, signatureKey: P256PublicKey
    ) throws(StatusCode) {
        guard deviceID.utf8.count == ReaderIdentity.deviceIDCount, deviceID.utf8.allSatisfy({ 0x20...0x7E ~= $0 })
        else { throw .provisioning }
        self.deviceID = deviceID
        self.terminalKey = terminalKey
        self.signatureKey = signatureKey
        let (terminal, signature) = (terminalKey.publicPoint, signatureKey.point)
        isDemo =
            constantTimeEqual(terminal.octets.span, DemoIdentity.terminalPoint.span)
            || constantTimeEqual(signature.octets.span, DemoIdentity.signaturePoint.span)
    }

    /// The published identity that a factory reader starts with. Throws −14 if the library refuses its keys.
    public static func demo() throws(StatusCode) -> ReaderIdentity {
        do {
            let terminal = DemoIdentity.terminalScalar
            let signature = DemoIdentity.signaturePoint
            return try ReaderIdentity(
                deviceID: DemoIdentity.deviceID, terminalKey: P256PrivateKey(scalar: terminal.span),
                signatureKey: P256PublicKey(point: signature.span))
        } catch {
            throw .cryptography
        }
    }
}
