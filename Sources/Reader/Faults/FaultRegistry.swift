// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// A present fault.
public struct Fault: Equatable, Sendable {
    /// The code.
    public var code: FaultCode
    /// The fault and its remedy, in one line.
    public var text: String
    /// The time at which it began.
    public var since: Instant
    /// The beginning in seconds since 1970; nil if the clock was not set.
    public var epochSeconds: Int64?
    /// The number of times that the fault occurred since the start, including this one.
    public var times: Int
}

/// A change of a fault to be reported.
public enum FaultNotice: Equatable, Sendable {
    /// The fault has begun, or has lasted for some time already.
    case raised(Fault)
    /// The fault has ended after this duration.
    case ended(FaultCode, after: Duration)
}

/// The present faults. A value without I/O: a fault or its end may be reported to it repeatedly, and leads to one
/// notice.
///
/// A fault that returns within `rest` after its end is listed without a notice, so that a device that fails every
/// second does not flood the log. If it then lasts for `rest`, the notice follows.
public struct FaultRegistry: Sendable {
    private enum State {
        case sound
        /// Ended so recently that its return causes no notice.
        case resting(until: Instant)
        /// `reportAt` is the time of the notice if that is still due.
        case raised(Fault, reportAt: Instant?)
    }

    /// The time after a fault's end within which its return causes no notice.
    public static let rest = Duration.seconds(60)

    private var states = [State](repeating: .sound, count: FaultCode.allCases.count)
    private var times = [Int](repeating: 0, count: FaultCode.allCases.count)
    private var notices: [FaultNotice] = []
    private var untold = 0
    /// The number of faults that have begun or ended since the start.
    public private(set) var changes = 0

    /// Creates a value without faults.
    public init() {}

    /// True if the fault is present.
    public func has(_ code: FaultCode) -> Bool {
        if case .raised = states[code.place] { true } else { false }
    }

    /// The present faults in the order of their codes.
    public var faults: [Fault] {
        states.compactMap { state in
            if case .raised(let fault, _) = state { fault } else { nil }
        }
    }

    /// Begins the fault with this text. For a fault that is present the text is replaced without a notice.
    public mutating func raise(_ code: FaultCode, _ text: String, at moment: Moment) {
        let place = code.place
        var rests = false
        switch states[place] {
        case .raised(var fault, let reportAt):
            guard fault.text != text else { return }
            fault.text = text
            states[place] = .raised(fault, reportAt: reportAt)
            return
        case .resting(let until): rests = moment.instant < until
        case .sound: break
        }
        times[place] += 1
        changes += 1
        let fault = Fault(
            code: code, text: text, since: moment.instant, epochSeconds: moment.epochSeconds, times: times[place])
        states[place] = .raised(fault, reportAt: rests ? moment.instant + FaultRegistry.rest : nil)
        if rests { untold += 1 } else { notices.append(.raised(fault)) }
    }

    /// Begins the fault and ends the others of its family without a notice, as one cause replaces another.
    public mutating func raise(_ code: FaultCode, of family: [FaultCode], _ text: String, at moment: Moment) {
        for other in family where other != code { end(other, isTold: false, at: moment.instant) }
        raise(code, text, at: moment)
    }

    /// Ends the fault if it is present.
    public mutating func clear(_ code: FaultCode, at moment: Moment) { end(code, isTold: true, at: moment.instant) }

    /// Ends these faults.
    public mutating func clear(_ family: [FaultCode], at moment: Moment) {
        for code in family { clear(code, at: moment) }
    }

    /// Begins or ends the fault; `text` is evaluated only if it begins.
    public mutating func set(
        _ code: FaultCode, _ isRaised: Bool, at moment: Moment, _ text: @autoclosure () -> String
    ) {
        guard isRaised != has(code) else { return }
        if isRaised { raise(code, text(), at: moment) } else { clear(code, at: moment) }
    }

    private mutating func end(_ code: FaultCode, isTold: Bool, at now: Instant) {
        guard case .raised(let fault, let reportAt) = states[code.place] else { return }
        states[code.place] = .resting(until: now + FaultRegistry.rest)
        changes += 1
        if reportAt != nil {
            untold -= 1
        } else if isTold {
            notices.append(.ended(code, after: now - fault.since))
        }
    }

    /// Removes and returns the next notice.
    public mutating func nextNotice() -> FaultNotice? { notices.isEmpty ? nil : notices.removeFirst() }

    /// The time of the next call of `advance`; nil if nothing is due.
    public var nextDeadline: Instant? {
        guard untold > 0 else { return nil }
        return states.compactMap { state in
            if case .raised(_, let reportAt) = state { reportAt } else { nil }
        }.min()
    }

    /// Adds the due notices of faults that returned and have lasted.
    public mutating func advance(to now: Instant) {
        guard untold > 0 else { return }
        for place in states.indices {
            guard case .raised(let fault, let reportAt?) = states[place], reportAt <= now else { continue }
            states[place] = .raised(fault, reportAt: nil)
            untold -= 1
            notices.append(.raised(fault))
        }
    }
}
