// SPDX-License-Identifier: Apache-2.0

public import Emulation

/// A command to an emulated Matter device, typed or of a scenario.
public enum MatterCommand: LineCommand {
    /// Inject a fault.
    case fault(MatterFault)
    /// List the active faults.
    case faults
    /// Remove all faults.
    case clear
    /// Press the device's button: open the window with the label's code.
    case button
    /// Close the window.
    case close
    /// Remove all fabrics and settings.
    case reset
    /// Move the lock by hand.
    case lock(MatterLockMovement)
    /// Move the door: open or closed.
    case door(isOpen: Bool)
    /// The demand of the safety inputs on the lock.
    case hold(MatterHold)
    /// Switch the load by hand.
    case power(isOn: Bool)
    /// Move the contact of a contact sensor.
    case contact(isClosed: Bool)
    /// Remove or restore the access points.
    case wifi(isUp: Bool)
    /// End the Bluetooth links.
    case disconnect
    /// Print the setup codes.
    case codes
    /// List the findings so far.
    case findings
    /// List the commands.
    case help
    /// End the emulator.
    case quit

    /// The maximum length of a line in octets.
    public static let maximumLine = 512

    /// The commands, one line each.
    public static let helpLines =
        [
            "button, close, reset: open the commissioning window, close it, forget everything",
            "lock, unlock, unbolt: move the lock by hand; door open|closed; hold open|locked|none: safety inputs",
            "power on|off: switch by hand; contact open|closed",
            "wifi down|up: the access points go, or come back; disconnect: end the Bluetooth links",
        ] + MatterFault.helpLines + [
            "faults, clear: the active faults; none of them",
            "codes, findings, help, quit",
        ]
}

/// A movement of the lock by hand.
public enum MatterLockMovement: String, Equatable, Sendable, CaseIterable {
    /// Bolt out.
    case lock
    /// Bolt and latch in.
    case unlock
    /// Bolt in.
    case unbolt
}

/// The demand of safety inputs.
public enum MatterHold: String, Equatable, Sendable, CaseIterable {
    /// Fire or an exit holds the door open.
    case open
    /// A lockdown holds it locked.
    case locked
    /// No demand.
    case none
}

extension MatterCommand {
    /// Parses a line of words.
    public init(line: String) throws(CommandFault) {
        guard line.utf8.count <= MatterCommand.maximumLine else {
            throw CommandFault("the line has more than \(MatterCommand.maximumLine) octets")
        }
        let words = line.split { " \t\r\n".contains($0) }.map(String.init)
        guard let first = words.first else { throw CommandFault("the line is empty; help lists the commands") }
        if first == "fault" {
            self = .fault(try MatterFault(words: Array(words.dropFirst())))
        } else if words.count == 1, let command = MatterCommand.plain(first) {
            self = command
        } else if words.count == 2, let command = MatterCommand.pair(first, words[1]) {
            self = command
        } else {
            let known = MatterCommand.arguments[first].map { "write \(first) \($0)" }
            throw CommandFault(known ?? "\(line.debugDescription) is no command; help lists them")
        }
    }

    private static func plain(_ word: String) -> MatterCommand? {
        if let movement = MatterLockMovement(rawValue: word) { return .lock(movement) }
        let plain: [String: MatterCommand] = [
            "faults": .faults, "clear": .clear, "button": .button, "close": .close, "reset": .reset,
            "disconnect": .disconnect, "codes": .codes, "findings": .findings, "help": .help, "quit": .quit,
        ]
        return plain[word]
    }

    private static let arguments = [
        "door": "open|closed", "contact": "open|closed", "power": "on|off", "wifi": "down|up",
        "hold": "open|locked|none",
    ]

    private static func pair(_ word: String, _ argument: String) -> MatterCommand? {
        switch (word, argument) {
        case ("door", "open"), ("door", "closed"): .door(isOpen: argument == "open")
        case ("contact", "open"), ("contact", "closed"): .contact(isClosed: argument == "closed")
        case ("power", "on"), ("power", "off"): .power(isOn: argument == "on")
        case ("wifi", "down"), ("wifi", "up"): .wifi(isUp: argument == "up")
        case ("hold", _): MatterHold(rawValue: argument).map { .hold($0) }
        default: nil
        }
    }
}
