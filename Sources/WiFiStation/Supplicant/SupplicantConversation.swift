// SPDX-License-Identifier: Apache-2.0

public import Crypto
import Timekeeping

/// A request of a station on wpa_supplicant to the owner of the socket.
public enum SupplicantAction: Sendable, CustomStringConvertible, CustomReflectable {
    /// Open a datagram socket to the supplicant, with its own local path. `SupplicantStation.opened` or `failed`
    /// follows.
    case open
    /// Send this datagram; `failed` follows if that is impossible. It may contain a passphrase and must not be
    /// logged.
    case send(SecretOctets)
    /// Close the socket, if open.
    case close

    /// A description without the datagram's content.
    public var description: String {
        switch self {
        case .open: "open"
        case .send(let octets): "send \(octets.octets.count) octets"
        case .close: "close"
        }
    }

    /// A mirror without the datagram's content.
    public var customMirror: Mirror { Mirror(self, children: ["action": description]) }
}

/// The exchange with wpa_supplicant: one command at a time, since responses do not identify their commands. If the
/// supplicant is unavailable or leaves a command unanswered, the socket is reopened with increasing pauses.
struct SupplicantConversation: Sendable {
    /// A command with the station's task that it belongs to.
    struct Request: Sendable {
        var command: SupplicantCommand
        var task: UInt32
    }

    private enum Phase: Equatable, Sendable {
        /// Closed; the socket is requested at `until`.
        case closed(until: Instant)
        /// The socket was requested.
        case opening
        /// Commands can be sent.
        case open
    }

    /// The response time-out. The slowest response follows a passphrase, from which a key is derived: 0.1 s, and up to
    /// a second on the slowest board.
    static let patience = Duration.seconds(5)
    /// The first pause before the socket is reopened, doubled up to the longest.
    static let firstPause = Duration.milliseconds(250)
    static let longestPause = Duration.seconds(5)

    private var phase = Phase.closed(until: .origin)
    private var pause = SupplicantConversation.firstPause
    private var waiting: [Request] = []
    private var asked: (request: Request, due: Instant)?
    private var actions: [SupplicantAction] = []

    var isOpen: Bool { phase == .open }

    /// True if no command is outstanding or queued.
    var isIdle: Bool { asked == nil && waiting.isEmpty }

    /// The time at which the socket is requested again, or a response is overdue.
    var deadline: Instant? {
        switch phase {
        case .closed(let until): until
        case .opening: nil
        case .open: asked?.due
        }
    }

    /// Requests the socket when due. False if a response is overdue, so that the exchange must be closed.
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

    /// Records that the socket is open.
    mutating func opened() {
        if phase == .opening { phase = .open }
    }

    /// Resets the pause after a correct response.
    mutating func resetPause() { pause = SupplicantConversation.firstPause }

    /// Closes the exchange, which is reopened after a pause.
    mutating func close(at now: Instant) {
        if phase == .open { actions.append(.close) }
        // Commands of the old exchange are not sent in the new one.
        actions.removeAll { if case .send = $0 { true } else { false } }
        phase = .closed(until: now + pause)
        pause = min(pause * 2, SupplicantConversation.longestPause)
        waiting.removeAll()
        asked = nil
    }

    /// Queues a command, which is sent after the responses to all earlier ones.
    mutating func ask(_ command: SupplicantCommand, for task: UInt32, at now: Instant) {
        guard isOpen else { return }
        waiting.append(Request(command: command, task: task))
        sendNext(at: now)
    }

    /// Discards the unsent commands of a task.
    mutating func drop(task: UInt32) { waiting.removeAll { $0.task == task } }

    /// Matches a response with its command; nil if none is outstanding.
    mutating func answered(at now: Instant) -> Request? {
        guard let answered = asked?.request else { return nil }
        asked = nil
        return answered
    }

    /// Sends the next command, if none is outstanding.
    mutating func sendNext(at now: Instant) {
        guard asked == nil, !waiting.isEmpty else { return }
        let request = waiting.removeFirst()
        asked = (request, now + SupplicantConversation.patience)
        actions.append(.send(request.command.datagram))
    }

    /// Removes and returns the next request for the socket; nil if no request is pending.
    mutating func nextAction() -> SupplicantAction? { actions.isEmpty ? nil : actions.removeFirst() }
}
