// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Protobuf
import Reader
import Testing
import Timekeeping

@testable import ReaderTestSupport

/// One row: what is shown to which reader, and what comes of it.
private struct Row {
    var name: String
    var change: (inout CredentialFiles) -> Void = { _ in }
    var clock = LocalClock.certain(wednesday(12, 0))
    var door = DoorState.secured
    var blacklist = Blacklist(capacity: 16)
    var groups: [DoorGroup] = []
    /// Status, access type, granted, schedule mismatch, and what the door does.
    var expected: (StatusCode, Int32, Bool, Bool, DoorRequest?)
    var events: [String]

    func decide() throws -> (decision: CredentialDecision, blacklist: Blacklist) {
        var files = CredentialFiles()
        change(&files)
        var blacklist = blacklist
        let policy = CredentialPolicy(siteID: 1, doorID: 1, groups: groups, takesInterventionMedia: true)
        let decision = policy.decide(try files.message(), clock: clock, door: door, blacklist: &blacklist)
        return (decision, blacklist)
    }
}

private let intervention: @Sendable (inout CredentialFiles) -> Void = { $0.info[2] = 0x01 }

@Suite("The decision about a Standard Offline credential (access protocol, 7.1)")
struct StandardOfflineDecisionTests {
    private let rows: [Row] = [
        // Step 1.
        Row(
            name: "major version 2", change: { $0.info[0] = 2 },
            expected: (.standardOfflineMajorVersion, 1, false, false, nil), events: ["15/-230"]),
        Row(
            name: "major version 0, minor 9",
            change: {
                $0.info[0] = 0; $0.info[1] = 9
            }, expected: (.ok, 2, true, false, .extended), events: ["10/3"]),
        Row(
            name: "no name", change: { $0.info.replaceSubrange(3..<13, with: [UInt8](repeating: 0, count: 10)) },
            expected: (.credentialID, 1, false, false, nil), events: ["15/-200"]),
        // Step 2.
        Row(
            name: "proprietary", change: { $0.info[2] = 0x80 },
            expected: (.standardOfflineCredentialType, 1, false, false, nil), events: ["15/-231"]),
        Row(
            name: "proprietary, intervention bit", change: { $0.info[2] = 0x81 },
            expected: (.standardOfflineCredentialType, 1, false, false, nil), events: ["15/-231"]),
        Row(
            name: "unknown type", change: { $0.info[2] = 0x02 },
            expected: (.standardOfflineCredentialType, 1, false, false, nil), events: ["15/-231"]),
        // Step 3.
        Row(
            name: "intervention, blacklisted", change: intervention, blacklist: Blacklist("CRED000001"),
            expected: (.ok, 8, false, false, nil), events: ["8/0"]),
        Row(name: "intervention", change: intervention, expected: (.ok, 1, true, false, .pulse), events: ["10/2"]),
        Row(
            name: "intervention: neither door nor schedule is asked, and the door has the last word later",
            change: {
                intervention(&$0); $0.set(doors: ["0002 1c"], schedules: ["04 13001400"])
            }, door: .lockdown, expected: (.ok, 1, true, false, .pulse), events: ["10/2"]),
        Row(
            name: "intervention without an end",
            change: {
                intervention(&$0); $0.set(end: "000000000000", doors: [])
            }, expected: (.ok, 1, true, false, .pulse), events: ["10/2"]),
        Row(
            name: "intervention without a data file",
            change: {
                intervention(&$0); $0.data = []; $0.extensions = []
            }, expected: (.ok, 1, true, false, .pulse), events: ["10/2"]),
        Row(
            name: "intervention without a data file that could announce its extensions",
            change: {
                intervention(&$0); $0.data = []
            }, expected: (.ok, 7, false, false, nil), events: ["11/131"]),
        Row(
            name: "intervention whose data file is cut",
            change: {
                intervention(&$0); $0.data.removeLast()
            }, expected: (.endOfFile, 1, false, false, nil), events: ["15/-6"]),
        Row(
            name: "intervention of site 2",
            change: {
                intervention(&$0); $0.data[7] = 2
            }, expected: (.ok, 6, false, false, nil), events: ["11/128"]),
        Row(
            name: "intervention, past",
            change: {
                intervention(&$0); $0.set(end: "202406051159", doors: [])
            }, expected: (.ok, 7, false, false, nil), events: ["11/131"]),
        Row(
            name: "intervention, not yet",
            change: {
                intervention(&$0); $0.extensions = octets("000a 01 06 202406051201")
            }, expected: (.ok, 7, false, false, nil), events: ["11/131"]),
        Row(
            name: "intervention, clock unset", change: intervention, clock: .unset,
            expected: (.ok, 6, false, false, nil), events: []),
        // Step 4.
        Row(name: "clock unset", clock: .unset, expected: (.ok, 6, false, false, nil), events: []),
        Row(
            name: "clock unset, before the data file", change: { $0.data = [] }, clock: .unset,
            expected: (.ok, 6, false, false, nil), events: []),
        Row(
            name: "clock shows no time", clock: .certain(CivilTime(year: 2024, month: 13, day: 1)),
            expected: (.ok, 6, false, false, nil), events: []),
        Row(
            name: "clock uncertain", clock: .uncertain(wednesday(12, 0)), expected: (.ok, 2, true, false, .extended),
            events: ["10/3"]),
        // Step 5.
        Row(
            name: "data file cut", change: { $0.data = Array($0.data[..<15]) },
            expected: (.endOfFile, 1, false, false, nil), events: ["15/-6"]),
        Row(
            name: "bad end", change: { $0.data[2] = 0x13 },
            expected: (.standardOfflineTimestamp, 1, false, false, nil), events: ["15/-233"]),
        Row(
            name: "site 0", change: { $0.data[7] = 0 }, expected: (.standardOfflineSite, 1, false, false, nil),
            events: ["15/-235"]),
        Row(name: "site 2", change: { $0.data[7] = 2 }, expected: (.ok, 6, false, false, nil), events: ["11/128"]),
        Row(name: "site 257", change: { $0.data[6] = 1 }, expected: (.ok, 6, false, false, nil), events: ["11/128"]),
        Row(
            name: "site 2 before the blacklist", change: { $0.data[7] = 2 }, blacklist: Blacklist("CRED000001"),
            expected: (.ok, 6, false, false, nil), events: ["11/128"]),
        Row(
            name: "site 2 before the doors are read",
            change: {
                $0.data[7] = 2; $0.data[18] = 0xF8
            }, expected: (.ok, 6, false, false, nil), events: ["11/128"]),
        // Step 6.
        Row(
            name: "blacklisted", blacklist: Blacklist("CRED000001"), expected: (.ok, 8, false, false, nil),
            events: ["8/0", "11/130"]),
        Row(
            name: "blacklisted before validity", change: { $0.set(end: "202301010000", doors: ["0001 08"]) },
            blacklist: Blacklist("CRED000001"), expected: (.ok, 8, false, false, nil), events: ["8/0", "11/130"]),
        Row(
            name: "somebody else blacklisted", blacklist: Blacklist("CRED000002"),
            expected: (.ok, 2, true, false, .extended), events: ["10/3"]),
        // Step 7.
        Row(
            name: "past", change: { $0.set(end: "202406051159", doors: ["0001 08"]) },
            expected: (.ok, 7, false, false, nil), events: ["11/131"]),
        Row(
            name: "its last second", change: { $0.set(end: "202406051200", doors: ["0001 08"]) },
            clock: .certain(wednesday(12, 0, 0)), expected: (.ok, 1, true, false, .pulse), events: ["10/2"]),
        Row(
            name: "the second after", change: { $0.set(end: "202406051200", doors: ["0001 08"]) },
            clock: .certain(wednesday(12, 0, 1)), expected: (.ok, 7, false, false, nil), events: ["11/131"]),
        Row(
            name: "no end", change: { $0.set(end: "000000000000", doors: ["0001 08"]) },
            expected: (.ok, 7, false, false, nil), events: ["11/131"]),
        Row(
            name: "its first minute", change: { $0.extensions = octets("000a 01 06 202406051200") },
            expected: (.ok, 2, true, false, .extended), events: ["10/3"]),
        Row(
            name: "not yet", change: { $0.extensions = octets("000a 01 06 202406051201") },
            expected: (.ok, 7, false, false, nil), events: ["11/131"]),
        Row(
            name: "unset start", change: { $0.extensions = octets("000a 01 06 000000000000") },
            expected: (.ok, 2, true, false, .extended), events: ["10/3"]),
        Row(
            name: "start unreadable", change: { $0.extensions = octets("000a 01 06 202313010000") },
            expected: (.ok, 7, false, false, nil), events: ["11/131"]),
        Row(
            name: "a start of another length", change: { $0.extensions = octets("0009 01 05 2023010100") },
            expected: (.ok, 7, false, false, nil), events: ["11/131"]),
        Row(
            name: "a feature longer than the file", change: { $0.extensions = octets("000b 05 01 06 202301010000") },
            expected: (.overflow, 1, false, false, nil), events: ["15/-7"]),
        Row(
            name: "a feature with tag 0", change: { $0.extensions = octets("000c 00 00 01 06 202301010000") },
            expected: (.extensionTag, 1, false, false, nil), events: ["15/-248"]),
        Row(
            name: "a feature with tag 0 in two octets", change: { $0.extensions = octets("0006 81 00 01 07") },
            expected: (.extensionTag, 1, false, false, nil), events: ["15/-248"]),
        Row(
            name: "a length that is none", change: { $0.extensions = octets("0004 05 80") },
            expected: (.extensionLength, 1, false, false, nil), events: ["15/-247"]),
        Row(
            name: "a value that is too large", change: { $0.extensions = octets("0004 05 41") },
            expected: (.extensionValueTooLarge, 1, false, false, nil), events: ["15/-246"]),
        Row(
            name: "nine features",
            change: { $0.extensions = octets("0014 0500 0500 0500 0500 0500 0500 0500 0500 0500") },
            expected: (.extensionTooManyFeatures, 1, false, false, nil), events: ["15/-245"]),
        Row(
            name: "intervention with a feature of tag 0",
            change: {
                intervention(&$0); $0.extensions = octets("0004 00 00")
            }, expected: (.extensionTag, 1, false, false, nil), events: ["15/-248"]),
        Row(
            name: "tag 0 where no extension file is announced",
            change: {
                $0.data[11] = 0; $0.extensions = octets("0004 00 00")
            }, expected: (.ok, 7, false, false, nil), events: ["11/131"]),
        Row(
            name: "extensions cut", change: { $0.extensions.removeLast() },
            expected: (.endOfFile, 1, false, false, nil), events: ["15/-6"]),
        Row(
            name: "extensions missing", change: { $0.extensions = [] },
            expected: (.endOfFile, 1, false, false, nil), events: ["15/-6"]),
        Row(
            name: "extensions too large", change: { $0.extensions[0] = 0x20 },
            expected: (.extensionTooLarge, 1, false, false, nil), events: ["15/-243"]),
        Row(
            name: "extensions without room for their size", change: { $0.extensions[1] = 1 },
            expected: (.extensionInvalidSize, 1, false, false, nil), events: ["15/-244"]),
        Row(
            name: "octets after the extensions", change: { $0.extensions.append(1) },
            expected: (.extensionInvalidSize, 1, false, false, nil), events: ["15/-244"]),
        Row(
            name: "extensions without a start", change: { $0.extensions = octets("0004 05 00") },
            expected: (.ok, 2, true, false, .extended), events: ["10/3"]),
        Row(
            name: "no extensions, none there",
            change: {
                $0.data[11] = 0; $0.extensions = []
            }, expected: (.ok, 2, true, false, .extended), events: ["10/3"]),
        Row(
            name: "no extensions, some there", change: { $0.data[11] = 0 }, expected: (.ok, 7, false, false, nil),
            events: ["11/131"]),
        Row(
            name: "no extensions, and the header that the access system's client writes then",
            change: {
                $0.data[11] = 0; $0.extensions = octets("0002")
            }, expected: (.ok, 2, true, false, .extended), events: ["10/3"]),
        Row(
            name: "a blacklist file that is cut", change: { $0.blacklist.removeLast() },
            expected: (.endOfFile, 1, false, false, nil), events: ["15/-6"]),
        Row(
            name: "octets after the blacklist", change: { $0.blacklist += octets("0002") },
            expected: (.decode, 1, false, false, nil), events: ["15/-32"]),
        Row(
            name: "past before the doors are read", change: { $0.set(end: "202406051159", doors: ["0001 f8"]) },
            expected: (.ok, 7, false, false, nil), events: ["11/131"]),
        // Step 8.
        Row(
            name: "another door", change: { $0.set(doors: ["0002 08"]) }, expected: (.ok, 1, false, false, nil),
            events: ["11/128"]),
        Row(
            name: "a group that it is not in", change: { $0.set(doors: ["0001 00"]) },
            expected: (.ok, 1, false, false, nil), events: ["11/128"]),
        Row(
            name: "no door", change: { $0.set(doors: []) }, expected: (.ok, 1, false, false, nil), events: ["11/128"]),
        Row(
            name: "the list ended before", change: { $0.set(doors: ["0000 08", "0001 08"]) },
            expected: (.ok, 1, false, false, nil), events: ["11/128"]),
        Row(
            name: "default", change: { $0.set(doors: ["0001 08"]) }, expected: (.ok, 1, true, false, .pulse),
            events: ["10/2"]),
        Row(
            name: "extended", change: { $0.set(doors: ["0001 0a"]) }, expected: (.ok, 2, true, false, .extended),
            events: ["10/3"]),
        Row(
            name: "toggle", change: { $0.set(doors: ["0001 0c"]) }, expected: (.ok, 4, true, false, .officeOn),
            events: ["10/4"]),
        Row(
            name: "toggle, extended", change: { $0.set(doors: ["0001 0e"]) },
            expected: (.ok, 4, true, false, .officeOn),
            events: ["10/4"]),
        Row(
            name: "toggle of a door that is held open", change: { $0.set(doors: ["0001 0c"]) }, door: .passage,
            expected: (.ok, 4, true, false, .officeOff), events: ["10/5"]),
        Row(
            name: "several: the highest", change: { $0.set(doors: ["0001 08", "0001 0c", "0001 0a"]) },
            expected: (.ok, 4, true, false, .officeOn), events: ["10/4"]),
        Row(
            name: "several, one elsewhere", change: { $0.set(doors: ["0002 0c", "0001 0a", "0001 08"]) },
            expected: (.ok, 2, true, false, .extended), events: ["10/3"]),
        Row(
            name: "outside its schedule", change: { $0.set(doors: ["0001 18"], schedules: ["04 13001400"]) },
            expected: (.ok, 1, false, true, nil), events: ["11/132"]),
        Row(
            name: "the highest outside its schedule",
            change: { $0.set(doors: ["0001 1c", "0001 08"], schedules: ["04 13001400"]) },
            expected: (.ok, 1, true, false, .pulse), events: ["10/2"]),
        Row(
            name: "by group", change: { $0.set(doors: ["0007 02"]) }, groups: [DoorGroup(id: 7)],
            expected: (.ok, 2, true, false, .extended), events: ["10/3"]),
        Row(
            name: "by the master group", change: { $0.set(doors: ["0000 02"]) },
            expected: (.ok, 2, true, false, .extended), events: ["10/3"]),
        Row(
            name: "the master group does not end the list", change: { $0.set(doors: ["0000 00", "0001 0c"]) },
            expected: (.ok, 4, true, false, .officeOn), events: ["10/4"]),
        Row(
            name: "the master group keeps to its schedule",
            change: { $0.set(doors: ["0000 10"], schedules: ["04 13001400"]) },
            expected: (.ok, 1, false, true, nil), events: ["11/132"]),
        Row(
            name: "the master group of another site", change: { $0.set(site: "0002", doors: ["0000 00"]) },
            expected: (.ok, 6, false, false, nil), events: ["11/128"]),
        Row(
            name: "the master group behind the list's end", change: { $0.set(doors: ["0000 08", "0000 00"]) },
            expected: (.ok, 1, false, false, nil), events: ["11/128"]),
        Row(
            name: "the number is a group's, not a door's", change: { $0.set(doors: ["0007 0a"]) },
            groups: [DoorGroup(id: 7)], expected: (.ok, 1, false, false, nil), events: ["11/128"]),
        Row(
            name: "door names a schedule that is not there", change: { $0.set(doors: ["0001 18"]) },
            expected: (.standardOfflineDoorSchedule, 1, false, false, nil), events: ["15/-237"]),
        Row(
            name: "door 0 names a schedule that is not there", change: { $0.set(doors: ["0001 08", "0000 18"]) },
            expected: (.standardOfflineDoorSchedule, 1, false, false, nil), events: ["15/-237"]),
        Row(
            name: "an entry behind door 0 names a schedule that is not there",
            change: { $0.set(doors: ["0001 08", "0000 08", "0002 20"], schedules: ["04 08001700"]) },
            expected: (.standardOfflineDoorSchedule, 1, false, false, nil), events: ["15/-237"]),
        Row(
            name: "an entry behind door 0 names one that is there",
            change: { $0.set(doors: ["0001 08", "0000 08", "0002 18"], schedules: ["04 08001700"]) },
            expected: (.ok, 1, true, false, .pulse), events: ["10/2"]),
        Row(
            name: "a period that is none", change: { $0.set(doors: ["0001 08"], schedules: ["04 14001300"]) },
            expected: (.standardOfflinePeriod, 1, false, false, nil), events: ["15/-234"]),
        Row(
            name: "octets after the data", change: { $0.data.append(1) }, expected: (.decode, 1, false, false, nil),
            events: ["15/-32"]),
        Row(
            name: "octets after the information", change: { $0.info.append(1) },
            expected: (.decode, 1, false, false, nil), events: ["15/-32"]),
        Row(name: "open already", door: .unlocked, expected: (.ok, 2, true, false, .extended), events: ["10/3"]),
    ]

