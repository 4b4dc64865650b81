// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Configuration
import JSON
import Reader

/// A request of a client of the control socket, a line of JSON with one object. `docs/operate/control.md` describes all
/// forms.
struct ControlRequest: Equatable {
    /// The requested action.
    enum Action: Equatable {
        case status
        case metrics
        case quiet
        case door(DoorOrder)
        /// A verb with its seconds.
        case timed(TimedVerb, Int64)
        /// An order about one credential.
        case revocation(RevocationOrder)
        case subscribe(Subscription)

        /// True for an order, which must not be carried out twice; false for a query.
        var isChange: Bool {
            switch self {
            case .status, .metrics, .quiet, .subscribe: false
            case .door, .timed, .revocation: true
            }
        }

        /// True for an order that opens the door or ends a protection, which is refused if it is late or its record has
        /// no room. An order that secures the door is carried out in any case.
        var mayRelease: Bool {
            switch self {
            case .status, .metrics, .quiet, .subscribe, .timed(_, 0): false
            case .door(let order): order.mayRelease
            case .revocation(let order): order.mayRelease
            case .timed: true
            }
        }
    }

    /// The streams that a client can be sent, each with the name of the member in its lines.
    enum Subscription: String {
        /// Each event, once it is stored.
        case events = "event"
        /// Each notice of the reader, as it falls: links, readings of the gate, decisions, the door. None is kept.
        case notices = "notice"
        /// Each change of the lock's line, the lights and the buzzer.
        case outputs = "output"
    }

    var action: Action
    /// `"id"`: requests with the same id are carried out once.
    var id: String?

    /// The maximum length of an id: room for a UUID and a name.
    static let maximumIDCount = 64

    /// The requests that consist of a verb and a word, `{"unlock":"pulse"}`.
    private static let words: [(verb: String, word: String, action: Action)] = [
        ("get", "status", .status),
        ("get", "metrics", .metrics),
        ("get", "quiet", .quiet),
        ("unlock", "pulse", .door(.pulse)),
        ("unlock", "extended", .door(.extended)),
        ("unlock", "office-on", .door(.officeOn)),
        ("unlock", "office-off", .door(.officeOff)),
        ("lockdown", "on", .door(.lockdownOn)),
        ("lockdown", "off", .door(.lockdownOff)),
        ("tamper", "reset", .door(.tamperReset)),
        ("subscribe", "events", .subscribe(.events)),
        ("subscribe", "notices", .subscribe(.notices)),
        ("subscribe", "outputs", .subscribe(.outputs)),
    ]
    private static let verbs =
        ["get", "unlock", "lockdown", "tamper"] + TimedVerb.allCases.map(\.rawValue) + RevocationOrder.verbs
        + ["subscribe"]

    /// Returns the words of a verb.
    static func words(of verb: String) -> [String] { words.filter { $0.verb == verb }.map(\.word) }

    /// Returns the action of a verb with a word; nil for an unknown one.
    static func action(_ verb: String, _ word: String) -> Action? {
        words.first { $0.verb == verb && $0.word == word }?.action
    }

    /// True for 1 to 64 printable ASCII characters without space.
    static func isID(_ text: String) -> Bool {
        (1...maximumIDCount).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// The line, without its line feed.
    var line: String { line { $0.text } }

    /// The line for the log, which has no credential's whole identifier.
    var logLine: String { line { OSSCredentialID.redacted($0.text) } }

    private func line(_ text: (OSSCredentialID) -> String) -> String {
        var object = JSONObject()
        if case .revocation(let order) = action {
            object.add(contentsOf: order.members(credential: text(order.credential)))
        }
        if case .timed(let verb, let seconds) = action { object.add(verb.rawValue, seconds) }
        for entry in ControlRequest.words where entry.action == action { object.add(entry.verb, entry.word) }
        if let id { object.add("id", id) }
        return object.text
    }
}

/// A verb with a number of seconds.
enum TimedVerb: String, CaseIterable {
    /// Sets the clock, in seconds since 1970-01-01 UTC.
    case setTime = "set-time"
    /// Opens the window for Wi-Fi provisioning for this time, or closes it with 0.
    case provisioning
    /// Measures phones for this time instead of serving them.
    case survey
    /// Opens the window for a panel's key for this time, or closes it with 0.
    case panelInstallation = "osdp-install"
    /// Opens the commissioning window of the Matter lock for this time, or closes it with 0.
    case matterWindow = "matter-window"

