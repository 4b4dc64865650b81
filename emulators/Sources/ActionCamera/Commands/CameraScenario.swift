// SPDX-License-Identifier: Apache-2.0

public import Emulation
public import JSON

/// Faults, and commands at their times, of a file.
public struct CameraScenario: Equatable, Sendable {
    /// The most octets of a file.
    public static let maximumFileCount = 262_144

    /// The faults from the start.
    public var faults: [CameraFaultRule] = []
    /// The commands, earliest first.
    public var events: [ScheduledCommand<CameraCommand>] = []
    /// The seed of chances; nil if the file has none.
    public var seed: UInt64?

    /// Nothing.
    public init() {}

    /// Reads a file.
    ///
    /// ```json
    /// {"seed": 7, "faults": [{"at": "datagram", "do": "drop", "times": "every", "chance": 5}],
    ///  "events": [{"after-ms": 5000, "button": "record"}, {"after-ms": 9000, "card": "pull"}]}
    /// ```
    public init(json: [UInt8]) throws(JSONPlaceFault) {
        guard json.count <= CameraScenario.maximumFileCount else {
            throw JSONPlaceFault(line: 1, path: "", "has more than \(CameraScenario.maximumFileCount) octets")
        }
        let members = try JSONPlace(file: json).members(["faults", "events", "seed"])
        for place in try members["faults"]?.elements(atMost: CameraFaultPlan.maximumRules) ?? [] {
            faults.append(try CameraCommand.rule(place))
        }
        events = try ScheduledCommand.list(members["events"], CameraCommand.names) { place throws(JSONPlaceFault) in
            try CameraCommand.command(place, besides: ["after-ms"])
        }
        seed = try members["seed"].map { place throws(JSONPlaceFault) in
            UInt64(try place.number(0...Int(Int32.max)))
        }
    }
}

extension CameraCommand {
    /// A command that is the only member of an object.
    static func command(_ place: JSONPlace, besides others: [String]) throws(JSONPlaceFault) -> CameraCommand {
        let members = try place.members(names + others).members.filter { !others.contains($0.name) }
        guard members.count == 1, let member = members.first else {
            throw place.fault("has \(members.count) commands, and must have one of \(names.joined(separator: ", "))")
        }
        let value = place.member(member)
        if member.name == "fault" { return .fault(try rule(value)) }
        var words = [member.name]
        switch value.node.content {
        case .string(let text), .number(let text): words.append(text)
        case .boolean(true): break
        default: throw value.fault("is \(value.node.kind), and must be text, a number or true")
        }
        do throws(CommandFault) { return try parse(words) } catch { throw value.fault(error.description) }
    }

    /// A rule from an object.
    static func rule(_ place: JSONPlace) throws(JSONPlaceFault) -> CameraFaultRule {
        let members = try place.members(["at", "do", "occurrence", "times", "chance"])
        let action = try members.required("do")
        let fault: CameraFault
        if case .string = action.node.content {
            let word = try action.word(CameraFault.plain.keys.sorted())
            fault = CameraFault.plain[word] ?? .drop
        } else {
            let numbers = try action.members(CameraFault.numbers.keys.sorted())
            guard numbers.members.count == 1, let member = numbers.members.first,
                let range = CameraFault.numbers[member.name]?.range,
                let made = CameraFault(member.name, try action.member(member).number(range))
            else { throw action.fault("must have one member: what goes wrong") }
            fault = made
        }
        var rule = CameraFaultRule(fault, at: try members.required("at").text())
        if let place = members["occurrence"] { rule.occurrence = try place.number(1...100_000) }
        if let place = members["times"] {
            if case .string = place.node.content {
                _ = try place.word(["every"])
                rule.times = nil
            } else {
                rule.times = try place.number(1...100_000)
            }
        }
        if let place = members["chance"] { rule.chance = try place.number(1...100) }
        if let problem = problem(rule) { throw place.fault(problem) }
        return rule
    }
}
