// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
public import Phone
public import Reader
import SeededNumbers
public import Timekeeping
public import VirtualRadio

/// Readers at their doors and phones carried past them, on one virtual air and a virtual clock.
///
/// Readers and phones are the implementations that run on hardware; only controllers, air and time are simulated.
/// Equal plans and seeds give equal runs. Each reader and each phone has its own random numbers, named after it:
/// another phone more or less does not change them. The cost of an event depends on its parties alone.
public final class VirtualSite {
    /// The readers' wall clock time at the start: 2026-11-21 12:00:00 UTC.
    public static let epochAtStart: Int64 = 1_795_262_400

    let air: Air
    var now = Instant.origin
    private let seed: UInt64
    private let epochAtStart: Int64
    /// The walls between readers and phones.
    var walls: [Wall]
    var orders: ArraySlice<SiteScenario.Event> = []
    var phones: [ScenarioPhone] = []
    private var namesakes: [String: Int] = [:]
    /// Readers and phones, by the number of their controllers.
    private var parties: [any SiteParty] = []
    /// Their controllers.
    private var radios: [VirtualController] = []
    /// The parties that may have packets or news, besides those that the air wakes.
    private var touched: [Int] = []
    /// The times at which parties have to be advanced. A time that no longer matches `deadlines` is void.
    private var schedule = Schedule<Int>()
    private var deadlines: [Instant?] = []
    /// The phones whose next point is due.
    var walks = Schedule<Int>()
    /// The cards, and their comings and goings.
    var cards: [SiteCard] = []
    /// The fields of the readers, in their order.
    private(set) var fields: [SiteField?] = []
    var presences = Schedule<CardMove>()
    /// The number of events that are in the capture.
    private var captured = 0

    /// The readers.
    public private(set) var readers: [SiteReader] = []
    /// The events so far.
    public internal(set) var timeline: [TimelineEntry] = []
    /// The notices of each phone, with its index and the time.
    public private(set) var phoneNotices: [(phone: Int, at: Instant, notice: AccessPhoneNotice)] = []

    /// A site without readers and phones.
    ///
    /// - Parameters:
    ///   - epochAtStart: the readers' wall clock time at the start.
    ///   - sensitivity: the lowest level in dBm at which a packet is received.
    ///   - capture: takes the packets and the events.
    public init(
        seed: UInt64, walls: [Wall] = [], epochAtStart: Int64 = VirtualSite.epochAtStart, sensitivity: Int8 = .min,
        capture: AirCapture? = nil
    ) {
        self.seed = seed
        self.walls = walls
        air = Air(seed: seed)
        air.capture = capture
        air.sensitivity = sensitivity
        self.epochAtStart = epochAtStart
    }

    /// A site with one reader of this configuration and identity.
    public convenience init(
        seed: UInt64, controller: ControllerProfile = .modern, configuration: AccessConfiguration,
        identity: ReaderIdentity, door: DoorConfiguration = DoorConfiguration()
    ) throws {
        self.init(seed: seed)
        try addReader(controller: controller, configuration: configuration, identity: identity, door: door)
    }

    /// Adds a reader; to be called before the first phone is added.
    public func addReader(
        _ name: String = SiteReader.onlyName, at place: FloorPoint = FloorPoint(0, 0),
        controller profile: ControllerProfile = .modern, configuration: AccessConfiguration,
        identity: ReaderIdentity, door: DoorConfiguration = DoorConfiguration()
    ) throws {
        try addReader(
            name, at: place, controller: profile, configuration: configuration, identity: identity, door: door,
            field: nil)
    }

    /// Adds a reader that polls, if it has a `field`.
    func addReader(
        _ name: String, at place: FloorPoint, controller profile: ControllerProfile,
        configuration: AccessConfiguration, identity: ReaderIdentity, door: DoorConfiguration,
        field: SiteField?
    ) throws {
        let address = BluetoothAddress(kind: .public, value: 0xA0_0000_0001 + UInt64(readers.count))
        let controller = air.addController(profile, address: address, stream: name)
        let reader = try SiteReader(
            name, readers.count, at: place, on: controller, field: field, moment: moment,
            makeDevice: SiteReader.maker(name, configuration, identity, door, seed: seed))
        readers.append(reader)
        fields.append(field)
        add(reader, controller)
        settle()
    }

