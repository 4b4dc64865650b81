internal import AccessProtocol
internal import Crypto
internal import Protobuf
internal import Timekeeping

/// Decides about a decrypted token: may what it asks for be done now?
///
/// The order is the protocol's (access protocol, 5 and 6): decode, the clock, the choice of payload, the signature
/// (a command's by its own name, then by its group's), a command's time. The device's clock is read before anything is checked,
/// so while there is none even a forged token meets silence; only a command that sets the clock goes on.
struct TokenVerifier: Sendable {
    /// What becomes of a token.
    enum Decision {
        case authorized(AuthorizedCommand)
        case credential(AuthorizedCredential)
        case refused(SessionRefusal)
        case silent(StatusCode)
    }

    /// What is signed, put together for each token.
    private var text: [UInt8] = []

    init() {
        text.reserveCapacity(max(TokenText.octetLimit, OssSoMobile.signedLimit))
    }

    /// Overwrites what was put together last.
    mutating func wipe() { wipeSecret(&text) }

    /// Decides about the delimited token at the start of `plaintext`; whatever follows it is padding.
    ///
    /// What has ended at `latest`, the latest time that the clock has shown, stays ended whatever `clock` shows.
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
        // Who may put a wrong clock right cannot be held to what it shows.
        let isChecked = clock != nil && token.name != .setClock
        if isChecked, let clock, let latest,
            !token.validity.contains(clock) || !token.validity.contains(max(clock, latest))
        {
            return refuse(token, .validity, recording: .validity)
        }
        return .authorized(
            AuthorizedCommand(
                credentialID: token.credentialID, name: token.name,
                data: token.name.readsUnsignedData ? token.data() : [], validity: token.validity,
                wasValidityChecked: isChecked))
    }

    /// Access protocol, 6.2 and 6.3: the signature alone. What the credential says is for the decision.
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

/// A command token as the verifier needs it.
private struct CommandToken {
    let credentialID: String
    let name: CommandName
    let validity: TokenValidity
    let signature: BoundedBytes<74>
    private let unsigned: BoundedBytes<1792>

    /// Nil if a name is not ASCII: then there is no text that could have been signed.
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

    /// What nobody signed.
    func data() -> [UInt8] {
        var data: [UInt8] = []
        unsigned.append(to: &data)
        return data
    }
}