    @Test("the checks in their order")
    func order() throws {
        for row in rows {
            let decision = try row.decide().decision
            let (status, type, granted, mismatch, request) = row.expected
            let result = decision.result(lock: .unlocked)
            #expect(decision.status == status, "\(row.name)")
            #expect(result.accessType.rawValue == type, "\(row.name)")
            #expect(result.accessGranted == granted && decision.isGranted == granted, "\(row.name)")
            #expect(result.scheduleMissmatch == mismatch, "\(row.name)")
            #expect(result.accessInfo == (granted ? 3 : 0), "\(row.name)")
            #expect(doorRequest(for: decision) == request, "\(row.name)")
            #expect(events(decision) == row.events, "\(row.name)")
        }
    }

    @Test("of a file that is not announced, nothing but nothing and 0002 is taken")
    func unannouncedExtensions() throws {
        let rows: [(String, granted: Bool)] = [
            ("", true), ("0002", true), ("00", false), ("02", false), ("0000", false), ("0003", false), ("0202", false),
            ("000200", false), ("00020000", false), ("0004 05 00", false), ("000a 01 06 202301010000", false),
        ]
        for (hex, granted) in rows {
            for kind in 0...1 as ClosedRange<UInt8> {
                var files = CredentialFiles()
                (files.info[2], files.data[11], files.extensions) = (kind, 0, octets(hex))
                var list = Blacklist(capacity: 4)
                let decision = CredentialPolicy(takesInterventionMedia: true).decide(
                    try files.message(), clock: .certain(wednesday(12, 0)), door: .secured, blacklist: &list)
                #expect(decision.isGranted == granted, "\(hex), type \(kind)")
                #expect(granted || decision.outcome == .denied(.validity), "\(hex), type \(kind)")
            }
        }
    }

