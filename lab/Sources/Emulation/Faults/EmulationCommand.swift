/// A command to a running emulator, typed or scheduled in a scenario file.
public enum EmulationCommand: Equatable, Sendable {
    /// Add a fault.
    case fault(FaultRule)
    /// List the pending faults.
    case faults
    /// Remove all faults.
    case clear
    /// End the link with this number; nil for all.
    case disconnect(link: UInt32?)
    /// Remove or restore the access points.
    case wifi(isUp: Bool)
    /// Limit values to this ATT_MTU; nil for the exchanged one.
    case mtu(Int?)
    /// List the findings so far.
    case findings
    /// List the steps at which faults can be injected.
    case steps
    /// List the commands.
    case help
    /// End the emulator.
    case quit

    /// The valid ATT_MTUs: from the minimum (Core 5.4, Vol 3, Part F, 3.2.8) to that of a 512-octet value.
    public static let mtus = 23...517

    /// The commands, one line each.
    public static let helpLines = [
        "fault drop|duplicate|disconnect-before|disconnect-after STEP [TIME|every]",
        "fault delay STEP MS | error STEP CODE | code STEP NUMBER | truncate STEP COUNT [TIME|every]",
        "fault replace STEP HEX | extend STEP HEX [TIME|every]",
        "faults, clear: the faults to come; none of them",
        "disconnect [LINK]: end a link, or all",
        "wifi down|up: the access points go, or come back",
        "mtu 23…517|off: no value gets more room than that",
        "steps, findings, help, quit",
        "or the same as JSON: {\"fault\": {\"at\": \"STEP\", \"do\": \"drop\", \"occurrence\": 2}}, {\"wifi\": \"down\"}",
    ]
}

/// The reason why a line is not a command.
public struct EmulationCommandFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// One line: the error and the remedy.
    public let description: String

    init(_ description: String) { self.description = description }
}

// MARK: - Typed commands

extension EmulationCommand {
    /// The maximum length of a line in octets: more than a JSON line with a value of 512 octets.
    public static let maximumLine = 2048

    /// Parses a line: words, or a JSON object as in scenario files.
    public init(line: String, steps: [EmulatedStep]) throws(EmulationCommandFault) {
        guard line.utf8.count <= EmulationCommand.maximumLine else {
            throw EmulationCommandFault("the line has more than \(EmulationCommand.maximumLine) octets")
        }
        let trimmed = line.drop { $0 == " " || $0 == "\t" }
        if trimmed.first == "{" {
            self = try EmulationCommand.json(String(trimmed), steps)
        } else {
            self = try EmulationCommand.words(trimmed.split { " \t\r\n".contains($0) }.map(String.init), steps)
        }
    }

    private static func words(
        _ words: [String], _ steps: [EmulatedStep]
    ) throws(EmulationCommandFault) -> EmulationCommand {
        switch words.first {
        case "fault": return .fault(try rule(Array(words.dropFirst()), steps))
        case "disconnect" where words.count <= 2:
            guard words.count == 2 else { return .disconnect(link: nil) }
            guard let link = UInt32(words[1]) else { throw EmulationCommandFault("name a link by its number") }
            return .disconnect(link: link)
        case "wifi" where words.count == 2 && ["up", "down"].contains(words[1]): return .wifi(isUp: words[1] == "up")
        case "wifi": throw EmulationCommandFault("write wifi down, or wifi up")
        case "mtu" where words.count == 2 && words[1] == "off": return .mtu(nil)
        case "mtu":
            guard words.count == 2, let mtu = Int(words[1]), mtus.contains(mtu) else {
                throw EmulationCommandFault("write mtu \(mtus.lowerBound) to \(mtus.upperBound), or mtu off")
            }
            return .mtu(mtu)
        default:
            let plain: [String: EmulationCommand] = [
                "faults": .faults, "clear": .clear, "findings": .findings, "steps": .steps, "help": .help,
                "quit": .quit,
            ]
            if words.count == 1, let command = plain[words[0]] { return command }
            let what = words.first.map { "\($0.debugDescription) is no command" } ?? "the line is empty"
            throw EmulationCommandFault("\(what); help lists them")
        }
    }

    private static func rule(_ words: [String], _ steps: [EmulatedStep]) throws(EmulationCommandFault) -> FaultRule {
        guard words.count >= 2 else {
            throw EmulationCommandFault("write fault KIND STEP, as fault drop parsing-succeeded; help lists them")
        }
        let kind = words[0]
        var rest = words.dropFirst(2)
        let fault: Fault
        if let plain = FaultWords.plain[kind] {
            fault = plain
        } else {
            guard FaultWords.withArgument.contains(kind) else {
                throw EmulationCommandFault(
                    "\(kind.debugDescription) is no fault; write \(FaultWords.all.joined(separator: ", "))")
            }
            guard let argument = rest.popFirst(), let made = FaultWords.fault(kind, argument) else {
                throw EmulationCommandFault("fault \(kind) STEP wants \(FaultWords.wanted(kind))")
            }
            fault = made
        }
        var rule = FaultRule(fault, at: words[1])
        switch rest.count {
        case 0: break
        case 1 where rest.first == "every": rule.times = nil
        case 1:
            guard let time = rest.first.flatMap({ Int($0) }), FaultWords.occurrences.contains(time) else {
                throw EmulationCommandFault(
                    "behind it stands the time that is meant, 1 to \(FaultWords.occurrences.upperBound), or every")
            }
            rule.occurrence = time
        default: throw EmulationCommandFault("too many words; help lists the commands")
        }
        if let problem = FaultWords.problem(rule, steps) { throw EmulationCommandFault(problem) }
        return rule
    }
}
