public import Timekeeping

/// What an operator of the device itself asks for, and what he is shown.
extension AccessReader {
    /// Opens the door, or ends that, for somebody with access to the device. The shell has recorded it.
    public mutating func operate(_ request: DoorRequest, at moment: Moment) -> DoorVerdict {
        guard !isShuttingDown else { return .inactive }
        let verdict = ask(request, at: moment.instant)
        settleDoor(at: moment)
        return verdict
    }

    /// Begins or ends a lockdown.
    public mutating func lockdown(_ isActive: Bool, at moment: Moment) {
        door.lockdown(isActive, at: moment.instant, into: &doorActions)
        settleDoor(at: moment)
    }

    /// Lets people in again after a tamper; false while the housing is still open, or nothing was blocked.
    public mutating func resetTamper(at moment: Moment) -> Bool {
        defer { settleDoor(at: moment) }
        return door.resetTamper(at: moment.instant, into: &doorActions)
    }

    /// Where the door is.
    public var doorStatus: DoorStatus {
        DoorStatus(
            state: door.state, standsOpen: door.standsOpen, alarm: door.alarm, isTampered: door.isTampered,
            isBlocked: door.isBlocked, openings: openings)
    }

    /// Takes other gates, times and numbers; links that are up keep the gate that they were given. What the host was
    /// told, such as packets, stays as it is, and so does the door's fail mode.
    mutating func reconfigure(_ configuration: AccessConfiguration, door: DoorConfiguration) {
        var taken = self.configuration
        taken.maximumLinks = configuration.maximumLinks
        taken.maximumConnection = configuration.maximumConnection
        taken.longestConnection = configuration.longestConnection
        for index in taken.modes.indices {
            guard let mode = configuration.modes.first(where: { $0.mode == taken.modes[index].mode }) else { continue }
            taken.modes[index].gate = mode.gate
        }
        taken.reArm = configuration.reArm
        taken.officeHours = configuration.officeHours
        self.configuration = taken
        repeats.reArmTime = configuration.reArm
        officeHoursDue = .origin
        self.door.reconfigure(door)
    }
}

/// Where a door is, for people.
public struct DoorStatus: Equatable, Sendable {
    /// In one word.
    public var state: DoorState
    /// Whether the contact says that the door stands open.
    public var standsOpen: Bool
    /// The contact's alarm that lasts.
    public var alarm: ContactAlarm?
    /// Whether the housing is open.
    public var isTampered: Bool
    /// Whether nobody is let in until a tamper is reset.
    public var isBlocked: Bool
    /// How often the door was opened since the start.
    public var openings: UInt32
}