    @Test("intervention media are of an unknown type until they are switched on")
    func interventionMediaSwitchedOff() throws {
        var files = CredentialFiles()
        intervention(&files)
        var list = Blacklist(capacity: 4)
        let decision = CredentialPolicy().decide(
            try files.message(), clock: .certain(wednesday(12, 0)), door: .secured, blacklist: &list)
        #expect(decision.status == .standardOfflineCredentialType && events(decision) == ["15/-231"])
        #expect(list.count == 0)
    }

    @Test("the master group switched off opens nothing, and does not hide the entries behind it")
    func masterGroupSwitchedOff() throws {
        // A group 0 that a program configures is none either.
        let policy = CredentialPolicy(groups: [DoorGroup(id: 0)], takesMasterGroup: false)
        let rows: [([String], CredentialDecision.Outcome)] = [
            (["0000 00"], .denied(.otherDoor)), (["0000 00", "0001 0a"], .granted(.extendedTime)),
        ]
        for (doors, outcome) in rows {
            var files = CredentialFiles()
            files.set(doors: doors)
            var list = Blacklist(capacity: 4)
            let decision = policy.decide(
                try files.message(), clock: .certain(wednesday(12, 0)), door: .secured, blacklist: &list)
            #expect(decision.outcome == outcome)
        }
    }

