/// A fault, and when it happens.
public struct FaultRule: Equatable, Sendable, CustomStringConvertible {
    /// The step.
    public var step: String
    /// What goes wrong there.
    public var fault: Fault
    /// The first time that it does, counted from 1 since the rule is there.
    public var occurrence: Int
    /// How many times from then on; nil for always.
    public var times: Int?
    /// Only with this device, counted from 1; nil for all.
    public var device: Int?

    /// A rule; without further arguments for the next time alone.
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

/// The faults that are to happen, as a value: steps come in, what is to go wrong comes out.
public struct FaultPlan: Equatable, Sendable {
    /// The most rules at a time; a person types far fewer, and a file is bounded by it.
    public static let maximumRules = 256

    private struct Counted: Equatable, Sendable {
        var rule: FaultRule
        var seen = 0

        var isOver: Bool { rule.times.map { seen >= rule.occurrence - 1 + $0 } ?? false }
    }

    private var counted: [Counted] = []

    /// A plan; without arguments one in which nothing goes wrong.
    public init(_ rules: [FaultRule] = []) { for rule in rules { _ = add(rule) } }

    /// The rules that are not over.
    public var rules: [FaultRule] { counted.map(\.rule) }

    /// Adds a rule, which counts from now; false if there are too many.
    public mutating func add(_ rule: FaultRule) -> Bool {
        guard counted.count < FaultPlan.maximumRules else { return false }
        counted.append(Counted(rule: rule))
        return true
    }

    /// Nothing goes wrong any more.
    public mutating func removeAll() { counted.removeAll() }

    /// A device comes to a step: what goes wrong there, in the order of the rules.
    ///
    /// - Parameter device: counted from 0.
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

/// What becomes of a value that a device wants to send.
public struct FaultedValue: Equatable, Sendable {
    /// What is sent, in this order; nothing if it is dropped.
    public private(set) var octets: [[UInt8]]
    /// How much later.
    public private(set) var delay = Duration.zero
    /// Whether the link ends in place of it.
    public private(set) var disconnectsBefore = false
    /// Whether the link ends after it.
    public private(set) var disconnectsAfter = false

    /// The value with these faults, one after the other. `code` is not among what changes it here: the device encodes
    /// it.
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
            case .code, .error: break
            }
        }
    }
}

/// What becomes of a request.
public struct FaultedRequest: Equatable, Sendable {
    /// The ATT error that it is refused with.
    public private(set) var error: UInt8?
    /// How much later it is answered.
    public private(set) var delay = Duration.zero
    /// Whether the link ends in place of an answer.
    public private(set) var disconnectsBefore = false
    /// Whether the link ends after it.
    public private(set) var disconnectsAfter = false

    /// A request with these faults.
    public init(_ faults: [Fault]) {
        for fault in faults {
            switch fault {
            case .error(let code): error = code
            case .delay(let duration): delay += duration
            case .disconnectBefore: disconnectsBefore = true
            case .disconnectAfter: disconnectsAfter = true
            default: break
            }
        }
    }
}
