// SPDX-License-Identifier: Apache-2.0

public import Peripheral
import SeededNumbers
public import Timekeeping

/// The radio medium between Bluetooth LE controllers, on a virtual clock: reception, levels, timing.
///
/// Advertising events and connection events occur at their real times; one event is an instant, and its packets take
/// no time. All random choices (advertising delays, fluctuation, loss, which of two colliding initiators is received)
/// derive from the seed, so that equal inputs at equal times give equal traces. Each controller and each path has
/// its own random numbers: one controller more does not change the numbers of the rest.
///
/// Not thread-safe, and without a clock: the owner moves packets between hosts and controllers, and calls
/// `advance(to:)` at `nextDeadline`. The air owns its controllers, and must outlive them.
public final class Air {
    /// The time of the last advance.
    public internal(set) var now: Instant
    /// The lowest level in dBm at which a packet is received; those below are lost. By default every level is received.
    public var sensitivity: Int8 = .min
    /// True to store changes of links for `nextLinkChange`.
    public var keepsLinkChanges = false
    /// The packets, if they are captured: to be set before the first one.
    public var capture: AirCapture?
    var linkChanges: [LinkChange] = []
    private let seed: UInt64
    var schedule = Schedule<Occurrence>()
    var controllers: [VirtualController] = []
    var links: [UInt64: AirLink] = [:]
    private var paths: [PathKey: SignalPath] = [:]
    /// The variation of modelled paths, shared by both directions. Apart from `paths`: it changes with each packet.
    private var fadings: [PathKey: Fading] = [:]
    /// The interference at controllers, by their numbers.
    private var interference: [Int: Bursts] = [:]
    /// The number of numbers given to runs of advertisers and scanners, and to links.
    var numbers: UInt64 = 0
    var awake: [Int] = []

    private struct PathKey: Hashable {
        var sender: Int
        var receiver: Int

        init(sender: Int, receiver: Int) { (self.sender, self.receiver) = (sender, receiver) }

        /// The key of both directions.
        init(between one: VirtualController, and other: VirtualController) {
            self.init(sender: min(one.index, other.index), receiver: max(one.index, other.index))
        }
    }

    /// Air without controllers.
    public init(seed: UInt64, start: Instant = .origin) {
        now = start
        self.seed = seed
    }

    /// Adds a controller with this public address (BD_ADDR). The level between it and every other controller is −50
    /// dBm without loss until changed.
    ///
    /// - Parameter stream: the name of the random numbers of the controller and its paths; by default its address.
    public func addController(
        _ profile: ControllerProfile, address: BluetoothAddress, stream: String? = nil
    ) -> VirtualController {
        let controller = VirtualController(
            profile, address: address.value, on: self, index: controllers.count, seed: seed,
            stream: stream ?? "\(address)")
        controllers.append(controller)
        return controller
    }

    /// The time of the next event; nil while there is no advertising, connection, or scan of limited duration.
    public var nextDeadline: Instant? {
        while let (time, occurrence) = schedule.first {
            if isCurrent(occurrence) { return time }
            schedule.removeFirst()
        }
        return nil
    }

    /// Performs all actions due until `time` inclusive, in order. An earlier time is ignored.
    public func advance(to time: Instant) {
        while let due = nextDeadline, due <= time, let (_, occurrence) = schedule.first {
            schedule.removeFirst()
            now = max(now, due)
            run(occurrence)
        }
        now = max(now, time)
    }

    /// Sets the level of `from` at `to` in dBm, in this direction only; ends a walk.
    public func setRSSI(from: VirtualController, to: VirtualController, dBm: Int8) {
        changePath(from, to) { $0.course = .fixed(dBm) }
    }

    /// Changes the level of `from` at `to` linearly between two values within `duration` from now.
    public func walk(
        from: VirtualController, to: VirtualController, start: Int8, end: Int8, duration: Duration
    ) {
        let begins = now
        changePath(from, to) { $0.course = .walk(from: start, to: end, begins: begins, lasts: duration) }
    }

    /// Moves `from` away from or towards `to`, within `duration` from now: the level is the model's, and each packet
    /// varies by fading, sway and shadowing, whose random numbers are the path's own.
    ///
    /// - Parameter metres: the first and the last distance, 0 to `Propagation.farthest`.
    public func approach(
        from: VirtualController, to: VirtualController, metres: (from: Double, to: Double), duration: Duration,
        _ propagation: Propagation = Propagation()
    ) {
        let track = Track(
            from: FloorPoint(metres.from, 0), to: FloorPoint(metres.to, 0), receiver: FloorPoint(0, 0))
        move(from: from, to: to, along: track, duration: duration, propagation)
    }

    /// Moves one of the two controllers along a track, within `duration` from now, as `approach`.
    public func move(
        from: VirtualController, to: VirtualController, along track: Track, duration: Duration,
        _ propagation: Propagation = Propagation()
    ) {
        let begins = now
        let key = PathKey(between: from, and: to)
        changePath(from, to) {
            $0.course = .modelled(propagation, track, begins: begins, lasts: duration)
        }
        if fadings[key] == nil {
            let (first, second) = from.index < to.index ? (from, to) : (to, from)
            fadings[key] = Fading(Air.random(seed, "fading", first, second), shadowing: propagation.shadowing)
        }
    }

