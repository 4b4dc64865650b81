// SPDX-License-Identifier: Apache-2.0

import Devices
import Emulation
import MatterHost
import MatterNode
import Timekeeping

/// Commands of the running emulation.
extension MatterEmulation {
    /// Executes a command, and returns the lines of the answer. Throws if this device cannot execute it.
    func execute(_ command: MatterCommand) throws(CommandFault) -> [String] {
        switch command {
        case .fault(let fault):
            inject(faults + [fault])
            return ["\(fault)"]
        case .faults: return faults.isEmpty ? ["no faults are active"] : faults.map(\.description)
        case .clear:
            inject([])
            return ["no faults are active"]
        case .release(let text):
            let rest = faults.filter { !$0.isTyped(text) }
            guard rest.count < faults.count else { throw CommandFault("there is no fault \(text)") }
            inject(rest)
            return ["no \(text)"]
        case .button: return try by("the button is pressed") { $0.openWindow(at: $1) }
        case .close: return try by("the window is closed") { $0.closeWindow(at: $1) }
        case .reset: return try by("everything is forgotten") { $0.factoryReset(at: $1) }
        case .lock, .attempt, .state, .jam, .alarm, .refuse, .hold, .actuator, .mode, .door:
            return try moveLock(command)
        case .power(let isOn):
            return try by("switched \(isOn ? "on" : "off")", for: .light, .plug) { $0.receive(.power(isOn), at: $1) }
        case .contact(let isClosed):
            return try by("the contact is \(isClosed ? "closed" : "open")", for: .contact) {
                $0.receive(.contact(isClosed), at: $1)
            }
        case .battery(let change):
            guard node.configuration.hasBattery else {
                throw CommandFault("this device has no battery; start it with --battery")
            }
            change.apply(to: &battery)
            let state = battery
            return try by("battery: \(MatterBatteryChange.text(state))") { $0.receive(.battery(state), at: $1) }
        case .wifi(let isUp):
            guard setWiFi(isUp: isUp) else {
                throw CommandFault("this device has no Wi-Fi; start it with --network wifi")
            }
            return [isUp ? "the access points are back" : "the access points are gone"]
        case .disconnect:
            links.disconnect()
            return ["the Bluetooth links end"]
        case .codes: return codes
        case .findings: return timeline.findingLines
        case .help: return MatterCommand.helpLines
        case .quit:
            quit()
            return ["the end"]
        }
    }

    /// Executes a command of the lock.
    private func moveLock(_ command: MatterCommand) throws(CommandFault) -> [String] {
        guard let (operation, answer) = command.lockOperation else {
            throw CommandFault("that is no command of a lock")
        }
        if case .lockState(.unlatched) = operation, case .lock(let traits) = node.configuration.device, !traits.hasLatch
        {
            throw CommandFault("this lock has no latch; start it with --latch")
        }
        if case .door = operation, case .lock(let traits) = node.configuration.device, !traits.hasDoorContact {
            throw CommandFault("this lock has no door contact; start it with --door-contact")
        }
        return try by(answer, for: .lock) { $0.receive(operation, at: $1) }
    }

    private func by(
        _ text: String, for kinds: MatterDeviceKind..., body: (inout MatterNode, Moment) -> Void
    ) throws(CommandFault) -> [String] {
        guard kinds.isEmpty || kinds.contains(device) else {
            let others = kinds.map(\.rawValue).joined(separator: " or ")
            throw CommandFault("a \(device.rawValue) cannot do that; start it with --device \(others)")
        }
        act(body)
        return [text]
    }
}
