import AccessProtocol
import Peripheral
import Timekeeping

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

/// Requests to be let in that may come again, and how each was answered.
///
/// Within the re-arm time the same credential that asks for the same moves nothing and gets the same answer. One that
/// comes while the first still waits for its record waits with it. What was refused is forgotten at once.
struct RepeatedRequests {
    /// What a request came to.
    enum Answer: Equatable {
        /// It is not decided yet.
        case waiting
        case command(StatusCode)
        case credential(CredentialDecision)
    }

    /// Somebody who asked for the same while it was not decided yet.
    struct Follower {
        var link: LinkID
        var shown: PendingOpenings.Shown
    }

    private struct Known {
        var request: OpeningRequest
        var answer: Answer

        var isWaiting: Bool { if case .waiting = answer { true } else { false } }
    }

    // A few each, so lists: they keep their memory.
    private var reArm: ReArm<OpeningRequest>
    private var known: [Known] = []
    private var followers: [(request: OpeningRequest, follower: Follower)] = []
    /// Followers whose request has been decided.
    private var decided: [(follower: Follower, answer: Answer)] = []

    /// How long a request counts as the same, from the next one on.
    var reArmTime: Duration {
        get { reArm.time }
        set { reArm.time = newValue }
    }

    init(time: Duration) {
        reArm = ReArm(time: time)
    }

    /// Notes a request; nil if it is a new one, else what the one before it came to.
    mutating func begin(_ request: OpeningRequest, at now: Instant) -> Answer? {
        guard reArm.time > .zero else { return nil }
        let former = known.firstIndex { $0.request == request }.map { known[$0] }
        if let former, former.isWaiting { return .waiting }
        if !reArm.admit(request, at: now), let former { return former.answer }
        let remembered = reArm
        known.removeAll {
            $0.request == request || !$0.isWaiting && !remembered.remembers($0.request, at: now)
        }
        known.append(Known(request: request, answer: .waiting))
        return nil
    }

    /// The follower gets what the request comes to.
    mutating func follow(_ request: OpeningRequest, _ follower: Follower) {
        followers.append((request, follower))
    }

    /// What a request came to; unless `isKept` it may be made again at once.
    mutating func settle(_ request: OpeningRequest, _ answer: Answer, isKept: Bool) {
        let index = known.firstIndex { $0.request == request }
        if isKept, let index {
            known[index].answer = answer
        } else {
            if let index { known.remove(at: index) }
            reArm.withdraw(request)
        }
        guard !followers.isEmpty else { return }
        for (asked, follower) in followers where asked == request { decided.append((follower, answer)) }
        followers.removeAll { $0.request == request }
    }

    /// The oldest follower whose request has been decided, and how.
    mutating func nextDecided() -> (follower: Follower, answer: Answer)? {
        decided.isEmpty ? nil : decided.removeFirst()
    }
}

/// Whether somebody asked for the same a moment ago.
enum AskedBefore {
    case no
    /// The answer is in the link's session.
    case answered
    /// The answer comes with the one to the request before.
    case waits
}

extension AccessReader {
    mutating func askedBefore(_ command: AuthorizedCommand, _ link: AccessLink, at now: Instant) -> AskedBefore {
        guard command.opensDoor else { return .no }
        return askedBefore(.command(command), link, at: now)
    }

    mutating func askedBefore(
        _ credential: AuthorizedCredential, _ decision: CredentialDecision, _ link: AccessLink, at now: Instant
    ) -> AskedBefore {
        askedBefore(.credential(credential, decision), link, at: now)
    }

    private mutating func askedBefore(
        _ shown: PendingOpenings.Shown, _ link: AccessLink, at now: Instant
    ) -> AskedBefore {
        guard let answer = repeats.begin(shown.request, at: now) else { return .no }
        notices.append(.repeated(link.id, credential: shown.credentialID))
        guard answer != .waiting else {
            repeats.follow(shown.request, .init(link: link.id, shown: shown))
            return .waits
        }
        answer.complete(shown, link, &self)
        return .answered
    }

    /// What a command that opens the door came to.
    mutating func settle(_ command: AuthorizedCommand, _ done: StatusCode) {
        guard command.opensDoor else { return }
        repeats.settle(command.request, .command(done), isKept: done == .ok)
    }

    /// What `decision`, which asks the door for something, came to.
    mutating func settle(_ decision: CredentialDecision, _ done: CredentialDecision) {
        var done = done
        // Told with the first answer.
        done.blacklistAdditions = []
        repeats.settle(decision.request, .credential(done), isKept: done.isGranted)
    }

    /// Answers those who asked for what has just been decided.
    mutating func answerFollowers<Port: PeripheralPort & ~Copyable>(port: inout Port, at now: Instant) {
        while let (follower, answer) = repeats.nextDecided() {
            guard let link = link(follower.link), link.session.isExecuting else { continue }
            answer.complete(follower.shown, link, &self)
            sendAnswer(link, port: &port, at: now)
        }
    }
}

extension RepeatedRequests.Answer {
    /// Puts this answer into the link's session.
    func complete(_ shown: PendingOpenings.Shown, _ link: AccessLink, _ reader: inout AccessReader) {
        switch (self, shown) {
        case (.command(let status), .command(let command)):
            reader.result.removeAll(keepingCapacity: true)
            reader.complete(command, status, link)
        case (.credential(let decision), .credential(let credential, _)):
            reader.complete(credential, decision, link)
        // A request names its kind, so that these do not occur; a phone is to be answered all the same.
        case (_, .command(let command)): reader.complete(command, .unavailable, link)
        case (_, .credential(let credential, let decision)):
            var decision = decision
            decision.outcome = .failed(.unavailable)
            reader.complete(credential, decision, link)
        }
    }
}

extension PendingOpenings.Shown {
    /// Who asks for what.
    var request: OpeningRequest {
        switch self {
        case .command(let command): command.request
        case .credential(_, let decision): decision.request
        }
    }

    /// Who asks.
    fileprivate var credentialID: String {
        switch self {
        case .command(let command): command.credentialID
        case .credential(_, let decision): decision.credentialID?.text ?? ""
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
