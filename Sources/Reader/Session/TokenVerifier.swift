// SPDX-License-Identifier: Apache-2.0

internal import AccessProtocol
internal import Crypto
internal import Protobuf
internal import Timekeeping

/// Decides about a decrypted token.
///
/// The order is the protocol's (access protocol, 5 and 6): decoding, the clock, the kind of payload, the signature (of
/// a command by its own name, then by its group's), the validity of a command. The clock comes before the signature, so
/// without it even a forged token is met with silence, unless its command sets the clock.
struct TokenVerifier: Sendable {
    /// The decision about a token.
    enum Decision {
        case authorized(AuthorizedCommand)
        case credential(AuthorizedCredential)
        case refused(SessionRefusal)
        case silent(StatusCode)
    }

    /// The signed octets, composed for each token.
    private var text: [UInt8] = []

    init() {
        text.reserveCapacity(max(TokenText.octetLimit, OssSoMobile.signedLimit))
    }

    /// Overwrites the octets composed last.
    mutating func wipe() { wipeSecret(&text) }

    /// Decides about the delimited token at the start of `plaintext`; the rest is padding.
    ///
    /// A validity that has ended at `latest`, the latest time that the clock has shown, has ended regardless of
    /// `clock`.
    mutating func verify(
        _ plaintext: [UInt8], key: any SignatureKey, clock: CivilTime?, latest: CivilTime? = nil
    ) -> Decision {
        guard let message = try? SessionToken(decodingDelimitedPrefixOf: plaintext.span) else {
            return .refused(SessionRefusal(status: .decode))
        }
        switch message.payload {
        case .command(let command):
            return verify(command, signature: message.signature, key: key, clock: clock, latest: latest ?? clock)
        case .ossSo(let files):
            return verify(.standardOffline(files), signature: message.signature, key: key, clock: clock)
        case .ossSid(let files):
            return verify(.secureIdentifier(files), signature: message.signature, key: key, clock: clock)
        case nil:
            return clock == nil ? .silent(.currentTime) : .refused(SessionRefusal(status: .notSupported))
        }
    }

    /// Access protocol, 6.1.
    private mutating func verify(
        _ command: SessionTokenCommand, signature: BoundedBytes<74>, key: any SignatureKey, clock: CivilTime?,
        latest: CivilTime?
    ) -> Decision {
        guard let token = CommandToken(command, signature: signature) else {
            return .refused(SessionRefusal(status: .decode))
        }
        guard clock != nil || token.name.setsClock else { return .silent(.currentTime) }
        guard !token.signature.isEmpty else {
            return refuse(token, .invalidArguments, recording: .signature)
        }
        guard isSigned(token, as: token.name, key) || isSignedForGroup(token, key) else {
            return refuse(token, .signature, recording: .signature)
        }
        // A command that corrects the clock cannot be held to its time.
        let isChecked = clock != nil && token.name != .setClock
        if isChecked, !token.validity.contains(clock, latest: latest) {
            return refuse(token, .validity, recording: .validity)
        }
        return .authorized(
            AuthorizedCommand(
                credentialID: token.credentialID, name: token.name,
                data: token.name.readsUnsignedData ? token.data() : [], validity: token.validity,
                wasValidityChecked: isChecked))
    }

    /// Access protocol, 6.2 and 6.3: the signature alone. The content of the credential is decided about later.
    private mutating func verify(
        _ credential: AuthorizedCredential, signature: BoundedBytes<74>, key: any SignatureKey, clock: CivilTime?
    ) -> Decision {
        guard clock != nil else { return .silent(.currentTime) }
        text.removeAll(keepingCapacity: true)
        let claimed: OSSCredentialID?
        switch credential {
        case .standardOffline(let files):
            files.appendSigned(to: &text)
            claimed = files.infoFile.withSpan { OSSInfoFile.claimedID($0) }
        case .secureIdentifier(let files):
            files.infoFile.append(to: &text)
            claimed = files.infoFile.withSpan { OSSInfoFile.claimedID($0) }
        // A card has no token.
        case .card: return .refused(SessionRefusal(status: .notSupported))
        }
        let attempt = SessionRefusal.Attempt(info: .signature, credentialID: claimed?.text ?? "")
        guard !signature.isEmpty else { return .refused(SessionRefusal(status: .invalidArguments, attempt: attempt)) }
        guard signature.withSpan({ key.isValid(signature: $0, for: text.span) }) else {
            return .refused(SessionRefusal(status: .signature, attempt: attempt))
        }
        return .credential(credential)
    }

    private mutating func isSignedForGroup(_ token: CommandToken, _ key: any SignatureKey) -> Bool {
        guard let group = token.name.group else { return false }
        return isSigned(token, as: group, key)
    }

    private mutating func isSigned(_ token: CommandToken, as name: CommandName, _ key: any SignatureKey) -> Bool {
        text.removeAll(keepingCapacity: true)
        TokenText.append(credentialID: token.credentialID, command: name, validity: token.validity, to: &text)
        return token.isSigned(text, key)
    }

    private func refuse(_ token: CommandToken, _ status: StatusCode, recording info: StatusCode) -> Decision {
        .refused(
            SessionRefusal(
                status: status,
                attempt: .init(info: info, credentialID: token.credentialID, command: token.name)))
    }
}

/// The fields of a command token that the verifier needs.
private struct CommandToken {
    let credentialID: String
    let name: CommandName
    let validity: TokenValidity
    let signature: BoundedBytes<74>
    private let unsigned: BoundedBytes<1792>

    /// Nil if a name is not ASCII: no such text can have been signed.
    init?(_ command: SessionTokenCommand, signature: BoundedBytes<74>) {
        guard let credentialID = command.credentialId.id.ascii, let name = command.command.ascii else { return nil }
        self.credentialID = credentialID
        self.name = CommandName(rawValue: name)
        self.validity = TokenValidity(command)
        self.signature = signature
        unsigned = command.data
    }

    func isSigned(_ text: [UInt8], _ key: any SignatureKey) -> Bool {
        signature.withSpan { key.isValid(signature: $0, for: text.span) }
    }

    /// The unsigned data.
    func data() -> [UInt8] {
        var data: [UInt8] = []
        unsigned.append(to: &data)
        return data
    }
}
