import Timekeeping

/// One step towards the advertising that is wanted.
enum AdvertisingCommand: Equatable {
    case randomAddress(BluetoothAddress)
    case legacyParameters(interval: UInt16)
    case legacyData([UInt8])
    case legacyScanResponse([UInt8])
    case legacyEnable(Bool)
    case parameters(set: UInt8, interval: UInt16)
    case address(set: UInt8, BluetoothAddress)
    case data(set: UInt8, [UInt8])
    case scanResponse(set: UInt8, [UInt8])
    case enable([UInt8])
    /// No set at all means every one.
    case disable([UInt8])
    case remove(set: UInt8)
}

/// What the controller's advertiser, or one of its sets, is doing.
enum OnAir: Equatable {
    case off, on
    /// The controller knows, the host does not.
    case unknown
}

/// Why advertising waits although it is wanted.
enum AdvertisingPause: Equatable {
    case none
    /// There is no room beside the links: until one ends, or until a time if the host knows of none.
    case noRoom(until: Instant?)
    /// A command was refused otherwise.
    case until(Instant)

    /// Whether a controller says with this status that it cannot advertise beside its links (DESIGN §4).
    static func isForWantOfRoom(_ status: HCIStatus) -> Bool {
        [.connectionLimitExceeded, .commandDisallowed, .limitedResources].contains(status)
    }

    /// Whether the pause holds at `now`.
    func holds(at now: Instant) -> Bool {
        switch self {
        case .none: false
        case .noRoom(let end): end.map { now < $0 } ?? true
        case .until(let end): now < end
        }
    }

    /// When the pause ends by itself.
    var end: Instant? {
        switch self {
        case .none: nil
        case .noRoom(let end): end
        case .until(let end): end
        }
    }

    /// A link has ended: there may be room.
    mutating func linkEnded() {
        if case .noRoom = self { self = .none }
    }
}

/// What is known when the controller refuses to enable advertising.
struct EnableRefusal {
    var status: HCIStatus
    /// Whether the host knows of any connection.
    var hasLinks: Bool
    /// Whether one has ended since the command was sent: the refusal may be older than the room.
    var linkEndedMeanwhile: Bool

    /// Whether what the controller was given has to be given again: it may have lost it. Refusals for want of room say
    /// nothing of that, unless there is nobody who could take the room.
    var asksForReload: Bool { !(AdvertisingPause.isForWantOfRoom(status) && hasLinks) }

    /// For how long advertising waits.
    func pause(at now: Instant, backOff: inout BackOff) -> AdvertisingPause {
        guard AdvertisingPause.isForWantOfRoom(status) else { return .until(now + backOff.next()) }
        if linkEndedMeanwhile { return .none }
        return .noRoom(until: hasLinks ? nil : now + backOff.next())
    }
}

extension AdvertisingSet {
    /// The shortest interval that a connectable advertiser may have (Core 5.4, Vol 6, Part B, 4.4.2.2).
    static let shortestInterval = Duration.milliseconds(20)
    /// The longest that the legacy commands can say.
    static let longestInterval = Duration.milliseconds(10_240)

    /// The interval when `sets` share one advertiser: their part of the set's own, never too short.
    func sharedInterval(sets: Int) -> Duration {
        min(max(interval / max(sets, 1), AdvertisingSet.shortestInterval), AdvertisingSet.longestInterval)
    }

    /// The number by which the commands say an interval: units of 0.625 ms, rounded down.
    static func units(_ interval: Duration) -> UInt16 {
        let units = interval.wholeNanoseconds / 625_000
        return UInt16(clamping: min(max(units, 0x0020), 0x4000))
    }

    /// Whether a controller can take the set as it is.
    var isServable: Bool {
        id <= 0xEF && data.count <= AdvertisingSet.maximumDataCount
            && scanResponse.count <= AdvertisingSet.maximumDataCount
    }
}

/// How long advertising waits after refusals in a row: 250 ms, doubled each time, at most 8 s.
struct BackOff: Equatable {
    private var failures = 0

    /// The wait after one more failure.
    mutating func next() -> Duration {
        failures = min(failures + 1, 6)
        return .milliseconds(250 << (failures - 1))
    }

    /// It worked.
    mutating func reset() { failures = 0 }
}