    /// The permitted seconds, the name in event records, at most 8 octets, and true if 0 closes a window.
    private var row: (range: ClosedRange<Int64>, name: String, isWindow: Bool) {
        func seconds(_ range: ClosedRange<Int>) -> ClosedRange<Int64> {
            Int64(range.lowerBound)...Int64(range.upperBound)
        }
        return switch self {
        // To the year 2100: a later time is most likely in milliseconds.
        case .setTime: (0...4_102_444_800, "set-time", false)
        case .provisioning: (seconds(SettingKey.provisioningWindows), "wifi", true)
        case .survey: (seconds(ControlLimits.surveySeconds), "survey", false)
        case .panelInstallation: (1...Int64(SettingKey.installationWindows.upperBound), "osdp", true)
        case .matterWindow: (seconds(SettingKey.commissioningWindows), "matter", true)
        }
    }

    /// The permitted seconds, without the 0 that closes a window.
    var range: ClosedRange<Int64> { row.range }

    /// The name of the command in its event record.
    var name: String { row.name }

    /// The refusal of a reader without the service.
    var absence: ControlAnswer.Refusal {
        switch self {
        case .provisioning: .noProvisioning
        case .panelInstallation: .noPanel
        case .matterWindow: .noMatter
        case .setTime, .survey: .badRequest
        }
    }

    /// True for a permitted number.
    func takes(_ seconds: Int64) -> Bool { row.range.contains(seconds) || row.isWindow && seconds == 0 }

    /// The permitted numbers in words.
    var values: String {
        "whole seconds" + (self == .setTime ? " since 1970-01-01 UTC" : "")
            + ", \(range.lowerBound) to \(range.upperBound)" + (row.isWindow ? ", or 0 to close the window" : "")
    }
}

/// The outcome of a request with a verb and seconds.
enum TimedOutcome: Equatable {
    case done
    case refused(ControlAnswer.Refusal)
    /// The answer follows by `ControlServer.answer` with the request's ticket.
    case waits
}

/// The fault of an invalid request, for the client's author.
struct ControlRequestError: Error, Equatable {
    /// The id of the request, if it could be read.
    var id: String?
    /// The problem and its remedy.
    var problem: String
}

extension ControlRequest {
    /// Parses a line without its line feed.
    init(line: [UInt8]) throws(ControlRequestError) {
        let node: JSONNode
        do throws(JSONFault) { node = try JSONParser.parse(line) } catch {
            throw ControlRequestError(problem: "not JSON: \(error.problem)")
        }
        guard case .object(let members) = node.content else {
            throw ControlRequestError(problem: "is \(node.kind), and must be an object, as {\"get\":\"status\"} is")
        }
        let id = try ControlRequest.id(members)
        func fault(_ problem: String) -> ControlRequestError { ControlRequestError(id: id, problem: problem) }

        let others = members.filter { $0.name != "id" }
        if let order = try RevocationOrder(others, id: id) {
            self.id = id
            action = .revocation(order)
            return
        }
        if let unknown = others.first(where: { !ControlRequest.verbs.contains($0.name) }) {
            let known = ControlRequest.verbs.joined(separator: ", ")
            throw fault("unknown key \(JSONObject.quoted(unknown.name)); the keys are id, \(known)")
        }
        guard let member = others.first, others.count == 1 else {
            throw fault("needs one of \(ControlRequest.verbs.joined(separator: ", ")), and has \(others.count)")
        }
        self.id = id
        if let verb = TimedVerb(rawValue: member.name) {
            guard let seconds = member.value.integer, verb.takes(seconds) else {
                throw fault("\"\(verb.rawValue)\" takes \(verb.values)")
            }
            // Its answer is long, and kept for no repetition.
            guard verb != .survey || id == nil else { throw fault("\"survey\" takes no \"id\"; remove it") }
            action = .timed(verb, seconds)
            return
        }
        guard case .string(let word) = member.value.content, let action = ControlRequest.action(member.name, word)
        else {
            let words = ControlRequest.words(of: member.name).map(JSONObject.quoted).joined(separator: ", ")
            throw fault("\"\(member.name)\" takes \(words)")
        }
        self.action = action
    }

    private static func id(_ members: [JSONNode.Member]) throws(ControlRequestError) -> String? {
        guard let member = members.first(where: { $0.name == "id" }) else { return nil }
        guard case .string(let id) = member.value.content, isID(id) else {
            throw ControlRequestError(
                problem: "\"id\" must be text of 1 to \(maximumIDCount) printable ASCII characters without spaces")
        }
        return id
    }
}

extension JSONNode {
    /// A whole number in 64 bits; nil for anything else.
    fileprivate var integer: Int64? {
        guard case .number(let text) = content else { return nil }
        return Int64(text)
    }
}
