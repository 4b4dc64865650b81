// SPDX-License-Identifier: Apache-2.0

/// The reason for a program's end, in one line.
public struct ProgramFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// 1 for a failure, 2 for wrong usage.
    public let exitCode: Int32
    /// The problem, its place and its remedy.
    public let description: String

    /// A failure with this text.
    public static func failed(_ text: String) -> ProgramFailure { ProgramFailure(exitCode: 1, description: text) }
    /// Wrong usage with this text.
    public static func usage(_ text: String) -> ProgramFailure { ProgramFailure(exitCode: 2, description: text) }
}
