// SPDX-License-Identifier: Apache-2.0

public import Emulation
import JSON

/// A command to an emulated camera, typed or of a scenario.
public enum CameraCommand: Equatable, Sendable {
    /// An action of the owner, or a change around the camera.
    case control(CameraControl)
    /// A fault to come.
    case fault(CameraFaultRule)
    /// The faults to come are listed.
    case faults
    /// They are removed.
    case clear
    /// The faults of this kind at this step are removed.
    case release(fault: String, step: String)
    /// All connections close.
    case disconnect
    /// The steps are listed.
    case steps
    /// The findings are listed.
    case findings
    /// The commands are listed.
    case help
    /// The end.
    case quit

    /// The commands, one line each.
    public static let helpLines = [
        "button record|tag|remote; mode normal|slow_motion|time_lapse|night_lapse|single|burst|continuous",
        "battery 0…100; charging on|off; gnss on|off; heart-rate BPM|off; cadence RPM|off",
        "card pull|insert|fill|free; wifi down|up; power off|battery|heat|on; clock 2026-11-22T10:00:00Z",
        "fault KIND STEP [VALUE] [TIME|every] [CHANCE%]: as fault drop datagram every 5%, fault status videos 500",
        "faults, clear: the faults to come; none of them; release KIND STEP: these no longer",
        "disconnect: close all connections",
        "steps, findings, help, quit",
        "or the same as JSON: {\"battery\": 5}, {\"fault\": {\"at\": \"line\", \"do\": \"split\"}}",
    ]

    /// The words that commands begin with.
    static let names = [
        "button", "mode", "battery", "charging", "gnss", "heart-rate", "cadence", "card", "wifi", "power", "clock",
        "fault", "faults", "clear", "release", "disconnect", "steps", "findings", "help", "quit",
    ]
}

extension CameraCommand {
    /// The maximum octets of a line.
    public static let maximumLine = 2048

    /// Parses a line: words, or a JSON object.
    public init(line: String) throws(CommandFault) {
        guard line.utf8.count <= CameraCommand.maximumLine else {
            throw CommandFault("the line has more than \(CameraCommand.maximumLine) octets")
        }
        let trimmed = line.drop { $0 == " " || $0 == "\t" }
        guard trimmed.first == "{" else {
            self = try CameraCommand.parse(trimmed.split { " \t\r".contains($0) }.map(String.init))
            return
        }
        do throws(JSONPlaceFault) {
            self = try CameraCommand.command(JSONPlace(file: Array(trimmed.utf8)), besides: [])
        } catch {
            throw CommandFault(error.path.isEmpty ? error.problem : "\(error.path): \(error.problem)")
        }
    }

    /// Parses words.
    static func parse(_ words: [String]) throws(CommandFault) -> CameraCommand {
        guard let first = words.first else { throw CommandFault("the line is empty; help lists the commands") }
        if first == "fault" { return .fault(try rule(Array(words.dropFirst()))) }
        if first == "release" {
            guard words.count == 3 else { throw CommandFault("write release KIND STEP, as release drop datagram") }
            return .release(fault: words[1], step: words[2])
        }
        let plain: [String: CameraCommand] = [
            "faults": .faults, "clear": .clear, "disconnect": .disconnect, "steps": .steps, "findings": .findings,
            "help": .help, "quit": .quit,
        ]
        if let command = plain[first], words.count == 1 { return command }
        guard names.contains(first) else {
            throw CommandFault("\(first.debugDescription) is no command; help lists them")
        }
        guard words.count == 2, let control = CameraControl(first, words[1]) else {
            let line = helpLines.flatMap { $0.split(separator: "; ") }.first { $0.hasPrefix(first + " ") } ?? ""
            throw CommandFault("write \(line)")
        }
        return .control(control)
    }

    private static func rule(_ words: [String]) throws(CommandFault) -> CameraFaultRule {
        guard words.count >= 2 else {
            throw CommandFault("write fault KIND STEP, as fault drop datagram every 5%")
        }
        var rest = words.dropFirst(2)
        let fault: CameraFault
        if let plain = CameraFault.plain[words[0]] {
            fault = plain
        } else {
            guard let (range, unit, _) = CameraFault.numbers[words[0]] else {
                guard let step = CameraStep.named(words[1]) else {
                    throw CommandFault(
                        "\(words[0].debugDescription) is no fault, and \(words[1].debugDescription) no step")
                }
                throw CommandFault(
                    "\(words[0].debugDescription) is no fault; write "
                        + CameraFault.words(at: step.place).joined(separator: ", "))
            }
            guard let number = rest.popFirst().flatMap({ Int($0) }), let made = CameraFault(words[0], number) else {
                throw CommandFault(
                    "fault \(words[0]) STEP wants \(unit), \(range.lowerBound) to \(range.upperBound)")
            }
            fault = made
        }
        var rule = CameraFaultRule(fault, at: words[1])
        while let word = rest.popFirst() {
            if word == "every" {
                rule.times = nil
            } else if word.hasSuffix("%"), let chance = Int(word.dropLast()), (1...100).contains(chance) {
                rule.chance = chance
            } else if let time = Int(word), (1...100_000).contains(time) {
                rule.occurrence = time
            } else {
                throw CommandFault("behind the step stand a time from 1 on or every, and a chance as 5%")
            }
        }
        if let problem = problem(rule) { throw CommandFault(problem) }
        return rule
    }

    /// The reason why a rule can never happen.
    static func problem(_ rule: CameraFaultRule) -> String? {
        guard let step = CameraStep.named(rule.step) else {
            return "there is no step \(rule.step.debugDescription); steps lists them"
        }
        let words = CameraFault.words(at: step.place)
        guard words.contains(rule.fault.word) else {
            return "\(rule.fault.word) does not suit \(step.name), a \(step.place.rawValue); what does is "
                + words.joined(separator: ", ")
        }
        return nil
    }
}

extension CameraControl {
    /// A control from its two words; nil if the second does not suit.
    init?(_ name: String, _ value: String) {
        let number = Int(value)
        func isOn(_ on: String, _ off: String) -> Bool? { value == on ? true : value == off ? false : nil }
        switch name {
        case "button" where value == "record": self = .recordButton
        case "button" where value == "tag" || value == "remote": self = .tagButton(isRemote: value == "remote")
        case "mode":
            guard let kind = CameraMode.Kind(rawValue: value) else { return nil }
            self = .mode(kind)
        case "battery":
            guard let number, (0...100).contains(number) else { return nil }
            self = .battery(number)
        case "charging":
            guard let isOn = isOn("on", "off") else { return nil }
            self = .charging(isOn)
        case "gnss":
            guard let isOn = isOn("on", "off") else { return nil }
            self = .satellites(isOn)
        case "heart-rate", "cadence":
            guard value == "off" || (0...255).contains(number ?? -1) else { return nil }
            self = name == "cadence" ? .cadence(number) : .heartRate(number)
        case "card":
            guard let change = CardChange(rawValue: value) else { return nil }
            self = .card(change)
        case "wifi":
            guard let isUp = isOn("up", "down") else { return nil }
            self = .wifi(isUp: isUp)
        case "power" where value == "on": self = .powerOn
        case "power":
            guard let reason = Shutdown(rawValue: value == "off" ? "user" : value) else { return nil }
            self = .shutdown(reason)
        case "clock":
            guard let seconds = CameraDate.seconds(value) else { return nil }
            self = .clock(seconds)
        default: return nil
        }
    }
}
