// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Protobuf
import Timekeeping

/// The commands that carry a time, and the local times of decisions. The shell owns the clock and is reached by a
/// request to the event store.
extension AccessReader {
    /// The local time; nil while unset.
    func clock(at moment: Moment) -> CivilTime? { configuration.civilTime(moment.epochSeconds) }

    /// The latest local time that the clock has shown, for the end of a validity.
    func latestClock(at moment: Moment) -> CivilTime? { configuration.civilTime(moment.latestSeconds) }

    /// The earliest possible local time, for the end of a blacklist entry.
    func earliestClock(at moment: Moment) -> CivilTime? { configuration.civilTime(moment.earliestSeconds) }

    /// The clock for the decision about a credential, where `now` is the time shown.
    func localClock(_ now: CivilTime?, at moment: Moment) -> LocalClock {
        guard let now else { return .unset }
        guard moment.latestSeconds != moment.epochSeconds || moment.earliestSeconds != moment.epochSeconds,
            let earliest = earliestClock(at: moment), let latest = latestClock(at: moment)
        else { return .certain(now) }
        return .moved(now, earliest: earliest, latest: latest)
    }

    /// The reason to refuse a command with a valid signature by the policy and the clock of this moment; nil to accept
    /// it. It is asked at the request, and again once its grant is recorded: both may have changed meanwhile.
    ///
    /// −21 without a policy; −13 for a revoked credential; −200 for a credential identifier that no blacklist can hold,
    /// since it could not be revoked; −13 outside of the validity. For a command that sets the clock and whose validity
    /// was not checked, −157 if it carries no time and −13 if it is not valid at the time that it carries. Nil also for
    /// data that cannot be decoded, which are refused as such.
    func refusal(of command: AuthorizedCommand, at moment: Moment) -> StatusCode? {
        guard !policy.isUnknown else { return .unavailable }
        guard OSSCredentialID(command.credentialID) != nil else { return .credentialID }
        guard !isBlacklisted(command, at: moment) else { return .validity }
        guard !command.wasValidityChecked else {
            return command.validity.contains(clock(at: moment), latest: latestClock(at: moment)) ? nil : .validity
        }
        guard let supplied = try? SuppliedTime(command) else { return nil }
        guard let seconds = supplied.epochSeconds else { return .currentTime }
        return isValid(command, at: seconds) ? nil : .validity
    }

    /// True if the command is valid at the time that it carries; `setClock` also needs a validity of at most one day.
    private func isValid(_ command: AuthorizedCommand, at epochSeconds: Int64) -> Bool {
        let (start, end) = (command.validity.start, command.validity.end)
        let isNarrow = start.isValid && end.isValid && end.epochSeconds - start.epochSeconds <= ReaderClock.signedSpan
        return command.validity.contains(configuration.zone.civilTime(at: epochSeconds))
            && (command.name != .setClock || isNarrow)
    }

    /// The request of `UPDATE`. A time that may not be set is no error: the status in the answer contains the clock's
    /// time, or reports an unset clock.
    ///
    /// - Throws: −32 for data that cannot be decoded; the errors of `accepted`.
    mutating func update(
        _ command: AuthorizedCommand, _ link: AccessLink, at moment: Moment, _ pushed: inout PushedConfiguration?
    ) throws(StatusCode) -> StorageWork {
        guard let update = try? SystemUpdate(decodingDelimited: command.data.span) else { throw .decode }
        // All of it is checked before any of it takes effect.
        let config = update.config
        if let config { pushed = try accepted(config, from: command, link, at: moment) }
        if configuration.isAudited, let time = update.timeUnix, isValid(command, at: Int64(time.epoch)) {
            effects.append(
                .store(StorageRequest(id: nil, work: .clock(epochSeconds: Int64(time.epoch), .phone))))
        }
        guard pushed != nil, var config else { return .counters }
        // Secrets that the reader does not use are not kept.
        config.online.wifiPassword = BoundedBytes()
        config.oss.sidMifareAesKey = BoundedBytes()
        config.oss.soMifareAesKey = BoundedBytes()
        var octets: [UInt8] = []
        config.encode(into: &octets)
        return .setting(PushedConfiguration.setting, octets)
    }

    /// The request of `time` and `CLK_SET`.
    ///
    /// - Throws: −32 for data that cannot be decoded; −13 for a time at which the command is not valid.
    func setTime(_ command: AuthorizedCommand) throws(StatusCode) -> StorageWork {
        guard let seconds = try SuppliedTime(command).epochSeconds else { throw .decode }
        guard isValid(command, at: seconds) else { throw .validity }
        return .clock(epochSeconds: seconds, command.name == .setClock ? .issuer : .phone)
    }
}

/// The time in a command that sets the clock.
private struct SuppliedTime {
    /// Seconds since 1970-01-01 UTC; nil if the command carries none.
    var epochSeconds: Int64?

    /// Throws −32 for data that cannot be decoded.
    init(_ command: AuthorizedCommand) throws(StatusCode) {
        do throws(ProtobufError) {
            epochSeconds =
                command.name == .update
                ? try SystemUpdate(decodingDelimited: command.data.span).timeUnix.map { Int64($0.epoch) }
                : Int64(try SystemTimeUnix(decodingDelimited: command.data.span).epoch)
        } catch {
            throw .decode
        }
    }
}

extension ReaderClock {
    /// The longest validity of a `CLK_SET` token in seconds: its signature certifies the time to a day.
    static let signedSpan: Int64 = 86_400
}

extension ReaderClock.Outcome {
    /// The status for `time` and `CLK_SET`: −4 if the system clock takes precedence, −3 for a time that may not be set.
    var status: StatusCode {
        switch self {
        case .done: .ok
        case .synchronised: .invalidState
        case .tooEarly, .tooFarBack, .tooFarAhead: .invalidArguments
        }
    }
}
