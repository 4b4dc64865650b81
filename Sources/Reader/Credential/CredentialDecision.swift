public import AccessProtocol
public import Timekeeping

/// What is decided about a credential: what the phone is told, what the door does, what is recorded and kept.
public struct CredentialDecision: Equatable, Sendable {
    /// The kinds of credential.
    public enum Kind: String, Hashable, Sendable {
        /// OSS Standard Offline.
        case standardOffline = "OSS-SO"
        /// OSS Secure Identifier.
        case secureIdentifier = "OSS-SID"
    }

    /// How the door is opened.
    public enum Opening: Hashable, Sendable {
        /// For the pulse.
        case defaultTime
        /// For the extended time.
        case extendedTime
        /// Until the next time; or, if it stands open like that, secured.
        case toggle(secures: Bool)
    }

    /// Why the door stays shut, in the order of the checks (access protocol, 7.1), the door's own reasons last.
    public enum Denial: String, Hashable, Sendable {
        /// The clock is not set.
        case clockUnset = "the clock is not set"
        /// Another site's.
        case otherSite = "of another site"
        /// On the blacklist.
        case blacklisted = "blacklisted"
        /// Before its start or after its end.
        case validity = "outside its validity"
        /// None of its entries is for this door.
        case otherDoor = "not for this door"
        /// An entry is for this door, at other times.
        case schedule = "outside its schedule"
        /// A Secure Identifier that is not on the list.
        case notListed = "not listed"
        /// The door lets nobody in: a lockdown.
        case lockdown = "lockdown"
        /// The door lets nobody in: its housing was opened.
        case tampered = "the housing was opened"
        /// The door lets nobody in: too many attempts were refused.
        case lockedOut = "too many attempts were refused"
        /// The door is not in use.
        case doorInactive = "the door is not in use"
    }

    /// What came of the checks.
    public enum Outcome: Hashable, Sendable {
        /// The door opens.
        case granted(Opening)
        /// The door stays shut. Not an error: the phone is told by a result.
        case denied(Denial)
        /// The credential cannot be read, or is of no known kind: the phone is told by this status.
        case failed(StatusCode)
    }

    /// What kind of credential it was.
    public var kind: Kind
    /// Its name, if it could be read.
    public var credentialID: OSSCredentialID?
    /// What came of the checks.
    public var outcome: Outcome
    /// Whether it was an intervention medium.
    public var isInterventionMedia = false
    /// When the schedule ends that let it through; nil without one, and without a grant.
    public var scheduleEnd: CivilTime?
    /// What the blacklist did not have before, for whoever keeps it.
    public var blacklistAdditions: [Blacklist.Entry] = []
    /// Whether an entry that it carries found no room.
    public var blacklistIsFull = false
    /// Why the blacklist that it carries was not taken over, if it could not be read. Changes nothing else.
    public var blacklistFault: StatusCode?

    /// A decision without anything to keep.
    public init(
        _ kind: Kind, of credentialID: OSSCredentialID?, _ outcome: Outcome, scheduleEnd: CivilTime? = nil
    ) {
        (self.kind, self.credentialID, self.outcome) = (kind, credentialID, outcome)
        self.scheduleEnd = scheduleEnd
    }

    /// What the phone is told: −200 and the like if the credential could not be read, else 0 and a result.
    public var status: StatusCode {
        if case .failed(let status) = outcome { status } else { .ok }
    }

    /// Whether the door opens.
    public var isGranted: Bool {
        if case .granted = outcome { true } else { false }
    }

    /// The type of access in the result.
    public var accessType: AccessType {
        switch outcome {
        case .granted(.defaultTime): .defaultTime
        case .granted(.extendedTime): .extendedTime
        case .granted(.toggle): .toggle
        case .denied(.clockUnset), .denied(.otherSite), .denied(.notListed), .denied(.lockdown), .denied(.tampered),
            .denied(.lockedOut), .denied(.doorInactive):
            .noAccess
        case .denied(.blacklisted): .noAccessBlacklisted
        case .denied(.validity): .noAccessValidity
        // As published: a credential without a matching entry keeps the type that it began with.
        case .denied(.otherDoor), .denied(.schedule), .failed: .defaultTime
        }
    }

    /// The result, with the lock's state after the door has acted. A denial tells no state: 0.
    public func result(lock: LockState) -> OssAccessResult {
        OssAccessResult(
            accessGranted: isGranted, accessType: accessType,
            accessInfo: isGranted ? UInt32(clamping: lock.rawValue) : 0,
            scheduleEndTime: LocalTimestamp(scheduleEnd ?? CivilTime(year: 0, month: 0, day: 0)),
            scheduleMissmatch: outcome == .denied(.schedule))
    }
}

/// An event that a decision is to be recorded as.
public struct CredentialEvent: Hashable, Sendable {
    /// What happened.
    public var id: EventId
    /// More about it: an `EventAccessInfo`, a status code, or 0.
    public var info: Int32

    /// An event with this information.
    public init(_ id: EventId, _ info: Int32) {
        self.id = id
        self.info = info
    }

    init(_ id: EventId, _ info: EventAccessInfo) { self.init(id, info.rawValue) }
}

extension CredentialDecision {
    /// What to record, in this order (access protocol, 7.1).
    public var events: [CredentialEvent] {
        var events: [CredentialEvent] = []
        forEachEvent { events.append($0) }
        return events
    }

    /// Hands `body` what to record, one after the other, without a list.
    func forEachEvent(_ body: (CredentialEvent) -> Void) {
        switch outcome {
        case .granted(.defaultTime): body(.init(.accessGranted, .grantedDefault))
        case .granted(.extendedTime): body(.init(.accessGranted, .grantedExtended))
        case .granted(.toggle(let secures)): body(.init(.accessGranted, secures ? .toggleLock : .toggleUnlock))
        case .denied(.clockUnset): break
        case .denied(.blacklisted):
            body(.init(.blacklistedCredential, 0))
            // An intervention medium is turned away at an earlier step, which has this one event only.
            if !isInterventionMedia { body(.init(.accessDenied, .deniedBlacklisted)) }
        case .denied(.validity): body(.init(.accessDenied, .deniedValidity))
        case .denied(.schedule): body(.init(.accessDenied, .deniedSchedule))
        case .denied(.otherSite), .denied(.otherDoor), .denied(.notListed), .denied(.lockdown), .denied(.tampered),
            .denied(.lockedOut), .denied(.doorInactive):
            body(.init(.accessDenied, .denied))
        case .failed(let status): body(.init(.terminalOss, Int32(status.rawValue)))
        }
        if blacklistIsFull { body(.init(.blacklistFull, 0)) }
    }
}
