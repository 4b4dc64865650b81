// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The outputs of a device, with their timers (osdp_OUT, 6.10).
struct OSDPOutputs: Sendable {
    private struct Output {
        var isOn = false
        /// A timed state, and its end; nil if it has no end.
        var timed: (isOn: Bool, end: Instant?)?

        var state: Bool { timed?.isOn ?? isOn }
    }

    private var outputs: [Output]

    init(count: Int) { outputs = Array(repeating: Output(), count: count) }

    /// The states.
    var states: [Bool] { outputs.map(\.state) }

    /// True if an output is on, or has a timer.
    var isAnyOn: Bool { outputs.contains { $0.isOn || $0.timed != nil } }

    /// The end of the next timer.
    var deadline: Instant? { outputs.compactMap { $0.timed?.end }.min() }

    /// Executes all orders, or none if an output does not exist.
    mutating func execute(_ orders: [OSDPOutputOrder], at now: Instant) -> Bool {
        guard orders.allSatisfy({ Int($0.output) < outputs.count }) else { return false }
        for order in orders {
            let index = Int(order.output)
            let end = order.tenths == 0 ? nil : now + .milliseconds(100 * Int(order.tenths))
            switch order.control {
            case .none: break
            case .off, .on:
                outputs[index] = Output(isOn: order.control == .on)
            case .offAfterTimer, .onAfterTimer: outputs[index].isOn = order.control == .onAfterTimer
            case .timedOn, .timedOff: outputs[index].timed = (order.control == .timedOn, end)
            }
        }
        return true
    }

    /// Ends expired timers.
    mutating func advance(to now: Instant) {
        for index in outputs.indices {
            if let end = outputs[index].timed?.end, end <= now { outputs[index].timed = nil }
        }
    }

    /// Sets an output, and ends its timer.
    mutating func set(_ index: Int, isOn: Bool) { outputs[index] = Output(isOn: isOn) }

    /// Switches all outputs off, and ends their timers.
    mutating func release() { outputs = Array(repeating: Output(), count: outputs.count) }
}
