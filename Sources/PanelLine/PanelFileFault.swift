// SPDX-License-Identifier: Apache-2.0

/// A file of a device that cannot be used: the file, the fault and the remedy in one line.
public struct PanelFileFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The line.
    public let description: String

    init(_ description: String) { self.description = description }
}
