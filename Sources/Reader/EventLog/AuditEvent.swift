// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// The time of an event, with its quality.
public struct AuditTime: Hashable, Sendable {
    /// The source of the wall-clock time, and thus its reliability.
    public enum Quality: UInt8, CaseIterable, Sendable {
        /// The clock was not set.
        case unset = 0
        /// The system clock, with a plausible time that is not known to be correct.
        case system = 1
        /// The system clock, synchronised with a time server.
        case synchronised = 2
        /// Set by a phone.
        case phone = 3

        /// The name in the status, in exports and for a fleet (docs/operate/events.md).
        public var name: String {
            switch self {
            case .unset: "unset"
            case .system: "system"
            case .synchronised: "synchronised"
            case .phone: "phone"
            }
        }
    }

    /// Seconds since 1970-01-01 UTC; 0 while the clock is not set.
    public var epochSeconds: Int64
    /// The offset of local time from UTC in minutes, positive ahead of UTC.
    public var utcOffsetMinutes: Int16
    /// The quality of the time.
    public var quality: Quality
    /// Milliseconds on the monotonic clock, which starts with the system: the order of events while the clock is not
    /// set.
    public var uptimeMilliseconds: Int64

    /// Creates a time with these parts.
    public init(epochSeconds: Int64, utcOffsetMinutes: Int16, quality: Quality, uptimeMilliseconds: Int64) {
        self.epochSeconds = epochSeconds
        self.utcOffsetMinutes = utcOffsetMinutes
        self.quality = quality
        self.uptimeMilliseconds = uptimeMilliseconds
    }

    /// Creates the time of an input; `quality` applies if the clock is set.
    public init(_ moment: Moment, utcOffsetMinutes: Int, quality: Quality = .system) {
        epochSeconds = moment.epochSeconds ?? 0
        self.utcOffsetMinutes = Int16(clamping: utcOffsetMinutes)
        self.quality = moment.epochSeconds == nil ? .unset : quality
        uptimeMilliseconds = moment.instant.nanoseconds / 1_000_000
    }

    /// Creates the time of an input in this zone; `quality` applies if the clock is set.
    public init(_ moment: Moment, zone: TimeZoneRule, quality: Quality = .system) {
        let seconds = moment.epochSeconds.map { zone.offsetSeconds(at: $0) } ?? 0
        self.init(moment, utcOffsetMinutes: Int(seconds / 60), quality: quality)
    }

    /// The local time; nil while the clock is not set.
    public var local: CivilTime? {
        guard quality != .unset, (0...AuditTime.latest).contains(epochSeconds) else { return nil }
        return CivilTime(epochSeconds: epochSeconds, utcOffsetMinutes: Int(utcOffsetMinutes))
    }

    /// 9999-12-31 23:59:59. A later time has more digits than the columns of a table, and comes from a damaged log.
    private static let latest: Int64 = 253_402_300_799
}

/// The channel by which an event came about.
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
    /// A Matter node.
    case matter = 5
    /// A signed order of a back end.
    case remote = 6

    /// The channel's name in output.
    public var name: String {
        switch self {
        case .reader: "reader"
        case .bluetooth: "ble"
        case .nfc: "nfc"
        case .local: "local"
        case .control: "control"
        case .matter: "matter"
        case .remote: "remote"
        }
    }
}

/// An event for the log. It never contains a key, a token, or a credential's content other than its identifier.
public struct AuditEvent: Hashable, Sendable {
    /// The kind of the event.
    public var kind: AuditKind
    /// The time of the event.
    public var time: AuditTime
    /// Additional information, depending on the kind.
    public var info: Int32
    /// The sequence number to which the event refers, for kinds that have one.
    public var mark: UInt64 = 0
    /// The channel.
    public var channel: AuditChannel
    /// The link's number; 0 without a link.
    public var link: UInt32 = 0
    /// The advertising mode by which the link was established.
    public var mode: AdvertisingMode?
    /// The median RSSI that proved the phone near, in dBm.
    public var dBm: Int8?
    /// The credential's identifier, at most 10 octets. Not proven if the credential was refused.
    public private(set) var credential: String
    /// The command's name, at most 8 octets.
    public private(set) var command: String
    /// The originator if it is not a credential, as in `uid 1000`, or the user of a credential that another source than
    /// the site's list has; at most 32 octets.
    public private(set) var actor: String
    /// Further details; at most 64 octets.
    public private(set) var detail: String

    /// The maximum length of each text in octets; longer texts are cut.
    static let credentialLimit = 10
    static let commandLimit = 8
    static let actorLimit = 32
    static let detailLimit = 64

    /// Creates an event with these parts.
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

    /// Sets the details, cut at 64 octets.
    mutating func setDetail(_ detail: String) { self.detail = AuditEvent.cut(detail, to: AuditEvent.detailLimit) }

    /// Sets the originator, cut at 32 octets.
    mutating func setActor(_ actor: String) { self.actor = AuditEvent.cut(actor, to: AuditEvent.actorLimit) }

    /// Returns the event with another kind and information, as for a withdrawn grant.
    func changed(to kind: AuditKind, info: Int32) -> AuditEvent {
        var event = self
        event.kind = kind
        event.info = info
        return event
    }
}
