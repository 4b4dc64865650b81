// SPDX-License-Identifier: Apache-2.0

import Reader
import Timekeeping

/// The times that a reader's clock may show, kept by the rules alone (docs/protocol/access-profile.md, the threat
/// model): which times it has shown since the last authoritative one, who has moved it since then, and by how much. A
/// clock that does otherwise is a finding.
struct ClockAccount {
    /// The limit by which phones, and an unsynchronised system clock, may put it back, all steps together.
    private static let mostBack: Int64 = 86_400
    /// The limit by which phones may put it ahead, all steps together.
    private static let mostAhead: Int64 = 366 * 86_400
    /// The time after its build within which a reader may get its first time from a phone.
    private static let shelfLife: Int64 = 3660 * 86_400

    private let buildTime: Int64
    /// The time shown when it was looked at last, in seconds since 1970; nil while unset.
    private(set) var shown: Int64?
    /// The latest time shown since the last authoritative one.
    private(set) var latest: Int64
    /// The latest of all `earliest` since the start: what was over by then may have been forgotten.
    private(set) var reached: Int64?
    private var back: Int64 = 0
    private var ahead: Int64 = 0
    /// The time before which neither a phone nor an unsynchronised system clock may set it.
    private var floor: Int64
    /// The last authoritative time, and what has passed since; nil if there was none.
    private var sound: Int64?
    private var isNew: Bool
    private var isSynchronised = false
    private var seenAt = Instant.origin

    /// The account of a reader that never ran.
    init(buildTime: Int64) {
        (self.buildTime, latest, floor) = (buildTime, buildTime, buildTime)
        isNew = true
    }

    /// Of a reader that ran before, and that last showed `latest`.
    init(buildTime: Int64, latest: Int64) {
        self.init(buildTime: buildTime)
        (self.latest, floor) = (max(buildTime, latest), max(buildTime, latest))
        isNew = false
    }

    /// Of a reader whose marks are lost: no phone may move its clock.
    static func exhausted(buildTime: Int64) -> ClockAccount {
        var account = ClockAccount(buildTime: buildTime, latest: buildTime)
        (account.back, account.ahead) = (mostBack, mostAhead)
        return account
    }

    /// The earliest time that it can be: that without what phones have put it ahead; nil while unset.
    var earliest: Int64? { shown.map { $0 - ahead } }

    // MARK: What happens to the clock

    /// The reader starts again, and has this account.
    func restarted(at now: Instant) -> ClockAccount {
        var account = self
        (account.shown, account.reached, account.isSynchronised, account.seenAt) = (nil, nil, false, now)
        account.floor = max(buildTime, shown ?? floor)
        account.latest = max(account.floor, latest)
        return account
    }

    /// Time has passed, and the clock shows `shows`.
    mutating func passed(to now: Instant, shows: Int64?) {
        let seconds = (now.nanoseconds - seenAt.nanoseconds) / 1_000_000_000
        seenAt = now
        guard let shown else { return require(shows == nil, "the clock shows a time that nobody has set") }
        guard let shows else { finding("the clock has forgotten the time") }
        require(
            (seconds...seconds + 1).contains(shows - shown), "in \(seconds) s the clock goes on by \(shows - shown)")
        if let sound { self.sound = sound + shows - shown }
        record(shows)
    }

    /// The system's clock was looked at.
    mutating func observed(system: Int64, isSynchronised: Bool, shows: Int64?) {
        self.isSynchronised = isSynchronised && system >= buildTime
        guard let shows else { return require(shown == nil && !self.isSynchronised, "a good time is not taken") }
        require(shows >= buildTime, "the clock shows a time before its firmware")
        if self.isSynchronised {
            let isTick = shown == shows && shows == system + 1
            require(shows == system || isTick, "the clock shows another time than the synchronised one")
            believe(shows)
        } else {
            require(shows >= floor, "the system's clock takes the time back to before this run")
            let step = shown.map { shows - $0 } ?? 0
            require(step != -1, "the clock goes back without a step")
            if step < 0 { goBack(by: -step) }
        }
        record(shows)
    }

    /// Somebody has tried to set it to `time`.
    mutating func wasSet(to time: Int64, by authority: ReaderClock.Authority, isDone: Bool, shows: Int64?) {
        guard isDone else { return require(shows == shown, "a step that was refused moves the clock") }
        require(shows == time, "the clock shows another time than it was set to")
        require(!isSynchronised, "a synchronised clock is set")
        require(time >= buildTime, "the clock is set to a time before its firmware")
        switch authority {
        case .operatorLocally: believe(time)
        case .issuer:
            require(sound.map { time >= $0 - 3600 } ?? true, "a signed time of the past is taken again")
            believe(time)
        case .phone: move(to: time)
        }
        record(time)
    }

    private mutating func move(to time: Int64) {
        require(time >= floor, "a phone takes the time back to before this run")
        if let shown {
            if time < shown { goBack(by: shown - time) } else { goAhead(by: time - shown) }
        } else if isNew {
            require(time - floor <= ClockAccount.shelfLife, "a phone sets a new reader's clock to any time")
        } else {
            goAhead(by: time - floor)
        }
    }

    private mutating func goBack(by step: Int64) {
        back += step
        require(back <= ClockAccount.mostBack, "the clock goes back by \(back) s, all steps together")
    }

    private mutating func goAhead(by step: Int64) {
        ahead += step
        require(ahead <= ClockAccount.mostAhead, "phones put the clock ahead by \(ahead) s, all steps together")
    }

    private mutating func believe(_ time: Int64) {
        (latest, floor, sound) = (time, buildTime, time)
        (back, ahead) = (0, 0)
    }

    private mutating func record(_ shows: Int64) {
        isNew = false
        shown = shows
        latest = max(latest, shows)
        reached = max(reached ?? .min, shows - ahead)
    }
}
