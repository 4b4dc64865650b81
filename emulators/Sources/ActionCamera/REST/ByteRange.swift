// SPDX-License-Identifier: Apache-2.0

/// A part of a body that `Range` asks for (RFC 9110, 14): an extension, which the camera is not known to have.
public enum ByteRange: Equatable, Sendable {
    /// The whole body: the range is absent or may be ignored.
    case whole
    /// This part of it, 206.
    case part(Range<Int>)
    /// No part of it, 416.
    case unsatisfiable

    /// Reads the header for a body of this many octets. More than one range is ignored, which is permitted.
    public init(_ header: String?, of count: Int) {
        guard let header, header.hasPrefix("bytes=") else {
            self = .whole
            return
        }
        let bounds = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, bounds.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
            self = .whole
            return
        }
        switch (Int(bounds[0]), Int(bounds[1])) {
        case (let first?, let last?) where first <= last:
            self = first < count ? .part(first..<min(count, last == Int.max ? last : last + 1)) : .unsatisfiable
        case (let first?, nil) where bounds[1].isEmpty: self = first < count ? .part(first..<count) : .unsatisfiable
        case (nil, let suffix?) where bounds[0].isEmpty:
            self = suffix > 0 && count > 0 ? .part(max(0, count - suffix)..<count) : .unsatisfiable
        default: self = .whole
        }
    }
}