    @Test("step 9: what it carries is taken over after every decision, and changes none")
    func blacklistTakenOver() throws {
        for row in rows {
            let (decision, blacklist) = try row.decide()
            let isRead = decision.status == .ok
            #expect(blacklist.contains(credentialID("EVIL"), at: wednesday(12, 0)) == isRead, "\(row.name)")
            #expect(decision.blacklistAdditions.map(\.credentialID.text) == (isRead ? ["EVIL"] : []), "\(row.name)")
        }
    }

    @Test("step 9: full is event 9, off is off, unreadable changes nothing, over or known is not new")
    func blacklistFaults() throws {
        func decide(
            _ file: [UInt8], _ blacklist: inout Blacklist, policy: CredentialPolicy = CredentialPolicy()
        ) throws -> CredentialDecision {
            var files = CredentialFiles()
            files.blacklist = file
            return policy.decide(
                try files.message(), clock: .certain(wednesday(12, 0)), door: .secured, blacklist: &blacklist)
        }
        let sample = CredentialFiles().blacklist
        var full = Blacklist("OTHER", capacity: 1)
        var decision = try decide(sample, &full)
        #expect(decision.isGranted && decision.blacklistIsFull && full.count == 1)
        #expect(events(decision) == ["10/3", "9/0"])
        var off = Blacklist(capacity: 4)
        decision = try decide(sample, &off, policy: CredentialPolicy(takesCarriedBlacklist: false))
        #expect(decision.isGranted && off.count == 0)
        let bad: [(String, StatusCode, granted: Bool)] = [
            ("01 00000000000000000000 203001010000", .credentialID, true),
            ("01 0000000000004556494c 203013010000", .standardOfflineTimestamp, true),
            // Of another length than its count says: whose the octets are is not known then.
            ("02 0000000000004556494c 203001010000", .endOfFile, false), ("11", .endOfFile, false),
            ("00 01", .decode, false), ("01 0000000000004556494c 203001010000 01", .decode, false),
        ]
        for (hex, fault, granted) in bad {
            var list = Blacklist(capacity: 4)
            decision = try decide(octets(hex), &list)
            #expect(decision.isGranted == granted && list.count == 0, "\(hex)")
            #expect((granted ? decision.blacklistFault : decision.status) == fault, "\(hex)")
            #expect(events(decision) == [granted ? "10/3" : "15/\(fault.rawValue)"])
        }
        var files = CredentialFiles()
        files.info[14] = 0
        var none = Blacklist(capacity: 4)
        decision = CredentialPolicy().decide(
            try files.message(), clock: .certain(wednesday(12, 0)), door: .secured, blacklist: &none)
        #expect(decision.isGranted && decision.blacklistFault == .tooManyBlacklistEntries && none.count == 0)
        var list = Blacklist(capacity: 4)
        #expect(try decide(octets("01 0000000000004556494c 202406051159"), &list).blacklistAdditions.isEmpty)
        #expect(list.count == 0)
        #expect(try decide(octets("01 0000000000004556494c 202406051200"), &list).blacklistAdditions.count == 1)
        #expect(try decide(octets("01 0000000000004556494c 202406051200"), &list).blacklistAdditions.isEmpty)
        #expect(try decide(octets("01 0000000000004556494c 000000000000"), &list).blacklistAdditions.count == 1)
        #expect(list.entries.first?.expiresAt == nil && list.count == 1)
    }

