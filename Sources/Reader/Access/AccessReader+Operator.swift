public import AccessProtocol
public import Timekeeping

/// The door's lines, and what an operator of the device asks for and is shown.
extension AccessReader {
    /// Opens the door for an operator, once `event`, which says so, is recorded. An `operated` effect with the ticket
    /// answers.
    public mutating func open(_ request: DoorRequest, ticket: UInt64, _ event: AuditEvent, at now: Instant) {
        openings.begin(.operator(ticket), Opening.Asker(wanted: .door(request)), event, at: now)
        effects.append(.open(.operator(ticket), event))
    }

    /// Has the door do something that waits for no record.
    public mutating func operate(_ request: DoorRequest, at moment: Moment) -> DoorVerdict {
        defer { door.settle(at: moment, configuration, into: &effects) }
        return door.request(request, at: moment.instant, into: &effects)
    }

    /// Begins or ends a lockdown.
    public mutating func lockdown(_ isActive: Bool, at moment: Moment) {
        door.lockdown(isActive, at: moment.instant, into: &effects)
        door.settle(at: moment, configuration, into: &effects)
    }

    /// Lets people in again after a tamper; false while the housing is still open, or nothing was blocked.
    public mutating func resetTamper(at moment: Moment) -> Bool {
        defer { door.settle(at: moment, configuration, into: &effects) }
        return door.resetTamper(at: moment.instant, into: &effects)
    }

    /// Where the door is.
    public var doorStatus: DoorStatus { door.status }

    /// The line of an input has had this level since `edge`: of a real line or a simulated one.
    public mutating func doorLine(
        _ input: DoorInput, isActive: Bool, since edge: Instant, at moment: Moment
    ) {
        door.line(input, isActive: isActive, since: edge, at: moment, configuration, into: &effects)
    }

    /// The level of an input's line is not known any more; nothing opens for that.
    public mutating func doorLineLost(_ input: DoorInput, at moment: Moment) {
        door.lineLost(input, at: moment, configuration, into: &effects)
    }

    /// An output of the door could not be set; the door sets it again a little later.
    public mutating func doorOutputFailed(_ output: DoorOutput, at now: Instant) {
        door.failed(output, at: now)
    }

    /// Takes over the events that a phone may take along with the result of an OSS credential, oldest first.
    public mutating func carry(_ events: [Event]) {
        // Into memory of its own: whoever keeps the list appends to it with the next record.
        eventsToCarry.removeAll(keepingCapacity: true)
        eventsToCarry.append(contentsOf: events)
    }

    /// Takes other gates, times and numbers; links that are up keep the gate that they were given. What the host was
    /// told, such as packets, stays as it is, and so does the door's fail mode.
    public mutating func reconfigure(_ configuration: AccessConfiguration, door: DoorConfiguration) {
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
        self.door.reconfigure(door)
    }
}
