// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import Octets
import Proximity
import Timekeeping

/// One phone on a transport: its session, its deadlines, and the values that identify it in events.
///
/// A transport passes whole messages to `AccessReader.receive`, and sends `session.answer` when `nextAnswer` returns
/// the link. A transport keeps its own state in a subclass, or separately. A class, because a session cannot be
/// copied and an array holds no noncopyable values.
class AccessLink {
    let id: PhoneID
    let mode: AdvertisingMode?
    var state: AccessLinkState
    /// The time limit of the link, regardless of its traffic.
    let ends: Instant
    /// The credential proven last; empty before the first.
    var credential = ""
    var session = AccessSession()
    /// The median that opened the gate, in dBm.
    var median: Int8?
    /// The meaning for the link of the answer in progress.
    var exchange = Exchange.unfinished
    /// True if the last message was answered later than in the call that brought it.
    var hasWaited = false
    /// True after a request of the phone was served: it is no stranger.
    private(set) var wasServed = false
    /// A request that waits for the policy; nil for none.
    private(set) var heldRequest: [UInt8]?

    /// An identity that a card, or a client of another service, has proven; nil before, and once it is decided.
    var proven: ProvenIdentity?
    /// The identity that the transaction has proven; nil without one.
    var evidence: CardEvidence? { nil }
    /// True if the refusal of the card, or of the client, has been reported.
    var isRefused = false

    /// True if a request waits or is being executed; the phone's next message comes after its answer.
    var isBusy: Bool { session.isExecuting || heldRequest != nil || proven != nil }

    /// True while a request or a proven identity waits for its answer.
    var awaitsAnswer: Bool { session.isExecuting || proven == .awaited }

    /// Passes the decision about the proven identity to the transaction.
    ///
    /// - Returns: False if the transaction goes on.
    func conclude(_ decision: CardDecision) -> Bool { true }

    /// Passes the state of the door to the transaction, before its decision; nil if a panel has the door.
    func observe(isUnlocked: Bool?) {}

    /// Removes and returns the changes of the store of Aliro that the transaction requests; none before its end.
    func takeStoreChanges() -> [AliroEffect] { [] }

    /// Holds a request, as long as the phone stays.
    func hold(_ request: Span<UInt8>) {
        var held: [UInt8] = []
        held.append(request)
        heldRequest = held
    }

    /// Removes and returns the held request.
    func takeHeld() -> [UInt8]? {
        defer { heldRequest = nil }
        return heldRequest
    }

    /// A link that came up at `now`, and has to pass the gate if there is one.
    init(
        id: PhoneID, mode: AdvertisingMode? = nil, gate: ProximityGate? = nil, times: LinkTimes, at now: Instant
    ) {
        self.id = id
        self.mode = mode
        ends = now + times.longest
        state = AccessLinkState(gate: gate, idle: min(now + times.idle, ends))
    }

    // Also for a reader that is deallocated in the middle of an exchange: the secret would stay in freed memory.
    deinit { session.reset() }

    /// Ends the session of a phone that has left. Late answers to it are not sent.
    func end() {
        state.close()
        session.reset()
        heldRequest = nil
        proven = nil
    }

    /// Records that the answer has been sent as a whole. Only a phone that was served gets more time.
    ///
    /// - Returns: The meaning of the answer.
    func answerLeft(_ times: LinkTimes, at now: Instant) -> Exchange {
        defer { exchange = .unfinished }
        if exchange == .served {
            wasServed = true
            state.renew(idle: min(now + times.idle, ends))
        }
        return exchange
    }
}

/// The meaning of an answer for the link and for its address.
enum Exchange: Equatable {
    /// Half of an exchange: no effect on deadlines or back-off.
    case unfinished
    /// The reader could not carry out the request: no effect on the address's back-off.
    case failed
    /// The phone's request was served.
    case served
    /// The phone was refused.
    case denied

    /// The meaning of an answer with this status.
    init(_ status: StatusCode) {
        switch status {
        case .ok: self = .served
        // A slow, full or failed disk, or the end of the process: not the phone's fault.
        case .unavailable, .storageFull, .aborted: self = .failed
        default: self = .denied
        }
    }

    /// The meaning of the answer to a credential.
    init(_ decision: CredentialDecision) {
        self = decision.isGranted ? .served : decision.status == .ok ? .denied : Exchange(decision.status)
    }
}

/// A proven identity that waits.
enum ProvenIdentity: Equatable {
    /// For the policy to be loaded.
    case held(CardEvidence)
    /// For its decision, or for the record of it.
    case awaited
}

/// The time limits of links.
struct LinkTimes {
    /// Without an exchange in which the phone was served.
    var idle: Duration
    /// In total.
    var longest: Duration

    /// Without any exchange, while all slots are taken: with the usual 3 s, 1.5 s. A phone that means to ask needs
    /// 0.2 s and a few connection events.
    var silence: Duration { idle / 2 }
    /// After an answer, while all slots are taken: with the usual 3 s, 0.5 s. An app with another request sends it at
    /// once.
    var pause: Duration { idle / 6 }
}
