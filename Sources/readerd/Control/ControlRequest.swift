import JSON
import Reader

/// What a client of the control socket asks for; a line of it is an object of JSON. `docs/control.md` has all forms.
struct ControlRequest: Equatable {
    /// What is asked for.
    enum Action: Equatable {
        /// `{"get":"status"}`
        case status
        /// `{"get":"metrics"}`
        case metrics
        /// `{"unlock":"pulse"}` and so on.
        case unlock(Unlock)
        /// `{"lockdown":"on"}`, `{"lockdown":"off"}`
        case lockdown(Bool)
        /// `{"tamper":"reset"}`
        case tamperReset
        /// `{"set-time":SECONDS}`: since 1970-01-01 UTC.
        case setTime(Int64)
        /// `{"provisioning":SECONDS}`: opens the window for so long, or closes it with 0.
        case provisioning(seconds: Int)
        /// `{"subscribe":"events"}`
        case subscribe

        /// Whether it changes anything, so that it must not happen twice.
        var isChange: Bool {
            switch self {
            case .status, .metrics, .subscribe: false
            case .unlock, .lockdown, .tamperReset, .setTime, .provisioning: true
            }
        }
    }

    /// The ways of opening, as the request names them.
    enum Unlock: String, CaseIterable {
        case pulse
        case extended
        case officeOn = "office-on"
        case officeOff = "office-off"

        /// What the door is asked for.
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
    /// `"id"`: the same one is carried out once, and is in the answer; nil if there is none.
    var id: String?

    /// The most characters of an id, all of them printable ASCII: room for a UUID and a name.
    static let maximumIDCount = 64
    /// The year 2100: a later time is a slip, most likely milliseconds.
    static let latestTime: Int64 = 4_102_444_800
}

/// Why a line is no request. The text is for whoever wrote the client.
struct ControlRequestError: Error, Equatable {
    /// The id of the request, as far as it could be read.
    var id: String?
    /// What is wrong, and what to write instead.
    var problem: String
}

extension ControlRequest {
    private static let verbs = ["get", "unlock", "lockdown", "tamper", "set-time", "provisioning", "subscribe"]

    /// The request that a line, without its line feed, is.
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
        if member.name == "set-time" {
            action = .setTime(try ControlRequest.time(member.value, fault))
        } else if member.name == "provisioning" {
            action = .provisioning(seconds: try ControlRequest.window(member.value, fault))
        } else {
            action = try ControlRequest.action(member, fault)
        }
    }

    private static func id(_ members: [JSONNode.Member]) throws(ControlRequestError) -> String? {
        guard let member = members.first(where: { $0.name == "id" }) else { return nil }
        guard case .string(let id) = member.value.content, (1...maximumIDCount).contains(id.utf8.count),
            id.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw ControlRequestError(
                problem: "\"id\" must be text of 1 to \(maximumIDCount) printable ASCII characters without spaces")
        }
        return id
    }

    private static func action(
        _ member: JSONNode.Member, _ fault: (String) -> ControlRequestError
    ) throws(ControlRequestError) -> Action {
        let allowed: [(String, Action)] =
            switch member.name {
            case "get": [("status", .status), ("metrics", .metrics)]
            case "unlock": Unlock.allCases.map { ($0.rawValue, .unlock($0)) }
            case "lockdown": [("on", .lockdown(true)), ("off", .lockdown(false))]
            case "tamper": [("reset", .tamperReset)]
            default: [("events", .subscribe)]
            }
        guard case .string(let word) = member.value.content,
            let (_, action) = allowed.first(where: { $0.0 == word })
        else {
            let words = allowed.map { JSONObject.quoted($0.0) }.joined(separator: ", ")
            throw fault("\"\(member.name)\" takes \(words)")
        }
        return action
    }

    private static func time(
        _ node: JSONNode, _ fault: (String) -> ControlRequestError
    ) throws(ControlRequestError) -> Int64 {
        guard case .number(let text) = node.content, let seconds = Int64(text), (0...latestTime).contains(seconds)
        else { throw fault("\"set-time\" takes whole seconds since 1970-01-01 UTC, 0 to \(latestTime)") }
        return seconds
    }

    private static func window(
        _ node: JSONNode, _ fault: (String) -> ControlRequestError
    ) throws(ControlRequestError) -> Int {
        let range = SettingKey.provisioningWindows
        guard case .number(let text) = node.content, let seconds = Int(text), seconds == 0 || range.contains(seconds)
        else {
            let limits = "\(range.lowerBound) to \(range.upperBound)"
            throw fault("\"provisioning\" takes whole seconds, \(limits), or 0 to close the window")
        }
        return seconds
    }

    /// The line that asks for it, without its line feed.
    var line: String {
        var object = JSONObject()
        switch action {
        case .status: object.add("get", "status")
        case .metrics: object.add("get", "metrics")
        case .unlock(let way): object.add("unlock", way.rawValue)
        case .lockdown(let on): object.add("lockdown", on ? "on" : "off")
        case .tamperReset: object.add("tamper", "reset")
        case .setTime(let seconds): object.add("set-time", seconds)
        case .provisioning(let seconds): object.add("provisioning", seconds)
        case .subscribe: object.add("subscribe", "events")
        }
        if let id { object.add("id", id) }
        return object.text
    }

    /// What the event log and the log call it; at most 8 octets.
    var name: String {
        switch action {
        case .status: "status"
        case .metrics: "metrics"
        case .unlock(.pulse): "pulse"
        case .unlock(.extended): "extended"
        case .unlock(.officeOn): "office"
        case .unlock(.officeOff): "office-x"
        case .lockdown(true): "lockdown"
        case .lockdown(false): "unlockdn"
        case .tamperReset: "tamper"
        case .setTime: "set-time"
        case .provisioning: "wifi"
        case .subscribe: "events"
        }
    }
}
