// SPDX-License-Identifier: Apache-2.0

/// A command to a running emulator, typed or scheduled in a scenario file.
public enum EmulationCommand: Equatable, Sendable {
    /// Add a fault.
    case fault(FaultRule)
    /// List the pending faults.
    case faults
    /// Remove all faults.
    case clear
    /// Remove the faults of this kind at this step.
    case release(fault: String, step: String)
    /// End the link with this number, or all, for this reason.
    case disconnect(link: UInt32?, LinkEnd = .user)
    /// Remove or restore the access points.
    case wifi(isUp: Bool)
    /// Change a network or a single access point.
    case network(NetworkTarget, NetworkChange)
    /// Stop or resume the assignment of addresses.
    case dhcp(isUp: Bool)
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

    /// The valid ATT_MTUs: from the minimum (Core 5.4, Vol 3, Part F, 3.2.8) to the MTU for a 512-octet value.
    public static let mtus = 23...517

    /// The commands, one line each.
    public static let helpLines = [
        "fault drop|duplicate|disconnect-before|disconnect-after STEP [TIME|every]",
        "fault delay STEP MS | error STEP CODE | code STEP NUMBER | truncate STEP COUNT [TIME|every]",
        "fault replace STEP HEX | extend STEP HEX [TIME|every]",
        "faults, clear: the faults to come; none of them; release KIND STEP: these no longer",
        "fault refuse connect|pairing, drop pairing, wrong-confirm pairing [TIME|every]",
        "disconnect [LINK] [\(LinkEnd.allCases.map(\.rawValue).joined(separator: "|"))]: end a link, or all",
        "wifi down|up: the access points go, or come back",
        "network NAME down|up, signal DBM, passphrase TEXT: all access points of that name; dhcp down|up: addresses",
        "ap BSSID down|up, signal DBM, passphrase TEXT: one access point",
        "mtu 23…517|off: no value gets more room than that",
        "steps, findings, help, quit",
        "or the same as JSON: {\"fault\": {\"at\": \"STEP\", \"do\": \"drop\", \"occurrence\": 2}}, {\"wifi\": \"down\"}",
    ]
}

// MARK: - Typed commands

extension EmulationCommand {
    /// The maximum length of a line in octets: more than a JSON line with a value of 512 octets.
    public static let maximumLine = 2048

    /// Parses a line: words, or a JSON object as in scenario files.
    public init(line: String, steps: [EmulatedStep]) throws(CommandFault) {
        guard line.utf8.count <= EmulationCommand.maximumLine else {
            throw CommandFault("the line has more than \(EmulationCommand.maximumLine) octets")
        }
        let trimmed = line.drop { $0 == " " || $0 == "\t" }
        if trimmed.first == "{" {
            self = try EmulationCommand.json(String(trimmed), steps)
        } else {
            self = try EmulationCommand.words(try EmulationCommand.split(trimmed), steps)
        }
    }

