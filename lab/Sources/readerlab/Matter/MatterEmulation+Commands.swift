// SPDX-License-Identifier: Apache-2.0

import Devices
import Emulation
import MatterHost
import MatterNode
import Timekeeping

/// Commands of the running emulation.
extension MatterEmulation {
    /// Executes a command, and returns the lines of the answer. Throws for one that this device cannot execute.
    func obey(_ command: MatterCommand) throws(CommandFault) -> [String] {
        switch command {
        case .fault(let fault):
            inject(faults + [fault])
            return ["\(fault)"]
        case .faults: return faults.isEmpty ? ["no faults are active"] : faults.map(\.description)
        case .clear:
            inject([])
            return ["no faults are active"]
        case .button: return try by("the button is pressed") { $0.openWindow(at: $1) }
        case .close: return try by("the window is closed") { $0.closeWindow(at: $1) }
        case .reset: return try by("everything is forgotten") { $0.factoryReset(at: $1) }
        case .lock(let movement):
            return try by("\(movement) by hand", for: .lock) { $0.take(.locked(movement.action, .manual), at: $1) }
        case .door(let isOpen):
            return try by("the door is \(isOpen ? "open" : "closed")", for: .lock) {
                $0.take(.door(isOpen ? .open : .closed), at: $1)
            }
        case .hold(let hold):
            return try by("safety inputs: \(hold)", for: .lock) { $0.take(.hold(hold.demand), at: $1) }
        case .power(let isOn):
            return try by("switched \(isOn ? "on" : "off")", for: .light, .plug) { $0.take(.power(isOn), at: $1) }
        case .contact(let isClosed):
            return try by("the contact is \(isClosed ? "closed" : "open")", for: .contact) {
                $0.take(.contact(isClosed), at: $1)
            }
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

extension MatterLockMovement {
    fileprivate var action: LockAction {
        switch self {
        case .lock: .lock
        case .unlock: .unlock
        case .unbolt: .unbolt
        }
    }
}

extension MatterHold {
    fileprivate var demand: LockHold {
        switch self {
        case .open: .open
        case .locked: .locked
        case .none: .none
        }
    }
}
