// SPDX-License-Identifier: Apache-2.0

import Reader
import Timekeeping

/// The clock of a reader that is tried: the product's, the system's clock under it, the marks that are kept of it, and
/// the account of what it may show.
struct RigClock {
    /// The state that survives a restart.
    enum Memory {
        /// The marks, as they were kept last.
        case kept
        /// Nothing: the policy cannot be read.
        case unknown
        /// An operator has begun anew.
        case none
    }

    /// 2026-05-06 12:00:00 UTC, a Wednesday.
    static let noon: Int64 = 1_778_068_800
    /// 2026-01-01
    private static let buildTime: Int64 = 1_767_225_600
    /// The step of the latest time after which marks are kept again.
    private static let keepingInterval: Int64 = 3600

    private var clock: ReaderClock
    private(set) var account: ClockAccount
    private var kept: (marks: ClockMarks, account: ClockAccount)?
    /// True if the kept marks are known, so that they may be replaced.
    private var isKnown = true
    /// The time of the system's clock at the origin.
    private var system: Int64
    private var isSynchronised = false

    /// A clock of a reader that ran yesterday; unless `isSet` it is new, and its system's clock has lost the time.
    init(isSet: Bool) {
        system = isSet ? RigClock.noon : 0
        let yesterday = RigClock.noon - 86_400
        clock = ReaderClock(
            zone: .utc, buildTime: RigClock.buildTime, marks: isSet ? ClockMarks(latest: yesterday) : nil)
        account =
            isSet
            ? ClockAccount(buildTime: RigClock.buildTime, latest: yesterday)
            : ClockAccount(buildTime: RigClock.buildTime)
        observe(at: .origin)
    }

    /// The moment that the reader is given at `now`.
    func moment(at now: Instant) -> Moment {
        Moment(
            instant: now, epochSeconds: clock.epochSeconds(at: now), latestSeconds: clock.latestSeconds(at: now),
            earliestSeconds: clock.earliestSeconds(at: now))
    }

    /// Time has passed.
    mutating func pass(to now: Instant) {
        account.passed(to: now, shows: clock.epochSeconds(at: now))
        settle(at: now)
    }

    /// The shell looks at the system's clock.
    mutating func observe(at now: Instant) {
        let seconds = systemSeconds(at: now)
        var events: [ReaderClock.Event] = []
        clock.observe(systemSeconds: seconds, isSynchronised: isSynchronised, at: now, into: &events)
        account.observed(system: seconds, isSynchronised: isSynchronised, shows: clock.epochSeconds(at: now))
        settle(at: now)
    }

    /// Somebody sets the clock.
    mutating func set(to time: Int64, by authority: ReaderClock.Authority, at now: Instant) -> ReaderClock.Outcome {
        var events: [ReaderClock.Event] = []
        let outcome = clock.set(
            to: time, by: authority, systemSeconds: systemSeconds(at: now), at: now, into: &events)
        account.wasSet(to: time, by: authority, isDone: outcome == .done, shows: clock.epochSeconds(at: now))
        settle(at: now)
        return outcome
    }

    /// The system's clock is set, by nobody who is believed.
    mutating func stepSystem(by seconds: Int64, at now: Instant) {
        system += seconds
        isSynchronised = false
        observe(at: now)
    }

    /// The system's clock is set to `time`, and is kept synchronised from now on.
    mutating func synchronise(to time: Int64, at now: Instant) {
        system = time - now.nanoseconds / 1_000_000_000
        isSynchronised = true
        observe(at: now)
    }

    /// The reader starts again; without a battery the system's clock is back in 1970.
    mutating func restart(_ memory: Memory, isSystemLost: Bool, at now: Instant) {
        if isSystemLost { system = -now.nanoseconds / 1_000_000_000 }
        isSynchronised = false
        switch memory {
        case .kept: isKnown = true
        case .unknown: (isKnown, account) = (false, .exhausted(buildTime: RigClock.buildTime))
        case .none: (isKnown, kept) = (true, nil)
        }
        begin(memory, at: now)
    }

    /// The kept marks become known after all.
    mutating func restore(at now: Instant) {
        isKnown = true
        begin(.kept, at: now)
    }

    private mutating func begin(_ memory: Memory, at now: Instant) {
        var marks = kept?.marks
        switch memory {
        case .unknown: marks = .exhausted(latest: 0)
        case .kept where kept != nil: account = kept?.account ?? account
        case .kept, .none: account = ClockAccount(buildTime: RigClock.buildTime)
        }
        account = account.restarted(at: now)
        clock = ReaderClock(zone: .utc, buildTime: RigClock.buildTime, marks: marks)
        observe(at: now)
    }

    private func systemSeconds(at now: Instant) -> Int64 { system + now.nanoseconds / 1_000_000_000 }

    /// Checks that decisions go by the time that the clock has shown, and keeps the marks, as the shell does.
    private mutating func settle(at now: Instant) {
        let moment = moment(at: now)
        require(moment.epochSeconds == account.shown, "the clock shows another time than it was left with")
        if let latest = moment.latestSeconds {
            require(latest >= account.latest, "the latest time that the clock has shown is forgotten")
        }
        if let earliest = moment.earliestSeconds, let own = account.earliest {
            require(earliest <= own, "what phones have put the clock ahead is believed")
        }
        guard isKnown, moment.epochSeconds != nil else { return }
        let marks = clock.marks(at: now)
        if var same = kept?.marks, (0..<RigClock.keepingInterval).contains(marks.shown - same.shown) {
            if same.latest == same.shown { same.latest = marks.latest }
            same.shown = marks.shown
            if same == marks { return }
        }
        guard let read = ClockMarks(marks.octets) else { finding("marks that cannot be read") }
        require(read == marks, "kept and read, the marks are others")
        kept = (read, account)
    }
}
