/// What a device does wrong.
public enum Fault: Equatable, Sendable, CustomStringConvertible {
    /// It refuses the request with this ATT error (Core 5.4, Vol 3, Part F, 3.4.1.1).
    case error(UInt8)
    /// It answers, or sends, so much later. What it sends after that waits too: the order stays.
    case delay(Duration)
    /// The value says this status or code of the device's own in place of the right one.
    case code(Int)
    /// The value is not sent.
    case drop
    /// The value is sent twice.
    case duplicate
    /// These octets are sent in place of the value.
    case replace([UInt8])
    /// Only so many octets of the value are sent.
    case truncate(Int)
    /// These octets follow the value.
    case extend([UInt8])
    /// The link ends before the step is done.
    case disconnectBefore
    /// The link ends when the step is done.
    case disconnectAfter

    /// The longest delay, in milliseconds: ten minutes, beyond all that a client waits for.
    public static let maximumDelay = 600_000
    /// The most octets that replace or extend a value: as many as an attribute's value may have (Core 5.4, Vol 3, Part
    /// F, 3.2.9).
    public static let maximumOctets = 512

    /// What the fault is called in files and commands.
    public var word: String {
        switch self {
        case .error: "error"
        case .delay: "delay"
        case .code: "code"
        case .drop: "drop"
        case .duplicate: "duplicate"
        case .replace: "replace"
        case .truncate: "truncate"
        case .extend: "extend"
        case .disconnectBefore: "disconnect-before"
        case .disconnectAfter: "disconnect-after"
        }
    }

    /// Whether it makes sense at a step of this kind.
    public func suits(_ kind: EmulatedStep.Kind) -> Bool {
        switch self {
        case .error: kind == .request
        case .delay: kind != .link
        case .code, .drop, .duplicate, .replace, .truncate, .extend: kind == .value
        case .disconnectBefore: kind != .link
        case .disconnectAfter: true
        }
    }

    /// `delay 3000 ms`
    public var description: String {
        switch self {
        case .error(let code): "error 0x\(Fault.digits([code]))"
        case .delay(let duration):
            "delay \(duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000) ms"
        case .code(let code): "code \(code)"
        case .replace(let octets): "replace \(octets.isEmpty ? "with nothing" : Fault.digits(octets))"
        case .truncate(let count): "truncate \(count)"
        case .extend(let octets): "extend \(Fault.digits(octets))"
        case .drop, .duplicate, .disconnectBefore, .disconnectAfter: word
        }
    }

    /// Octets as two hexadecimal digits each.
    static func digits(_ octets: [UInt8]) -> String {
        octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
