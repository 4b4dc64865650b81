// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Crypto
import Peripheral
import Phone
import Protobuf
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// From a credential over the air to the door and back, on an ungated link.
@Suite struct AccessReaderCredentialTests {
    /// 2024-06-05 12:00.
    private func bench(_ change: (inout AccessConfiguration) -> Void = { _ in }) throws -> ReaderBench {
        var bench = try ReaderBench(change)
        bench.epochSeconds = wednesday(12, 0).epochSeconds
        return bench
    }

    private func token(_ change: (inout CredentialFiles) -> Void = { _ in }) throws -> [UInt8] {
        var files = CredentialFiles()
        change(&files)
        return try TokenIssuer.demo().standardOfflineToken(files.message())
    }

    /// The published results (access protocol, 7.1), octet for octet.
    @Test func publishedResults() throws {
        let rows: [(String, (inout CredentialFiles) -> Void, Bool)] = [
            ("18 0a16 0801 1002 1803 220c 080010001800200028003000 2800", { _ in }, true),
            (
                "19 0a17 0801 1001 1803 220d 08e80f100618052011281e3000 2800",
                { $0.set(doors: ["0001 18"], schedules: ["04 08001730"]) }, true
            ),
            (
                "18 0a16 0800 1001 1800 220c 080010001800200028003000 2801",
                { $0.set(doors: ["0001 18"], schedules: ["04 13001730"]) }, false
            ),
            (
                "18 0a16 0800 1007 1800 220c 080010001800200028003000 2800",
                { $0.set(end: "202301010000", doors: ["0001 08"]) }, false
            ),
            ("18 0a16 0800 1006 1800 220c 080010001800200028003000 2800", { $0.data[7] = 2 }, false),
            ("18 0a16 0800 1001 1800 220c 080010001800200028003000 2800", { $0.set(doors: ["0002 08"]) }, false),
            ("18 0a16 0801 1001 1803 220c 080010001800200028003000 2800", { $0.info[2] = 1 }, true),
        ]
        for (number, row) in rows.enumerated() {
            var bench = try bench { $0.credentials.takesInterventionMedia = true }
            let link = bench.connect(0, generation: 0)
            #expect(try bench.exchange(link, token: token(row.1)) == .completed(octets(row.0)), "row \(number)")
            #expect(bench.reader.doorActions.contains(.setLock(energised: true)) == row.2, "row \(number)")
            #expect(bench.reader.doorActions.contains(.setIndicator(.denied, on: true)) == !row.2, "row \(number)")
        }
    }

