// SPDX-License-Identifier: Apache-2.0

import Phone
import Reader
import SeededNumbers
public import Timekeeping
import VirtualRadio

/// A scenario on an air that is not simulated here: its readers and phones for controllers behind transports.
///
/// It performs no I/O: packets and the time go in, packets and receptions come out. The time is the scenario's, from
/// `Instant.origin`. The parties are the readers, then the phones, in their order.
public final class LiveSite: PlayedSite {
    /// The time between two levels of a phone that walks.
    static let levelStep = Duration.milliseconds(100)

    let readers: [SiteReader]
    private(set) var timeline: [TimelineEntry] = []
    private(set) var phoneNotices: [(phone: Int, at: Instant, notice: AccessPhoneNotice)] = []
    /// The names of the parties.
    public let names: [String]
    /// The run, once the scenario is over and its links have ended.
    public private(set) var run: SiteRun?

    /// The number of phones, the last of the parties.
    public var phoneCount: Int { phones.count }

    private let scenario: SiteScenario
    private let seed: UInt64
    let phones: [ScenarioPhone]
    /// None: no live air has an NFC field.
    let cards: [SiteCard] = []
    private let controllers: [LiveController]
    private var now = Instant.origin
    private var orders: ArraySlice<SiteScenario.Event>
    private var told: [Reception?]
    private var receptions: [Reception] = []
    private var nextLevels = Instant.origin
    /// The run while links are to end.
    private var ending: SiteRun?

    /// The site of a scenario.
    ///
    /// - Throws: only if the cryptographic library rejects the keys.
    public init(_ scenario: SiteScenario, seed: UInt64) throws {
        (self.scenario, self.seed) = (scenario, seed)
        orders = scenario.events[...]
        names = scenario.readers.map(\.name) + scenario.phones.map(\.name)
        let controllers = names.map { _ in LiveController() }
        self.controllers = controllers
        let start = Moment(instant: .origin, epochSeconds: scenario.start.epochSeconds)
        readers = try scenario.readers.enumerated().map { index, plan in
            try SiteReader(
                plan.name, index, at: plan.place, on: controllers[index], moment: start,
                makeDevice: SiteReader.maker(
                    plan.name, plan.configuration(index), SiteScenario.identity(), plan.door, seed: seed))
        }
        phones = try scenario.phonePlans().enumerated().map { index, plan in
            ScenarioPhone(
                plan, index, on: controllers[scenario.readers.count + index],
                SeededGenerator(seed: seed, stream: "phone \(index + 1), \(plan.name)"))
        }
        told = Array(repeating: nil, count: scenario.readers.count * phones.count)
    }

    /// Takes a packet of a party's controller, with its H4 type; `advance` handles it.
    public func receive(_ packet: [UInt8], for party: Int) { controllers[party].received(packet) }

    /// The next packet for a party's controller, or nil.
    public func nextPacket(of party: Int) -> [UInt8]? { controllers[party].nextPacket() }

    /// The next change of a reception, or nil.
    public func nextReception() -> Reception? { receptions.isEmpty ? nil : receptions.removeFirst() }

    /// The time of the next call of `advance`; nil at the end of the run.
    public var nextDeadline: Instant? {
        guard run == nil else { return nil }
        if ending != nil { return earliest(.origin + scenario.end + scenario.timeToEnd) }
        var next = earliest(.origin + scenario.end)
        if let order = orders.first { next = min(next, .origin + order.after) }
        for phone in phones { if let point = phone.ahead.first { next = min(next, .origin + point.at) } }
        return isMoving ? min(next, nextLevels) : next
    }

    private func earliest(_ time: Instant) -> Instant {
        let readers = readers.compactMap(\.nextDeadline), phones = phones.compactMap(\.nextDeadline)
        return (readers + phones).reduce(time, min)
    }

    private var isMoving: Bool { phones.contains { $0.plan.walk.moves(at: now - .origin) } }

    private var moment: Moment {
        let seconds = (now - .origin).wholeNanoseconds / 1_000_000_000
        return Moment(instant: now, epochSeconds: scenario.start.epochSeconds + seconds)
    }

    /// Handles packets and what is due. A time before the last is that one.
    public func advance(to time: Instant) {
        now = max(now, time)
        if ending == nil {
            carryOut()
            walk()
            updateReceptions()
        }
        // Receptions first: what was sent earlier is received as it was then.
        for reader in readers where reader.nextDeadline.map({ $0 <= now }) ?? false { reader.advance(to: moment) }
        for phone in phones where phone.nextDeadline.map({ $0 <= now }) ?? false { phone.advance(to: moment) }
        settle()
        finish()
    }

    private func carryOut() {
        while let event = orders.first, .origin + event.after <= now {
            orders.removeFirst()
            let text = event.order.line + (event.reader.map { ", at \($0)" } ?? "")
            timeline.append(TimelineEntry(now, "site", .note, text))
            for reader in readers where event.reader == nil || event.reader == reader.name {
                let wasServed = reader.isServed
                reader.carryOut(event.order, at: moment, timeline: &timeline)
                if wasServed, !reader.isServed { controllers[reader.index].silence() }
            }
            settle()
        }
    }

    private func walk() {
        for phone in phones {
            while let point = phone.ahead.first, .origin + point.at <= now {
                phone.ahead.removeFirst()
                let next = phone.ahead.first ?? point
                if let entry = TimelineEntry(phone, point, towards: next, at: now) { timeline.append(entry) }
                guard !phone.isOn else { continue }
                phone.isOn = true
                phone.phone.start(at: now)
            }
        }
    }

    private func updateReceptions() {
        for phone in phones where phone.isOn {
            for reader in readers {
                guard let reception = reception(phone, reader) else { continue }
                let place = reader.index * phones.count + phone.index
                guard told[place] != reception else { continue }
                told[place] = reception
                receptions.append(reception)
            }
        }
        if nextLevels <= now { nextLevels = now + LiveSite.levelStep }
    }

    private func reception(_ phone: ScenarioPhone, _ reader: SiteReader) -> Reception? {
        guard let level = phone.plan.walk.level(at: now - .origin, reader.place, scenario.walls) else { return nil }
        let sent = Int(level.rounded()) + Int(phone.plan.controller.transmitPower)
        let dBm = Int8(clamping: max(Air.levels.lowerBound, min(sent, Air.levels.upperBound)))
        return Reception(
            phone: phone.index, reader: reader.index, dBm: dBm,
            lossPercent: dBm < SiteScenario.sensitivity ? 100 : reader.lossPercent)
    }

    private func settle() {
        for reader in readers {
            reader.exchange(at: moment)
            reader.takeEffects(into: &timeline, at: now)
        }
        for phone in phones where phone.isOn {
            phone.exchange(at: moment)
            while let notice = phone.phone.nextNotice() {
                phoneNotices.append((phone.index, now, notice))
                timeline.append(TimelineEntry(notice, of: phone.plan.name, at: now))
            }
        }
    }

    /// Switches the phones off at the scenario's end, and ends when their links have.
    private func finish() {
        if ending == nil, now >= .origin + scenario.end {
            ending = SiteRun(of: scenario, seed: seed, at: self)
            for phone in phones where phone.isOn {
                (phone.isOn, phone.ahead) = (false, [])
                controllers[readers.count + phone.index].silence()
            }
        }
        guard run == nil, var ended = ending else { return }
        let hasLinks = readers.contains { $0.device.hasLinks }
        guard !hasLinks || now >= .origin + scenario.end + scenario.timeToEnd else { return }
        ended.conclude(heldLinks: heldLinks, after: scenario.timeToEnd, violations: [])
        run = ended
    }
}
