import CGPIO

/// A GPIO line that this process reads, and whose edges the kernel collects for it, until the value's end.
public struct InputLine: ~Copyable {
    /// What the chip does to the line while nothing drives it.
    public enum Bias: Equatable, Sendable {
        /// What it did before.
        case asIs
        /// It pulls the line to the high level.
        case pullUp
        /// It pulls the line to the low level.
        case pullDown
    }

    /// A change of the level.
    public struct Edge: Equatable, Sendable {
        /// Whether the line became active.
        public var isActive: Bool
        /// The kernel's time of it in nanoseconds: on CLOCK_MONOTONIC from Linux 5.7 on, before that on another clock.
        public var nanoseconds: UInt64
    }

    /// Where the line is, as it was asked for.
    public let reference: LineReference
    /// Readable while there are edges; in error when the chip is gone. It lives as long as this value.
    public let descriptor: Int32
    private let input: OpaquePointer

    /// Takes the line as an input; with `activeLow`, active is the low level.
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

    /// Whether the line is active now.
    public func get() throws(GPIOError) -> Bool {
        var errno: Int32 = 0
        var active = false
        let outcome = readerd_gpio_input_get(input, &active, &errno)
        guard outcome == READERD_GPIO_OK else { throw OutputLine.error(outcome, errno, .get, reference) }
        return active
    }

    /// Takes the oldest edge that the kernel has collected; nil if there is none. Does not wait. The kernel keeps the
    /// first 16 or so that nobody takes, so ask for the level after them.
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
