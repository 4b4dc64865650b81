// SPDX-License-Identifier: Apache-2.0

import JSON
import Reader

/// An answer to a client of the control socket, a line of JSON with one object.
enum ControlAnswer: Equatable {
    /// The reason of a refusal. The names are a stable interface for programs. The summaries are a table of
    /// docs/operate/control.md, which `script/tables` writes.
    enum Refusal: String, CaseIterable {
        /// The line is not a request.
        case badRequest = "bad-request"
        /// The line is too long; the connection is closed.
        case tooLong = "too-long"
        /// No client can be added, and none is idle; the connection is closed.
        case tooManyClients = "too-many-clients"
        /// No client can be added to those that are subscribed.
        case tooManySubscribers = "too-many-subscribers"
        /// The client was dismissed; requests after it are not executed.
        case idle
        /// More than 256 requests of this user with an `id` within a minute, or requests with an `id` of more than 64
        /// users.
        case busy
        /// The `id` was used for another request.
        case idReused = "id-reused"
        /// The request has waited for more than 2.5 s.
        case late
        /// The user's share of the event log is used up.
        case tooOften = "too-often"
        /// The reader is ending.
        case inactive
        /// A lockdown is in force.
        case lockdown
        /// The housing was opened, and `tamper` was not reset.
        case tampered
        /// Too many attempts were refused.
        case lockedOut = "locked-out"
        /// The event could not be stored, and `events.when-failing` is `"refuse"`.
        case notRecorded = "not-recorded"
        /// The event log is full, and `events.when-full` is `"refuse"`.
        case logFull = "log-full"
        /// The door is not blocked by tamper, or the housing is still open.
        case nothingToReset = "nothing-to-reset"
        /// The system clock is synchronised and has precedence, or the time is before this firmware's build.
        case timeRefused = "time-refused"
        /// No Wi-Fi is configured (`provisioning.wifi`).
        case noProvisioning = "no-provisioning"
        /// No line to a panel is configured (`osdp.line`).
        case noPanel = "no-panel"
        /// No socket for a Matter lock is configured (`matter.socket`).
        case noMatter = "no-matter"
        /// `readerd-matter` is not connected.
        case matterAbsent = "matter-absent"
        /// There is no window to close.
        case windowClosed = "window-closed"
        /// Another survey is under way.
        case surveying
        /// The controller is not ready, so no phone can be measured.
        case noController = "no-controller"
        /// The controller cannot read signal strengths.
        case noRSSI = "no-rssi"

        /// The problem and its remedy, in one line for people.
        var text: String {
            switch self {
            case .badRequest: "not a request"
            case .tooLong: "the line exceeds \(ControlLimits.requestCount) octets"
            case .tooManyClients: "\(ControlLimits.clients) clients are already connected; close one"
            case .tooManySubscribers:
                "\(ControlLimits.subscribers) clients already receive events; close one"
            case .idle: "closed after idle time; connect again"
            case .busy: "too many requests with an id; try again in a minute"
            case .idReused: "this id belongs to another request; use a new one"
            case .late: "it waited too long, as while the reader was stopped; send it again"
            case .tooOften:
                "the share of the event log for one user is used up; try again later, or raise events.capacity"
            case .inactive: "the door is inactive: the reader is stopping"
            case .lockdown: "lockdown is active; end it: readerd lockdown off"
            case .tampered: "the housing was opened; close it, then run: readerd tamper-reset"
            case .lockedOut: "lockout after refused attempts; try again later"
            case .notRecorded: "the event cannot be recorded, and events.when-failing is \"refuse\"; see the log"
            case .logFull: "the event log is full, and events.when-full is \"refuse\"; clear it"
            case .nothingToReset: "the door is not blocked by tamper, or the housing is still open"
            case .noProvisioning: "no Wi-Fi to provision; set provisioning.wifi in the configuration"
            case .noPanel: "no line to a panel; set osdp.line in the configuration"
            case .noMatter: "no Matter lock; set matter.socket in the configuration"
            case .matterAbsent: "readerd-matter is not connected; start it, and read its log"
            case .windowClosed: "the window is already closed"
            case .surveying: "a survey is under way; ask again when it has ended"
            case .noController: "the controller is not ready; see: readerd status"
            case .noRSSI: "the controller cannot read signal strengths; use another controller"
            case .timeRefused:
                "the system clock is synchronised and has precedence, or the time is before this firmware's build"
            }
        }
    }

    /// Success, with further members of the answer.
    case done(JSONObject)
    /// Refusal, with a text where the reason alone is not enough.
    case refused(Refusal, String?)
    /// Refusal of an order about a credential.
    case revocationRefused(RevocationRefusal)

    /// Success, without further members.
    static var done: ControlAnswer { .done(JSONObject()) }

    static func refused(_ refusal: Refusal) -> ControlAnswer { .refused(refusal, nil) }

    /// The answer's line, without line feed. `id` is the request's.
    func line(id: String?) -> String {
        switch self {
        case .done(let rest):
            var object: JSONObject = ["ok": true, "id": id]
            object.add(contentsOf: rest)
            return object.text
        case .refused(let refusal, let text): return ControlAnswer.line(refusal.rawValue, text ?? refusal.text, id)
        case .revocationRefused(let refusal): return ControlAnswer.line(refusal.rawValue, refusal.text, id)
        }
    }

    private static func line(_ refusal: String, _ why: String, _ id: String?) -> String {
        (["ok": false, "id": id, "refused": refusal, "why": why] as JSONObject).text
    }

    /// A subscriber's line with a JSON object.
    static func line(_ text: String, of stream: ControlRequest.Subscription) -> String {
        ([stream.rawValue: JSONLiteral(text)] as JSONObject).text
    }
}

/// The limits of the control socket.
enum ControlLimits {
    /// The maximum length of a request in octets; the longest request has 124.
    static let requestCount = 1024
    /// The range of a survey in seconds: a link at least, and no longer than people wait at a door that is out of use.
    static let surveySeconds = 3...30
    /// The maximum number of clients: a monitor, a metrics collector, a few people.
    static let clients = 8
    /// The maximum number of subscribers, which are never idle: two places remain for requests.
    static let subscribers = 6
    /// The time without a request after which a client that is not subscribed is dismissed: longer than a monitor's
    /// usual interval.
    static let idle = Duration.seconds(120)
    /// The time after which a client that does not read is dropped: longer than a busy machine delays it.
    static let stall = Duration.seconds(30)
    /// The maximum number of octets pending for a client, several times the metrics. A client with more is dropped.
    static let waitingCount = 256 * 1024
}

extension ControlAnswer {
    /// The answer to an opening: its refusal, or nil for none.
    init(_ refusal: DoorRefusal?) { self = refusal.map { .refused(Refusal($0)) } ?? .done }

    /// The answer to an order about the door; nil for a waiting one.
    init?(_ outcome: DoorOutcome) {
        switch outcome {
        case .done, .unchanged: self = .done
        case .refused(let refusal): self = .refused(Refusal(refusal))
        case .waits: return nil
        }
    }
}

extension ControlAnswer.Refusal {
    /// The refusal of an order about the door.
    init(_ refusal: DoorRefusal) {
        switch refusal {
        case .late: self = .late
        case .tooOften: self = .tooOften
        case .inactive: self = .inactive
        case .lockdown: self = .lockdown
        case .tampered: self = .tampered
        case .lockedOut: self = .lockedOut
        case .nothingToReset: self = .nothingToReset
        case .logFull: self = .logFull
        // A request of the control socket is always permitted, and neither paced nor limited in time.
        case .notRecorded, .busy, .forbidden, .expired: self = .notRecorded
        }
    }
}
