public import AccessProtocol
public import Crypto

/// Who the reader is: its id and its two keys.
public struct ReaderIdentity: Sendable {
    /// How many characters a device id has.
    public static let deviceIDCount = 8
    /// How many hexadecimal digits a serial number has.
    public static let serialNumberCount = 20

    /// The device id, 8 characters of ASCII; also the name that is advertised.
    public let deviceID: String
    /// 20 hexadecimal digits, which nothing but people and the backend read.
    public let serialNumber: String
    /// The reader's own private key, or whoever holds it: it signs handshakes and opens requests.
    public let terminalKey: any HeldPrivateKey
    /// The public key under which tokens are checked. One of its own per reader, since no token names a reader.
    public let signatureKey: any SignatureKey
    /// The signature key before it, while tokens under that are still taken.
    public let retiringSignatureKey: RetiringSignatureKey?
    /// Whether one of the keys is the published one, whose private half everybody has.
    public let isDemo: Bool

    /// The identity of these parts. Throws −35 unless `deviceID` is 8 printable characters of ASCII, and `serialNumber`
    /// 20 hexadecimal digits; none is 20 zeros.
    public init(
        deviceID: String, terminalKey: any HeldPrivateKey, signatureKey: any SignatureKey,
        retiringSignatureKey: RetiringSignatureKey? = nil, serialNumber: String? = nil
    ) throws(StatusCode) {
        guard deviceID.utf8.count == ReaderIdentity.deviceIDCount, deviceID.utf8.allSatisfy({ 0x20...0x7E ~= $0 })
        else { throw .provisioning }
        let serial = serialNumber ?? String(repeating: "0", count: ReaderIdentity.serialNumberCount)
        guard ReaderIdentity.isSerialNumber(serial) else { throw .provisioning }
        self.deviceID = deviceID
        self.serialNumber = serial
        self.terminalKey = terminalKey
        self.signatureKey = signatureKey
        self.retiringSignatureKey = retiringSignatureKey
        isDemo =
            ReaderIdentity.isPublished(terminalKey.publicPoint) || ReaderIdentity.isPublished(signatureKey.point)
            || retiringSignatureKey.map { ReaderIdentity.isPublished($0.key.point) } ?? false
    }

    /// Whether `text` is 20 hexadecimal digits.
    public static func isSerialNumber(_ text: String) -> Bool {
        text.utf8.count == serialNumberCount
            && text.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x41...0x46 ~= $0 || 0x61...0x66 ~= $0 }
    }

    /// Whether `point` belongs to one of the published keys, whose private halves everybody has.
    public static func isPublished(_ point: P256Point) -> Bool {
        constantTimeEqual(point.octets.span, DemoIdentity.terminalPoint.span)
            || constantTimeEqual(point.octets.span, DemoIdentity.signaturePoint.span)
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
