// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Timekeeping

/// One opening, from the request to the answer.
///
/// ```
/// requested ── record wanted ──▶ recording ── decide ──▶ decided ── answer ──▶ answered
///     └────────── without an audit, or refused by the door ──────────────────────▲
/// ```
///
/// `RecordLedger` has it from `recording` on; a request that does not wait is answered in the same call. An answer
/// stays for the re-arm time, in which an equal request does not move the door and gets the same answer.
struct Opening {
    /// The request that was found valid.
    enum Wanted {
        case command(AuthorizedCommand)
        case credential(AuthorizedCredential, CredentialDecision)
        /// Of an operator, with the last second in which the door may move.
        case door(DoorRequest, until: Int64? = nil)
    }

    /// A phone or an operator that waits for the answer.
    struct Requester {
        /// The link, which may have ended meanwhile; nil for an operator, who is answered by the token's ticket.
        var link: AccessLink?
        var wanted: Wanted
    }

    /// The result.
    enum Answer: Equatable {
        case command(StatusCode)
        case credential(CredentialDecision)
        /// To an operator: the refusal; nil for none.
        case door(DoorRefusal?)
    }

    let token: OpeningToken
    /// The first who asked.
    let requester: Requester
    /// The time of the input that completed the request.
    let since: Instant
    /// The end of the time in which an equal request is the same one, once this one is answered.
    let until: Instant
    /// Equal requests before the answer.
    var followers: [Requester] = []

    /// The key by which requests are compared; nil if equal requests are different ones.
    var request: OpeningRequest? { requester.wanted.request }
}

/// The credential and the request: two requests with equal values are the same one.
struct OpeningRequest: Equatable {
    /// The kind of request.
    enum Wanted: Equatable {
        case command(CommandName)
        /// A kind of credential, and how it opens; nil if it does not.
        case credential(CredentialDecision.Kind, CredentialDecision.Release?)
    }

    var wanted: Wanted
    /// The credential's identifier; empty if it could not be read.
    var credentialID: String
}

extension Opening.Answer {
    /// True if an equal request gets this answer in the re-arm time. A refused request may be repeated at once.
    var isKept: Bool {
        switch self {
        case .command(let status): status == .ok
        case .credential(let decision): decision.isGranted
        case .door: false
        }
    }

    /// The answer to an equal request, without the additions to the blacklist, which the first answer contains.
    var repeated: Opening.Answer {
        guard case .credential(var decision) = self else { return self }
        decision.blacklistAdditions = []
        return .credential(decision)
    }
}

extension Opening.Wanted {
    /// The key by which requests are compared; nil if equal requests are different ones.
    var request: OpeningRequest? {
        switch self {
        case .command(let command): command.opensDoor ? command.request : nil
        case .credential(_, let decision): decision.request
        case .door: nil
        }
    }

    /// The credential's identifier; empty for an operator.
    var credentialID: String {
        switch self {
        case .command(let command): command.credentialID
        case .credential(_, let decision): decision.credentialID?.text ?? ""
        case .door: ""
        }
    }
}

extension AuthorizedCommand {
    /// True if it is a request to open.
    var opensDoor: Bool { name.opensDoor }

    fileprivate var request: OpeningRequest { OpeningRequest(wanted: .command(name), credentialID: credentialID) }
}

extension CredentialDecision {
    /// Without the direction of a toggle: a repeated toggle would undo itself.
    fileprivate var request: OpeningRequest {
        let opening: CredentialDecision.Release? =
            switch outcome {
            case .granted(.toggle): .toggle(secures: false)
            case .granted(let opening): opening
            case .denied, .failed: nil
            }
        return OpeningRequest(wanted: .credential(kind, opening), credentialID: credentialID?.text ?? "")
    }
}
