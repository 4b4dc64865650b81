// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
internal import Protobuf
internal import Timekeeping

/// The decision about an OSS Standard Offline credential, in the order of the access protocol, 7.1.
extension CredentialPolicy {
    /// Decides about a credential whose signature is valid.
    ///
    /// Each file is read at its step: a credential of another site is denied even if its doors cannot be read. The
    /// carried blacklist is added to `blacklist`; the decision names the additions.
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

    /// Decides about a credential's message from a token whose signature was not checked. For tests and fuzzing only.
    ///
    /// - Throws: −32 for octets that cannot be decoded.
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
        guard let rank = match.rank else { return decided(.denied(.schedule)) }
        var decision = decided(.granted(rank.opening(door)))
        decision.scheduleEnd = match.end
        return decision
    }

    /// The clock's time, if the credential's format can represent it.
    private static func time(_ clock: LocalClock) -> CivilTime? {
        clock.time.flatMap { OSSTimestamp($0) == nil ? nil : $0 }
    }

    /// Step 3. As published, an intervention medium that is not blacklisted opens every door of every site for ever.
    /// Here its site and validity are checked as well if it has a data file. Leaving the file out does not help a
    /// phone: see `hasBegun`.
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

    /// Step 7: true if the start of the validity has passed.
    ///
    /// The signature covers the four files joined, without their lengths, so a phone could cut them at other places.
    /// The lengths are therefore checked: the info file has either of its two sizes; the data file's header, the
    /// blacklist's count and the extension file give their own lengths, and only zeros may follow; an extension file
    /// that is not announced is empty or exactly `0002`. Without the check of the blacklist's count, a start of
    /// validity at 00:02 would end in octets that read as an empty extension file, and an unannounced `0002` could be
    /// moved behind the blacklist, which then no reader could read and apply.
    ///
    /// - Throws: The errors of `OSSExtensionFile.startOfValidity` for an announced extension file that cannot be read;
    ///   −6 and −32 for a blacklist file of a wrong length.
    private func hasBegun(_ files: OssSoMobile, hasExtensions: Bool, at now: CivilTime) throws(StatusCode) -> Bool {
        try files.blacklistFile.withSpan { (file) throws(StatusCode) in try OSSBlacklistFile.checkLength(file) }
        return try files.customerExtensionsFile.withSpan { (file) throws(StatusCode) in
            guard hasExtensions else { return OSSExtensionFile.isAbsent(file) }
            switch try OSSExtensionFile.startOfValidity(file) {
            case .absent: return true
            case .unreadable: return false
            case .at(let start): return start.civilTime <= now
            }
        }
    }

    /// Step 9. A blacklist that cannot be read changes nothing; entries that do not fit are skipped.
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
