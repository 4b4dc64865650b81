import Timekeeping

/// What a station on wpa_supplicant asks of whoever has the socket.
public enum SupplicantAction: Sendable, CustomStringConvertible, CustomReflectable {
    /// Open a datagram socket to the supplicant, with a name of its own. `SupplicantStation.opened` or `failed` follows.
    case open
    /// Send this datagram; if that cannot be done, `failed` follows. It may carry a passphrase: it is not for a log.
    case send([UInt8])
    /// Close the socket, if there is one.
    case close

    /// Never what is sent.
    public var description: String {
        switch self {
        case .open: "open"
        case .send(let octets): "send \(octets.count) octets"
        case .close: "close"
        }
    }

    /// Never what is sent.
    public var customMirror: Mirror { Mirror(self, children: ["action": description]) }
}

/// The talk with wpa_supplicant: one command at a time, since answers say nothing of what they answer; and a socket that is
/// opened again with growing pauses when the supplicant is gone, or leaves a command without its answer.
struct SupplicantConversation: Sendable {
    /// A command, and for which task of the station it is.
    struct Request: Sendable {
        var command: SupplicantCommand
        var task: UInt32
    }

    private enum Phase: Equatable, Sendable {
        /// There is no socket; it is asked for then.
        case closed(until: Instant)
        /// The socket was asked for.
        case opening
        /// Commands can be sent.
        case open
    }

    /// How long an answer may take. The slowest is the one to a passphrase, of which a key is derived: 0.1 s where the slowest
    /// board takes a second.
    static let patience = Duration.seconds(5)
    /// The first pause before the socket is opened again, doubled up to the longest.
    static let firstPause = Duration.milliseconds(250)
    static let longestPause = Duration.seconds(5)

    private var phase = Phase.closed(until: .origin)
    private var pause = SupplicantConversation.firstPause
    private var waiting: [Request] = []
    private var asked: (request: Request, due: Instant)?
    private var actions: [SupplicantAction] = []

    var isOpen: Bool { phase == .open }

    /// Whether nothing is asked, nor waits to be.
    var isIdle: Bool { asked == nil && waiting.isEmpty }

    /// When the socket is asked for again, or an answer is overdue.
    var deadline: Instant? {
        switch phase {
        case .closed(let until): until
        case .opening: nil
        case .open: asked?.due
        }
    }

    /// Asks for the socket if it is time; false if the answer to a command is overdue, and the talk is to be closed.
    mutating func advance(to now: Instant) -> Bool {
        switch phase {
        case .closed(let until):
            guard until <= now else { return true }
            phase = .opening
            actions.append(.open)
            return true
        case .opening: return true
        case .open: return asked.map { now < $0.due } ?? true
        }
    }

    /// There is a socket.
    mutating func opened() {
        if phase == .opening { phase = .open }
    }

    /// The supplicant has answered as it should: the next loss is a new one.
    mutating func isSound() { pause = SupplicantConversation.firstPause }

    /// The talk is over; it begins again after a pause.
    mutating func close(at now: Instant) {
        if phase == .open { actions.append(.close) }
        // Nothing of the old talk is sent in the new one.
        actions.removeAll { if case .send = $0 { true } else { false } }
        phase = .closed(until: now + pause)
        pause = min(pause * 2, SupplicantConversation.longestPause)
        waiting.removeAll()
        asked = nil
    }

    /// Sends a command when those before it are answered.
    mutating func ask(_ command: SupplicantCommand, for task: UInt32, at now: Instant) {
        guard isOpen else { return }
        waiting.append(Request(command: command, task: task))
        sendNext(at: now)
    }

    /// Drops the commands of a task that were not sent yet.
    mutating func drop(task: UInt32) { waiting.removeAll { $0.task == task } }

    /// The command that an answer is for; nil if none was asked.
    mutating func answered(at now: Instant) -> Request? {
        guard let answered = asked?.request else { return nil }
        asked = nil
        return answered
    }

    /// Sends the next command, if none is on its way.
    mutating func sendNext(at now: Instant) {
        guard asked == nil, !waiting.isEmpty else { return }
        let request = waiting.removeFirst()
        asked = (request, now + SupplicantConversation.patience)
        actions.append(.send(request.command.octets))
    }

    /// What is to be done with the socket next.
    mutating func nextAction() -> SupplicantAction? { actions.isEmpty ? nil : actions.removeFirst() }
}
