// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
public import Timekeeping

/// The door's lines, and the requests of an operator of the device.
extension AccessReader {
    /// Opens the door for an operator, once `event` is recorded, and no later than in the second `until` since 1970 in
    /// UTC; nil for no such limit. An `operated` effect with the ticket answers.
    public mutating func open(
        _ request: DoorRequest, ticket: OperatorTicket, _ event: AuditEvent, until: Int64? = nil, at now: Instant
    ) {
        ledger.request(.operator(ticket), Opening.Requester(wanted: .door(request, until: until)), event, at: now)
    }

    /// Makes a request to the door that does not wait for a record.
    public mutating func operate(_ request: DoorRequest, at moment: Moment) -> DoorVerdict {
        defer { door.flushEvents(at: moment, configuration, into: &effects, &ledger) }
        return door.request(request, at: moment.instant, into: &effects)
    }

    /// True if `DoorRequest.officeOff` would end office mode, the office hours' hold, a pulse or an extended opening.
    public func hasOpeningToEnd(at now: Instant) -> Bool { door.hasOpeningToEnd(at: now) }

    /// Begins or ends a lockdown.
    public mutating func lockdown(_ isActive: Bool, at moment: Moment) {
        door.lockdown(isActive, at: moment.instant, into: &effects)
        door.flushEvents(at: moment, configuration, into: &effects, &ledger)
    }

    /// Unblocks the door after a tamper; false while the housing is open, or if nothing was blocked.
    public mutating func resetTamper(at moment: Moment) -> Bool {
        defer { door.flushEvents(at: moment, configuration, into: &effects, &ledger) }
        return door.resetTamper(at: moment.instant, into: &effects)
    }

    /// The state of the door.
    public var doorStatus: DoorStatus { door.status }

    /// Handles a level that the line of an input has had since `edge`.
    public mutating func doorLine(
        _ input: DoorInput, isActive: Bool, since edge: Instant, at moment: Moment
    ) {
        door.line(input, isActive: isActive, since: edge, at: moment, configuration, into: &effects, &ledger)
    }

    /// Handles the loss of an input's line, for which nothing opens.
    public mutating func doorLineLost(_ input: DoorInput, at moment: Moment) {
        door.lineLost(input, at: moment, configuration, into: &effects, &ledger)
    }

    /// Handles an output of the door that could not be set; the door sets it again later.
    public mutating func doorOutputFailed(_ output: DoorOutput, at now: Instant) {
        door.failed(output, at: now)
    }

    /// Replaces the events that a phone may carry with the result of an OSS credential, oldest first.
    public mutating func carry(_ events: [Event]) {
        // A copy: sharing the list would make its owner copy it at the next record.
        eventsToCarry.removeAll(keepingCapacity: true)
        eventsToCarry.append(contentsOf: events)
    }

    /// Changes modes, gates, times and limits; existing links keep their gate. The door's fail mode does not change.
    /// The modes and identifiers need their table and packets, which `ReaderDevice.reconfigure` makes.
    public mutating func reconfigure(_ configuration: AccessConfiguration, door: DoorConfiguration) {
        var taken = self.configuration
        taken.modes = configuration.modes
        taken.identifiers = configuration.identifiers
        taken.advertisingInterval = configuration.advertisingInterval
        taken.maximumLinks = configuration.maximumLinks
        taken.maximumConnection = configuration.maximumConnection
        taken.longestConnection = configuration.longestConnection
        taken.reArm = configuration.reArm
        let (closedDays, holidays) = (taken.officeHours.closedDays, taken.credentials.holidays)
        taken.officeHours = configuration.officeHours
        taken.credentials.holidays = configuration.credentials.holidays
        // What was lost is not in the file.
        if !closedDays.isKnown { taken.officeHours.closedDays = closedDays }
        if !holidays.isKnown { taken.credentials.holidays = holidays }
        self.configuration = taken
        self.door.reconfigure(door)
        // It has precedence over the file's; its site and door have not changed.
        if let pushed { try? adopt(pushed) }
    }

    /// Takes these settings, and no others, from a configuration and a door's; the times hold from the next opening on.
    public mutating func adopt(
        _ settings: Set<PushedSetting>, of configuration: AccessConfiguration, door: DoorConfiguration
    ) {
        for setting in settings {
            switch setting {
            case .utcOffset: self.configuration.zone = configuration.zone
            case .advertisingInterval: self.configuration.advertisingInterval = configuration.advertisingInterval
            case .maximumConnection: self.configuration.maximumConnection = configuration.maximumConnection
            case .groups: self.configuration.credentials.groups = configuration.credentials.groups
            case .carriedBlacklist:
                self.configuration.credentials.takesCarriedBlacklist = configuration.credentials.takesCarriedBlacklist
            case .pulse: self.door.apply(pulse: door.pulse)
            case .extended: self.door.apply(extended: door.extended)
            case .closedDays: self.configuration.officeHours.closedDays = configuration.officeHours.closedDays
            case .holidays: self.configuration.credentials.holidays = configuration.credentials.holidays
            }
        }
    }
}

extension AccessReader {
    /// Forgets the lists of days among these settings: until they are adopted again, schedules that depend on them do
    /// not hold.
    public mutating func forgetDays(of settings: Set<PushedSetting>) {
        if settings.contains(.closedDays) { configuration.officeHours.closedDays = .unknown }
        if settings.contains(.holidays) { configuration.credentials.holidays = .unknown }
    }

    /// Executes an order that waits for no record. An order with an `opening` is refused as not recorded: it needs
    /// `open`.
    public mutating func execute(_ order: DoorOrder, at moment: Moment) -> DoorOutcome {
        switch order {
        case .pulse, .extended, .officeOn: return .refused(.notRecorded)
        case .officeOff:
            if doorStatus.state != .inactive, !hasOpeningToEnd(at: moment.instant) { return .unchanged }
            return DoorRefusal(operate(.officeOff, at: moment)).map(DoorOutcome.refused) ?? .done
        case .lockdownOn, .lockdownOff:
            let isOn = order == .lockdownOn
            guard doorStatus.state != .inactive else { return .refused(.inactive) }
            guard doorStatus.isLockdown != isOn else { return .unchanged }
            lockdown(isOn, at: moment)
            return .done
        case .tamperReset: return resetTamper(at: moment) ? .done : .refused(.nothingToReset)
        case .panelOn, .panelOff:
            let refusal = order == .panelOn ? panelRefusal : nil
            door.panel(unlocks: order == .panelOn, at: moment.instant, into: &effects)
            door.flushEvents(at: moment, configuration, into: &effects, &ledger)
            return refusal.map(DoorOutcome.refused) ?? .done
        }
    }

    /// The reason for which the door refuses a panel's order to unlock; nil if it does not.
    private var panelRefusal: DoorRefusal? {
        let status = doorStatus
        guard status.refusesPanel else { return nil }
        return status.state == .inactive ? .inactive : status.isLockdown ? .lockdown : .tampered
    }
}
