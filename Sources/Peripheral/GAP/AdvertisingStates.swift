import Octets
import Timekeeping

/// The answer of a controller to an advertising command.
struct AdvertisingAnswer: Equatable {
    var status: HCIStatus
    /// The power in dBm, if the command returns it and it is a possible value.
    var power: Int8?

    /// An answer with a status alone.
    init(_ status: HCIStatus) { self.status = status }

    /// Reads the status and the power, which some controllers omit. Only `AdvertisingCommand.legacyPower` and
    /// `AdvertisingCommand.parameters` return it.
    init(_ packet: Span<UInt8>, in range: Range<Int>, requiresPower: Bool) {
        let answer = CommandAnswer(packet, in: range) { (packet, cursor) throws(OctetError) -> Int8? in
            guard requiresPower || cursor.remaining > 0 else { return nil }
            let power = try cursor.i8(packet)
            return AdvertisingSet.transmitPowers.contains(power) ? power : nil
        }
        status = answer.refusal ?? .success
        if case .success(let power) = answer { self.power = power }
    }
}

/// The turns of the sets that share an advertiser.
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

/// The state of the controller's advertiser, or of one set.
enum OnAir: Equatable {
    case off, on
    /// Not known to the host.
    case unknown
}

/// The reason for a pause of enabled advertising.
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

/// The circumstances of a refusal to enable advertising.
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

/// The pause after consecutive refusals: 250 ms, doubled each time, at most 8 s.
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
