public import AccessProtocol
public import Crypto
internal import Protobuf

/// Makes tokens, as a backend does: the lab and the tests are backends of their own.
public struct TokenIssuer: Sendable {
    private let signatureKey: P256PrivateKey

    /// An issuer that signs with this key; readers hold its public half.
    public init(signatureKey: P256PrivateKey) {
        self.signatureKey = signatureKey
    }

    /// The issuer whose tokens a factory reader takes. Throws −14 if the library refuses its key.
    public static func demo() throws(StatusCode) -> TokenIssuer {
        let scalar = DemoIdentity.signatureScalar
        do throws(CryptoError) {
            return TokenIssuer(signatureKey: try P256PrivateKey(scalar: scalar.span))
        } catch {
            throw .cryptography
        }
    }

    /// A command token as a phone sends it, its length first.
    ///
    /// `signedAs` is the name under the signature if it is not the command's own: a maintenance credential gets one
    /// token for `maintenanceGroup`, and its phone puts in the command it wants. Seconds of `validity` and `data`
    /// are in the token and not under the signature.
    ///
    /// Throws −200 for a credential id that is not 1 to 10 characters of ASCII, −158 for a command that is not 1 to
    /// 8, −7 for more than 1792 octets of data, −152 if signing fails.
    public func commandToken(
        credentialID: String, command: CommandName, data: [UInt8] = [], validity: TokenValidity,
        signedAs: CommandName? = nil
    ) throws(StatusCode) -> [UInt8] {
        guard !credentialID.isEmpty, let id = try? BoundedBytes<10>(ascii: credentialID) else {
            throw .credentialID
        }
        guard !command.rawValue.isEmpty, let name = try? BoundedBytes<8>(ascii: command.rawValue) else {
            throw .signatureText
        }
        guard let data = BoundedBytes<1792>(copying: data.span) else { throw .overflow }
        let message = SessionTokenCommand(
            credentialId: CredentialId(id: id), validityStart: LocalTimestamp(validity.start),
            validityEnd: LocalTimestamp(validity.end), command: name, data: data)
        var text: [UInt8] = []
        // From the message: what cannot be encoded as it is was clamped there.
        TokenText.append(
            credentialID: credentialID, command: signedAs ?? command, validity: TokenValidity(message), to: &text)
        var token: [UInt8] = []
        SessionToken(signature: try sign(text), payload: .command(message)).encodeDelimited(into: &token)
        return token
    }

    private func sign(_ text: [UInt8]) throws(StatusCode) -> BoundedBytes<74> {
        var signature: [UInt8] = []
        guard (try? signatureKey.sign(text.span, into: &signature)) != nil,
            let bounded = BoundedBytes<74>(copying: signature.span)
        else { throw .signing }
        return bounded
    }
}
