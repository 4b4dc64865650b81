// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import ArgumentParser
import BackEnd
import Configuration
import Phone
import Reader
import Timekeeping

/// `readerlab credentials token oss-so`.
struct OfflineTokenCommand: CredentialCommand {
    static let configuration = CommandConfiguration(
        commandName: "oss-so", abstract: "An OSS Standard Offline credential: doors, groups, schedules, a blacklist.",
        discussion: """
            A line of --door or --group is a number, alone for always, or with a schedule; several lines for one number \
            are one schedule of up to four. Minutes go up to 58, and 24:00 ends a day:

              readerlab credentials token oss-so --site site.json --reader front \\
                --credential ALICE04711 --to 2026-12-31 --group 12 \\
                --door "7 mon-fri 07:00-19:00" --door "7 sat 09:00-13:00" \\
                --out alice.json

            Without any, it opens the reader's own door, always. --group 0 is the master group: every door of the site.
            """)

    /// The duration of an opening.
    enum Opening: String, ExpressibleByArgument, CaseIterable {
        case once = "default"
        case extended, toggle
    }

    @OptionGroup var token: TokenOptions

    @Option(
        help: ArgumentHelp(
            "From when on it counts, in the reader's time; from the start if not given.", valueName: "DATE"))
    var from: String?

    @Option(
        help: ArgumentHelp(
            "Until when it counts, second 00 included: a minute, or a day, which is its 23:59.", valueName: "DATE"))
    var to: String

    @Option(name: .customLong("door"), help: ArgumentHelp("A door that it opens.", valueName: "LINE"))
    var doors: [String] = []

    @Option(name: .customLong("group"), help: ArgumentHelp("A group of doors that it opens.", valueName: "LINE"))
    var groups: [String] = []

    @Option(help: "For how long it opens: \(Opening.allValueStrings.joined(separator: ", ")).")
    var opens = Opening.once

    @Option(
        name: .customLong("blacklist"),
        help: ArgumentHelp(
            "A credential that readers are to refuse, for ever, or until a date: ID or ID@2027-01-01. Up to 16.",
            valueName: "ID"))
    var blacklisted: [String] = []

    func validate() throws {
        guard blacklisted.count <= OSSBlacklistFile.mobileLimit else {
            throw ValidationError("--blacklist may be given \(OSSBlacklistFile.mobileLimit) times")
        }
        _ = try blacklist()
        for (option, lines) in [("--door", doors), ("--group", groups)] {
            for line in lines { _ = try OfflineTokenCommand.line(option, line) }
        }
        let (start, end) = try times()
        if let start, end < start { throw ValidationError("--to is before --from") }
    }

    private func times() throws -> (CivilTime?, CivilTime) {
        (try from.map { try TokenOptions.time("--from", $0, .first) }, try TokenOptions.time("--to", to, .last))
    }

    private static func line(_ option: String, _ text: String) throws -> GroupLine {
        let lowest = option == "--group" ? 0 : 1
        guard let line = GroupLine(text, takesMasterGroup: lowest == 0),
            line.schedule.map({ $0.firstDay == 1 && $0.lastDay == 366 }) ?? true
        else {
            throw ValidationError(
                "\(option) \(text.debugDescription): needs a number from \(lowest) to 65535, alone or as in "
                    + "\"7 mon-fri 08:00-18:00\" (minutes up to 58, 24:00 as the end of a day)")
        }
        return line
    }

    private func blacklist() throws -> [OSSBlacklistEntry] {
        try blacklisted.map { text in
            let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
            let end = try parts.dropFirst().first.map { try TokenOptions.time("--blacklist", String($0), .last) }
            guard let id = OSSCredentialID(String(parts[0])), let expires = end.map(OSSTimestamp.init) ?? .unset else {
                throw ValidationError(
                    "--blacklist \(text.debugDescription): write a credential's name, or NAME@2027-01-01")
            }
            return OSSBlacklistEntry(credentialID: id, expiresAt: expires)
        }
    }

    /// The entries of the data file, and the schedules to which they refer.
    func entries(ownDoor: Int?) throws -> (doors: [OSSDoorEntry], schedules: [[OSSScheduleDay]]) {
        var lines = try doors.map { (isDoor: true, line: try OfflineTokenCommand.line("--door", $0)) }
        lines += try groups.map { (isDoor: false, line: try OfflineTokenCommand.line("--group", $0)) }
        if lines.isEmpty {
            guard let ownDoor, let line = GroupLine("\(ownDoor)") else {
                throw ValidationError("the number of the reader's door is not known; give --door N")
            }
            lines = [(true, line)]
        }
        var (entries, schedules) = ([OSSDoorEntry](), [[OSSScheduleDay]]())
        var seen: [(isDoor: Bool, id: UInt16)] = []
        for (isDoor, line) in lines where !seen.contains(where: { $0 == (isDoor, line.id) }) {
            seen.append((isDoor, line.id))
            let same = lines.filter { $0.isDoor == isDoor && $0.line.id == line.id }
            let days = same.compactMap(\.line.schedule).map {
                OSSScheduleDay(weekdays: $0.weekdays, periods: [$0.period])
            }
            guard days.isEmpty || days.count == same.count else {
                throw ValidationError("\(line.id) is given with a schedule, and without one: that is always")
            }
            var number = 0
            if !days.isEmpty {
                number = (schedules.firstIndex(of: days) ?? schedules.count) + 1
                if number > schedules.count { schedules.append(days) }
            }
            guard number <= 15 else { throw ValidationError("more than 15 schedules do not fit into a credential") }
            entries.append(
                OSSDoorEntry(
                    id: line.id, isDoor: isDoor, schedule: UInt8(number), toggles: opens == .toggle,
                    isExtended: opens == .extended))
        }
        return (entries, schedules)
    }

    func perform() throws(CredentialError) -> [String] {
        let (reader, site) = try token.entry()
        let (start, end): (CivilTime?, CivilTime)
        let contents: StandardOfflineCredential
        do {
            (start, end) = try times()
            contents = try credential(reader, site, start, end)
        } catch {
            throw CredentialError("\(error)")
        }
        return try token.issue("oss-so", from: start, to: end) { issuer throws(StatusCode) in
            try issuer.standardOfflineToken(contents)
        }
    }

    private func credential(
        _ reader: SiteFile.Reader, _ site: SiteFile, _ start: CivilTime?, _ end: CivilTime
    ) throws -> StandardOfflineCredential {
        let (doors, schedules) = try entries(ownDoor: reader.doorID)
        guard let id = OSSCredentialID(token.credential), let last = OSSTimestamp(end) else {
            throw ValidationError("--credential or --to has no form in a credential")
        }
        return StandardOfflineCredential(
            info: OSSInfoFile(credentialID: id),
            data: OSSDataContents(
                validityEnd: last, siteID: UInt16(clamping: site.id), doors: doors, schedules: schedules),
            blacklist: OSSBlacklistFile(entries: try blacklist()),
            extensions: start.flatMap(OSSTimestamp.init).map(OSSExtensionFile.init(startOfValidity:)))
    }
}
