// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
public import Phone
public import Reader
import SeededNumbers
public import Timekeeping
public import VirtualRadio

/// A reader at a door and phones carried past it, on the virtual air and a virtual clock.
///
/// Reader and phones are the implementations that run on hardware; only controllers, air and time are simulated.
/// Equal plans and seeds give equal runs. Each phone has random numbers of its own, named after it: another phone more
/// or less does not change them.
public final class VirtualSite {
    /// The reader's wall clock time at the start: 2026-11-21 12:00:00 UTC.
    public static let epochAtStart: Int64 = 1_795_262_400

    let air: Air
    var now = Instant.origin
    var device: ReaderDevice<SeededGenerator>
    /// Makes the reader for a start with this number, counted from 1.
    let makeDevice: (_ start: Int, Moment) throws -> ReaderDevice<SeededGenerator>
    private let seed: UInt64
    /// The number of the reader's starts.
    var starts = 1
    private let epochAtStart: Int64
    var orders: ArraySlice<SiteScenario.Event> = []
    /// False while the reader is without power, or its controller is dead.
    var isServed: Bool { isPowered && isControllerWorking }
    var isPowered = true
    var isControllerWorking = true
    /// False while the reader's clock is not set.
    var isClockSet = true
    /// The levels of the inputs' lines that were set so far.
    var levels: [DoorInput: Bool] = [:]
    var lossPercent = 0
    let readerController: VirtualController
    var phones: [ScenarioPhone] = []
    var phoneControllers: [VirtualController] = []
    private var effects: [ReaderEffect] = []
    /// The number of events that are in the capture.
    private var captured = 0

    /// The events so far.
    public internal(set) var timeline: [TimelineEntry] = []
    /// The edges of the door's outputs so far.
    public private(set) var lines = SimulatedLines(capacity: VirtualSite.maximumEdges)
    /// The notices of each phone, with its index and the time.
    public private(set) var phoneNotices: [(phone: Int, at: Instant, notice: AccessPhoneNotice)] = []
    /// The notices of the reader, with the time.
    public private(set) var readerNotices: [(at: Instant, notice: ReaderNotice)] = []

    /// The orders that were carried out, with the time.
    public internal(set) var carriedOut: [(at: Instant, order: SiteOrder)] = []
    /// The times of the orders that may release the lock.
    public internal(set) var causes: [Instant] = []

    /// The edges of the outputs that are kept: an alarm's lights for a day.
    private static let maximumEdges = 1_000_000

    /// A site with a reader of this configuration and identity.
    ///
    /// - Parameters:
    ///   - epochAtStart: the reader's wall clock time at the start.
    ///   - sensitivity: the lowest level in dBm at which a packet is received.
    ///   - capture: takes the packets and the events.
    public init(
        seed: UInt64, controller: ControllerProfile = .modern, configuration: AccessConfiguration,
        identity: ReaderIdentity, door: DoorConfiguration = DoorConfiguration(),
        epochAtStart: Int64 = VirtualSite.epochAtStart, sensitivity: Int8 = .min, capture: AirCapture? = nil
    ) throws {
        self.seed = seed
        air = Air(seed: seed)
        air.capture = capture
        air.sensitivity = sensitivity
        self.epochAtStart = epochAtStart
        readerController = air.addController(
            controller, address: BluetoothAddress(kind: .public, value: 0xA0_0000_0001), stream: "reader")
        makeDevice = { start, moment in
            try ReaderDevice(
                configuration: configuration, identity: identity, door: door,
                random: SeededGenerator(seed: seed, stream: "reader, start \(start)"), at: moment)
        }
        let moment = Moment(instant: .origin, epochSeconds: epochAtStart)
        device = try makeDevice(starts, moment)
        device.reader.startDoor(at: .origin)
        device.start(at: moment)
        settle()
    }

    /// Ends the capture, and returns its octets; none if nothing was captured.
    func endCapture() -> [UInt8] {
        defer { air.capture = nil }
        return air.capture?.take() ?? []
    }

    /// Schedules orders, earliest first.
    public func schedule(_ events: [SiteScenario.Event]) { orders = events[...] }

    /// Adds a phone, which is switched on at the first point of its walk.
    public func add(_ plan: PhonePlan) {
        let index = UInt64(phones.count)
        let address = BluetoothAddress.randomStatic(from: 0x1000_0000 + index)
        // Of two phones with one name, the second has its own numbers too.
        let namesakes = phones.count { $0.plan.name == plan.name }
        let stream = namesakes == 0 ? "phone \(plan.name)" : "phone \(plan.name), \(namesakes + 1)"
        let controller = air.addController(
            .modern, address: BluetoothAddress(kind: .public, value: 0xB0_0000_0001 + index), stream: stream)
        let random = SeededGenerator(seed: seed, stream: stream)
        phones.append(ScenarioPhone(plan, AccessPhone(plan.configuration, address: address, random: random)))
        phoneControllers.append(controller)
        for (from, to) in [(controller, readerController), (readerController, controller)] {
            air.setFluctuation(from: from, to: to, dB: plan.fluctuation)
        }
        updateLoss()
        // Phones do not receive each other, and are out of range at first.
        for other in phoneControllers.dropLast() {
            air.setLoss(from: controller, to: other, share: 1)
            air.setLoss(from: other, to: controller, share: 1)
        }
    }

