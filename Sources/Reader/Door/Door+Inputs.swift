public import Timekeeping

/// What the door learns from its contact, its buttons, the building and its operator.
///
/// The first level of each input is taken as it is: an input that was active before the start counts from the start.
extension Door {
    /// The contact's level. A pulse may end with it (`DoorConfiguration.Relock`).
    public mutating func contact(isOpen: Bool, at now: Instant, into actions: inout [DoorAction]) {
        guard isRunning else { return }
        release.expire(at: now)
        let wasOpen = contact.isOpen
        contact.moved(isOpen: isOpen, mayOpen: isUnlocked, at: now, into: &events)
        if let grant = release.grant, !grant.isExtended {
            switch configuration.relock {
            case .never: break
            case .onOpen: if isOpen, !wasOpen { release.grant = nil }
            case .onClose: if wasOpen, !isOpen { release.grant = nil }
            }
        }
        update(at: now, into: &actions)
    }

    /// The exit button or motion sensor. As long as it is active people may go out, and for one pulse after; a mere
    /// mask lets the door open without an alarm, and for the shunt time after.
    public mutating func exitRequest(isActive: Bool, at now: Instant, into actions: inout [DoorAction]) {
        guard isRunning, isActive != isExitInputActive else { return }
        release.expire(at: now)
        events.append(.exitRequest(active: isActive))
        isExitInputActive = isActive
        switch configuration.exitRequest {
        case .unlock:
            release.isExitActive = isActive
            release.exitUntil = isActive ? nil : now + configuration.pulse
        case .mask:
            contact.mask(isActive, at: now)
        }
        update(at: now, into: &actions)
    }

    /// The fire input: releases the door, if so configured, for as long as it is active, over lockdown and tamper.
    public mutating func fire(isActive: Bool, at now: Instant, into actions: inout [DoorAction]) {
        guard isRunning, isActive != isFireInputActive else { return }
        release.expire(at: now)
        isFireInputActive = isActive
        events.append(.fire(active: isActive))
        release.isFire = isActive && configuration.fireReleases
        update(at: now, into: &actions)
    }

    /// The housing's contact.
    public mutating func tamper(isActive: Bool, at now: Instant, into actions: inout [DoorAction]) {
        guard isRunning, isActive != isTampered else { return }
        release.expire(at: now)
        isTampered = isActive
        if isActive, configuration.tamper == .block { isBlocked = true }
        events.append(.tamper(active: isActive))
        update(at: now, into: &actions)
    }

    /// An operator says that the housing is sound: people are let in again. False while it is still open, or nothing
    /// was blocked.
    public mutating func resetTamper(at now: Instant, into actions: inout [DoorAction]) -> Bool {
        guard isRunning, isBlocked, !isTampered else { return false }
        release.expire(at: now)
        isBlocked = false
        events.append(.tamperReset)
        update(at: now, into: &actions)
        return true
    }

    /// A lockdown secures the door at once and ends office mode and grants; the schedule goes on after it. Exits and
    /// fire stay free.
    public mutating func lockdown(_ isActive: Bool, at now: Instant, into actions: inout [DoorAction]) {
        guard isRunning, isActive != release.isLockdown else { return }
        release.expire(at: now)
        release.isLockdown = isActive
        if isActive {
            release.isOffice = false
            release.grant = nil
        }
        events.append(.lockdown(active: isActive))
        update(at: now, into: &actions)
    }

    /// Whether the office schedule has the door open at this time. Its end also ends office mode by command: nobody
    /// has to remember to lock up.
    public mutating func schedule(isOpen: Bool, at now: Instant, into actions: inout [DoorAction]) {
        guard isRunning, isOpen != release.isScheduled else { return }
        release.expire(at: now)
        release.isScheduled = isOpen
        release.awaitsUser = isOpen && configuration.scheduleWaitsForUser
        if !isOpen { release.isOffice = false }
        update(at: now, into: &actions)
    }
}