    /// The words of a line, of which those in quotation marks may have spaces.
    private static func split(_ line: Substring) throws(CommandFault) -> [String] {
        var words: [String] = []
        var word: String?
        var isQuoted = false
        for character in line {
            if character == "\"" {
                isQuoted.toggle()
                word = word ?? ""
            } else if !isQuoted, " \t\r\n".contains(character) {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        guard !isQuoted else { throw CommandFault("a quotation mark is not closed") }
        return words + (word.map { [$0] } ?? [])
    }

    private static func end(_ words: ArraySlice<String>) throws(CommandFault) -> EmulationCommand {
        var words = words
        var link: UInt32?
        if let number = words.first.flatMap({ UInt32($0) }) {
            link = number
            words.removeFirst()
        }
        guard let word = words.popFirst() else { return .disconnect(link: link) }
        guard let end = LinkEnd(rawValue: word), words.isEmpty else {
            throw CommandFault(
                "name a link by its number, and behind it the reason: "
                    + LinkEnd.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return try checked(.disconnect(link: link, end))
    }

    /// Refuses silence of one link: the controller has no such command.
    static func checked(_ command: EmulationCommand) throws(CommandFault) -> EmulationCommand {
        if case .disconnect(_?, .timeout) = command {
            throw CommandFault("all links end by timeout, or none; leave the number out")
        }
        return command
    }

    private static func network(_ words: [String]) throws(CommandFault) -> EmulationCommand {
        let isOne = words[0] == "ap"
        let wanted = CommandFault(
            isOne
                ? "write ap BSSID down, up, signal -80 or passphrase TEXT, as ap 02:00:00:00:01:01 down"
                : "write network NAME down, up, signal -80 or passphrase TEXT, with quotation marks around spaces")
        guard words.count >= 3, let target = NetworkTarget(words[1], isAccessPoint: isOne) else { throw wanted }
        switch words.count {
        case 3 where ["up", "down"].contains(words[2]): return .network(target, .isUp(words[2] == "up"))
        case 4 where words[2] == "passphrase": return .network(target, .passphrase(words[3]))
        case 4 where words[2] == "signal":
            guard let level = Int(words[3]), NetworkChange.signals.contains(level) else { throw wanted }
            return .network(target, .signal(level))
        default: throw wanted
        }
    }

    /// The commands of one word.
    static let plain: [String: EmulationCommand] = [
        "faults": .faults, "clear": .clear, "findings": .findings, "steps": .steps, "help": .help, "quit": .quit,
    ]

    private static func words(
        _ words: [String], _ steps: [EmulatedStep]
    ) throws(CommandFault) -> EmulationCommand {
        switch words.first {
        case "fault": return .fault(try rule(Array(words.dropFirst()), steps))
        case "release":
            guard words.count == 3 else { throw CommandFault("write release KIND STEP, as release drop frame") }
            return .release(fault: words[1], step: words[2])
        case "disconnect": return try end(words.dropFirst())
        case "network", "ap": return try network(words)
        case "dhcp" where words.count == 2 && ["up", "down"].contains(words[1]): return .dhcp(isUp: words[1] == "up")
        case "dhcp": throw CommandFault("write dhcp down, or dhcp up")
        case "wifi" where words.count == 2 && ["up", "down"].contains(words[1]): return .wifi(isUp: words[1] == "up")
        case "wifi": throw CommandFault("write wifi down, or wifi up")
        case "mtu" where words.count == 2 && words[1] == "off": return .mtu(nil)
        case "mtu":
            guard words.count == 2, let mtu = Int(words[1]), mtus.contains(mtu) else {
                throw CommandFault("write mtu \(mtus.lowerBound) to \(mtus.upperBound), or mtu off")
            }
            return .mtu(mtu)
        default:
            if words.count == 1, let command = plain[words[0]] { return command }
            let what = words.first.map { "\($0.debugDescription) is no command" } ?? "the line is empty"
            throw CommandFault("\(what); help lists them")
        }
    }

    private static func rule(_ words: [String], _ steps: [EmulatedStep]) throws(CommandFault) -> FaultRule {
        guard words.count >= 2 else {
            throw CommandFault("write fault KIND STEP, as fault drop parsing-succeeded; help lists them")
        }
        let kind = words[0]
        var rest = words.dropFirst(2)
        let fault: Fault
        if let plain = FaultWords.plain[kind] {
            fault = plain
        } else {
            guard FaultWords.withArgument.contains(kind) else {
                let suiting = steps.first { $0.name == words[1] }?.faults.map(\.word) ?? FaultWords.all
                throw CommandFault("\(kind.debugDescription) is no fault; write \(suiting.joined(separator: ", "))")
            }
            guard let argument = rest.popFirst(), let made = FaultWords.fault(kind, argument) else {
                throw CommandFault("fault \(kind) STEP wants \(FaultWords.wanted(kind))")
            }
            fault = made
        }
        var rule = FaultRule(fault, at: words[1])
        switch rest.count {
        case 0: break
        case 1 where rest.first == "every": rule.times = nil
        case 1:
            guard let time = rest.first.flatMap({ Int($0) }), FaultWords.occurrences.contains(time) else {
                throw CommandFault(
                    "behind it stands the time that is meant, 1 to \(FaultWords.occurrences.upperBound), or every")
            }
            rule.occurrence = time
        default: throw CommandFault("too many words; help lists the commands")
        }
        if let problem = FaultWords.problem(rule, steps) { throw CommandFault(problem) }
        return rule
    }
}
