// SPDX-License-Identifier: Apache-2.0

import JSON
import Reader

/// A request of a client of the control socket, a line of JSON with one object. `docs/control.md` describes all forms.
struct ControlRequest: Equatable {
    /// The requested action.
    enum Action: Equatable {
        case status
        case metrics
        case unlock(Unlock)
        case lockdown(Bool)
        case tamperReset
        /// In seconds since 1970-01-01 UTC.
        case setTime(Int64)
        /// Opens the window for this time, or closes it with 0.
        case provisioning(seconds: Int)
        /// Measures phones for this time instead of serving them.
        case survey(seconds: Int)
        /// Opens the window for a panel's key for this time, or closes it with 0.
        case panelInstallation(seconds: Int)
        /// Opens the commissioning window of the Matter lock for this time, or closes it with 0.
        case matterWindow(seconds: Int)
        case subscribe

        /// True for an order, which must not be carried out twice; false for a query.
        var isChange: Bool {
            switch self {
            case .status, .metrics, .subscribe: false
            case .unlock, .lockdown, .tamperReset, .setTime, .provisioning, .survey, .panelInstallation,
                .matterWindow:
                true
            }
        }
    }

    /// The ways of opening, as the request names them.
    enum Unlock: String, CaseIterable {
        case pulse
        case extended
        case officeOn = "office-on"
        case officeOff = "office-off"

        /// The request to the door.
        var request: DoorRequest {
            switch self {
            case .pulse: .pulse
            case .extended: .extended
            case .officeOn: .officeOn
            case .officeOff: .officeOff
            }
        }
    }

    var action: Action
    /// `"id"`: requests with the same id are carried out once.
    var id: String?

    /// The maximum length of an id: room for a UUID and a name.
    static let maximumIDCount = 64
    /// The year 2100: a later time is most likely in milliseconds.
    static let latestTime: Int64 = 4_102_444_800

    /// The requests that consist of a verb and a word, `{"unlock":"pulse"}`, with their names in event records, at most
    /// 8 octets.
    private static let words: [(verb: String, word: String, action: Action, name: String)] = [
        ("get", "status", .status, "status"),
        ("get", "metrics", .metrics, "metrics"),
        ("unlock", "pulse", .unlock(.pulse), "pulse"),
        ("unlock", "extended", .unlock(.extended), "extended"),
        ("unlock", "office-on", .unlock(.officeOn), "office"),
        ("unlock", "office-off", .unlock(.officeOff), "office-x"),
        ("lockdown", "on", .lockdown(true), "lockdown"),
        ("lockdown", "off", .lockdown(false), "unlockdn"),
        ("tamper", "reset", .tamperReset, "tamper"),
        ("subscribe", "events", .subscribe, "events"),
    ]
    private static let verbs = [
        "get", "unlock", "lockdown", "tamper", "set-time", "provisioning", "survey", "osdp-install",
        "matter-window", "subscribe",
    ]

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

    /// The name of the command in its event record; at most 8 octets.
    var name: String {
        switch action {
        case .setTime: "set-time"
        case .provisioning: "wifi"
        case .survey: "survey"
        case .panelInstallation: "osdp"
        case .matterWindow: "matter"
        default: ControlRequest.words.first { $0.action == action }?.name ?? ""
        }
    }

    /// The line, without its line feed.
    var line: String {
        var object = JSONObject()
        switch action {
        case .setTime(let seconds): object.add("set-time", seconds)
        case .provisioning(let seconds): object.add("provisioning", seconds)
        case .survey(let seconds): object.add("survey", seconds)
        case .panelInstallation(let seconds): object.add("osdp-install", seconds)
        case .matterWindow(let seconds): object.add("matter-window", seconds)
        default:
            for entry in ControlRequest.words where entry.action == action { object.add(entry.verb, entry.word) }
        }
        if let id { object.add("id", id) }
        return object.text
    }
}

/// The fault of an invalid request, for the client's author.
struct ControlRequestError: Error, Equatable {
    /// The id of the request, as far as it could be read.
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
        if let unknown = others.first(where: { !ControlRequest.verbs.contains($0.name) }) {
            let known = ControlRequest.verbs.joined(separator: ", ")
            throw fault("unknown key \(JSONObject.quoted(unknown.name)); the keys are id, \(known)")
        }
        guard let member = others.first, others.count == 1 else {
            throw fault("needs one of \(ControlRequest.verbs.joined(separator: ", ")), and has \(others.count)")
        }
        self.id = id
        switch member.name {
        case "set-time":
            guard let seconds = member.value.integer, (0...ControlRequest.latestTime).contains(seconds) else {
                throw fault("\"set-time\" takes whole seconds since 1970-01-01 UTC, 0 to \(ControlRequest.latestTime)")
            }
            action = .setTime(seconds)
        case "provisioning":
            let range = SettingKey.provisioningWindows
            guard let seconds = member.value.integer.map(Int.init), seconds == 0 || range.contains(seconds) else {
                let limits = "\(range.lowerBound) to \(range.upperBound)"
                throw fault("\"provisioning\" takes whole seconds, \(limits), or 0 to close the window")
            }
            action = .provisioning(seconds: seconds)
        case "survey":
            let range = ControlLimits.surveySeconds
            guard let seconds = member.value.integer.map({ Int(clamping: $0) }), range.contains(seconds) else {
                throw fault("\"survey\" takes whole seconds, \(range.lowerBound) to \(range.upperBound)")
            }
            // Its answer is long, and kept for no repetition.
            guard id == nil else { throw fault("\"survey\" takes no \"id\"; remove it") }
            action = .survey(seconds: seconds)
        case "osdp-install":
            let range = SettingKey.installationWindows
            guard let seconds = member.value.integer.map(Int.init), range.contains(seconds) else {
                throw fault(
                    "\"osdp-install\" takes whole seconds, 1 to \(range.upperBound), or 0 to close the window")
            }
            action = .panelInstallation(seconds: seconds)
        case "matter-window":
            let range = SettingKey.commissioningWindows
            guard let seconds = member.value.integer.map({ Int(clamping: $0) }), seconds == 0 || range.contains(seconds)
            else {
                let limits = "\(range.lowerBound) to \(range.upperBound)"
                throw fault("\"matter-window\" takes whole seconds, \(limits), or 0 to close the window")
            }
            action = .matterWindow(seconds: seconds)
        default:
            guard case .string(let word) = member.value.content,
                let action = ControlRequest.action(member.name, word)
            else {
                let words = ControlRequest.words(of: member.name).map(JSONObject.quoted).joined(separator: ", ")
                throw fault("\"\(member.name)\" takes \(words)")
            }
            self.action = action
        }
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