    /// Violations detected by the strict controllers; empty if all hosts behave correctly.
    public var violations: [String] {
        readerController.violations + phoneControllers.flatMap(\.violations)
    }

    /// Runs until `end` after the start, or until `isOver` is true; false if it was not until `end`.
    @discardableResult
    public func run(until end: Duration, isOver: () -> Bool = { false }) -> Bool {
        let end = Instant.origin + end
        while !isOver() {
            guard let next = nextDeadline, next <= end else {
                now = end
                air.advance(to: end)
                settle()
                return isOver()
            }
            now = max(now, next)
            air.advance(to: now)
            carryOut()
            walk()
            settle()
            advanceAll()
            settle()
        }
        return true
    }

    private var nextDeadline: Instant? {
        let ordered = orders.first.map { .origin + $0.after } as Instant?
        let readers = Instant.earlier(isPowered ? device.nextDeadline : nil, ordered)
        return phones.reduce(Instant.earlier(air.nextDeadline, readers)) { earliest, phone in
            let next = phone.isOn ? Instant.earlier(earliest, phone.phone.nextDeadline) : earliest
            return Instant.earlier(next, phone.ahead.first.map { .origin + $0.at })
        }
    }

    var moment: Moment {
        let seconds = epochAtStart + (now - .origin).wholeNanoseconds / 1_000_000_000
        return Moment(instant: now, epochSeconds: isClockSet ? seconds : nil)
    }

    /// Moves the phones, and switches on those that have arrived.
    private func walk() {
        for (index, phone) in phones.enumerated() {
            while let point = phone.ahead.first, Instant.origin + point.at <= now {
                phone.ahead.removeFirst()
                let controller = phoneControllers[index]
                let next = phone.ahead.first ?? point
                for (from, to) in [(controller, readerController), (readerController, controller)] {
                    move(from, to, point, next, phone.plan.walk.propagation)
                }
                tell(point, towards: next, phone)
                if !phone.isOn {
                    phone.isOn = true
                    phone.phone.start(at: now)
                }
            }
        }
    }

    private func move(
        _ from: VirtualController, _ to: VirtualController, _ point: DistanceWalk.Point, _ next: DistanceWalk.Point,
        _ propagation: Propagation
    ) {
        let duration = max(next.at - point.at, .nanoseconds(1))
        switch (point.place, next.place) {
        case (.metres(let start), .metres(let end)):
            air.approach(from: from, to: to, metres: (start, end), duration: duration, propagation)
        case (.dBm(let start), .dBm(let end)):
            air.walk(from: from, to: to, start: start, end: end, duration: duration)
        // Two kinds have nothing between them.
        case (.metres(let metres), .dBm):
            air.approach(from: from, to: to, metres: (metres, metres), duration: duration, propagation)
        case (.dBm(let level), .metres): air.setRSSI(from: from, to: to, dBm: level)
        }
    }

    private func advanceAll() {
        if isPowered, let deadline = device.nextDeadline, deadline <= now { device.advance(to: moment) }
        for phone in phones where phone.isOn {
            if let deadline = phone.phone.nextDeadline, deadline <= now { phone.phone.advance(to: now) }
        }
    }

    /// Moves packets until none are left at this time.
    func settle() {
        let moment = moment
        var moved = true
        while moved {
            moved = readerController.exchange(
                pop: { isServed && device.popPacket(into: &$0) },
                receive: { if isServed { device.receive($0, at: moment) } })
            for (phone, controller) in zip(phones, phoneControllers)
            where controller.exchange(
                pop: { phone.phone.popPacket(into: &$0) }, receive: { phone.phone.receive($0, at: now) })
            {
                moved = true
            }
        }
        collect()
        for entry in timeline[captured...] { air.capture?.tell("\(entry.who): \(entry.text)", at: now) }
        captured = timeline.count
    }

    func apply(_ action: DoorAction) {
        let before = lines.edges.count
        lines.apply(action, at: now)
        if lines.edges.count > before { timeline.append(TimelineEntry(action, at: now)) }
    }

    private func collect() {
        device.reader.takeEffects(into: &effects)
        guard isPowered else { return }
        for case .notice(let notice) in effects {
            readerNotices.append((now, notice))
            timeline.append(TimelineEntry(notice, at: now))
        }
        for case .door(let action, _) in effects { apply(action) }
        for (index, phone) in phones.enumerated() {
            while let notice = phone.phone.nextNotice() {
                phoneNotices.append((index, now, notice))
                timeline.append(TimelineEntry(notice, of: phone.plan.name, at: now))
            }
        }
    }

    private func tell(_ point: DistanceWalk.Point, towards next: DistanceWalk.Point, _ phone: ScenarioPhone) {
        let arrives = !phone.isOn
        guard arrives || next.place != point.place else { return }
        let moves = next.place != point.place
        let place = arrives ? "comes into range, \(point.place.text)" : "walks on from \(point.place.text)"
        var text = place
        if arrives, case .dBm = point.place { text += " at the reader" }
        if moves { text += ", to \(next.place.text) within \((next.at - point.at).wholeMilliseconds) ms" }
        var entry = TimelineEntry(now, phone.plan.name, .walks, text)
        if case .dBm(let level) = point.place { entry.rssi = Int(level) }
        timeline.append(entry)
    }
}
