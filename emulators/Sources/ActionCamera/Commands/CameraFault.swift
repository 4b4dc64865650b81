// SPDX-License-Identifier: Apache-2.0

public import Emulation
import SeededNumbers

/// A fault on command.
public enum CameraFault: Equatable, Sendable, CustomStringConvertible {
    /// It is sent or answered so much later.
    case delay(Duration)
    /// The request has no effect, and this status.
    case status(Int)
    /// The connection closes; a request has no effect.
    case close
    /// The connection is reset.
    case reset
    /// The request has its effect, and the connection closes without a response.
    case lost
    /// The connection closes after so many octets of the body; of a picture only so many octets are sent.
    case cut(Int)
    /// It is not sent.
    case drop
    /// It is sent twice.
    case duplicate
    /// It is sent behind the next one.
    case swap
    /// A line comes in two segments, 100 ms apart.
    case split
    /// A line waits for the next one, and comes in one segment with it.
    case merge
    /// Nothing more is sent, and the connection stays open.
    case silence
    /// The first octets are wrong.
    case sync
    /// The announced size is so many octets too large.
    case size(Int)
    /// So many numbers are left out.
    case gap(Int)

    /// The thing that a fault affects.
    public enum Place: String, Sendable {
        /// A request of HTTP.
        case request
        /// A new connection of HTTP or the backchannel.
        case connection
        /// A line of the backchannel.
        case line
        /// A picture of the viewfinder.
        case frame
        /// A datagram of the viewfinder.
        case datagram
        /// A packet of the preview.
        case packet
    }

    /// The word in files and commands.
    public var word: String {
        switch self {
        case .delay: "delay"
        case .status: "status"
        case .close: "close"
        case .reset: "reset"
        case .lost: "lost"
        case .cut: "cut"
        case .drop: "drop"
        case .duplicate: "duplicate"
        case .swap: "swap"
        case .split: "split"
        case .merge: "merge"
        case .silence: "silence"
        case .sync: "sync"
        case .size: "size"
        case .gap: "gap"
        }
    }

    /// The faults at a place.
    static func words(at place: Place) -> [String] {
        switch place {
        case .request: ["delay", "status", "close", "reset", "lost", "cut"]
        case .connection: ["close", "reset"]
        case .line: ["delay", "drop", "duplicate", "split", "merge", "close", "reset", "silence"]
        case .frame: ["drop", "cut", "size", "gap"]
        case .datagram: ["drop", "duplicate", "swap", "delay", "sync"]
        case .packet: ["delay", "drop", "close", "reset", "silence"]
        }
    }

    static let plain: [String: CameraFault] = [
        "close": .close, "reset": .reset, "lost": .lost, "drop": .drop, "duplicate": .duplicate, "swap": .swap,
        "split": .split, "merge": .merge, "silence": .silence, "sync": .sync,
    ]

    /// The range of a fault's number, and what it counts.
    static let numbers: [String: (range: ClosedRange<Int>, unit: String, name: String)] = [
        "delay": (0...600_000, "milliseconds", "MS"), "status": (200...599, "an HTTP status", "STATUS"),
        "cut": (0...1_000_000_000, "octets", "OCTETS"), "size": (1...1_000_000, "octets", "OCTETS"),
        "gap": (1...65_535, "numbers", "COUNT"),
    ]

    /// A fault with a number; nil if the number is out of range, or the fault has none.
    init?(_ word: String, _ number: Int) {
        guard CameraFault.numbers[word]?.range.contains(number) == true else { return nil }
        switch word {
        case "delay": self = .delay(.milliseconds(number))
        case "status": self = .status(number)
        case "cut": self = .cut(number)
        case "size": self = .size(number)
        default: self = .gap(number)
        }
    }

    /// `delay 3000`
    public var description: String {
        switch self {
        case .delay(let time): "delay \(Int((time.seconds * 1000).rounded())) ms"
        case .status(let number), .cut(let number), .size(let number), .gap(let number): "\(word) \(number)"
        default: word
        }
    }
}

