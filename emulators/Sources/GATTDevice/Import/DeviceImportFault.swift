// SPDX-License-Identifier: Apache-2.0

/// The reason why a device cannot be made of a file, with its place.
public struct DeviceImportFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// A place in a file.
    public enum Place: Equatable, Sendable {
        /// The whole file.
        case file
        /// An octet of a binary file, counted from 0.
        case octet(Int)
        /// A line of a text, counted from 1.
        case line(Int)
    }

    /// The place.
    public var place: Place
    /// The fault and the remedy.
    public var problem: String

    init(_ place: Place, _ problem: String) {
        self.place = place
        self.problem = problem
    }

    /// `octet 24: …`, to follow the name of the file, a colon and a space.
    public var description: String {
        switch place {
        case .file: problem
        case .octet(let offset): "octet \(offset): \(problem)"
        case .line(let line): "line \(line): \(problem)"
        }
    }
}
