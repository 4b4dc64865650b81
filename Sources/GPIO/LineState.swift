// SPDX-License-Identifier: Apache-2.0

import CGPIO

/// The state of a line, queried without requesting it: neither its level nor its direction changes.
public struct LineState: Equatable, Sendable {
    /// True if a process or a kernel driver holds the line.
    public var isHeld: Bool
    /// The name of the holder; "something" if it has none.
    public var holder: String

    /// Queries the line.
    public init(of reference: LineReference) throws(GPIOError) {
        var place = try OutputLine.locate(reference)
        var state = readerd_gpio_state()
        var errno: Int32 = 0
        let outcome = readerd_gpio_look(&place, &state, &errno)
        guard outcome == READERD_GPIO_OK else { throw OutputLine.error(outcome, errno, .find, reference) }
        isHeld = state.is_held
        let name = withUnsafeBytes(of: &state.holder) { octets in
            String(decoding: octets.prefix { $0 != 0 }, as: UTF8.self)
        }
        holder = name.isEmpty ? "something" : name
    }
}
