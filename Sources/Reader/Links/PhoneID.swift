public import Peripheral

/// Names a phone that the reader serves, by the way that it came.
public enum PhoneID: Hashable, Sendable {
    /// Over Bluetooth LE, on this link.
    case link(LinkID)
    /// By touching the reader; taps are numbered from 1.
    case tap(UInt32)

    /// The number of the link or of the tap.
    public var number: UInt32 {
        switch self {
        case .link(let id): id.generation
        case .tap(let number): number
        }
    }

    /// Whether it touches the reader.
    public var isContactless: Bool { if case .tap = self { true } else { false } }
}

extension PhoneID: CustomStringConvertible {
    /// `link 17` or `tap 3`.
    public var description: String {
        switch self {
        case .link(let id): id.description
        case .tap(let number): "tap \(number)"
        }
    }
}
