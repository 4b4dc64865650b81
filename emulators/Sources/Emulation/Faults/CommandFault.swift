// SPDX-License-Identifier: Apache-2.0

/// The reason why a line is not a command of an emulated device, or not a command of this device.
public struct CommandFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// One line: the error and the remedy.
    public let description: String

    /// A fault with this line.
    public init(_ description: String) { self.description = description }
}