    /// Adds a phone, which is switched on at the first point of its walk.
    public func add(_ plan: PhonePlan) {
        let address = BluetoothAddress(kind: .public, value: 0xB0_0000_0001 + UInt64(phones.count))
        // Of two phones with one name, the second has its own numbers too.
        let number = namesakes[plan.name, default: 0] + 1
        namesakes[plan.name] = number
        let stream = number == 1 ? "phone \(plan.name)" : "phone \(plan.name), \(number)"
        let controller = air.addController(plan.controller, address: address, stream: stream)
        let phone = ScenarioPhone(plan, phones.count, on: controller, SeededGenerator(seed: seed, stream: stream))
        phones.append(phone)
        add(phone, controller)
        for reader in readers {
            for (from, to) in paths(reader, phone) { air.setFluctuation(from: from, to: to, dB: plan.fluctuation) }
            updateLoss(reader, [phone])
        }
        for point in plan.walk.points { walks.add(phone.index, at: .origin + point.at) }
    }

    private func add(_ party: any SiteParty, _ controller: VirtualController) {
        touched.append(parties.count)
        parties.append(party)
        radios.append(controller)
        deadlines.append(nil)
    }

    /// The controller of a reader.
    func radio(_ reader: SiteReader) -> VirtualController { radios[reader.index] }

    /// The two directions between a reader and a phone.
    func paths(_ reader: SiteReader, _ phone: ScenarioPhone) -> [(from: VirtualController, to: VirtualController)] {
        let (one, other) = (radio(reader), radios[readers.count + phone.index])
        return [(other, one), (one, other)]
    }

    /// Ends the capture, and returns its octets; none if nothing was captured.
    func endCapture() -> [UInt8] {
        defer { air.capture = nil }
        return air.capture?.drain() ?? []
    }

    /// Schedules orders, earliest first.
    public func schedule(_ events: [SiteScenario.Event]) { orders = events[...] }

    /// Violations detected by the strict controllers and NFC chips, with the names of the hosts, and by Aliro phones;
    /// empty if all behave correctly.
    public var violations: [String] {
        var violations = parties.flatMap { party in party.controller.violations.map { "\(party.name): \($0)" } }
        for (reader, field) in zip(readers, fields) {
            violations += field?.violations.map { "\(reader.name): \($0)" } ?? []
        }
        for card in cards { violations += card.findings.map { "\(card.name): \($0)" } }
        return violations
    }

    var moment: Moment {
        Moment(instant: now, epochSeconds: epochAtStart + (now - .origin).wholeNanoseconds / 1_000_000_000)
    }

    /// Marks a reader, so that the next `settle` examines its packets and notices.
    func touch(_ reader: SiteReader) {
        touched.append(reader.index)
    }
}

/// Time.
extension VirtualSite {
    /// Runs until `end` after the start, or until `isOver` is true; false if it was not until `end`.
    @discardableResult
    public func run(until end: Duration, isOver: () -> Bool = { false }) -> Bool {
        let end = Instant.origin + end
        settle()
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
            while let (time, phone) = walks.first, time <= now {
                walks.removeFirst()
                walk(phones[phone])
                touched.append(readers.count + phone)
            }
            moveCards()
            settle()
            advanceDue()
            settle()
        }
        return true
    }

    private var nextDeadline: Instant? {
        while let (time, party) = schedule.first, deadlines[party] != time { schedule.removeFirst() }
        let ordered = orders.first.map { .origin + $0.after } as Instant?
        let carried = Instant.earlier(walks.first?.time, presences.first?.time)
        return Instant.earlier(
            Instant.earlier(air.nextDeadline, schedule.first?.time), Instant.earlier(ordered, carried))
    }

    private func advanceDue() {
        var due: [Int] = []
        while let (time, party) = schedule.first, time <= now {
            schedule.removeFirst()
            guard deadlines[party] == time else { continue }
            deadlines[party] = nil
            due.append(party)
        }
        for party in due.sorted() { parties[party].advance(to: moment) }
        touched += due
    }

    /// Moves packets until none are left at this time, and collects the hosts' notices.
    func settle() {
        var all: Set<Int> = []
        var round = Set(touched + air.takeAwake())
        touched.removeAll(keepingCapacity: true)
        while !round.isEmpty {
            all.formUnion(round)
            for party in round.sorted() { parties[party].exchange(at: moment) }
            round = Set(air.takeAwake())
        }
        for party in all.sorted() {
            collect(parties[party])
            let deadline = parties[party].nextDeadline
            guard deadlines[party] != deadline else { continue }
            deadlines[party] = deadline
            if let deadline { schedule.add(party, at: deadline) }
        }
        for entry in timeline[captured...] { air.capture?.comment("\(entry.who): \(entry.text)", at: now) }
        captured = timeline.count
    }

    private func collect(_ party: any SiteParty) {
        if let reader = party as? SiteReader { return reader.takeEffects(into: &timeline, at: now) }
        guard let phone = party as? ScenarioPhone else { return }
        while let notice = phone.phone.nextNotice() {
            phoneNotices.append((phone.index, now, notice))
            timeline.append(TimelineEntry(notice, of: phone.plan.name, at: now))
        }
    }
}
