import AccessProtocol
import Peripheral
import Timekeeping

/// One connected phone: where its link stands, its session, and what waits to be sent to it.
///
/// A class, since a session can't be copied and an array can't hold what can't be copied.
final class AccessLink {
    let id: PhoneID
    /// Nil for a phone that touches the reader.
    let peer: BluetoothAddress?
    let mode: AdvertisingMode?
    var life: LinkLife
    /// When it ends, whatever goes over it.
    let ends: Instant
    /// From when on it makes room for somebody else, should all slots be taken.
    var yieldsAt: Instant
    /// The credential that was proven on it last; empty until one is.
    var credential = ""
    var session: AccessSession
    /// The median that opened the gate, in dBm.
    var median: Int8?
    /// Frames that came before the gate opened.
    var held = HeldFrames()
    /// The TX characteristic of the service that was written last.
    var answerOn: AttributeHandle?
    /// The frame on its way out; stays until the host has taken it.
    var frame: [UInt8] = []
    /// What the answer on its way out is for the link.
    var exchange = Exchange.unfinished

    /// Whether any part of an answer has yet to be taken by the host.
    var isAnswering: Bool { !frame.isEmpty || session.isSending }

    /// A link that came about at `now`, and has to pass the gate if there is one.
    init(
        id: PhoneID, peer: BluetoothAddress?, mode: AdvertisingMode?, gate: consuming ProximityGate? = nil,
        times: LinkTimes, at now: Instant
    ) {
        self.id = id
        self.peer = peer
        self.mode = mode
        ends = now + times.longest
        yieldsAt = now + times.silence
        life = LinkLife(gate: gate, idle: min(now + times.idle, ends))
        session = AccessSession()
        frame.reserveCapacity(MessageLimit.frame)
    }

    // A phone may leave in the middle of an exchange, whose secret would stay in memory that is free.
    deinit { session.reset() }

    /// The answer has left whole: returns what it was. Only who was served has earned more time; who was refused has
    /// the rest of what it had, and less than that in a crowd.
    func answerLeft(_ times: LinkTimes, at now: Instant) -> Exchange {
        defer { exchange = .unfinished }
        life.answerLeft(nextIdle: exchange == .served ? min(now + times.idle, ends) : nil)
        switch exchange {
        case .unfinished: break
        case .served: yieldsAt = now + times.pause
        case .denied: yieldsAt = min(yieldsAt, now + times.pause)
        }
        return exchange
    }
}

/// What an answer comes to, for the link that it goes over and the address behind it.
enum Exchange: Equatable {
    /// Half of an exchange, or one that the reader could not carry out: nothing is earned, and nothing held against
    /// anybody.
    case unfinished
    /// The phone got what it asked for.
    case served
    /// It was refused.
    case denied

    /// What an answer with this status is.
    init(_ status: StatusCode) {
        switch status {
        case .ok: self = .served
        // A disk that is slow, full or in the way, an end of the process: the phone can do nothing about that.
        case .unavailable, .storageFull, .aborted: self = .unfinished
        default: self = .denied
        }
    }
}

/// How long links may take.
struct LinkTimes {
    /// Without an exchange in which the phone was served.
    var idle: Duration
    /// In all.
    var longest: Duration

    /// Without any exchange, while all slots are taken. A phone that means to ask has done so by then: with the usual
    /// 3 s it has 1.5 s, and takes 0.2 s and a few connection events.
    var silence: Duration { idle / 2 }
    /// After an answer, while all slots are taken: an app that has more to show or to ask does so at once. With the
    /// usual 3 s, half a second.
    var pause: Duration { idle / 6 }
}
