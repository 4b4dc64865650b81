import Timekeeping

/// One step towards the advertising that is wanted.
enum AdvertisingCommand: Equatable {
    /// The one random address of a controller; its sets have addresses of their own beside it.
    case randomAddress(BluetoothAddress)
    /// The address of the legacy advertiser while it has this set.
    case legacyAddress(set: UInt8, BluetoothAddress)
    case legacyParameters(AdvertisingParameters)
    /// The power of the legacy advertiser is asked for.
    case legacyPower
    case legacyData([UInt8])
    case legacyScanResponse([UInt8])
    case legacyEnable(Bool)
    case parameters(set: UInt8, AdvertisingParameters)
    case address(set: UInt8, BluetoothAddress)
    case data(set: UInt8, [UInt8])
    case scanResponse(set: UInt8, [UInt8])
    case enable([UInt8])
    /// No set at all means every one.
    case disable([UInt8])
    case remove(set: UInt8)
}

/// What a controller said to an advertising command.
struct AdvertisingAnswer: Equatable {
    var status: HCIStatus
    /// The power in dBm, where the command returns it and the controller knows it.
    var power: Int8?

    /// An answer that tells no more than a status.
    init(_ status: HCIStatus) { self.status = status }

    /// An answer that tells of power.
    init(_ answer: CommandAnswer<Int8?>) {
        switch answer {
        case .success(let power):
            status = .success
            self.power = power
        case .refused(let status): self.status = status
        }
    }
}

/// Which of the sets that share an advertiser has its turn.
///
/// Each set stays for two advertising events. The turn goes on while phones connect, so that phones which connect to
/// one set all the time do not keep the others off the air.
struct AdvertisingTurns: Equatable {
    /// Advertising events of one set before the next one's turn.
    static let dwellEvents = 2

    private(set) var index = 0
    /// When the set has had its time; nil until it is first on the air, and for a set alone.
    private(set) var end: Instant?

    /// Whether it is another set's turn.
    func isOver(at now: Instant) -> Bool { end.map { now >= $0 } ?? false }

    /// The set is on the air, with `interval`, which it has as one of `count`.
    mutating func began(_ interval: Duration, of count: Int, at now: Instant) {
        guard count > 1, end == nil else { return }
        end = now + interval * AdvertisingTurns.dwellEvents
    }

    /// It is the turn of the next one of `count`.
    mutating func next(of count: Int) { self = AdvertisingTurns(index: (index + 1) % max(count, 1)) }

    /// The sets are others, or in another order, `count` of them: the turn goes on if its set is among them.
    mutating func stay(with index: Int?, of count: Int) {
        guard let index, count > 1 else { return self = AdvertisingTurns(index: index ?? 0) }
        self.index = index
    }

    /// The turn of the set at `index`, which has not begun.
    init(index: Int = 0) { self.index = index }
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
