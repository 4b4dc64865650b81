public import AccessProtocol
internal import Protobuf
internal import Timekeeping

/// The decision about an OSS Standard Offline credential, in the order of the access protocol, 7.1.
extension CredentialPolicy {
    /// Decides about a credential whose signature is good.
    ///
    /// Every file is read when its step comes: a credential of another site is denied although its doors cannot be
    /// read. `blacklist` takes over what the credential carries; the decision says what was new.
    public func decide(
        _ files: OssSoMobile, clock: LocalClock, door: DoorState, blacklist: inout Blacklist
    ) -> CredentialDecision {
        let claimed = files.infoFile.withSpan { OSSInfoFile.claimedID($0) }
        guard takesStandardOffline else {
            return CredentialDecision(.standardOffline, of: claimed, .failed(.notSupported))
        }
        var decision: CredentialDecision
        do throws(StatusCode) {
            let info = try files.infoFile.withSpan { (file) throws(StatusCode) in
                try OSSInfoFile(decoding: file)
            }
            decision = try decide(info, files, clock: clock, door: door, blacklist: blacklist)
            if takesCarriedBlacklist {
                takeOver(files.blacklistFile, maximum: info, at: clock.earliest, into: &blacklist, &decision)
            }
        } catch {
            decision = CredentialDecision(.standardOffline, of: claimed, .failed(error))
        }
        return decision
    }

    /// Decides about a credential's message as it stands in a token, its signature unseen. For tests and fuzzing:
    /// what it grants, nobody has signed. Throws −32 for what is no such message.
    public func decide(
        unverified octets: Span<UInt8>, clock: LocalClock, door: DoorState, blacklist: inout Blacklist
    ) throws(StatusCode) -> CredentialDecision {
        guard let files = try? OssSoMobile(decoding: octets) else { throw .decode }
        return decide(files, clock: clock, door: door, blacklist: &blacklist)
    }

    /// Steps 2 to 8.
    private func decide(
        _ info: OSSInfoFile, _ files: OssSoMobile, clock: LocalClock, door: DoorState, blacklist: Blacklist
    ) throws(StatusCode) -> CredentialDecision {
        func decided(_ outcome: CredentialDecision.Outcome) -> CredentialDecision {
            CredentialDecision(.standardOffline, of: info.credentialID, outcome)
        }
        switch info.type {
        case .standard: break
        case .interventionMedia where takesInterventionMedia:
            var decision = decided(try decideIntervention(info, files, clock: clock, blacklist: blacklist))
            decision.isInterventionMedia = true
            return decision
        default: throw .standardOfflineCredentialType
        }
        guard let now = CredentialPolicy.time(clock) else { return decided(.denied(.clockUnset)) }
        let header = try files.dataFile.withSpan { (file) throws(StatusCode) in try OSSDataFile(header: file) }
        guard header.siteID == siteID else { return decided(.denied(.otherSite)) }
        guard !blacklist.contains(info.credentialID, at: clock.earliest) else {
            return decided(.denied(.blacklisted))
        }
        let hasBegun = try hasBegun(files, hasExtensions: header.hasExtensions, at: now)
        guard hasBegun, !header.validityEnd.isUnset, clock.latest ?? now <= header.validityEnd.civilTime else {
            return decided(.denied(.validity))
        }
        let match = try files.dataFile.withSpan { (file) throws(StatusCode) in
            try self.match(header, file, at: now)
        }
        guard let match else { return decided(.denied(.otherDoor)) }
        guard match.standing != .outside else { return decided(.denied(.schedule)) }
        var decision = decided(.granted(match.rank.opening(door)))
        if case .until(let end) = match.standing { decision.scheduleEnd = end }
        return decision
    }

    /// The clock's time, if a credential has a form for it.
    private static func time(_ clock: LocalClock) -> CivilTime? {
        clock.time.flatMap { OSSTimestamp($0) == nil ? nil : $0 }
    }

    /// Step 3. As published, an intervention medium that is not blacklisted opens every door of every site for ever.
    /// Here it has to be of this site and within its times, as far as it has a data file that says so. One without
    /// cannot be made by leaving the file out: see `hasBegun`.
    private func decideIntervention(
        _ info: OSSInfoFile, _ files: OssSoMobile, clock: LocalClock, blacklist: Blacklist
    ) throws(StatusCode) -> CredentialDecision.Outcome {
        guard !blacklist.contains(info.credentialID, at: clock.earliest) else { return .denied(.blacklisted) }
        guard let now = CredentialPolicy.time(clock) else { return .denied(.clockUnset) }
        guard !files.dataFile.isEmpty else {
            return try hasBegun(files, hasExtensions: false, at: now) ? .granted(.defaultTime) : .denied(.validity)
        }
        let header = try files.dataFile.withSpan { (file) throws(StatusCode) in
            let header = try OSSDataFile(header: file)
            try header.check(file)
            return header
        }
        guard header.siteID == siteID else { return .denied(.otherSite) }
        let hasEnded = !header.validityEnd.isUnset && header.validityEnd.civilTime < clock.latest ?? now
        let hasBegun = try hasBegun(files, hasExtensions: header.hasExtensions, at: now)
        return hasBegun && !hasEnded ? .granted(.defaultTime) : .denied(.validity)
    }

    /// Step 7: whether the start of validity is not to come. Throws −6, −243 and −244 for an extension file whose size
    /// is wrong, −6 and −32 for a blacklist file whose length is.
    ///
    /// Both are looked at because what is signed is the four files joined, without their lengths: a phone may cut them
    /// elsewhere. It gains nothing, since each file says where it ends and only zeros may follow it: the info file has
    /// one of two sizes, the data file's header and the blacklist's count give theirs, an extension file its own, and
    /// one that is not announced is nothing or exactly `0002`. Without the blacklist's count, a start of validity at
    /// 00:02 would end in octets that pass for an empty extension file, and an unannounced `0002` could be moved
    /// behind the blacklist, which then nobody could read and no reader would take over.
    private func hasBegun(_ files: OssSoMobile, hasExtensions: Bool, at now: CivilTime) throws(StatusCode) -> Bool {
        try files.blacklistFile.withSpan { (file) throws(StatusCode) in try OSSBlacklistFile.checkLength(file) }
        return try files.customerExtensionsFile.withSpan { (file) throws(StatusCode) in
            guard hasExtensions else { return OSSExtensionFile.isAbsent(file) }
            _ = try OSSExtensionReader(file)
            do throws(StatusCode) {
                guard let start = try OSSExtensionFile.startOfValidity(file) else { return true }
                return start.civilTime <= now
            } catch {
                return false
            }
        }
    }

    /// Step 9. Entries that cannot be read change nothing, nor do those that find no room.
    private func takeOver(
        _ file: BoundedBytes<257>, maximum info: OSSInfoFile, at now: CivilTime?, into blacklist: inout Blacklist,
        _ decision: inout CredentialDecision
    ) {
        do throws(StatusCode) {
            let carried = try file.withSpan { (octets) throws(StatusCode) in
                try OSSBlacklistFile(decoding: octets, maximum: Int(info.maximumBlacklistEntries))
            }
            for entry in carried.entries {
                let entry = Blacklist.Entry(entry)
                switch blacklist.insert(entry, at: now) {
                case .inserted: decision.blacklistAdditions.append(entry)
                case .full: decision.blacklistIsFull = true
                case .known, .expired: break
                }
            }
        } catch {
            decision.blacklistFault = error
        }
    }
}
