// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
internal import Protobuf
public import Timekeeping

/// A request of a phone to a reader: what its token asks for.
public enum PhoneRequest: Equatable, Sendable {
    /// A command, with its data.
    case command(CommandName, Payload)
    /// Access by an OSS Standard Offline credential.
    case standardOffline
    /// Access by an OSS Secure Identifier.
    case secureIdentifier

    /// The data of a command (docs/protocol/commands.md), composed when it is sent.
    public enum Payload: Equatable, Sendable {
        /// None, or what a token brings.
        case none
        /// A delimited message.
        case octets([UInt8])
        /// `SystemTimeUnix`.
        case time(ClockSetting)
        /// `SystemUpdate` with the phone's time, and a configuration if there is one.
        case update(SystemConfig?)
    }

    /// A time for a reader's clock.
    public enum ClockSetting: Equatable, Sendable {
        /// The phone's time when the request is sent.
        case now
        /// Seconds since 1970-01-01 UTC.
        case at(UInt32)
    }

    /// The request to open the door.
    public static let open = PhoneRequest.command(.open, .none)
    /// The request for the reader's status.
    public static let status = PhoneRequest.command(.status, .none)

    /// The name for people: the command's name, or the kind of the credential.
    public var name: String {
        switch self {
        case .command(let command, _): command.rawValue
        case .standardOffline: "oss-so"
        case .secureIdentifier: "oss-sid"
        }
    }

    /// The command; nil for a credential.
    public var command: CommandName? {
        guard case .command(let command, _) = self else { return nil }
        return command
    }

    /// The data, when the phone's clock shows `epochSeconds`; nil to send the token's own data.
    func octets(epochSeconds: UInt32) -> [UInt8]? {
        guard case .command(_, let payload) = self else { return nil }
        var octets: [UInt8] = []
        switch payload {
        case .none: return nil
        case .octets(let data): return data
        case .time(.now): SystemTimeUnix(epoch: epochSeconds).encodeDelimited(into: &octets)
        case .time(.at(let epoch)): SystemTimeUnix(epoch: epoch).encodeDelimited(into: &octets)
        case .update(let configuration):
            SystemUpdate(config: configuration, timeUnix: SystemTimeUnix(epoch: epochSeconds))
                .encodeDelimited(into: &octets)
        }
        return octets
    }
}

/// The phone's wall clock: its reading at one instant.
public struct PhoneClock: Equatable, Sendable {
    /// The instant.
    public var instant: Instant
    /// Seconds since 1970-01-01 UTC at that instant.
    public var epochSeconds: Int64
    /// The offset of the phone's local time from UTC in minutes.
    public var utcOffsetMinutes: Int

    /// A clock that shows `epochSeconds` at `instant`.
    public init(_ epochSeconds: Int64, at instant: Instant, utcOffsetMinutes: Int = 0) {
        self.epochSeconds = epochSeconds
        self.instant = instant
        self.utcOffsetMinutes = utcOffsetMinutes
    }

    /// The local time at `now`.
    func localTime(at now: Instant) -> CivilTime {
        CivilTime(epochSeconds: Int64(epochSeconds(at: now)), utcOffsetMinutes: utcOffsetMinutes)
    }

    /// The reading at `now`.
    func epochSeconds(at now: Instant) -> UInt32 {
        UInt32(clamping: epochSeconds + (now - instant).wholeNanoseconds / 1_000_000_000)
    }
}

extension PhoneRequest.Payload {
    /// `EventLogQuery` for the newest events.
    public static var newestEvents: PhoneRequest.Payload {
        message(EventLogQuery(maxCount: EventReading.eventsPerAnswer, start: .fromHead(true)))
    }

    /// `SystemLogQuery` for the newest lines.
    public static var newestLines: PhoneRequest.Payload {
        message(SystemLogQuery(maxCount: 10, start: .fromHead(true)))
    }

    private static func message(_ message: some ProtobufMessage) -> PhoneRequest.Payload {
        var octets: [UInt8] = []
        message.encodeDelimited(into: &octets)
        return .octets(octets)
    }
}

extension PhoneRequest {
    /// The configuration that is encoded in `octets`; nil if they encode none.
    public static func configuration(_ octets: [UInt8]) -> SystemConfig? { try? SystemConfig(decoding: octets.span) }
}