/// A step of the camera at which faults happen.
public struct CameraStep: Equatable, Sendable {
    /// The name in files and commands.
    public let name: String
    /// The place.
    public let place: CameraFault.Place

    /// The faults here: words, and the name of the number behind the step, if there is one.
    public var faults: [(word: String, argument: String?)] {
        CameraFault.words(at: place).map { ($0, CameraFault.numbers[$0]?.name) }
    }

    /// All steps.
    public static let all: [CameraStep] =
        CameraEndpoint.steps.map { CameraStep(name: $0, place: .request) } + [
            CameraStep(name: "any-request", place: .request), CameraStep(name: "connection", place: .connection),
            CameraStep(name: "line", place: .line), CameraStep(name: "frame", place: .frame),
            CameraStep(name: "datagram", place: .datagram), CameraStep(name: "preview-packet", place: .packet),
            CameraStep(name: "preview-end", place: .packet),
        ]

    /// The step with a name.
    static func named(_ name: String) -> CameraStep? { all.first { $0.name == name } }
}

/// A fault with the times at which it happens.
public struct CameraFaultRule: Equatable, Sendable, CustomStringConvertible {
    /// The step.
    public var step: String
    /// The fault.
    public var fault: CameraFault
    /// The first time, from 1 on.
    public var occurrence = 1
    /// The number of times that it happens, counted from `occurrence`; nil for every time.
    public var times: Int? = 1
    /// The chance of each time, in per cent.
    public var chance = 100

    /// A fault for the next time.
    public init(_ fault: CameraFault, at step: String) {
        self.step = step
        self.fault = fault
    }

    /// `drop at datagram, every time, 5 %`
    public var description: String {
        let when = times == nil ? "every time" : times == 1 ? "the next time" : "\(times ?? 0) times"
        let from = occurrence > 1 ? " from time \(occurrence) on" : ""
        return "\(fault) at \(step), \(when)\(from)\(chance < 100 ? ", \(chance) %" : "")"
    }
}

/// The faults to come, as a value with its own random numbers: the same seed and the same steps give the same faults.
public struct CameraFaultPlan: Equatable, Sendable {
    /// The most rules.
    public static let maximumRules = 256

    private struct Counted: Equatable, Sendable {
        var rule: CameraFaultRule
        var seen = 0
    }

    private var counted: [Counted] = []
    private var random: SeededGenerator

    /// A plan without faults.
    public init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// The rules that are not over.
    public var rules: [CameraFaultRule] { counted.map(\.rule) }
    /// True if no rules are left.
    public var isEmpty: Bool { counted.isEmpty }

    /// Adds a rule, which counts from now; false if there are too many.
    public mutating func add(_ rule: CameraFaultRule) -> Bool {
        guard counted.count < CameraFaultPlan.maximumRules else { return false }
        counted.append(Counted(rule: rule))
        return true
    }

    /// The rules, for a page.
    public var observed: [ObservedState.ActiveFault] {
        rules.map { ObservedState.ActiveFault($0.fault.word, at: $0.step, $0.description) }
    }

    /// Removes the rules for a fault of this name at this step; false if there are none.
    public mutating func remove(_ word: String, at step: String) -> Bool {
        let count = counted.count
        counted.removeAll { $0.rule.fault.word == word && $0.rule.step == step }
        return counted.count < count
    }

    /// Removes all.
    public mutating func removeAll() { counted.removeAll() }

    /// The faults that happen at a step now.
    public mutating func faults(at step: String) -> [CameraFault] {
        guard !counted.isEmpty else { return [] }
        let isRequest = CameraStep.named(step)?.place == .request
        var faults: [CameraFault] = []
        for index in counted.indices
        where counted[index].rule.step == step || isRequest && counted[index].rule.step == "any-request" {
            counted[index].seen += 1
            let rule = counted[index].rule
            if counted[index].seen >= rule.occurrence, rule.chance >= 100 || Int(random.next() % 100) < rule.chance {
                faults.append(rule.fault)
            }
        }
        counted.removeAll { counted in
            counted.rule.times.map { counted.seen >= counted.rule.occurrence - 1 + $0 } ?? false
        }
        return faults
    }
}
