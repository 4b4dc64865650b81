// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// The door's inputs: contact, exit, fire, tamper, lockdown and schedule.
///
/// The first level of each input is taken as it is: an input that was active before the start counts from the start.
extension Door {
    /// Handles the contact's level. A pulse may end with it (`DoorConfiguration.Relock`).
    public mutating func contact(isOpen: Bool, at now: Instant, into actions: inout [some DoorEffect]) {
        guard isRunning else { return }
        // Until it is secured: the end of a pulse may be handled late.
        let wasUnlocked = isUnlocked
        release.expire(at: now)
        let wasOpen = contact.isOpen
        contact.moved(isOpen: isOpen, mayOpen: wasUnlocked, at: now, into: &events)
        if let grant = release.grant, !grant.isExtended {
            switch configuration.relock {
            case .never: break
            case .onOpen: if isOpen, !wasOpen { release.grant = nil }
            case .onClose: if wasOpen, !isOpen { release.grant = nil }
            }
        }
        update(at: now, into: &actions)
    }

    /// Handles the level of the exit button or motion sensor. With `unlock` the door is unlocked while it is active and
    /// for one pulse after; with `mask` an opening is no alarm while it is active and for the shunt time after.
    public mutating func exitRequest(isActive: Bool, at now: Instant, into actions: inout [some DoorEffect]) {
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

    /// Handles the level of the fire input, which releases the door while active if so configured, even in a lockdown
    /// and a tamper block.
    public mutating func fire(isActive: Bool, at now: Instant, into actions: inout [some DoorEffect]) {
        guard isRunning, isActive != isFireInputActive else { return }
        release.expire(at: now)
        isFireInputActive = isActive
        events.append(.fire(active: isActive))
        release.isFire = isActive && configuration.fireReleases
        update(at: now, into: &actions)
    }

    /// Handles the level of the housing's tamper contact.
    public mutating func tamper(isActive: Bool, at now: Instant, into actions: inout [some DoorEffect]) {
        guard isRunning, isActive != isTampered else { return }
        release.expire(at: now)
        isTampered = isActive
        if isActive, configuration.tamper == .block { isBlocked = true }
        events.append(.tamper(active: isActive))
        update(at: now, into: &actions)
    }

    /// Resets a tamper block on behalf of an operator. False while the housing is still open, or if nothing was
    /// blocked.
    public mutating func resetTamper(at now: Instant, into actions: inout [some DoorEffect]) -> Bool {
        guard isRunning, isBlocked, !isTampered else { return false }
        release.expire(at: now)
        isBlocked = false
        events.append(.tamperReset)
        update(at: now, into: &actions)
        return true
    }

    /// Begins or ends a lockdown, which secures the door at once and ends office mode and grants; the schedule
    /// continues after it. Exit requests and fire still release the door.
    public mutating func lockdown(_ isActive: Bool, at now: Instant, into actions: inout [some DoorEffect]) {
        guard isRunning, isActive != release.isLockdown else { return }
        release.expire(at: now)
        release.isLockdown = isActive
        if isActive {
            release.isOffice = false
            release.grant = nil
            release.isPanel = false
        }
        events.append(.lockdown(active: isActive))
        update(at: now, into: &actions)
    }

    /// Executes the order of an access panel, which holds the door unlocked until it ends the order. A lockdown or a
    /// tamper block refuses it, and a lockdown ends it.
    public mutating func panel(unlocks: Bool, at now: Instant, into actions: inout [some DoorEffect]) {
        guard isRunning else { return }
        release.expire(at: now)
        release.isPanel = unlocks && !refusesPanel
        if unlocks, !release.isPanel { return refuse(at: now, into: &actions) }
        update(at: now, into: &actions)
    }

    /// True while an access panel's order to unlock is refused.
    var refusesPanel: Bool { !isRunning || release.isLockdown || isBlocked }

    /// Applies the signs of an access panel on lights and buzzer.
    public mutating func panel(shows signs: PanelSigns, at now: Instant, into actions: inout [some DoorEffect]) {
        guard isRunning else { return }
        release.expire(at: now)
        signals.panel = signs
        update(at: now, into: &actions)
    }

    /// Shows the missing part of the board by this number of flashes of the red light, repeatedly; 0 ends the sign.
    public mutating func lacks(_ flashes: Int, at now: Instant, into actions: inout [some DoorEffect]) {
        guard isRunning, flashes != signals.lack?.count ?? 0 else { return }
        release.expire(at: now)
        signals.lack = flashes > 0 ? FlashCode(count: flashes, since: now) : nil
        update(at: now, into: &actions)
    }

    /// Shows a fault by the lights; nil ends the sign.
    public mutating func show(_ fault: DoorFault?, at now: Instant, into actions: inout [some DoorEffect]) {
        guard fault != self.fault else { return }
        self.fault = fault
        guard isRunning else { return }
        release.expire(at: now)
        update(at: now, into: &actions)
    }

    /// Follows the office schedule. Its end also ends office mode by command, so that the door is secured without an
    /// operator.
    public mutating func schedule(isOpen: Bool, at now: Instant, into actions: inout [some DoorEffect]) {
        guard isRunning, isOpen != release.isScheduled else { return }
        release.expire(at: now)
        release.isScheduled = isOpen
        release.awaitsUser = isOpen && configuration.scheduleWaitsForUser
        if !isOpen { release.isOffice = false }
        update(at: now, into: &actions)
    }
}
