// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
public import Credentials
public import Timekeeping

/// The decision about a credential: the result for the phone, the request to the door, the events and the blacklist
/// changes.
public struct CredentialDecision: Equatable, Sendable {
    /// The kinds of credential.
    public enum Kind: String, Hashable, Sendable {
        /// OSS Standard Offline.
        case standardOffline = "OSS-SO"
        /// OSS Secure Identifier.
        case secureIdentifier = "OSS-SID"
        /// A phone that plays the card of the access session.
        case phone
        /// PKOC.
        case pkoc = "PKOC"
        /// Aliro.
        case aliro = "Aliro"
        /// MIFARE DESFire.
        case desfire = "DESFire"
    }

    /// The way in which the door is opened.
    public enum Release: Hashable, Sendable {
        /// For the pulse time.
        case defaultTime
        /// For the extended time.
        case extendedTime
        /// Unlocked until the next toggle; `secures` if the door is in office mode already and is secured instead.
        case toggle(secures: Bool)
    }

    /// The reason of a denial, in the order of the checks (access protocol, 7.1); the door's own reasons are last.
    public enum Denial: String, Hashable, Sendable {
        /// The clock is not set.
        case clockUnset = "clock not set"
        /// The credential is of another site.
        case otherSite = "wrong site"
        /// The credential is on the blacklist.
        case blacklisted = "blacklisted"
        /// The time is before the start or after the end of the credential's validity.
        case validity = "outside its validity"
        /// None of the credential's entries is for this door.
        case otherDoor = "no access to this door"
        /// An entry is for this door, but at other times.
        case schedule = "outside its schedule"
        /// A Secure Identifier or a card that is not listed.
        case notListed = "not listed"
        /// The door is in lockdown.
        case lockdown = "lockdown"
        /// The door is blocked by a tamper.
        case tampered = "housing tampered"
        /// The door is locked out after too many refused attempts.
        case lockedOut = "lockout after refused attempts"
        /// An access panel decides, and is silent.
        case leftToPanel = "the panel is silent"
        /// The door is not in use.
        case doorInactive = "door inactive"
    }

    /// The result of the checks.
    public enum Outcome: Hashable, Sendable {
        /// The door opens.
        case granted(Release)
        /// The door stays locked. Not an error: the phone receives a result.
        case denied(Denial)
        /// The credential cannot be read, or its type is not supported: the phone receives this status.
        case failed(StatusCode)
    }

    /// The kind of the credential.
    public var kind: Kind
    /// The credential's identifier; nil if it could not be read.
    public var credentialID: OSSCredentialID?
    /// The result of the checks.
    public var outcome: Outcome
    /// The proven identity of a contactless card; nil for the credentials of the access protocol.
    public var card: CardEvidence?
    /// The refusal of a proven card before the lists are asked; nil if they decide.
    public var refusal: CardRefusal?
    /// The source of the card and its user there; empty for a card of the site's list, and for other credentials.
    public var origin = ""
    /// True for an intervention medium.
    public var isInterventionMedia = false
    /// The latest end of the credential's own schedules that allowed the access; nil without one, or without a grant.
    public var scheduleEnd: CivilTime?
    /// The entries added to the blacklist, for the event store.
    public var blacklistAdditions: [Blacklist.Entry] = []
    /// True if a carried entry did not fit into the blacklist.
    public var blacklistIsFull = false
    /// The error in the carried blacklist, if it could not be read. Does not affect the outcome.
    public var blacklistFault: StatusCode?

    /// Creates a decision without blacklist changes.
    public init(
        _ kind: Kind, of credentialID: OSSCredentialID?, _ outcome: Outcome, scheduleEnd: CivilTime? = nil
    ) {
        (self.kind, self.credentialID, self.outcome) = (kind, credentialID, outcome)
        self.scheduleEnd = scheduleEnd
    }

    /// The status for the phone: the error (−200 and others) if the credential could not be read, otherwise 0 with a
    /// result.
    public var status: StatusCode {
        if case .failed(let status) = outcome { status } else { .ok }
    }

    /// True if the door opens.
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
            .denied(.lockedOut), .denied(.leftToPanel), .denied(.doorInactive):
            .noAccess
        case .denied(.blacklisted): .noAccessBlacklisted
        case .denied(.validity): .noAccessValidity
        // As published: a credential without a matching entry keeps its initial type.
        case .denied(.otherDoor), .denied(.schedule), .failed: .defaultTime
        }
    }

    /// Returns the result for the phone, with the lock's state after the door has acted. A denial contains no state: 0.
    public func result(lock: LockState) -> OssAccessResult {
        OssAccessResult(
            accessGranted: isGranted, accessType: accessType,
            accessInfo: isGranted ? UInt32(clamping: lock.rawValue) : 0,
            scheduleEndTime: LocalTimestamp(scheduleEnd ?? CivilTime(year: 0, month: 0, day: 0)),
            scheduleMissmatch: outcome == .denied(.schedule))
    }
}

/// An event recorded for a decision.
public struct CredentialEvent: Hashable, Sendable {
    /// The event's identifier.
    public var id: EventId
    /// The event's information: an `EventAccessInfo`, a status code, or 0.
    public var info: Int32

    /// An event with this information.
    public init(_ id: EventId, _ info: Int32) {
        self.id = id
        self.info = info
    }

    init(_ id: EventId, _ info: EventAccessInfo) { self.init(id, info.rawValue) }
}

extension CredentialDecision {
    /// The events to be recorded, in order (access protocol, 7.1).
    public var events: [CredentialEvent] {
        var events: [CredentialEvent] = []
        forEachEvent { events.append($0) }
        return events
    }

    /// Calls `body` with each event in order, without allocating an array.
    func forEachEvent(_ body: (CredentialEvent) -> Void) {
        switch outcome {
        case .granted(.defaultTime): body(.init(.accessGranted, .grantedDefault))
        case .granted(.extendedTime): body(.init(.accessGranted, .grantedExtended))
        case .granted(.toggle(let secures)): body(.init(.accessGranted, secures ? .toggleLock : .toggleUnlock))
        case .denied(.clockUnset): break
        case .denied(.blacklisted):
            body(.init(.blacklistedCredential, 0))
            // An intervention medium is denied at an earlier step, which records this event only.
            if !isInterventionMedia { body(.init(.accessDenied, .deniedBlacklisted)) }
        case .denied(.validity): body(.init(.accessDenied, .deniedValidity))
        case .denied(.schedule): body(.init(.accessDenied, .deniedSchedule))
        case .denied(.otherSite), .denied(.otherDoor), .denied(.notListed), .denied(.lockdown), .denied(.tampered),
            .denied(.lockedOut), .denied(.leftToPanel), .denied(.doorInactive):
            body(.init(.accessDenied, .denied))
        case .failed(let status): body(.init(.terminalOss, Int32(status.rawValue)))
        }
        if blacklistIsFull { body(.init(.blacklistFull, 0)) }
    }
}