    /// The distance of a modelled path in metres; nil if a level was set.
    public func metres(from: VirtualController, to: VirtualController) -> Double? { path(from, to).metres(at: now) }

    /// Adds uniform noise of at most ±`dB`, drawn for each packet.
    public func setFluctuation(from: VirtualController, to: VirtualController, dB: UInt8) {
        changePath(from, to) { $0.fluctuation = dB }
    }

    /// Sets the share of packets lost from `from` to `to`: 0 none, 1 all (out of range).
    public func setLoss(from: VirtualController, to: VirtualController, share: Double) {
        changePath(from, to) { $0.loss = share }
    }

    /// Sets the share of time, 0 to 0.9, that interference takes at a controller: in bursts of 30 to 90 ms the
    /// controller receives nothing, and its packets are received nowhere.
    public func setInterference(at controller: VirtualController, share: Double) {
        let random = SeededGenerator(seed: seed, stream: "interference \(controller.stream)")
        interference[controller.index] = share > 0 ? Bursts(share: share, random, at: now) : nil
    }

    /// True while interference covers any of these controllers.
    private func isCovered(_ controllers: Int...) -> Bool {
        !interference.isEmpty && controllers.contains { interference[$0]?.cover(now) == true }
    }

    /// Sets the attenuation of `from` at `to` by walls, in dB, in addition to its course.
    public func setAttenuation(from: VirtualController, to: VirtualController, dB: UInt8) {
        changePath(from, to) { $0.attenuation = dB }
    }

    /// The current level of `from` at `to` in dBm behind the walls, at 0 dBm and without fluctuation.
    public func rssi(from: VirtualController, to: VirtualController) -> Int8 {
        Int8(clamping: max(Air.levels.lowerBound, path(from, to).level(at: now)))
    }

    /// The attenuation of `from` at `to` in dB.
    public func attenuation(from: VirtualController, to: VirtualController) -> UInt8 { path(from, to).attenuation }

    /// The share of packets lost from `from` to `to`.
    public func loss(from: VirtualController, to: VirtualController) -> Double { path(from, to).loss }

    /// The levels of a received packet in dBm: −127 and 127 mean "not available" in HCI (Core 5.4, Vol 4, Part E,
    /// 7.5.4).
    public static let levels = -126...20

    private func changePath(_ from: VirtualController, _ to: VirtualController, _ change: (inout SignalPath) -> Void) {
        change(&paths[PathKey(sender: from.index, receiver: to.index), default: newPath(from, to)])
    }

    private func newPath(_ from: VirtualController, _ to: VirtualController) -> SignalPath {
        var path = SignalPath()
        path.noise = Air.random(seed, "noise", from, to)
        path.losses = Air.random(seed, "loss", from, to)
        return path
    }

    /// The random numbers for one purpose on the path between two controllers.
    private static func random(
        _ seed: UInt64, _ purpose: String, _ from: VirtualController, _ to: VirtualController
    ) -> SeededGenerator {
        SeededGenerator(seed: seed, stream: "\(purpose) \(from.stream) > \(to.stream)")
    }

    private func path(_ from: VirtualController, _ to: VirtualController) -> SignalPath {
        paths[PathKey(sender: from.index, receiver: to.index)] ?? SignalPath()
    }

    /// The level at which `to` receives a packet from `from`; nil if it is lost.
    func reception(from: VirtualController, to: VirtualController, on channel: Fading.Channel) -> Int8? {
        let key = PathKey(sender: from.index, receiver: to.index)
        guard let packet = paths[key, default: newPath(from, to)].packet(at: now), !isCovered(from.index, to.index)
        else { return nil }
        var level = packet.level + Int(from.transmitPower)
        if let metres = packet.metres {
            let deviation = fadings[PathKey(between: from, and: to)]?.deviation(on: channel, metres: metres, at: now)
            level += Int((deviation ?? 0).rounded())
        }
        guard level >= Int(sensitivity) else { return nil }
        return Int8(clamping: min(Air.levels.upperBound, max(Air.levels.lowerBound, level)))
    }

    /// Removes and returns the controllers that have got packets for their hosts since the last call, by the number of
    /// their addition from 0, in ascending order. The others have none, if all packets were taken after each call.
    public func takeAwake() -> [Int] {
        for index in awake { controllers[index].isAwake = false }
        defer { awake.removeAll(keepingCapacity: true) }
        return awake.sorted()
    }

    private func isCurrent(_ occurrence: Occurrence) -> Bool {
        switch occurrence {
        case .advertising(let controller, let run): controllers[controller].advertiserIndex(run: run) != nil
        case .link(let number): links[number] != nil
        case .scanEnd(let controller, let run): controllers[controller].state.scanner?.run == run
        case .test(let controller, let run): controllers[controller].state.test?.run == run
        }
    }

    private func run(_ occurrence: Occurrence) {
        switch occurrence {
        case .advertising(let controller, let run): advertisingEvent(controllers[controller], run: run)
        case .link(let number): linkEvent(number)
        case .scanEnd(let controller, _): controllers[controller].scanTimedOut()
        case .test(let controller, _): transmitTestPackets(controllers[controller])
        }
    }
}
