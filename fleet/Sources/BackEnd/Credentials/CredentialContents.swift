// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import FoundationEssentials
import Octets
import Timekeeping

/// The contents of a token for display, without its octets.
public struct CredentialContents: Encodable, Equatable, Sendable {
    /// The reader's name.
    public var reader: String
    /// `command`, `oss-so` or `oss-sid`.
    public var kind: String
    /// The credential's identifier.
    public var credential: String
    /// The command, for a command token.
    public var command: String?
    /// The start of the validity.
    public var from: String?
    /// The end of the validity.
    public var to: String?
    /// The site number of an OSS Standard Offline credential.
    public var site: Int?
    /// The doors that it opens.
    public var doors: [Entry]?
    /// The door groups; 0 is the master group.
    public var groups: [Entry]?
    /// The credentials that it adds to readers' blacklists.
    public var blacklist: [Refused]?

    /// A door or a group.
    public struct Entry: Encodable, Equatable, Sendable {
        /// The number.
        public var id: Int
        /// `default`, `extended` or `toggle`, as in `--opens`.
        public var opens: String
        /// The times, as in `--door`; nil for always.
        public var times: [String]?
    }

    /// A credential on the blacklist.
    public struct Refused: Encodable, Equatable, Sendable {
        /// The credential's identifier.
        public var credential: String
        /// The end of the entry; nil for none.
        public var until: String?
    }

    /// The contents of a token for this reader.
    public init(_ token: PhoneBundle.Token, reader: String) throws(CredentialError) {
        self.reader = reader
        (kind, credential, command) = (token.kind, token.credential, token.command)
        (from, to) = (token.from, token.to)
        guard let octets = token.octets else {
            throw CredentialError("the token of \(credential) for reader \(reader) is no base64")
        }
        do throws(StatusCode) {
            guard let carried = try StandardOfflineCredential(token: octets.span) else { return }
            site = Int(carried.data.siteID)
            doors = carried.data.doors.filter(\.isDoor).map { Entry($0, carried.data.schedules) }
            groups = carried.data.doors.filter { !$0.isDoor }.map { Entry($0, carried.data.schedules) }
            blacklist = carried.blacklist.entries.map {
                Refused(
                    credential: $0.credentialID.text,
                    until: $0.expiresAt.isUnset ? nil : LocalMinute.text($0.expiresAt.civilTime))
            }
        } catch {
            throw CredentialError(
                "the token of \(credential) for reader \(reader) cannot be read: status \(error.explained)")
        }
    }

    /// The text form: a summary, followed by a line for each door, group and blacklisted credential.
    public var lines: [String] {
        let what = command.map { "command \($0)" } ?? kind
        let first = "\(what) for reader \(reader), credential \(credential), \(TokenFile.period(from, to))"
        let opened = (doors ?? []).map { "  door \($0.text)" } + (groups ?? []).map { "  group \($0.text)" }
        return [first] + opened
            + (blacklist ?? []).map { "  refuses \($0.credential) " + ($0.until.map { "until \($0)" } ?? "for ever") }
    }
}

extension CredentialContents.Entry {
    init(_ entry: OSSDoorEntry, _ schedules: [[OSSScheduleDay]]) {
        id = Int(entry.id)
        opens = entry.toggles ? "toggle" : entry.isExtended ? "extended" : "default"
        guard entry.schedule > 0 else { return }
        times = schedules[Int(entry.schedule) - 1].flatMap { day in
            day.periods.map { "\(Self.text(weekdays: day.weekdays)) \(Self.text($0.from))-\(Self.text($0.to))" }
        }
    }

    /// Returns an entry such as `7: mon-fri 07:00-19:00, sat 09:00-13:00; extended`.
    fileprivate var text: String {
        let when = times.map { $0.isEmpty ? "never" : $0.joined(separator: ", ") } ?? "always"
        return "\(id): \(when)" + (opens == "default" ? "" : "; \(opens)")
    }

    /// Returns minutes of the day as `07:00`.
    private static func text(_ minute: UInt16) -> String {
        [minute / 60, minute % 60].map { $0.padded(to: 2) }.joined(separator: ":")
    }

    /// Returns weekdays as `mon-fri` or `sat,sun`, as in `--door`.
    public static func text(weekdays: UInt8) -> String {
        let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
        var runs: [ClosedRange<Int>] = []
        for day in names.indices where weekdays >> UInt8(day) & 1 == 1 {
            if let last = runs.last, last.upperBound == day - 1 {
                runs[runs.count - 1] = last.lowerBound...day
            } else {
                runs.append(day...day)
            }
        }
        return runs.map { run in
            run.count > 2
                ? "\(names[run.lowerBound])-\(names[run.upperBound])" : run.map { names[$0] }.joined(separator: ",")
        }
        .joined(separator: ",")
    }
}
