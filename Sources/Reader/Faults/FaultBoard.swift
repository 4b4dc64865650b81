public import Timekeeping

/// A fault that lasts.
public struct Fault: Equatable, Sendable {
    /// Which.
    public var code: FaultCode
    /// What is wrong and what to do about it, in one line.
    public var text: String
    /// Since when.
    public var since: Instant
    /// The same in seconds since 1970; nil if there was no time then.
    public var epochSeconds: Int64?
    /// How often there was this fault since the start, this time included.
    public var times: Int
}

/// What people are to be told of a fault, once.
public enum FaultNotice: Equatable, Sendable {
    /// There is this fault from now on, or for some time already.
    case raised(Fault)
    /// It is over; how long it lasted.
    case ended(FaultCode, after: Duration)
}

/// What is wrong at present. A value without I/O: whoever notices a fault, or its end, says so as often as it likes, and
/// people are told once of each.
///
/// A fault that comes back within `rest` after its end is shown, and not told: a device that fails every second would
/// have the log to itself. If it then lasts as long, it is told after all.
public struct FaultBoard: Sendable {
    private enum State {
        case sound
        /// It is over, so recently that its return is not told.
        case resting(until: Instant)
        /// `tellAt`: when it is told, if it was not yet.
        case raised(Fault, tellAt: Instant?)
    }

    /// How long after its end a fault that returns is the same one for people.
    public static let rest = Duration.seconds(60)

    private var states = [State](repeating: .sound, count: FaultCode.allCases.count)
    private var times = [Int](repeating: 0, count: FaultCode.allCases.count)
    private var notices: [FaultNotice] = []
    private var untold = 0

    /// Nothing is wrong.
    public init() {}

    /// Whether there is this fault.
    public func has(_ code: FaultCode) -> Bool {
        if case .raised = states[code.place] { true } else { false }
    }

    /// All faults, in the order of their codes.
    public var faults: [Fault] {
        states.compactMap { state in
            if case .raised(let fault, _) = state { fault } else { nil }
        }
    }

    /// There is this fault, and this is to be said of it. What is said of a fault that there was already replaces what
    /// was said before, without a notice.
    public mutating func raise(_ code: FaultCode, _ text: String, at moment: Moment) {
        let place = code.place
        var rests = false
        switch states[place] {
        case .raised(var fault, let tellAt):
            guard fault.text != text else { return }
            fault.text = text
            states[place] = .raised(fault, tellAt: tellAt)
            return
        case .resting(let until): rests = moment.instant < until
        case .sound: break
        }
        times[place] += 1
        let fault = Fault(
            code: code, text: text, since: moment.instant, epochSeconds: moment.epochSeconds, times: times[place])
        states[place] = .raised(fault, tellAt: rests ? moment.instant + FaultBoard.rest : nil)
        if rests { untold += 1 } else { notices.append(.raised(fault)) }
    }

    /// There is this fault and none of the others, as one cause gives way to another; their end is not told.
    public mutating func raise(_ code: FaultCode, of family: [FaultCode], _ text: String, at moment: Moment) {
        for other in family where other != code { end(other, isTold: false, at: moment.instant) }
        raise(code, text, at: moment)
    }

    /// There is not, or no longer, this fault.
    public mutating func clear(_ code: FaultCode, at moment: Moment) { end(code, isTold: true, at: moment.instant) }

    /// There is none of these faults.
    public mutating func clear(_ family: [FaultCode], at moment: Moment) {
        for code in family { clear(code, at: moment) }
    }

    /// There is this fault or there is not; `text` is made only for one that was not there before.
    public mutating func set(
        _ code: FaultCode, _ isRaised: Bool, at moment: Moment, _ text: @autoclosure () -> String
    ) {
        guard isRaised != has(code) else { return }
        if isRaised { raise(code, text(), at: moment) } else { clear(code, at: moment) }
    }

    private mutating func end(_ code: FaultCode, isTold: Bool, at now: Instant) {
        guard case .raised(let fault, let tellAt) = states[code.place] else { return }
        states[code.place] = .resting(until: now + FaultBoard.rest)
        if tellAt != nil {
            untold -= 1
        } else if isTold {
            notices.append(.ended(code, after: now - fault.since))
        }
    }

    /// The next thing to tell people.
    public mutating func nextNotice() -> FaultNotice? { notices.isEmpty ? nil : notices.removeFirst() }

    /// When `advance` is to be called next; nil while nothing is due.
    public var nextDeadline: Instant? {
        guard untold > 0 else { return nil }
        return states.compactMap { state in
            if case .raised(_, let tellAt) = state { tellAt } else { nil }
        }.min()
    }

    /// Has those told that came back and have lasted.
    public mutating func advance(to now: Instant) {
        guard untold > 0 else { return }
        for place in states.indices {
            guard case .raised(let fault, let tellAt?) = states[place], tellAt <= now else { continue }
            states[place] = .raised(fault, tellAt: nil)
            untold -= 1
            notices.append(.raised(fault))
        }
    }
}
