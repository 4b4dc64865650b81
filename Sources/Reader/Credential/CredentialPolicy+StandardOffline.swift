public import AccessProtocol
internal import Protobuf
internal import Timekeeping

/// The decision about an OSS Standard Offline credential, in the order of the access protocol, 7.1.
extension CredentialPolicy {
    /// Decides about a credential whose signature is good.
    ///
    /// Every file is read when its step comes: an intervention medium opens whatever is in its data file, and a
    /// credential of another site is denied although its doors cannot be read. `blacklist` takes over what the
    /// credential carries; the decision says what was new.
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
                takeOver(files.blacklistFile, maximum: info, at: clock.time, into: &blacklist, &decision)
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
        case .interventionMedia:
            let isRefused = blacklist.contains(info.credentialID, at: clock.time)
            var decision = decided(isRefused ? .denied(.blacklisted) : .granted(.defaultTime))
            decision.isInterventionMedia = true
            return decision
        default: throw .standardOfflineCredentialType
        }
        guard let now = clock.time, let minute = OSSTimestamp(now) else { return decided(.denied(.clockUnset)) }
        let header = try files.dataFile.withSpan { (file) throws(StatusCode) in try OSSDataFile(header: file) }
        guard header.siteID == siteID else { return decided(.denied(.otherSite)) }
        guard !blacklist.contains(info.credentialID, at: now) else { return decided(.denied(.blacklisted)) }
        guard isValid(header, files.customerExtensionsFile, at: minute) else { return decided(.denied(.validity)) }
        let match = try files.dataFile.withSpan { (file) throws(StatusCode) in
            try self.match(header, file, at: now)
        }
        guard let match else { return decided(.denied(.otherDoor)) }
        guard match.standing != .outside else { return decided(.denied(.schedule)) }
        var decision = decided(.granted(match.rank.opening(door)))
        if case .until(let end) = match.standing { decision.scheduleEnd = end }
        return decision
    }

    /// Step 7: both ends included, to the minute.
    private func isValid(_ header: OSSDataFile, _ file: BoundedBytes<32>, at now: OSSTimestamp) -> Bool {
        guard !header.validityEnd.isUnset, header.validityEnd >= now else { return false }
        return file.withSpan { octets in
            // Nothing that is signed may hide in a file that is not there: not even zeros, which would be the end of
            // a blacklist that then could not be read.
            guard header.hasExtensions else { return octets.isEmpty }
            do throws(StatusCode) {
                guard let start = try OSSExtensionFile.startOfValidity(octets) else { return true }
                return start <= now
            } catch {
                return false
            }
        }
    }

    /// Step 9. A file that cannot be read changes nothing, nor does one that finds no room.
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
