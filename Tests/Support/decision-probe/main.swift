// SPDX-License-Identifier: Apache-2.0

// Decides about credentials and local times with the reader's own code, for a second implementation to compare
// (Tests/Interop/scenarios/test_decided_twice.py, test_zones.py). One request for each line of standard input, its
// fields separated by tabs, and one line for its answer. Lists are separated by commas, and `-` is none.
//
//   so   SITE DOOR FLAGS GROUPS BLACKLIST CAPACITY NOW INFO DATA BLACKLIST-FILE EXTENSIONS
//   sid  LISTED BLACKLIST NOW INFO
//   zone FILE                                     sets the zone: `ok`, or the error
//   at   SECONDS                                  its offsets at these times since 1970
//
// FLAGS: m for the master group, i for intervention media, o for a door that is held open. GROUPS: lines of
// `credentials.groups`, their weekdays separated by `+`, and `NUMBER=HEX` with a pushed LocalTimeSchedule. NOW: six
// numbers. Files are hexadecimal.
import AccessProtocol
import Configuration
import Protobuf
import Reader
import Timekeeping

struct Unreadable: Error {
    var text: String
}

func list(_ field: Substring) -> [Substring] { field == "-" ? [] : field.split(separator: ",") }

func octets(_ field: Substring) -> [UInt8] {
    let digits = field.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

func blacklist(_ field: Substring, capacity: Int) -> Blacklist {
    var blacklist = Blacklist(capacity: capacity)
    for name in list(field) {
        guard let name = OSSCredentialID(String(name)) else { continue }
        blacklist.insert(Blacklist.Entry(credentialID: name, expiresAt: nil), at: nil)
    }
    return blacklist
}

func clock(_ field: Substring) -> LocalClock {
    let parts = field.split(separator: " ").compactMap { Int($0) }
    guard parts.count == 6 else { return .unset }
    return .certain(
        CivilTime(
            year: parts[0], month: parts[1], day: parts[2], hour: parts[3], minute: parts[4], second: parts[5]))
}

/// The groups of a configuration file, and those that a backend has pushed.
func groups(_ field: Substring) throws -> [DoorGroup] {
    var settings = ReaderSettings()
    var pushed: [DoorGroup] = []
    for line in list(field) {
        let parts = line.split(separator: "=")
        guard parts.count == 2 else {
            let text = String(line.map { $0 == "+" ? "," : $0 })
            guard let line = GroupLine(text) else { throw Unreadable(text: text) }
            settings.credentials.groups.append(line)
            continue
        }
        let schedule = try DoorGroup.Schedule(LocalTimeSchedule(decoding: octets(parts[1]).span))
        guard let id = UInt16(parts[0]) else { throw Unreadable(text: String(line)) }
        if let index = pushed.firstIndex(where: { $0.id == id }) {
            pushed[index].schedules.append(schedule)
        } else {
            pushed.append(DoorGroup(id: id, schedules: [schedule]))
        }
    }
    return settings.credentialPolicy.groups + pushed
}

/// `STATUS GRANTED TYPE MISMATCH END EVENTS ADDED`, the added names in hexadecimal.
func answer(_ decision: CredentialDecision) -> String {
    let result = decision.result(lock: .unlocked)
    let end = result.scheduleEndTime
    let endText = "\(end.year) \(end.month) \(end.date) \(end.hours) \(end.minutes)"
    let events = decision.events.map { "\($0.id.rawValue)/\($0.info)" }
    let added = decision.blacklistAdditions.map { addition in
        addition.credentialID.text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    return [
        "\(decision.status.rawValue)", "\(result.accessGranted ? 1 : 0)", "\(result.accessType.rawValue)",
        "\(result.scheduleMissmatch ? 1 : 0)", endText, events.isEmpty ? "-" : events.joined(separator: ","),
        added.isEmpty ? "-" : added.joined(separator: ","),
    ].joined(separator: "\t")
}

func standardOffline(_ fields: [Substring]) throws -> String {
    var policy = CredentialPolicy(
        siteID: UInt16(fields[1]) ?? 0, doorID: UInt16(fields[2]) ?? 0, groups: try groups(fields[4]))
    policy.takesMasterGroup = fields[3].contains("m")
    policy.takesInterventionMedia = fields[3].contains("i")
    var refused = blacklist(fields[5], capacity: Int(fields[6]) ?? 0)
    let files = OssSoMobile(
        infoFile: try BoundedBytes(octets(fields[8])), dataFile: try BoundedBytes(octets(fields[9])),
        blacklistFile: try BoundedBytes(octets(fields[10])),
        customerExtensionsFile: try BoundedBytes(octets(fields[11])))
    return answer(
        policy.decide(
            files, clock: clock(fields[7]), door: fields[3].contains("o") ? .passage : .secured, blacklist: &refused))
}

func secureIdentifier(_ fields: [Substring]) throws -> String {
    let listed = Set(list(fields[1]).compactMap { OSSCredentialID(String($0)) })
    let files = OssSidMobile(infoFile: try BoundedBytes(octets(fields[4])))
    return answer(
        CredentialPolicy(secureIdentifiers: listed).decide(
            files, clock: clock(fields[3]), blacklist: blacklist(fields[2], capacity: 100)))
}

var zone = TimeZoneRule.utc
while let line = readLine() {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
    do {
        switch (fields[0], fields.count) {
        case ("so", 12): print(try standardOffline(fields))
        case ("sid", 5): print(try secureIdentifier(fields))
        case ("zone", 2):
            zone = try TimeZoneRule(file: octets(fields[1]))
            print("ok")
        case ("at", 2):
            print(list(fields[1]).map { "\(Int64($0).map(zone.offsetSeconds(at:)) ?? 0)" }.joined(separator: ","))
        default: throw Unreadable(text: line)
        }
    } catch {
        print("error: \(error)")
    }
}
