// SPDX-License-Identifier: Apache-2.0

/// A fault and its occurrence.
public struct FaultRule: Equatable, Sendable, CustomStringConvertible {
    /// The step.
    public var step: String
    /// The fault.
    public var fault: Fault
    /// The first occurrence of the step that is affected, counted from 1 since the rule was added.
    public var occurrence: Int
    /// The number of affected occurrences from there; nil for unlimited.
    public var times: Int?
    /// The only affected device, counted from 1; nil for all.
    public var device: Int?

    /// A rule; by default for the next occurrence only.
    public init(_ fault: Fault, at step: String, occurrence: Int = 1, times: Int? = 1, device: Int? = nil) {
        self.step = step
        self.fault = fault
        self.occurrence = occurrence
        self.times = times
        self.device = device
    }

    /// `drop at scan-record, the 2nd time`
    public var description: String {
        let when: String
        switch (occurrence, times) {
        case (1, nil): when = "every time"
        case (let first, nil): when = "from time \(first) on"
        case (1, 1): when = "the next time"
        case (let first, 1): when = "time \(first) from now"
        case (let first, let times?): when = "\(times) times from time \(first) on"
        }
        return "\(fault) at \(step), \(when)\(device.map { ", device \($0)" } ?? "")"
    }
}

/// The pending faults, as a value: steps come in, their faults come out.
public struct FaultPlan: Equatable, Sendable {
    /// The maximum number of rules: more than a person types, and a bound for files.
    public static let maximumRules = 256

    private struct Counted: Equatable, Sendable {
        var rule: FaultRule
        var seen = 0

        var isOver: Bool { rule.times.map { seen >= rule.occurrence - 1 + $0 } ?? false }
    }

    private var counted: [Counted] = []

    /// A plan; by default without faults.
    public init(_ rules: [FaultRule] = []) { for rule in rules { _ = add(rule) } }

    /// The rules that still apply.
    public var rules: [FaultRule] { counted.map(\.rule) }

    /// The rules, for a page.
    public var observed: [ObservedState.ActiveFault] {
        rules.map { ObservedState.ActiveFault($0.fault.word, at: $0.step, $0.description) }
    }

    /// Adds a rule, which counts from now; false if there are too many.
    public mutating func add(_ rule: FaultRule) -> Bool {
        guard counted.count < FaultPlan.maximumRules else { return false }
        counted.append(Counted(rule: rule))
        return true
    }

    /// Removes the rules for a fault of this name at this step; false if there are none.
    public mutating func remove(_ word: String, at step: String) -> Bool {
        let count = counted.count
        counted.removeAll { $0.rule.fault.word == word && $0.rule.step == step }
        return counted.count < count
    }

    /// Removes all rules.
    public mutating func removeAll() { counted.removeAll() }

    /// The faults of a step of a device, in the order of the rules.
    ///
    /// - Parameter device: the index of the device, counted from 0.
    public mutating func faults(at step: String, device: Int) -> [Fault] {
        var faults: [Fault] = []
        for index in counted.indices
        where counted[index].rule.step == step && (counted[index].rule.device ?? device + 1) == device + 1 {
            counted[index].seen += 1
            let rule = counted[index].rule
            if counted[index].seen >= rule.occurrence { faults.append(rule.fault) }
        }
        counted.removeAll { $0.isOver }
        return faults
    }
}

/// A value with the faults applied.
public struct FaultedValue: Equatable, Sendable {
    /// The values to send, in order; empty if dropped.
    public private(set) var octets: [[UInt8]]
    /// The delay.
    public private(set) var delay = Duration.zero
    /// True if the link ends instead.
    public private(set) var disconnectsBefore = false
    /// True if the link ends afterwards.
    public private(set) var disconnectsAfter = false

    /// Applies the faults in order, except `code`, which the device's encoder applies.
    public init(_ value: [UInt8], _ faults: [Fault]) {
        octets = [value]
        for fault in faults {
            switch fault {
            case .delay(let duration): delay += duration
            case .drop: octets = []
            case .duplicate: octets += octets.prefix(1)
            case .replace(let other): octets = octets.map { _ in other }
            case .truncate(let count): octets = octets.map { Array($0.prefix(count)) }
            case .extend(let more): octets = octets.map { $0 + more }
            case .disconnectBefore: disconnectsBefore = true
            case .disconnectAfter: disconnectsAfter = true
            case .code, .error, .refuse, .wrongConfirm, .wrongProof: break
            }
        }
    }
}

/// A request with the faults applied.
public struct FaultedRequest: Equatable, Sendable {
    /// The ATT error that refuses it.
    public private(set) var error: UInt8?
    /// The delay of the response.
    public private(set) var delay = Duration.zero
    /// True if the link ends instead of a response.
    public private(set) var disconnectsBefore = false
    /// True if the link ends afterwards.
    public private(set) var disconnectsAfter = false
    /// True if a connection ends at once.
    public private(set) var isRefused = false

    /// Combines the faults.
    public init(_ faults: [Fault]) {
        for fault in faults {
            switch fault {
            case .error(let code): error = code
            case .delay(let duration): delay += duration
            case .disconnectBefore: disconnectsBefore = true
            case .disconnectAfter: disconnectsAfter = true
            case .refuse: isRefused = true
            default: break
            }
        }
    }
}
