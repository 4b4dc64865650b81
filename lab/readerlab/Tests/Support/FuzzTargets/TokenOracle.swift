// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Protobuf
import Reader
import Timekeeping

/// Permissions to act and to open, by the rules alone: the token as it was made, the account of the clock, the list as
/// the disk has acknowledged it, and whether the policy is known.
struct TokenOracle {
    var clock: ClockAccount
    var isPolicyKnown: Bool
    /// The credentials that are refused.
    var refused: Set<String>
    /// The door's site, number and group are those that sound credentials are for.
    var site: UInt16 = 1
    var door: UInt16 = 1
    var groups: Set<UInt16> = [7]

    /// The names of the commands that let somebody in (access protocol, 6.1).
    static let opening: Set<String> = ["tokn", "enof", "toof"]

    /// The reason for which the phone gets no result for it; nil if nothing forbids one. A denied credential is told by
    /// a result.
    func reasonNotToAnswer(_ token: ForgedToken) -> String? {
        guard token.isSigned else { return "nobody has signed it" }
        guard isPolicyKnown else { return "the policy is not known" }
        switch token.content {
        case .raw: return "it is no token"
        case .standardOffline, .identifier: return clock.shown == nil ? "there is no time" : nil
        case .command(let command):
            let name = command.credentialId.id.ascii ?? ""
            guard !name.isEmpty, !name.utf8.contains(0) else { return "its credential cannot be refused" }
            if refused.contains(name) { return "its credential is refused" }
            return reasonOfTime(command)
        }
    }

    /// The reason for which it does not open the door; nil if nothing forbids that.
    func reasonNotToOpen(_ token: ForgedToken) -> String? {
        if let reason = reasonNotToAnswer(token) { return reason }
        switch token.content {
        case .raw: return "it is no token"
        case .command(let command):
            guard TokenOracle.opening.contains(command.command.ascii ?? "") else { return "its command opens nothing" }
            return token.isForGroup ? "it is signed for maintenance" : nil
        case .identifier(let file):
            let sound = ForgedToken.identifier
            guard file.starts(with: sound), [sound.count, 32].contains(file.count),
                !file[13...].contains(where: { $0 != 0 })
            else { return "it is not listed" }
            return refused.contains(ForgedCredential.names[0]) ? "it is refused" : nil
        case .standardOffline(let files): return oracle(files).reason
        }
    }

    /// The reason for which a token that brings `time` may not set the clock to it as `authority`; nil if it may.
    func reasonNotToSet(_ time: Int64, by authority: ReaderClock.Authority, _ token: ForgedToken) -> String? {
        if let reason = reasonNotToAnswer(token) { return reason }
        guard case .command(let command) = token.content, TokenOracle.broughtTime(command) == time else {
            return "it brings no such time"
        }
        guard TokenOracle.isValid(command, at: time, latest: time) else { return "it is not valid at its own time" }
        switch authority {
        case .operatorLocally: return "no phone is an operator"
        case .issuer: return command.command.ascii == "CLK_SET" ? nil : "only CLK_SET is as good as signed"
        case .phone: return command.command.ascii == "CLK_SET" ? "CLK_SET is not taken as such" : nil
        }
    }

    private func oracle(_ files: ForgedCredential) -> CredentialOracle {
        CredentialOracle(
            files: files, clock: clock.shown.map { CivilTime(epochSeconds: $0) },
            latest: CivilTime(epochSeconds: clock.latest), site: site, door: door, groups: groups,
            takesMasterGroup: true, takesInterventionMedia: false, refused: refused)
    }

    // MARK: The times of commands

    private func reasonOfTime(_ command: SessionTokenCommand) -> String? {
        let name = command.command.ascii ?? ""
        let brought = TokenOracle.broughtTime(command)
        if name == "CLK_SET" {
            guard let brought, TokenOracle.isValid(command, at: brought, latest: brought) else {
                return "it is not valid at the time that it brings"
            }
            return TokenOracle.isNarrow(command) ? nil : "its validity does not say the time to a day"
        }
        if let shown = clock.shown {
            return TokenOracle.isValid(command, at: shown, latest: clock.latest) ? nil : "it is not valid"
        }
        guard ["UPDATE", "time"].contains(name), let brought else { return "there is no time" }
        return TokenOracle.isValid(command, at: brought, latest: brought)
            ? nil : "it had ended by the time that it brings"
    }

    /// The time that a command of the clock brings, in seconds since 1970.
    private static func broughtTime(_ command: SessionTokenCommand) -> Int64? {
        switch command.command.ascii {
        case "UPDATE":
            (try? SystemUpdate(decodingDelimited: command.data.octets.span))?.timeUnix.map { Int64($0.epoch) }
        case "time", "CLK_SET":
            (try? SystemTimeUnix(decodingDelimited: command.data.octets.span)).map { Int64($0.epoch) }
        default: nil
        }
    }

    /// From its start to second 00 of its end, field by field.
    private static func isValid(_ command: SessionTokenCommand, at now: Int64, latest: Int64) -> Bool {
        var end = fields(command.validityEnd)
        end[5] = 0
        return !fields(now).lexicographicallyPrecedes(fields(command.validityStart))
            && !end.lexicographicallyPrecedes(fields(max(now, latest)))
    }

    private static func isNarrow(_ command: SessionTokenCommand) -> Bool {
        let (start, end) = (CivilTime(command.validityStart), CivilTime(command.validityEnd))
        return start.isValid && end.isValid && end.epochSeconds - start.epochSeconds <= 86_400
    }

    private static func fields(_ time: LocalTimestamp) -> [Int64] {
        [time.year, time.month, time.date, time.hours, time.minutes, time.seconds].map { Int64($0) }
    }

    private static func fields(_ epochSeconds: Int64) -> [Int64] {
        let time = CivilTime(epochSeconds: epochSeconds)
        return [time.year, time.month, time.day, time.hour, time.minute, time.second].map { Int64($0) }
    }
}

extension BoundedBytes {
    /// A copy.
    fileprivate var octets: [UInt8] { withSpan { $0.array } }
}
