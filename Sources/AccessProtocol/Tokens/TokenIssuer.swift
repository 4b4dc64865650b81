// SPDX-License-Identifier: Apache-2.0

public import Crypto
import Protobuf

/// An issuer of tokens: the back end's half of the session.
public struct TokenIssuer: Sendable {
    private let signatureKey: any HeldPrivateKey

    /// An issuer with this signature key; readers hold the public key.
    public init(signatureKey: any HeldPrivateKey) {
        self.signatureKey = signatureKey
    }

    /// The issuer whose tokens a reader with the factory identity accepts.
    ///
    /// - Throws: −14 if the library rejects its key.
    public static func demo() throws(StatusCode) -> TokenIssuer {
        let scalar = DemoIdentity.signatureScalar
        do throws(CryptoError) {
            return TokenIssuer(signatureKey: try P256PrivateKey(scalar: scalar.span))
        } catch {
            throw .cryptography
        }
    }

    /// A delimited command token, as a phone sends it.
    ///
    /// `validity`'s seconds and `data` are in the token but not in the signed text.
    ///
    /// - Parameter signedAs: the name in the signed text if it is not the command's own: a maintenance credential
    ///   gets one token for `maintenanceGroup`, into which its phone inserts the command.
    /// - Throws: −200 for a credential id other than 1 to 10 characters of ASCII, −158 for a command other than 1 to
    ///   8, −7 for more than 1792 octets of data, −152 if signing fails.
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
        // From the message, in which values without an encoding were clamped.
        TokenText.append(
            credentialID: credentialID, command: signedAs ?? command, validity: TokenValidity(message), to: &text)
        var token: [UInt8] = []
        SessionToken(signature: try sign(text), payload: .command(message)).encodeDelimited(into: &token)
        return token
    }

    /// A delimited OSS Standard Offline token, as a phone sends it. The requests in `files` (the number of events,
    /// and which) are in the token but not signed.
    ///
    /// - Throws: −152 if signing fails.
    public func standardOfflineToken(_ files: OssSoMobile) throws(StatusCode) -> [UInt8] {
        var signed: [UInt8] = []
        files.appendSigned(to: &signed)
        var token: [UInt8] = []
        SessionToken(signature: try sign(signed), payload: .ossSo(files)).encodeDelimited(into: &token)
        return token
    }

    /// The token of an OSS Standard Offline credential; throws as its files do.
    public func standardOfflineToken(_ credential: StandardOfflineCredential) throws(StatusCode) -> [UInt8] {
        try standardOfflineToken(credential.files())
    }

    /// A delimited OSS Secure Identifier token, as a phone sends it.
    ///
    /// - Throws: −152 if signing fails.
    public func secureIdentifierToken(_ info: OSSSecureIdentifierFile) throws(StatusCode) -> [UInt8] {
        var signed: [UInt8] = []
        info.append(to: &signed)
        guard let file = BoundedBytes<32>(copying: signed.span) else { throw .overflow }
        var token: [UInt8] = []
        SessionToken(signature: try sign(signed), payload: .ossSid(OssSidMobile(infoFile: file)))
            .encodeDelimited(into: &token)
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