    @Test func blacklistedResult() throws {
        var bench = try bench()
        bench.reader.policy.blacklist = Blacklist("CRED000001")
        let link = bench.connect(0, generation: 0)
        #expect(
            try bench.exchange(link, token: token())
                == .completed(octets("18 0a16 0800 1008 1800 220c 080010001800200028003000 2800")))
        #expect(!bench.reader.doorActions.contains(.setLock(energised: true)))
    }

    @Test func aCredentialThatCannotBeReadIsAnsweredByItsStatus() throws {
        let rows: [(StatusCode, (inout CredentialFiles) -> Void)] = [
            (.standardOfflineMajorVersion, { $0.info[0] = 2 }), (.standardOfflineCredentialType, { $0.info[2] = 0x80 }),
            (.credentialID, { $0.info[12] = 0 }), (.standardOfflineTimestamp, { $0.data[2] = 0x13 }),
            (.standardOfflineSite, { $0.data[7] = 0 }), (.standardOfflineDoorSchedule, { $0.data[18] = 0x28 }),
            (.standardOfflinePeriod, { $0.data[20] = 0x25 }), (.endOfFile, { $0.data.removeLast() }),
            (.endOfFile, { $0.extensions.removeLast() }), (.extensionTooLarge, { $0.extensions[0] = 0x20 }),
            (.extensionInvalidSize, { $0.extensions[1] = 1 }), (.endOfFile, { $0.blacklist.removeLast() }),
        ]
        for (status, change) in rows {
            var bench = try bench()
            let link = bench.connect(0, generation: 0)
            #expect(
                try bench.exchange(link, token: token(change)) == .failed(PhoneFailure(.peerStatus, terminal: status)))
            #expect(!bench.reader.doorActions.contains(.setLock(energised: true)))
            #expect(bench.reader.doorActions.contains(.setIndicator(.denied, on: true)))
        }
    }

    @Test func aPulseAndAnExtendedTimeLastAsLongAsTheyAreSet() throws {
        for (door, seconds) in [("0001 08", 5), ("0001 0a", 3600)] {
            var bench = try bench()
            let link = bench.connect(0, generation: 0)
            _ = try bench.exchange(link, token: token { $0.set(doors: [door]) })
            #expect(bench.reader.doorActions.first == .setLock(energised: true))
            bench.reader.doorActions = []
            bench.event(.disconnected(link, reason: .remoteUserTerminated))
            bench.pass(until: seconds * 1000 - 1)
            #expect(!bench.reader.doorActions.contains(.setLock(energised: false)))
            bench.pass(until: seconds * 1000)
            #expect(bench.reader.doorActions.contains(.setLock(energised: false)))
        }
    }

    /// The result tells the lock's state after the action, the event which way it went.
    @Test func aToggleHoldsTheDoorOpenAndTheNextSecuresIt() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 0)
        let toggle = try token { $0.set(doors: ["0001 0c"]) }
        let rows: [(String, String, String)] = [
            ("1803", "10/4", "door: unlocked for office mode"), ("1802", "10/5", "door: secured after office mode"),
            ("1803", "10/4", "door: unlocked for office mode"),
        ]
        for (number, (state, recorded, told)) in rows.enumerated() {
            // One that comes within the re-arm time is the same toggle.
            bench.pass(until: number * 2000)
            _ = bench.takeNotices()
            #expect(
                try bench.exchange(link, token: toggle)
                    == .completed(octets("18 0a16 0801 1004 \(state) 220c 080010001800200028003000 2800")))
            let notices = bench.takeNotices()
            #expect(notices.last?.description == told)
            guard case .decided(_, let decision, .ok) = notices.dropLast().last else { throw StatusCode.test }
            #expect(events(decision) == [recorded])
        }
        #expect(bench.reader.timesOpened == 2)
    }

    /// A toggle during somebody's pulse means to hold the door open, not to shut it.
    @Test func aToggleDuringAPulseHoldsTheDoorOpen() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 0)
        _ = try bench.exchange(link, token: token { $0.set(doors: ["0001 08"]) })
        _ = try bench.exchange(link, token: token { $0.set(doors: ["0001 0c"]) })
        #expect(bench.reader.door.state == .passage)
    }

    /// The door has the last word, over commands and over intervention media too.
    @Test func inALockdownNobodyIsLetInAndNobodyIsToldOtherwise() throws {
        var bench = try bench {
            $0.credentials.secureIdentifiers = [credentialID("CRED000001")]
            $0.credentials.takesInterventionMedia = true
        }
        let link = bench.connect(0, generation: 0)
        var effects: [ReaderEffect] = []
        bench.reader.door.lockdown(true, at: bench.now, into: &effects)
        let identifier = OSSSecureIdentifierFile(credentialID: credentialID("CRED000001"))
        let denied = "080010001800200028003000 2800"
        #expect(
            try bench.exchange(link, token: token()) == .completed(octets("18 0a16 0800 1006 1800 220c \(denied)")))
        #expect(
            try bench.exchange(link, token: token { $0.info[2] = 1 })
                == .completed(octets("18 0a16 0800 1006 1800 220c \(denied)")))
        #expect(
            try bench.exchange(link, token: TokenIssuer.demo().secureIdentifierToken(identifier))
                == .completed(octets("16 0800 1006 1800 220c \(denied)")))
        #expect(
            try bench.exchange(link, token: ReaderBench.token(.open))
                == .failed(PhoneFailure(.peerStatus, terminal: .unavailable)))
        #expect(!bench.reader.doorActions.contains(.setLock(energised: true)))
        #expect(bench.reader.timesOpened == 0)
        let decisions = bench.takeNotices().compactMap { notice in
            if case .decided(_, let decision, _) = notice { events(decision) } else { nil }
        }
        #expect(decisions == [["11/128"], ["11/128"], ["11/128"]])
    }

    @Test func everyVerdictOfTheDoorIsTold() throws {
        let rows: [(DoorVerdict, CredentialDecision.Outcome)] = [
            (.done, .granted(.extendedTime)), (.inactive, .denied(.doorInactive)), (.lockdown, .denied(.lockdown)),
            (.tampered, .denied(.tampered)), (.lockedOut, .denied(.lockedOut)),
            (.leftToPanel, .denied(.leftToPanel)),
        ]
        for (verdict, outcome) in rows {
            var decision = CredentialDecision(
                .standardOffline, of: nil, .granted(.extendedTime), scheduleEnd: wednesday(17, 30))
            decision.apply(verdict)
            #expect(decision.outcome == outcome)
            #expect((decision.scheduleEnd != nil) == (verdict == .done))
            #expect(decision.accessType == (verdict == .done ? .extendedTime : .noAccess))
            #expect(events(decision) == [verdict == .done ? "10/3" : "11/128"])
        }
    }

    @Test func noticesTellTheDecisionAndTheDoor() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 7)
        _ = try bench.exchange(link, token: token())
        let told = bench.takeNotices().suffix(2)
        #expect(
            told.map(\.description) == [
                "link 7: OSS-SO credential CR…001 granted, extended time, status 0 (ok)",
                "door: unlocked for a grant with extended time",
            ])
        guard case .decided(.link(link), let decision, .ok) = told.first else { throw StatusCode.test }
        #expect(events(decision) == ["10/3"] && decision.blacklistAdditions.map(\.credentialID.text) == ["EVIL"])
        #expect(bench.reader.blacklist.contains(credentialID("EVIL"), at: wednesday(12, 0)))
        // A refusal, and one that names nobody.
        _ = try bench.exchange(link, token: token { $0.set(doors: ["0002 08"]) })
        _ = try bench.exchange(link, token: token { $0.info[12] = 0 })
        #expect(
            bench.takeNotices().map(\.description) == [
                "link 7: OSS-SO credential CR…001 denied, no access to this door, status 0 (ok)",
                "link 7: OSS-SO credential without an identifier refused, status -200",
            ])
    }

    @Test func carriedBlacklistTurnsAwayCommandsToo() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 0)
        _ = try bench.exchange(link, token: token { $0.blacklist = octets("01 43524544303030303031 203001010000") })
        bench.reader.doorActions = []
        bench.event(.disconnected(link, reason: .remoteUserTerminated))
        bench.pass(until: 6000)
        bench.reader.doorActions = []
        _ = bench.takeNotices()
        let again = bench.connect(0, generation: 1)
        #expect(
            try bench.exchange(again, token: ReaderBench.token(.open))
                == .failed(PhoneFailure(.peerStatus, terminal: .validity)))
        #expect(!bench.reader.doorActions.contains(.setLock(energised: true)))
        let notices = bench.takeNotices()
        #expect(notices.contains(.blacklisted(.link(again), credential: "CRED000001")))
        #expect(notices.contains(.executed(.link(again), credential: "CRED000001", command: "tokn", .validity)))
    }

    @Test func secureIdentifiersOpenOnlyWhenListed() throws {
        let token = try TokenIssuer.demo().secureIdentifierToken(
            OSSSecureIdentifierFile(credentialID: credentialID("CRED000001")))
        var bench = try bench()
        let link = bench.connect(0, generation: 0)
        #expect(
            try bench.exchange(link, token: token)
                == .completed(octets("16 0800 1006 1800 220c 080010001800200028003000 2800")))
        var listing = try self.bench { $0.credentials.secureIdentifiers = [credentialID("CRED000001")] }
        let other = listing.connect(0, generation: 0)
        #expect(
            try listing.exchange(other, token: token)
                == .completed(octets("16 0801 1001 1803 220c 080010001800200028003000 2800")))
        #expect(listing.reader.doorActions.first == .setLock(energised: true))
    }

    @Test func aReaderThatTakesNoneSaysSo() throws {
        var bench = try bench { $0.credentials.takesStandardOffline = false }
        let link = bench.connect(0, generation: 0)
        #expect(
            try bench.exchange(link, token: token()) == .failed(PhoneFailure(.peerStatus, terminal: .notSupported)))
    }

    /// The phone asks for so many, of these kinds; commands' events are not the standard's.
    @Test func eventsGoAlong() throws {
        var bench = try bench()
        let time = LocalTimestamp(wednesday(11, 0))
        func event(_ sequence: UInt32, _ id: EventId) -> Event {
            Event(sequenceId: sequence, eventTime: time, eventId: id, eventInfo: 2)
        }
        bench.reader.eventsToCarry =
            (1...20).map { event($0, .accessGranted) } + [
                event(21, .terminalCommand), event(22, .accessDenied), event(23, .terminalOss),
            ]
        let link = bench.connect(0, generation: 0)
        var onlyGrants = InlineArray<12, UInt8>(repeating: 0)
        onlyGrants[9] = 1
        let rows: [(UInt32?, FixedBytes<12>?, [UInt32])] = [
            (nil, nil, []), (0, nil, []), (1, nil, [22]), (3, nil, [19, 20, 22]),
            (3, FixedBytes(onlyGrants), [18, 19, 20]), (.max, nil, Array(6...20) + [22]),
        ]
        for (count, kinds, expected) in rows {
            let step = try bench.exchange(
                link,
                token: token {
                    $0.requestedEvents = count
                    $0.supportedEvents = kinds
                })
            guard case .completed(let data) = step else { throw StatusCode.test }
            let result = try OssAccessEventsResult(decodingDelimited: data.span)
            #expect(result.events.map(\.sequenceId) == expected)
        }
    }

    /// The events are the reader's, and name the credentials that came. A credential that opens takes them to the
    /// backend; one that has ended reads none but its own.
    @Test func whoIsRefusedReadsNobodyElsesEvents() throws {
        var bench = try bench()
        let time = LocalTimestamp(wednesday(11, 0))
        func event(_ sequence: UInt32, _ id: EventId, _ credential: String?) throws -> Event {
            let name = try credential.map { CredentialId(id: try BoundedBytes(ascii: $0)) }
            return Event(sequenceId: sequence, eventTime: time, eventId: id, eventInfo: 2, credentialId: name)
        }
        bench.reader.eventsToCarry = [
            try event(1, .accessGranted, "SOMEBODY"), try event(2, .accessGranted, "CRED000001"),
            try event(3, .tampering, nil), try event(4, .accessDenied, "CRED000001"),
            try event(5, .accessDenied, "CRED000002"),
        ]
        let link = bench.connect(0, generation: 0)
        for (hasEnded, expected) in [(false, [1, 2, 3, 4, 5]), (true, [2, 4])] as [(Bool, [UInt32])] {
            let step = try bench.exchange(
                link,
                token: token {
                    $0.requestedEvents = 16
                    if hasEnded { $0.set(end: "202301010000", doors: ["0001 08"]) }
                })
            guard case .completed(let data) = step else { throw StatusCode.test }
            let result = try OssAccessEventsResult(decodingDelimited: data.span)
            #expect(result.accessResult.accessGranted == !hasEnded)
            #expect(result.events.map(\.sequenceId) == expected)
        }
        let files = OssSoMobile(
            infoFile: BoundedBytes(), dataFile: BoundedBytes(), blacklistFile: BoundedBytes(),
            customerExtensionsFile: BoundedBytes(), requestedEventCount: 16)
        #expect(CarriedEvents.choose(from: bench.reader.eventsToCarry, for: files, to: .refused(nil)) == [])
    }

    @Test func statusCountsTheBlacklist() throws {
        var bench = try bench { $0.blacklistCapacity = 20 }
        let link = bench.connect(0, generation: 0)
        _ = try bench.exchange(link, token: token())
        guard case .completed(let data) = try bench.exchange(link, token: ReaderBench.token(.status)) else {
            throw StatusCode.test
        }
        let settings = try SystemStatus(decodingDelimited: data.span).settings
        #expect(settings.blacklistMaxEntriesCount == 20 && settings.blacklistEntriesCount == 1)
    }
}
