public import Timekeeping

/// What an operator of the device itself asks for, and what he is shown.
extension ReaderDevice {
    /// Opens the door, or ends that, for somebody with access to the device. The shell has recorded it.
    public mutating func operate(_ request: DoorRequest, at moment: Moment) -> DoorVerdict {
        reader.operate(request, at: moment)
    }

    /// Begins or ends a lockdown.
    public mutating func lockdown(_ isActive: Bool, at moment: Moment) {
        reader.lockdown(isActive, at: moment)
    }

    /// Lets people in again after a tamper; false while the housing is still open, or nothing was blocked.
    public mutating func resetTamper(at moment: Moment) -> Bool { reader.resetTamper(at: moment) }

    /// Where the door is.
    public var doorStatus: DoorStatus { reader.doorStatus }

    /// How many links hold a slot.
    public var servedLinks: Int { reader.servedLinks }

    /// How many links may.
    public var maximumLinks: Int { reader.configuration.maximumLinks }

    /// Takes other gates, times and numbers, as far as they can change while the reader runs: gates and times for the
    /// links to come, for the door what begins from now on. Packets, addresses and the fail mode stay.
    public mutating func reconfigure(_ configuration: AccessConfiguration, door: DoorConfiguration) {
        reader.reconfigure(configuration, door: door)
    }
}
