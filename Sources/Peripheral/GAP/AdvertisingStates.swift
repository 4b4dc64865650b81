// SPDX-License-Identifier: Apache-2.0

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
/// Each set stays for two advertising events. The turn's time continues while phones connect, so that phones which
/// repeatedly connect to one set do not keep the others off the air.
struct AdvertisingTurns: Equatable {
    /// Advertising events of one set before the next one's turn.
    static let dwellEvents = 2

    private(set) var index = 0
    /// The end of the turn; nil until the set is first enabled, and for a single set.
    private(set) var end: Instant?

    /// True if the turn has ended.
    func isOver(at now: Instant) -> Bool { end.map { now >= $0 } ?? false }

    /// Starts the turn of an enabled set. `interval` is its advertising interval when `count` sets take turns.
    mutating func began(_ interval: Duration, of count: Int, at now: Instant) {
        guard count > 1, end == nil else { return }
        end = now + interval * AdvertisingTurns.dwellEvents
    }

    /// Passes the turn to the next of `count` sets.
    mutating func next(of count: Int) { self = AdvertisingTurns(index: (index + 1) % max(count, 1)) }

    /// Handles a change of the sets, now `count`: the turn continues if its set is at `index`.
    mutating func stay(with index: Int?, of count: Int) {
        guard let index, count > 1 else { return self = AdvertisingTurns(index: index ?? 0) }
        self.index = index
    }

    /// The turn of the set at `index`, not started.
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
    /// The links leave no room: until a link ends, or until a time if the host has no links.
    case noRoom(until: Instant?)
    /// A command was refused for another reason.
    case until(Instant)

    /// True for a status which means that the links leave no room for advertising (DESIGN §4).
    static func isForWantOfRoom(_ status: HCIStatus) -> Bool {
        [.connectionLimitExceeded, .commandDisallowed, .limitedResources].contains(status)
    }

    /// True if the pause continues at `now`.
    func holds(at now: Instant) -> Bool {
        switch self {
        case .none: false
        case .noRoom(let end): end.map { now < $0 } ?? true
        case .until(let end): now < end
        }
    }

    /// The end of the pause without other events.
    var end: Instant? {
        switch self {
        case .none: nil
        case .noRoom(let end): end
        case .until(let end): end
        }
    }

    /// Handles the end of a link: the controller may have room.
    mutating func linkEnded() {
        if case .noRoom = self { self = .none }
    }
}

/// The circumstances of a refusal to enable advertising.
struct EnableRefusal {
    var status: HCIStatus
    /// True if the host has a connection.
    var hasLinks: Bool
    /// True if a connection has ended since the command was sent: the refusal may precede the room.
    var linkEndedMeanwhile: Bool

    /// True if parameters and data must be sent again, because the controller may have lost them. A refusal for want of
    /// room does not mean that, unless the host has no link that could take the room.
    var asksForReload: Bool { !(AdvertisingPause.isForWantOfRoom(status) && hasLinks) }

    /// The pause of advertising after the refusal.
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

    /// Resets the pause after a success.
    mutating func reset() { failures = 0 }
}
