// SPDX-License-Identifier: Apache-2.0

public import Crypto
public import Peripheral
public import Timekeeping

/// A phone that visits a reader: it scans, connects, discovers, makes its requests and disconnects, once or several
/// times, and reports each step with its time.
///
/// A value without I/O: controller packets and the time go in; packets, notices and the next deadline come out. It is
/// the whole logic of `readerlab phone`. In contrast to `AccessPhone` it does not try again what a reader has refused:
/// the refusal is what its user wants to know.
public struct PhoneVisit<Random: RandomSource>: ~Copyable {
    enum State {
        case off
        case looking(ReaderSearch)
        case connecting
        case linked
        /// The link, or the attempt to connect, is being ended.
        case ending(VisitFailure?, until: Instant)
        case resting(until: Instant)
        case over
    }

    /// The maximum time for a disconnection: above the supervision time-out of a reader that has gone.
    static var disconnectionTimeout: Duration { .seconds(3) }

    let plan: PhoneVisitPlan
    let clock: PhoneClock
    var random: Random
    var central: Central
    var state = State.off
    /// The reader that is being visited, from the decision to connect on.
    var choice: (reader: ReaderSighting, credential: PhoneCredential)?
    var link: VisitLink?
    var isInterrupted = false
    /// The number of the visit, from 1.
    var number = 0
    var began = Instant.origin
    /// The time of the last completed step.
    var mark = Instant.origin
    /// The deadline of the present stage.
    var deadline: Instant?
    /// The status of the last attempt to connect that failed.
    var lastStatus: HCIStatus?
    private var notices: [VisitNotice] = []
    private var firstNotice = 0

    /// The task of the present visit, or of the last, with its results so far.
    public internal(set) var task: PhoneTask

    /// A phone that is switched off, with this random static address.
    public init(_ plan: PhoneVisitPlan, address: BluetoothAddress, clock: PhoneClock, random: Random) {
        self.plan = plan
        self.clock = clock
        self.random = random
        task = plan.task
        central = Central(address: address, scanning: plan.scanning)
    }

    /// Starts the controller, then the first visit.
    public mutating func start(at now: Instant) {
        central.start(at: now)
        settle(at: now)
    }

    /// Handles one H4 packet from the controller.
    public mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
        central.receive(packet, at: now)
        settle(at: now)
    }

    /// Performs the actions due at `now`.
    public mutating func advance(to now: Instant) {
        central.advance(to: now)
        link?.conversation.client.timePassed(now)
        switch state {
        case .looking(let search): lookOn(search, at: now)
        case .connecting, .linked:
            if let deadline, now >= deadline { end(failure(lapse, at: now), at: now) }
        case .ending(let failure, let until) where now >= until: finish(failure, at: now)
        case .resting(let until) where now >= until: begin(at: now)
        case .off, .ending, .resting, .over: break
        }
        settle(at: now)
    }

    /// Ends the visit in order: the link is disconnected, then `ended` and `finished` follow.
    public mutating func interrupt(at now: Instant) {
        isInterrupted = true
        switch state {
        case .off, .looking, .connecting, .linked: end(failure(.interrupted), at: now)
        case .resting:
            state = .over
            report(.finished)
        case .ending, .over: break
        }
        settle(at: now)
    }

    /// The time of the next call of `advance`; nil if only an input can change anything.
    public var nextDeadline: Instant? {
        let own: Instant? =
            switch state {
            case .looking(let search): Instant.earlier(search.decision, deadline)
            case .connecting, .linked: deadline
            case .ending(_, let until), .resting(let until): until
            case .off, .over: nil
            }
        return Instant.earlier(Instant.earlier(central.nextDeadline, own), link?.conversation.client.deadline)
    }

    /// Copies the next packet for the controller into `packet`; false if no packet is pending.
    public mutating func popPacket(into packet: inout [UInt8]) -> Bool { central.popPacket(into: &packet) }

    /// Removes and returns the oldest notice, or nil.
    public mutating func nextNotice() -> VisitNotice? {
        guard firstNotice < notices.count else {
            notices.removeAll(keepingCapacity: true)
            firstNotice = 0
            return nil
        }
        firstNotice += 1
        return notices[firstNotice - 1]
    }

    mutating func report(_ notice: VisitNotice) { notices.append(notice) }

    /// Reports a step that is complete at `now`.
    mutating func step(_ step: VisitStep, at now: Instant) {
        report(.step(step, sinceStart: now - began, took: now - mark))
        mark = now
    }

    /// The failure at the deadline of the present stage.
    private var lapse: VisitFailure.Cause {
        if case .connecting = state { return .notConnected(lastStatus ?? .unknownConnection) }
        return .silence
    }

    /// A failure in the present stage.
    func failure(_ cause: VisitFailure.Cause, at now: Instant? = nil) -> VisitFailure {
        let stage: VisitStage =
            switch state {
            case .off: .starting
            case .looking, .resting, .over: .looking
            case .connecting: .connecting
            case .linked, .ending: link?.stage ?? .discovering
            }
        return VisitFailure(
            cause, at: stage, request: link?.request, linkAge: link.flatMap { link in now.map { $0 - link.since } },
            reader: choice?.reader, isDemo: choice?.credential.isDemo ?? plan.credentials.contains(where: \.isDemo),
            period: choice?.credential.period, localTime: now.map(clock.localTime))
    }
}
