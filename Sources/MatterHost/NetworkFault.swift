// SPDX-License-Identifier: Apache-2.0

/// A socket or an interface that cannot be used.
public struct NetworkFault: Error, Equatable, CustomStringConvertible {
    /// The fault and the remedy, in one line.
    public let text: String
    /// The same.
    public var description: String { text }
}