    @Test("a credential that carries its own name opens this once, and never again")
    func carriesItself() throws {
        var files = CredentialFiles()
        files.blacklist = octets("01 43524544303030303031 203001010000")
        var list = Blacklist(capacity: 4)
        let (message, clock) = (try files.message(), LocalClock.certain(wednesday(12, 0)))
        #expect(CredentialPolicy().decide(message, clock: clock, door: .secured, blacklist: &list).isGranted)
        let again = CredentialPolicy().decide(message, clock: clock, door: .secured, blacklist: &list)
        #expect(again.outcome == .denied(.blacklisted))
    }

    @Test("a reader that takes none answers -5, and takes nothing over")
    func switchedOff() throws {
        var list = Blacklist(capacity: 4)
        let policy = CredentialPolicy(takesStandardOffline: false)
        let decision = policy.decide(
            try CredentialFiles().message(), clock: .certain(wednesday(12, 0)), door: .secured, blacklist: &list)
        #expect(decision.status == .notSupported && events(decision) == ["15/-5"] && list.count == 0)
        #expect(decision.credentialID == credentialID("CRED000001"))
    }

    @Test("what a log may have of it: no name, no list")
    func descriptions() throws {
        let files = try CredentialFiles().message()
        #expect("\(AuthorizedCredential.standardOffline(files))" == "OSS-SO credential")
        #expect(String(reflecting: AuthorizedCredential.standardOffline(files)) == "OSS-SO credential")
        #expect("\(Blacklist("CRED000001"))" == "1 of 16 entries")
        #expect(String(reflecting: Blacklist("CRED000001")) == "1 of 16 entries")
    }
}
