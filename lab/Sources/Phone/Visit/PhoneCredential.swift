// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
public import Crypto
internal import Protobuf
internal import Timekeeping

/// The credential of a phone for one reader: the reader's public key, and a token or the key that signs tokens.
public struct PhoneCredential: Sendable {
    /// The device id that the reader advertises.
    public var deviceID: String
    /// The display name of the reader; its device id if it has none.
    public var readerName: String
    /// The reader's public key.
    public var terminal: P256PublicKey
    /// The request that the token is for.
    public let request: PhoneRequest
    private let source: Source

    private enum Source {
        case issued([UInt8])
        case demo(TokenIssuer)
    }

    /// The credential id in tokens of the demo identity.
    public static let demoCredentialID = "DEMOPHONE1"

    /// A credential with a delimited token from a backend.
    ///
    /// - Throws: −32 for a token that cannot be decoded, −5 for one without content.
    public init(
        deviceID: String, readerName: String, terminal: P256PublicKey, token: [UInt8]
    ) throws(StatusCode) {
        (self.deviceID, self.readerName, self.terminal) = (deviceID, readerName, terminal)
        source = .issued(token)
        guard let message = try? SessionToken(decodingDelimited: token.span) else { throw .decode }
        switch message.payload {
        case .command(let contents):
            guard let name = contents.command.ascii else { throw .decode }
            request = .command(CommandName(rawValue: name), .none)
        case .ossSo: request = .standardOffline
        case .ossSid: request = .secureIdentifier
        case nil: throw .notSupported
        }
    }

    /// The credential for readers with the published demo identity, whose keys sign any token.
    ///
    /// - Throws: −14 if the library rejects the keys.
    public static func demo() throws(StatusCode) -> PhoneCredential {
        let scalar = DemoIdentity.terminalScalar
        guard let key = try? P256PrivateKey(scalar: scalar.span) else { throw .cryptography }
        return PhoneCredential(demo: try .demo(), terminal: key.publicKey)
    }

    private init(demo issuer: TokenIssuer, terminal: P256PublicKey) {
        (deviceID, readerName, self.terminal) = (DemoIdentity.deviceID, DemoIdentity.deviceID, terminal)
        source = .demo(issuer)
        request = .open
    }

    /// True if this is the demo identity's.
    public var isDemo: Bool {
        guard case .demo = source else { return false }
        return true
    }

    /// The time in which the issued token counts; nil for one without, and for the demo identity's.
    public var period: TokenPeriod? {
        guard case .issued(let token) = source else { return nil }
        return TokenPeriod(token: token.span)
    }

    /// The delimited token for a request, when the phone's clock shows `epochSeconds`.
    ///
    /// A command of an issued token may be replaced within the group that the token is signed for, and the data of a
    /// command always: neither changes the signature (docs/protocol/access-profile.md, 6).
    ///
    /// - Throws: −5 for a credential of another kind, −32 for a token that cannot be decoded, −7 for more than 1792
    ///   octets of data, and as the issuer does.
    func token(for request: PhoneRequest, epochSeconds: UInt32) throws(StatusCode) -> [UInt8] {
        switch source {
        case .issued(let token): try PhoneCredential.adapted(token, to: request, epochSeconds: epochSeconds)
        case .demo(let issuer): try PhoneCredential.signed(by: issuer, request, epochSeconds: epochSeconds)
        }
    }

    private static func adapted(
        _ token: [UInt8], to request: PhoneRequest, epochSeconds: UInt32
    ) throws(StatusCode) -> [UInt8] {
        guard case .command(let command, _) = request else { return token }
        guard let message = try? SessionToken(decodingDelimited: token.span) else { throw .decode }
        guard case .command(var contents) = message.payload else { throw .notSupported }
        guard let name = try? BoundedBytes<8>(ascii: command.rawValue) else { throw .signatureText }
        let own = request.octets(epochSeconds: epochSeconds)
        if contents.command == name, own == nil { return token }
        contents.command = name
        // Data of another command would be misread.
        let data = own ?? []
        guard let bounded = BoundedBytes<1792>(copying: data.span) else { throw .overflow }
        contents.data = bounded
        var adapted: [UInt8] = []
        SessionToken(signature: message.signature, payload: .command(contents)).encodeDelimited(into: &adapted)
        return adapted
    }

    private static func signed(
        by issuer: TokenIssuer, _ request: PhoneRequest, epochSeconds: UInt32
    ) throws(StatusCode) -> [UInt8] {
        guard case .command(let command, _) = request else { throw .notSupported }
        return try issuer.commandToken(
            credentialID: demoCredentialID, command: command, data: request.octets(epochSeconds: epochSeconds) ?? [],
            validity: validity(of: command, epochSeconds: epochSeconds))
    }

    /// `CLK_SET` is taken from a token of a day at most, which has the time that it brings (docs/protocol/commands.md);
    /// all others get the rest of the century.
    private static func validity(of command: CommandName, epochSeconds: UInt32) -> TokenValidity {
        guard command == .setClock else {
            return TokenValidity(
                from: CivilTime(year: 2020, month: 1, day: 1), through: CivilTime(year: 2099, month: 12, day: 31))
        }
        let half: Int64 = 12 * 3600
        return TokenValidity(
            from: CivilTime(epochSeconds: Int64(epochSeconds) - half),
            through: CivilTime(epochSeconds: Int64(epochSeconds) + half - 60))
    }
}
