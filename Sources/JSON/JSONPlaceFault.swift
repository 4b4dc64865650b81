// SPDX-License-Identifier: Apache-2.0

/// An error in a file, with its location.
public struct JSONPlaceFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The line, counted from 1.
    public var line: Int
    /// The path, such as `services[0].characteristics[1].uuid`; empty for the whole file, and for invalid JSON.
    public var path: String
    /// The error and the remedy.
    public var problem: String

    /// An error at this location.
    public init(line: Int, path: String, _ problem: String) {
        self.line = line
        self.path = path
        self.problem = problem
    }

    /// `12: services[0].uuid: …`, to follow the name of the file and a colon.
    public var description: String { "\(line): \(path.isEmpty ? "" : path + ": ")\(problem)" }
}
