// SPDX-License-Identifier: Apache-2.0

public import JSON

/// The faults and events of an emulation, as described by a file (docs/emulators/emulation.md).
public struct EmulationScenario: Equatable, Sendable {
    /// The maximum length of a file in octets: more than 256 faults with 512 octets each need.
    public static let maximumFileCount = 524_288

    /// The faults, counted from the start.
    public var faults: [FaultRule] = []
    /// The scheduled commands, earliest first.
    public var events: [ScheduledCommand<EmulationCommand>] = []
    /// The maximum ATT_MTU; nil for the default.
    public var mtu: Int?

    /// A scenario without faults and events.
    public init() {}

    /// Reads a scenario from a JSON text, for devices with these steps.
    ///
    /// ```json
    /// {"faults": [{"at": "wifi-succeeded", "do": {"delay": 3000}}, {"at": "credentials", "do": {"error": "0x0e"}},
    ///             {"at": "parsing-succeeded", "do": "drop", "occurrence": 2, "times": 3, "device": 1}],
    ///  "events": [{"after-ms": 5000, "wifi": "down"}, {"after-ms": 9000, "disconnect": true}], "mtu": 23}
    /// ```
    public init(json: [UInt8], steps: [EmulatedStep]) throws(JSONPlaceFault) {
        guard json.count <= EmulationScenario.maximumFileCount else {
            throw JSONPlaceFault(
                line: 1, path: "", "has \(json.count) octets, and \(EmulationScenario.maximumFileCount) are the most")
        }
        try self.init(JSONPlace(file: json), steps: steps)
    }

    /// Reads a scenario from a place of a file.
    public init(_ place: JSONPlace, steps: [EmulatedStep]) throws(JSONPlaceFault) {
        let members = try place.members(["faults", "events", "mtu"])
        for place in try members["faults"]?.elements(atMost: FaultPlan.maximumRules) ?? [] {
            faults.append(try EmulationScenario.rule(place, steps))
        }
        events = try ScheduledCommand.list(
            members["events"], EmulationCommand.memberNames
        ) { place throws(JSONPlaceFault) in
            try EmulationCommand.command(place, steps, besides: ["after-ms"])
        }
        mtu = try members["mtu"]?.number(EmulationCommand.mtus)
    }

    /// Reads a fault with its step and occurrence.
    static func rule(_ place: JSONPlace, _ steps: [EmulatedStep]) throws(JSONPlaceFault) -> FaultRule {
        let members = try place.members(["at", "do", "occurrence", "times", "device"])
        var rule = FaultRule(try fault(members.required("do")), at: try members.required("at").text())
        if let place = members["occurrence"] { rule.occurrence = try place.number(FaultWords.occurrences) }
        if let place = members["times"] {
            if case .string = place.node.content {
                _ = try place.word(["every"])
                rule.times = nil
            } else {
                rule.times = try place.number(FaultWords.occurrences)
            }
        }
        // The maximum number of devices on one radio.
        rule.device = try members["device"]?.number(1...16)
        if let problem = FaultWords.problem(rule, steps) { throw place.fault(problem) }
        return rule
    }

    private static func fault(_ place: JSONPlace) throws(JSONPlaceFault) -> Fault {
        if case .string = place.node.content {
            let word = try place.word(FaultWords.plain.keys.sorted())
            return FaultWords.plain[word] ?? .drop
        }
        let members = try place.members(FaultWords.withArgument)
        guard members.members.count == 1, let member = members.members.first else {
            throw place.fault("has \(members.members.count) members, and must have one: what goes wrong")
        }
        let argument = place.member(member)
        let text: String
        switch argument.node.content {
        case .number(let digits): text = digits
        default: text = try argument.text()
        }
        guard let fault = FaultWords.fault(member.name, text) else {
            throw argument.fault("is not \(FaultWords.wanted(member.name))")
        }
        return fault
    }
}

// MARK: - JSON commands

extension EmulationCommand {
    static let memberNames = [
        "fault", "disconnect", "wifi", "network", "ap", "dhcp", "mtu", "clear", "faults", "findings", "steps", "help",
        "quit",
    ]

    /// Reads a command from the only member of an object.
    static func command(
        _ place: JSONPlace, _ steps: [EmulatedStep], besides others: [String]
    ) throws(JSONPlaceFault) -> EmulationCommand {
        let members = try place.members(memberNames + others).members.filter { !others.contains($0.name) }
        guard members.count == 1, let member = members.first else {
            throw place.fault(
                "has \(members.count) commands, and must have one of \(memberNames.joined(separator: ", "))")
        }
        let value = place.member(member)
        switch member.name {
        case "fault": return .fault(try EmulationScenario.rule(value, steps))
        case "wifi": return .wifi(isUp: try value.word(["up", "down"]) == "up")
        case "mtu":
            if case .string = value.node.content {
                _ = try value.word(["off"])
                return .mtu(nil)
            }
            return .mtu(try value.number(mtus))
        case "network", "ap": return try network(value, isAccessPoint: member.name == "ap")
        case "dhcp": return .dhcp(isUp: try value.word(["up", "down"]) == "up")
        case "disconnect":
            if case .object = value.node.content { return try end(value) }
            if case .number = value.node.content {
                return .disconnect(link: UInt32(truncatingIfNeeded: try value.number(0...Int(UInt32.max))))
            }
            guard try value.boolean() else { throw value.fault("is false; write true, or the link's number") }
            return .disconnect(link: nil)
        default:
            guard try value.boolean() else { throw value.fault("is false; write true, or leave the line out") }
            return plain[member.name] ?? .help
        }
    }

    /// `{"link": 1, "reason": "power-off"}`, either of them.
    private static func end(_ place: JSONPlace) throws(JSONPlaceFault) -> EmulationCommand {
        let members = try place.members(["link", "reason"])
        let link = try members["link"]?.number(0...Int(UInt32.max))
        let word = try members["reason"]?.word(LinkEnd.allCases.map(\.rawValue))
        do throws(CommandFault) {
            return try checked(
                .disconnect(
                    link: link.map { UInt32(truncatingIfNeeded: $0) },
                    word.flatMap { LinkEnd(rawValue: $0) } ?? .user))
        } catch {
            throw place.fault(error.description)
        }
    }

    /// `{"ssid": "Home", "is": "down"}`, or with `signal` or `passphrase`; of an access point with `bssid`.
    private static func network(
        _ place: JSONPlace, isAccessPoint: Bool
    ) throws(JSONPlaceFault) -> EmulationCommand {
        let name = isAccessPoint ? "bssid" : "ssid"
        let members = try place.members([name, "is", "signal", "passphrase"])
        let named = try members.required(name)
        guard let target = NetworkTarget(try named.text(), isAccessPoint: isAccessPoint) else {
            throw named.fault("is no address; write it as aa:bb:cc:dd:ee:ff")
        }
        guard members.members.count == 2 else {
            throw place.fault("has \(members.members.count - 1) changes, and must have one: is, signal, passphrase")
        }
        if let place = members["is"] { return .network(target, .isUp(try place.word(["up", "down"]) == "up")) }
        if let place = members["signal"] { return .network(target, .signal(try place.number(NetworkChange.signals))) }
        return .network(target, .passphrase(try members.required("passphrase").text()))
    }

    static func json(_ line: String, _ steps: [EmulatedStep]) throws(CommandFault) -> EmulationCommand {
        do throws(JSONPlaceFault) {
            return try command(JSONPlace(file: Array(line.utf8)), steps, besides: [])
        } catch {
            throw CommandFault(error.path.isEmpty ? error.problem : "\(error.path): \(error.problem)")
        }
    }
}
