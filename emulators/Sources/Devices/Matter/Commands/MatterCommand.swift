// SPDX-License-Identifier: Apache-2.0

public import Emulation
public import MatterNode

/// A command to an emulated Matter device, typed or of a scenario.
public enum MatterCommand: LineCommand {
    /// Inject a fault.
    case fault(MatterFault)
    /// List the active faults.
    case faults
    /// Remove all faults.
    case clear
    /// Remove the faults that are typed like this, with any number behind it.
    case release(String)
    /// Press the device's button: open the window with the label's code.
    case button
    /// Close the window.
    case close
    /// Remove all fabrics and settings.
    case reset
    /// Move the lock, by hand or from another source.
    case lock(MatterLockMovement, LockSource)
    /// An attempt to move the lock that it refuses.
    case attempt(MatterLockMovement, LockSource, LockOperationError)
    /// Set the state of the lock without a movement; nil for unknown.
    case state(LockState?)
    /// Jam the bolt.
    case jam
    /// The alarms of the lock that are no state of it.
    case alarm(LockAlarm)
    /// The error with which the lock refuses orders of apps; nil for none.
    case refuse(LockOperationError?)
    /// Enable or disable the lock's actuator for apps.
    case actuator(isEnabled: Bool)
    /// Set the operating mode at the lock.
    case mode(LockMode)
    /// Move the door; nil for an unknown position.
    case door(DoorState?)
    /// The demand of the safety inputs on the lock.
    case hold(MatterHold)
    /// Switch the load by hand.
    case power(isOn: Bool)
    /// Move the contact of a contact sensor.
    case contact(isClosed: Bool)
    /// Change the battery.
    case battery(MatterBatteryChange)
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
}

/// A movement of the lock.
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
        } else if first == "release", (2...3).contains(words.count) {
            self = .release(words.dropFirst().joined(separator: " "))
        } else if let command = MatterCommand.parse(first, Array(words.dropFirst())) {
            self = command
        } else {
            let known = MatterCommand.forms.lazy.map(\.form)
                .filter { $0.split(separator: " ").first?.split(separator: "|").contains { $0 == first } == true }
            guard !known.isEmpty else { throw CommandFault("\(line.debugDescription) is no command; help lists them") }
            throw CommandFault("write \(known.joined(separator: ", or "))")
        }
    }

    private static func parse(_ word: String, _ arguments: [String]) -> MatterCommand? {
        if let movement = MatterLockMovement(rawValue: word) { return movement.command(arguments) }
        return switch arguments.count {
        case 0: plain[word]
        case 1: argued(word, arguments[0])
        default: nil
        }
    }

    private static let plain: [String: MatterCommand] = [
        "faults": .faults, "clear": .clear, "button": .button, "close": .close, "reset": .reset, "jam": .jam,
        "disconnect": .disconnect, "codes": .codes, "findings": .findings, "help": .help, "quit": .quit,
    ]

    private static func argued(_ word: String, _ argument: String) -> MatterCommand? {
        switch word {
        case "state": MatterValues.states[argument].map { .state($0) }
        case "alarm": MatterValues.alarms[argument].map { .alarm($0) }
        case "refuse": MatterValues.refusals[argument].map { .refuse($0) }
        case "mode": MatterValues.modes[argument].map { .mode($0) }
        case "door": MatterValues.doors[argument].map { .door($0) }
        case "battery": MatterBatteryChange(argument).map { .battery($0) }
        case "hold": MatterHold(rawValue: argument).map { .hold($0) }
        case "actuator": MatterValues.switches[argument].map { .actuator(isEnabled: $0) }
        case "power": MatterValues.switches[argument].map { .power(isOn: $0) }
        case "contact": ["open": false, "closed": true][argument].map { .contact(isClosed: $0) }
        case "wifi": ["down": false, "up": true][argument].map { .wifi(isUp: $0) }
        default: nil
        }
    }
}

extension MatterLockMovement {
    /// The command with a source and an error.
    fileprivate func command(_ arguments: [String]) -> MatterCommand? {
        guard let first = arguments.first else { return .lock(self, .manual) }
        guard let source = MatterValues.sources[first] else { return nil }
        return switch arguments.count {
        case 1: .lock(self, source)
        case 2: MatterValues.errors[arguments[1]].map { .attempt(self, source, $0) }
        default: nil
        }
    }
}
