// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
public import Emulation
import Proximity
public import Reader
public import Timekeeping

/// A command to an emulated reader, typed or of a scenario.
public enum ReaderOrder: LineCommand {
    /// A command common to the emulated devices.
    case common(EmulationCommand)
    /// The RSSI readings that the gate gets.
    case rssi(ReaderDistance)
    /// Occupy or free all slots.
    case pool(isFull: Bool)
    /// Start the reader again with these modes.
    case modes([AdvertisingMode])
    /// The reader's clock.
    case clock(ReaderTime)
    /// Open or close the door.
    case door(isOpen: Bool)
    /// Activate or release the fire input.
    case fire(Bool)
    /// Begin or end a lockdown.
    case lockdown(Bool)
    /// The disk of the event log.
    case disk(ReaderDisk.Condition)
    /// Refuse a credential, or no longer.
    case blacklist(String, isRefused: Bool)
    /// The list of cards, or a fault with one.
    case cards(CardFieldOrder)
    /// List the faults with cards.
    case cardFaults

    /// The commands, one line each.
    public static let helpLines = [
        "rssi real|near|too-far|well-under|none|DBM: what the gate reads; too-far is short for rssi too-far",
        "pool full|free; modes MODE[,MODE]: starts again with \(AdvertisingMode.ofAccessProfile.map(\.rawValue).joined(separator: ", "))",
        "clock real|unset|2031-12-31T23:59; disk sound|full|failing|slow",
        "blacklist ID, pardon ID: a credential; door open|closed, fire on|off, lockdown on|off",
        "status CODE [every]: the answer to the next request in place of what was asked; delay MS [every]: later",
        "fault drop|disconnect-before|disconnect-after|wrong-proof proof|answer [TIME|every]",
        "fault delay proof|answer MS [TIME|every], code answer STATUS, refuse connect, disconnect-after near",
        "faults, clear: the faults to come; none of them; release KIND STEP: these no longer; mtu 23…517|off: for links to come",
        "disconnect [LINK] [\(LinkEnd.allCases.map(\.rawValue).joined(separator: "|"))]: end a link, or all",
        "enrol last|pkoc POINT|aliro POINT|desfire NUMBER, unenrol all: the cards that open",
        "fault NAME card [every]: with the next card, or with each; card-faults: the names, and what a right card does",
        "near CARD [TIME|during N|after N], away CARD, cards: cards that are connected to the field",
        "steps, findings, help, quit",
    ]
}

/// The source of the RSSI readings that a gate gets.
public enum ReaderDistance: Equatable, Sendable {
    /// The controller's.
    case real
    /// This value for each reading, in dBm.
    case fixed(Int8)
    /// No valid reading.
    case none

    /// The words for levels relative to the highest threshold of the modes.
    static let margins: [String: Int] = ["near": 15, "too-far": -8, "well-under": -20]
}

/// The time of a reader's clock.
public enum ReaderTime: Equatable, Sendable {
    /// The computer's.
    case real
    /// Not set.
    case unset
    /// This local time, and what follows.
    case at(CivilTime)
}

extension ReaderOrder {
    /// Parses a line.
    public init(line: String) throws(CommandFault) {
        let words = line.split { " \t\r\n".contains($0) }.map(String.init)
        let rest = Array(words.dropFirst())
        switch words.first {
        case "too-far" where rest.isEmpty: self = .rssi(try ReaderOrder.distance("too-far"))
        case "rssi": self = .rssi(try ReaderOrder.distance(ReaderOrder.one(rest)))
        case "pool": self = .pool(isFull: try ReaderOrder.choice("pool", rest, "full", "free"))
        case "modes": self = .modes(try ReaderOrder.modes(ReaderOrder.one(rest)))
        case "clock": self = .clock(try ReaderOrder.time(ReaderOrder.one(rest)))
        case "door": self = .door(isOpen: try ReaderOrder.choice("door", rest, "open", "closed"))
        case "fire": self = .fire(try ReaderOrder.choice("fire", rest, "on", "off"))
        case "lockdown": self = .lockdown(try ReaderOrder.choice("lockdown", rest, "on", "off"))
        case "disk": self = .disk(try ReaderOrder.condition(ReaderOrder.one(rest)))
        case "blacklist": self = .blacklist(try ReaderOrder.credential(ReaderOrder.one(rest)), isRefused: true)
        case "pardon": self = .blacklist(try ReaderOrder.credential(ReaderOrder.one(rest)), isRefused: false)
        case "enrol": self = .cards(.enrol(try ReaderOrder.card(rest)))
        case "card-faults" where rest.isEmpty: self = .cardFaults
        case "unenrol" where rest == ["all"]: self = .cards(.unenrol)
        case "unenrol": throw CommandFault("write unenrol all")
        case "release" where rest.count == 2 && rest[1] == ReaderCardFault.step:
            self = .cards(.release(try ReaderOrder.cardFault(rest[0])))
        case "fault" where rest.count > 1 && rest[1] == ReaderCardFault.step:
            guard rest.count == 2 || rest.dropFirst(2) == ["every"] else {
                throw CommandFault("write fault NAME card, or fault NAME card every")
            }
            self = .cards(.fault(try ReaderOrder.cardFault(rest[0]), stays: rest.count == 3))
        case "status": self = try ReaderOrder.common("fault code answer " + rest.joined(separator: " "))
        case "delay": self = try ReaderOrder.common("fault delay answer " + rest.joined(separator: " "))
        case "wifi", "dhcp", "network", "ap": throw CommandFault("a reader has no Wi-Fi; help lists its commands")
        case "near" where rest.isEmpty, "well-under", "real": throw CommandFault("write rssi \(words[0])")
        case "near", "away", "cards":
            throw CommandFault(
                "near CARD, away CARD and cards are typed commands of a reader with --field; a scenario moves no cards")
        default: self = try ReaderOrder.common(line)
        }
    }

