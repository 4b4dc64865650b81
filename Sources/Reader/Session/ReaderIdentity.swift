// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
public import Crypto

/// The reader's identity: its id and its two keys.
public struct ReaderIdentity: Sendable {
    /// The length of a device id in characters.
    public static let deviceIDCount = 8
    /// The length of a serial number in hexadecimal digits.
    public static let serialNumberCount = 20

    /// The device id, 8 characters of ASCII; also the name that is advertised.
    public let deviceID: String
    /// 20 hexadecimal digits, for people and the backend.
    public let serialNumber: String
    /// The reader's private key, or its holder: it signs handshakes and opens requests.
    public let terminalKey: any HeldPrivateKey
    /// The public key that verifies tokens. Each reader has its own, because no token names a reader.
    public let signatureKey: any SignatureKey
    /// The previous signature key, while tokens under it are accepted.
    public let retiringSignatureKey: RetiringKey?
    /// The public keys of a back end that may sign orders; empty for none.
    public let commandKeys: [CommandKey]
    /// True if any of the keys is published: its private half is public.
    public let isDemo: Bool

    /// The identity with these parts. Without a serial number, it has 20 zeros.
    ///
    /// - Throws: −35 unless `deviceID` is 8 printable characters of ASCII, and `serialNumber` 20 hexadecimal digits.
    public init(
        deviceID: String, terminalKey: any HeldPrivateKey, signatureKey: any SignatureKey,
        retiringSignatureKey: RetiringKey? = nil, serialNumber: String? = nil,
        commandKeys: [CommandKey] = []
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
        self.commandKeys = commandKeys
        isDemo =
            ReaderIdentity.isPublished(terminalKey.publicPoint) || ReaderIdentity.isPublished(signatureKey.point)
            || retiringSignatureKey.map { ReaderIdentity.isPublished($0.key.point) } ?? false
            || commandKeys.contains { ReaderIdentity.isPublished($0.key.point) }
    }

    /// Tests `text` for 20 hexadecimal digits.
    public static func isSerialNumber(_ text: String) -> Bool {
        text.utf8.count == serialNumberCount
            && text.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x41...0x46 ~= $0 || 0x61...0x66 ~= $0 }
    }

    /// Returns true if `point` is a published key, whose private half is public.
    public static func isPublished(_ point: P256Point) -> Bool {
        constantTimeEqual(point.octets.span, DemoIdentity.terminalPoint.span)
            || constantTimeEqual(point.octets.span, DemoIdentity.signaturePoint.span)
    }

    /// The published identity of a factory reader.
    ///
    /// - Throws: −14 if the library refuses its keys.
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
