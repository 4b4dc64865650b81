// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import AirRig
import Crypto
public import HostLoop
import Peripheral
import Phone
import Proximity
import Reader
import TestSupport
import Timekeeping
import VirtualRadio

@testable import ReaderTestSupport

/// A reader of a visit, with its controller and its wall clock.
final class VisitedReader: AirParty {
    let controller: VirtualController
    var device: ReaderDevice<CountingRandom>
    var wall: VirtualWall
    var isOn = true
    private(set) var openings = 0
    private var effects: [ReaderEffect] = []

    init(
        _ controller: VirtualController, _ configuration: AccessConfiguration, _ identity: ReaderIdentity,
        epochAtOrigin: Int64?
    ) throws {
        self.controller = controller
        wall = VirtualWall(epochAtOrigin: epochAtOrigin)
        device = try ReaderDevice(
            configuration: configuration, identity: identity, door: DoorConfiguration(pulse: .seconds(1)),
            random: CountingRandom(), at: wall.moment(.origin))
        device.reader.startDoor(at: .origin)
        device.start(at: wall.moment(.origin))
    }

    var hasLinks: Bool { device.hasLinks }
    var nextDeadline: Instant? { isOn ? device.nextDeadline : nil }

    func advance(to now: Instant) {
        if isOn, let deadline = device.nextDeadline, deadline <= now { device.advance(to: wall.moment(now)) }
    }

    /// Exchanges packets with the controller; whether there were any.
    func settle(at now: Instant) -> Bool {
        guard isOn else { return false }
        let moment = wall.moment(now)
        var moved = controller.exchange(
            pop: { device.popPacket(into: &$0) }, receive: { device.receive($0, at: moment) })
        device.reader.takeEffects(into: &effects)
        for effect in effects {
            switch effect {
            case .door(.setLock(energised: true), _): openings += 1
            case .store(let request):
                let answer = carryOut(request.work, at: now)
                if let id = request.id { device.answerStorage(id, answer, at: wall.moment(now)) }
                moved = true
            default: break
            }
        }
        return moved
    }

    private func carryOut(_ work: StorageWork, at now: Instant) -> StorageAnswer {
        switch work {
        case .clock(let epoch, _):
            wall.set(epoch, at: now)
            return .clock(.done)
        case .counters: return .counters(LogCounters())
        default: return .done
        }
    }
}

extension PhoneVisit: HostedDevice {}
extension ReaderScan: HostedDevice {}

/// A phone that visits readers on the virtual air, on virtual time.
final class VisitRig {
    let air: Air
    private(set) var readers: [VisitedReader] = []
    private(set) var notices: [(at: Instant, notice: VisitNotice)] = []
    let phone: HostedParty<PhoneVisit<CountingRandom>>
    private var isOn = false

    /// 2026-11-21 12:00:00 UTC.
    static let epoch: Int64 = 1_795_262_400

    init(_ plan: PhoneVisitPlan, profile: ControllerProfile = .modern, seed: UInt64 = 1) {
        air = Air(seed: seed)
        phone = HostedParty(
            PhoneVisit(
                plan, address: .randomStatic(from: 0x77), clock: PhoneClock(VisitRig.epoch, at: .origin),
                random: CountingRandom(next: 7)),
            air.addController(profile, address: BluetoothAddress(kind: .public, value: 0xB0_0000_0001)))
    }

    /// Adds a reader that hears the phone, and is heard, at this level.
    @discardableResult
    func add(
        _ identity: ReaderIdentity? = nil, dBm: Int8 = -45, epoch: Int64? = VisitRig.epoch,
        _ change: (inout AccessConfiguration) -> Void = { _ in }
    ) throws -> VisitedReader {
        let number = UInt64(readers.count)
        let own = air.addController(.modern, address: BluetoothAddress(kind: .public, value: 0xA0_0000_0001 + number))
        var configuration = AccessConfiguration(modes: [
            .init(mode: .onTouch, address: .randomStatic(from: 0x100 + number), gate: .init()),
            .init(mode: .access, address: .randomStatic(from: 0x200 + number), gate: .init()),
        ])
        change(&configuration)
        let reader = try VisitedReader(own, configuration, identity ?? .demo(), epochAtOrigin: epoch)
        readers.append(reader)
        setLevel(reader, dBm)
        return reader
    }

    func setLevel(_ reader: VisitedReader, _ dBm: Int8) {
        air.setRSSI(from: phone.controller, to: reader.controller, dBm: dBm)
        air.setRSSI(from: reader.controller, to: phone.controller, dBm: dBm)
    }

    /// Runs for a time, or until the visits are over; whether they are.
    @discardableResult
    func run(_ duration: Duration = .seconds(30), until isOver: (VisitNotice) -> Bool = { $0 == .finished }) -> Bool {
        if !isOn {
            isOn = true
            phone.host.start(at: air.now)
        }
        settle()
        var seen = notices.count
        let isEnded = air.run(
            duration, parties,
            until: {
                takeNotices()
                defer { seen = notices.count }
                return notices[seen...].contains { isOver($0.notice) }
            })
        return isEnded || notices.last?.notice == .finished
    }

    /// The user interrupts the phone.
    func interrupt() {
        phone.host.interrupt(at: air.now)
        settle()
    }

    private var parties: [any AirParty] { (readers as [any AirParty]) + [phone] }

    private func settle() {
        air.settle(parties)
        takeNotices()
    }

    private func takeNotices() {
        notices += all { phone.host.nextNotice() }.map { (air.now, $0) }
    }

    // MARK: What happened

    var steps: [VisitStep] { notices.compactMap { if case .step(let step, _, _) = $0.notice { step } else { nil } } }

    /// The failures of the visits that have ended; nil for those that are done.
    var outcomes: [VisitFailure?] {
        notices.compactMap { if case .ended(let failure, _) = $0.notice { .some(failure) } else { nil } }
    }

    var answers: [ReaderAnswer] { steps.compactMap { if case .answer(_, let answer) = $0 { answer } else { nil } } }

    var found: ReaderSighting? {
        for case .found(let sighting) in steps { return sighting }
        return nil
    }
}
