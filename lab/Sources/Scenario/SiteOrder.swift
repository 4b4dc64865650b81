// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
public import Reader

/// An event at a site besides phones: the door's lines, an operator, a fault.
public enum SiteOrder: Equatable, Sendable {
    /// An input's line changes.
    case line(DoorInput, isActive: Bool)
    /// An operator begins or ends a lockdown.
    case lockdown(Bool)
    /// An operator opens the door for a pulse.
    case open
    /// An operator ends the block of a reader whose housing was opened.
    case resetTamper
    /// The reader's clock is lost, or set again.
    case clock(isSet: Bool)
    /// A credential is refused starting now.
    case blacklist(OSSCredentialID)
    /// The reader's controller stops answering and sending, or is replaced by a working one.
    case controller(isWorking: Bool)
    /// The reader has no power, or power again: its memory is empty, its lists are kept.
    case power(Bool)
    /// The share of packets that every phone and the reader lose, in percent.
    case loss(Int)
    /// The share of time that interference takes at the reader, in percent: nothing is received in its bursts.
    case interference(Int)

    /// The orders, for people.
    public static let help = [
        "door open|closed", "exit on|off", "fire on|off", "tamper on|off|reset", "lockdown on|off", "open",
        "blacklist ID", "controller dead|working", "power off|on", "clock unset|set", "loss 0…100",
        "interference 0…90",
    ]
}

/// The reason why a line is not an order, in one line.
public struct SiteOrderFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The error and the remedy.
    public let description: String
}

extension SiteOrder {
    /// Parses a line.
    public init(line: String) throws(SiteOrderFault) {
        let words = line.split(separator: " ").map(String.init)
        let order: SiteOrder? =
            switch (words.first ?? "", words.count) {
            case ("open", 1): .open
            case ("door", 2): SiteOrder.choice(words[1], "open", "closed").map { .line(.contact, isActive: $0) }
            case ("exit", 2): SiteOrder.choice(words[1], "on", "off").map { .line(.exit, isActive: $0) }
            case ("fire", 2): SiteOrder.choice(words[1], "on", "off").map { .line(.fire, isActive: $0) }
            case ("tamper", 2) where words[1] == "reset": .resetTamper
            case ("clock", 2): SiteOrder.choice(words[1], "set", "unset").map { .clock(isSet: $0) }
            case ("tamper", 2): SiteOrder.choice(words[1], "on", "off").map { .line(.tamper, isActive: $0) }
            case ("lockdown", 2): SiteOrder.choice(words[1], "on", "off").map { .lockdown($0) }
            case ("blacklist", 2): OSSCredentialID(words[1]).map { .blacklist($0) }
            case ("controller", 2): SiteOrder.choice(words[1], "working", "dead").map { .controller(isWorking: $0) }
            case ("power", 2): SiteOrder.choice(words[1], "on", "off").map { .power($0) }
            case ("loss", 2): Int(words[1]).flatMap { (0...100).contains($0) ? .loss($0) : nil }
            case ("interference", 2): Int(words[1]).flatMap { (0...90).contains($0) ? .interference($0) : nil }
            default: nil
            }
        guard let order else {
            throw SiteOrderFault(
                description: "\(line.debugDescription) is no order; write \(SiteOrder.help.joined(separator: ", "))")
        }
        self = order
    }

    private static func choice(_ word: String, _ yes: String, _ no: String) -> Bool? {
        word == yes ? true : word == no ? false : nil
    }

    /// The order as a line, which parses as the same.
    public var line: String {
        switch self {
        case .line(.contact, let isActive): "door \(isActive ? "open" : "closed")"
        case .line(.exit, let isActive): "exit \(isActive ? "on" : "off")"
        case .line(.fire, let isActive): "fire \(isActive ? "on" : "off")"
        case .line(.tamper, let isActive): "tamper \(isActive ? "on" : "off")"
        case .lockdown(let isActive): "lockdown \(isActive ? "on" : "off")"
        case .open: "open"
        case .resetTamper: "tamper reset"
        case .clock(let isSet): "clock \(isSet ? "set" : "unset")"
        case .blacklist(let credential): "blacklist \(credential.text)"
        case .controller(let isWorking): "controller \(isWorking ? "working" : "dead")"
        case .power(let isOn): "power \(isOn ? "on" : "off")"
        case .loss(let percent): "loss \(percent)"
        case .interference(let percent): "interference \(percent)"
        }
    }
}
