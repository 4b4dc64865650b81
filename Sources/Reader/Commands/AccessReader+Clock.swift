import AccessProtocol
import Protobuf
import Timekeeping

/// The commands that bring a time, and the local times that decisions go by. The clock itself is with the shell: a
/// request out, an answer in.
extension AccessReader {
    /// The local time, nil while it is not known.
    func clock(at moment: Moment) -> CivilTime? { configuration.civilTime(moment.epochSeconds) }

    /// The latest local time that the clock has shown: for ends.
    func latestClock(at moment: Moment) -> CivilTime? { configuration.civilTime(moment.latestSeconds) }

    /// The earliest local time that it can be: for what keeps people out until a time.
    func earliestClock(at moment: Moment) -> CivilTime? { configuration.civilTime(moment.earliestSeconds) }

    /// What a credential is decided by, where the clock shows `now`.
    func localClock(_ now: CivilTime?, at moment: Moment) -> LocalClock {
        guard let now else { return .unset }
        guard moment.latestSeconds != moment.epochSeconds || moment.earliestSeconds != moment.epochSeconds,
            let earliest = earliestClock(at: moment), let latest = latestClock(at: moment)
        else { return .certain(now) }
        return .moved(now, earliest: earliest, latest: latest)
    }

    /// Why a command with a good signature is not looked at any further: −200 for a credential whose name no blacklist
    /// can hold, so that nobody could call it back; of a command that sets the clock −157 for one that was not compared
    /// with the clock and brings no time, −13 for one that is not valid at the time that it brings. Nil if there is no
    /// reason, and for octets that cannot be read, which are refused as such.
    func refusal(of command: AuthorizedCommand) -> StatusCode? {
        guard OSSCredentialID(command.credentialID) != nil else { return .credentialID }
        guard !command.wasValidityChecked, let brought = try? BroughtTime(command) else { return nil }
        guard let seconds = brought.epochSeconds else { return .currentTime }
        return isValid(command, at: seconds) ? nil : .validity
    }

    /// Whether the command is valid at the time that it brings; `setClock` only if its validity names that to a day.
    private func isValid(_ command: AuthorizedCommand, at epochSeconds: Int64) -> Bool {
        let (start, end) = (command.validity.start, command.validity.end)
        let isNarrow = start.isValid && end.isValid && end.epochSeconds - start.epochSeconds <= ReaderClock.signedSpan
        return command.validity.contains(configuration.zone.civilTime(at: epochSeconds))
            && (command.name != .setClock || isNarrow)
    }

    /// What `UPDATE` asks for; throws −32 for octets that are no such message, and what `PushedConfiguration` throws. A
    /// time that may not be set is no error: the phone sees in the status what time it is, and whether there is one.
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
        // Secrets that nothing here uses are not kept.
        config.online.wifiPassword = BoundedBytes()
        config.oss.sidMifareAesKey = BoundedBytes()
        config.oss.soMifareAesKey = BoundedBytes()
        var octets: [UInt8] = []
        config.encode(into: &octets)
        return .setting(PushedConfiguration.setting, octets)
    }

    /// What `time` and `CLK_SET` ask for; throws −32 for octets that are no such message, −13 for a time at which the
    /// command is not valid.
    func setTime(_ command: AuthorizedCommand) throws(StatusCode) -> StorageWork {
        guard let seconds = try BroughtTime(command).epochSeconds else { throw .decode }
        guard isValid(command, at: seconds) else { throw .validity }
        return .clock(epochSeconds: seconds, command.name == .setClock ? .issuer : .phone)
    }
}

/// The time in a command that sets the clock.
private struct BroughtTime {
    /// Seconds since 1970-01-01 UTC; nil if the command brings none.
    var epochSeconds: Int64?

    /// Throws −32 for data that are no such message.
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
    /// The longest validity of a `CLK_SET` token: a signature that says the time says it to a day.
    static let signedSpan: Int64 = 86_400
}

extension ReaderClock.Outcome {
    /// What a phone is told that asked for nothing else: −4 where the system's clock is believed instead, −3 for a time
    /// that a phone may not set.
    var status: StatusCode {
        switch self {
        case .done: .ok
        case .synchronised: .invalidState
        case .tooEarly, .tooFarBack, .tooFarAhead: .invalidArguments
        }
    }
}