    private static func common(_ line: String) throws(CommandFault) -> ReaderOrder {
        let command = try EmulationCommand(line: line, steps: ReaderStep.all)
        switch command {
        case .fault(let rule): try check(rule)
        case .wifi, .dhcp, .network: throw CommandFault("a reader has no Wi-Fi; help lists its commands")
        default: break
        }
        return .common(command)
    }

    /// Refuses faults that no reader ever shows.
    private static func check(_ rule: FaultRule) throws(CommandFault) {
        switch rule.fault {
        case .code(let code):
            guard let code = Int16(exactly: code), ReaderStep.answers.contains(code) else {
                throw CommandFault(
                    "no reader answers \(code) to a request; those that are told are in docs/protocol/status-codes.md")
            }
        case .delay(let delay) where delay > ReaderStep.longestDelay:
            throw CommandFault(
                "a reader ends a link after 3 s without an exchange; delay 0 to "
                    + "\(ReaderStep.longestDelay.wholeMilliseconds) ms")
        default: break
        }
    }

    private static func one(_ words: [String]) -> String { words.count == 1 ? words[0] : "" }

    private static func choice(
        _ word: String, _ words: [String], _ yes: String, _ no: String
    ) throws(CommandFault) -> Bool {
        guard words.count == 1, [yes, no].contains(words[0]) else {
            throw CommandFault("write \(word) \(yes), or \(word) \(no)")
        }
        return words[0] == yes
    }

    private static func distance(_ word: String) throws(CommandFault) -> ReaderDistance {
        if word == "real" { return .real }
        if word == "none" { return .none }
        let threshold = Int(ProximityGate.Configuration().threshold)
        let level = ReaderDistance.margins[word].map { threshold + $0 } ?? Int(word)
        guard let level, (-126...20).contains(level) else {
            throw CommandFault("write rssi real, near, too-far, well-under, none, or a level, -126 to 20 dBm")
        }
        return .fixed(Int8(clamping: level))
    }

    private static func modes(_ text: String) throws(CommandFault) -> [AdvertisingMode] {
        let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let modes = words.compactMap { AdvertisingMode(rawValue: $0) }.filter(\.isOfAccessProfile)
        guard modes.count == words.count, Set(modes).count == modes.count else {
            throw CommandFault(
                "write modes and their names with commas between, each once: "
                    + AdvertisingMode.ofAccessProfile.map(\.rawValue).joined(separator: ","))
        }
        return modes
    }

    private static func time(_ word: String) throws(CommandFault) -> ReaderTime {
        if word == "real" { return .real }
        if word == "unset" { return .unset }
        guard let time = LocalMinute.parse(word[...], ofDay: .first) else {
            throw CommandFault("write clock real, unset, or a local time as 2031-12-31T23:59")
        }
        return .at(time)
    }

    private static func condition(_ word: String) throws(CommandFault) -> ReaderDisk.Condition {
        guard let condition = ReaderDisk.Condition(rawValue: word) else {
            throw CommandFault(
                "write disk \(ReaderDisk.Condition.allCases.map(\.rawValue).joined(separator: ", or disk "))")
        }
        return condition
    }

    /// The card that `enrol` names; nil for the last that was refused.
    private static func card(_ words: [String]) throws(CommandFault) -> CardEvidence? {
        if words == ["last"] { return nil }
        guard words.count == 2, let card = ReaderFieldSettings.card(words[0], words[1]) else {
            throw CommandFault("write enrol last, or enrol \(ReaderFieldSettings.cardForm)")
        }
        return card
    }

    /// The name of a fault with a card.
    private static func cardFault(_ name: String) throws(CommandFault) -> String {
        guard ReaderCardFault.named(name) != nil else {
            throw CommandFault(
                "there is no fault \(name.debugDescription) with a card; here are "
                    + ReaderCardFault.all.map(\.name).joined(separator: ", "))
        }
        return name
    }

    private static func credential(_ word: String) throws(CommandFault) -> String {
        guard OSSCredentialID(word) != nil else {
            throw CommandFault("a credential has 1 to 10 characters of ASCII")
        }
        return word
    }
}
