import AccessProtocol
import Timekeeping

/// One opening: somebody asks to be let in, and is answered.
///
/// ```
/// requested ── record wanted ──▶ recording ── decide ──▶ decided ── answer ──▶ answered
///     └────────── without an audit, or refused by the door ──────────────────────▲
/// ```
///
/// `requested` is no state of the list: a request that need not wait is answered in the same call. One that was answered
/// stays for the re-arm time, in which the same request moves nothing and gets the same answer.
struct Opening {
    /// What was asked for, and may be done.
    enum Wanted {
        case command(AuthorizedCommand)
        case credential(AuthorizedCredential, CredentialDecision)
        case door(DoorRequest)
    }

    /// Somebody who waits for the answer.
    struct Asker {
        /// Nil for an operator, who is answered by the token's ticket.
        var link: PhoneID?
        var wanted: Wanted
    }

    /// What came of it.
    enum Answer: Equatable {
        case command(StatusCode)
        case credential(CredentialDecision)
        case door(OperatorAnswer)
    }

    enum State {
        /// Its record is on the way to the disk.
        case recording(Asker, AuditEvent)
        /// The door has moved, or not; nobody was told yet.
        case decided(Asker, Answer)
        /// Everybody was told.
        case answered(Answer)
    }

    let token: OpeningToken
    /// Who asks for what; nil if an equal request is another one.
    let request: OpeningRequest?
    /// When the input came that completed the request.
    let since: Instant
    /// Until when an equal request is the same one, once this one is answered.
    let until: Instant
    /// Those who asked for the same before it was answered.
    var followers: [Asker] = []
    var state: State
}

/// Who asks for what: two requests that are equal here are the same one.
struct OpeningRequest: Equatable {
    /// What is asked for.
    enum Wanted: Equatable {
        case command(CommandName)
        /// A kind of credential, and how it opens; nil if it does not.
        case credential(CredentialDecision.Kind, CredentialDecision.Opening?)
    }

    var wanted: Wanted
    /// The credential's name; empty if it could not be read.
    var credentialID: String
}

extension Opening.Answer {
    /// Whether an equal request is given this answer, for the re-arm time. What was refused may be tried again at once.
    var isKept: Bool {
        switch self {
        case .command(let status): status == .ok
        case .credential(let decision): decision.isGranted
        case .door: false
        }
    }

    /// The answer to whoever asks for the same: what was added to the blacklist is told with the first answer.
    var repeated: Opening.Answer {
        guard case .credential(var decision) = self else { return self }
        decision.blacklistAdditions = []
        return .credential(decision)
    }
}

extension Opening.Wanted {
    /// Who asks for what; nil if an equal request is another one.
    var request: OpeningRequest? {
        switch self {
        case .command(let command): command.opensDoor ? command.request : nil
        case .credential(_, let decision): decision.request
        case .door: nil
        }
    }

    /// Who asks.
    var credentialID: String {
        switch self {
        case .command(let command): command.credentialID
        case .credential(_, let decision): decision.credentialID?.text ?? ""
        case .door: ""
        }
    }
}

extension AuthorizedCommand {
    /// Whether it asks to be let in.
    var opensDoor: Bool { name.opensDoor }

    fileprivate var request: OpeningRequest { OpeningRequest(wanted: .command(name), credentialID: credentialID) }
}

extension CredentialDecision {
    /// Which way a toggle goes does not count: one that comes twice would undo itself.
    fileprivate var request: OpeningRequest {
        let opening: Opening? =
            switch outcome {
            case .granted(.toggle): .toggle(secures: false)
            case .granted(let opening): opening
            case .denied, .failed: nil
            }
        return OpeningRequest(wanted: .credential(kind, opening), credentialID: credentialID?.text ?? "")
    }
}
