// SPDX-License-Identifier: Apache-2.0

import CGPIO

/// A GPIO line requested as an input, whose edges the kernel queues, until deinitialization.
public struct InputLine: ~Copyable {
    /// The bias of the line while nothing drives it.
    public enum Bias: Equatable, Sendable {
        /// Unchanged.
        case asIs
        /// Pull-up.
        case pullUp
        /// Pull-down.
        case pullDown
    }

    /// A change of the level.
    public struct Edge: Equatable, Sendable {
        /// True if the line became active.
        public var isActive: Bool
        /// The kernel's timestamp in nanoseconds: CLOCK_MONOTONIC from Linux 5.7 on, another clock before.
        public var nanoseconds: UInt64
    }

    /// The reference with which the line was requested.
    public let reference: LineReference
    /// Readable while edges are queued; in error when the chip is gone. Valid for the lifetime of this value.
    public let descriptor: Int32
    private let input: OpaquePointer

    /// Requests the line as an input; with `activeLow`, the low level is active.
    public init(_ reference: LineReference, activeLow: Bool = false, bias: Bias = .asIs) throws(GPIOError) {
        var place = try OutputLine.locate(reference)
        var opened: OpaquePointer?
        var errno: Int32 = 0
        let outcome = readerd_gpio_open_input(&place, activeLow, bias.raw, &opened, &errno)
        guard let opened, outcome == READERD_GPIO_OK else {
            throw OutputLine.error(outcome, errno, .open, reference)
        }
        self.reference = reference
        descriptor = readerd_gpio_input_descriptor(opened)
        input = opened
    }

    deinit { readerd_gpio_close_input(input) }

    /// Returns true if the line is active.
    public func get() throws(GPIOError) -> Bool {
        var errno: Int32 = 0
        var active = false
        let outcome = readerd_gpio_input_get(input, &active, &errno)
        guard outcome == READERD_GPIO_OK else { throw OutputLine.error(outcome, errno, .get, reference) }
        return active
    }

    /// Removes and returns the oldest queued edge; nil if the queue is empty. Does not block. The kernel keeps only
    /// the first 16 or so, so read the level after them.
    public mutating func nextEdge() throws(GPIOError) -> Edge? {
        var errno: Int32 = 0
        var edge = Edge(isActive: false, nanoseconds: 0)
        switch readerd_gpio_next_edge(input, &edge.isActive, &edge.nanoseconds, &errno) {
        case READERD_GPIO_OK: return edge
        case READERD_GPIO_NO_EDGE: return nil
        case let outcome: throw OutputLine.error(outcome, errno, .get, reference)
        }
    }
}

extension InputLine.Bias {
    fileprivate var raw: readerd_gpio_bias {
        switch self {
        case .asIs: READERD_GPIO_BIAS_AS_IS
        case .pullUp: READERD_GPIO_BIAS_PULL_UP
        case .pullDown: READERD_GPIO_BIAS_PULL_DOWN
        }
    }
}
