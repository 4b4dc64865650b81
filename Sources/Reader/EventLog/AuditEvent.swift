public import Timekeeping

/// What is known of an event's time.
public struct AuditTime: Hashable, Sendable {
    /// Where the wall clock's time comes from, and so how far it can be believed.
    public enum Quality: UInt8, CaseIterable, Sendable {
        /// Nobody has set the clock.
        case unset = 0
        /// The system's clock shows a possible time; nothing says that it is right.
        case system = 1
        /// The system's clock is synchronised with a time server.
        case synchronised = 2
        /// A phone set it.
        case phone = 3
    }

    /// Seconds since 1970-01-01 UTC; 0 while the clock is not set.
    public var epochSeconds: Int64
    /// How far local time was ahead of UTC.
    public var utcOffsetMinutes: Int16
    /// How far the time can be believed.
    public var quality: Quality
    /// Milliseconds on the monotonic clock, which starts with the system: orders events while the clock is not set.
    public var uptimeMilliseconds: Int64

    /// A time with these parts.
    public init(epochSeconds: Int64, utcOffsetMinutes: Int16, quality: Quality, uptimeMilliseconds: Int64) {
        self.epochSeconds = epochSeconds
        self.utcOffsetMinutes = utcOffsetMinutes
        self.quality = quality
        self.uptimeMilliseconds = uptimeMilliseconds
    }

    /// The time of an input; a clock that is set has this quality.
    public init(_ moment: Moment, utcOffsetMinutes: Int, quality: Quality = .system) {
        epochSeconds = moment.epochSeconds ?? 0
        self.utcOffsetMinutes = Int16(clamping: utcOffsetMinutes)
        self.quality = moment.epochSeconds == nil ? .unset : quality
        uptimeMilliseconds = moment.instant.nanoseconds / 1_000_000
    }

    /// The time of an input, in this zone; a clock that is set has this quality.
    public init(_ moment: Moment, zone: TimeZoneRule, quality: Quality = .system) {
        let seconds = moment.epochSeconds.map { zone.offsetSeconds(at: $0) } ?? 0
        self.init(moment, utcOffsetMinutes: Int(seconds / 60), quality: quality)
    }

    /// The local time; nil while the clock is not set.
    public var local: CivilTime? {
        guard quality != .unset, (0...AuditTime.latest).contains(epochSeconds) else { return nil }
        return CivilTime(epochSeconds: epochSeconds, utcOffsetMinutes: Int(utcOffsetMinutes))
    }

    /// 9999-12-31: a later one has more digits than a table, and comes from a damaged log.
    private static let latest: Int64 = 253_402_300_799
}

/// The way by which an event came about.
public enum AuditChannel: UInt8, CaseIterable, Sendable {
    /// The reader itself.
    case reader = 0
    /// A phone over Bluetooth LE.
    case bluetooth = 1
    /// A phone or card over NFC.
    case nfc = 2
    /// An input line or a schedule at the door.
    case local = 3
    /// The control socket.
    case control = 4

    /// A word for people and machines.
    public var name: String {
        switch self {
        case .reader: "reader"
        case .bluetooth: "ble"
        case .nfc: "nfc"
        case .local: "local"
        case .control: "control"
        }
    }
}

/// Something that happened, as it goes into the log. Never a key, a token, or a credential's content: of a
/// credential only the identifier.
public struct AuditEvent: Hashable, Sendable {
    /// What happened.
    public var kind: AuditKind
    /// When.
    public var time: AuditTime
    /// More about it, depending on the kind.
    public var info: Int32
    /// The sequence number that it speaks of, for kinds that do.
    public var mark: UInt64 = 0
    /// By which way.
    public var channel: AuditChannel
    /// The link's number, 0 if there is none.
    public var link: UInt32 = 0
    /// The mode that the link came by.
    public var mode: AdvertisingMode?
    /// The median that proved the phone near, in dBm.
    public var dBm: Int8?
    /// The credential's identifier, at most 10 octets; what a refused one claims is not proven.
    public private(set) var credential: String
    /// The command's name, at most 8 octets.
    public private(set) var command: String
    /// Who, where it is not the credential: `uid 1000`; at most 32 octets.
    public private(set) var actor: String
    /// What else there is to say; at most 64 octets.
    public private(set) var detail: String

    /// The most octets of each text; what is longer is cut.
    static let credentialLimit = 10
    static let commandLimit = 8
    static let actorLimit = 32
    static let detailLimit = 64

    /// An event with these parts.
    public init(
        _ kind: AuditKind, at time: AuditTime, info: Int32 = 0, channel: AuditChannel = .reader,
        credential: String = "", command: String = "", actor: String = "", detail: String = ""
    ) {
        self.kind = kind
        self.time = time
        self.info = info
        self.channel = channel
        self.credential = AuditEvent.cut(credential, to: AuditEvent.credentialLimit)
        self.command = AuditEvent.cut(command, to: AuditEvent.commandLimit)
        self.actor = AuditEvent.cut(actor, to: AuditEvent.actorLimit)
        self.detail = AuditEvent.cut(detail, to: AuditEvent.detailLimit)
    }

    private static func cut(_ text: String, to limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var kept = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= limit else { break }
            kept.append(scalar)
        }
        return String(kept)
    }

    /// Says what else there is to say; cut at 64 octets.
    mutating func tell(_ detail: String) { self.detail = AuditEvent.cut(detail, to: AuditEvent.detailLimit) }

    /// The same event as one of another kind, as when a grant is withdrawn.
    func changed(to kind: AuditKind, info: Int32) -> AuditEvent {
        var event = self
        event.kind = kind
        event.info = info
        return event
    }
}
