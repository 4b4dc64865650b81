// SPDX-License-Identifier: Apache-2.0

import Octets

/// A fault of a device.
public enum Fault: Equatable, Sendable, CustomStringConvertible {
    /// The request is refused with this ATT error (Core 5.4, Vol 3, Part F, 3.4.1.1).
    case error(UInt8)
    /// The response or value is delayed. Subsequent values wait too, so that the order is preserved.
    case delay(Duration)
    /// The value contains this status or code of the device's protocol instead of the correct one.
    case code(Int)
    /// The value is not sent.
    case drop
    /// The value is sent twice.
    case duplicate
    /// The value is replaced with these octets.
    case replace([UInt8])
    /// The value is cut to this number of octets.
    case truncate(Int)
    /// These octets are appended to the value.
    case extend([UInt8])
    /// The link ends before the step.
    case disconnectBefore
    /// The link ends after the step.
    case disconnectAfter
    /// The connection or the pairing is refused.
    case refuse
    /// The confirm value of a pairing is wrong (Core 5.4, Vol 3, Part H, 2.3.5.6).
    case wrongConfirm
    /// The signature or the MAC of a message is wrong.
    case wrongProof

    /// The maximum delay in milliseconds: ten minutes, more than any client waits.
    public static let maximumDelay = 600_000
    /// The maximum number of octets that replace or extend a value: the limit of an attribute value (Core 5.4, Vol 3,
    /// Part F, 3.2.9).
    public static let maximumOctets = 512

    /// The name in files and commands.
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
        case .refuse: "refuse"
        case .wrongConfirm: "wrong-confirm"
        case .wrongProof: "wrong-proof"
        }
    }

    /// True if the fault is applicable to a step of this kind.
    public func suits(_ kind: EmulatedStep.Kind) -> Bool {
        switch self {
        case .error: kind == .request
        case .delay, .disconnectBefore: [.request, .value, .plainValue, .exchange, .proof, .answer].contains(kind)
        case .drop: [.value, .plainValue, .exchange, .pairing, .proof, .answer].contains(kind)
        case .code: [.value, .exchange, .answer].contains(kind)
        case .replace, .truncate: [.value, .plainValue, .exchange].contains(kind)
        case .duplicate, .extend: kind == .value || kind == .plainValue
        case .disconnectAfter: kind != .exchange && kind != .pairing
        case .refuse: kind == .connection || kind == .pairing
        case .wrongConfirm: kind == .pairing
        case .wrongProof: kind == .proof || kind == .answer
        }
    }

    /// `delay 3000 ms`
    public var description: String {
        switch self {
        case .error(let code): "error 0x\(Hexadecimal.text([code]))"
        case .delay(let duration):
            "delay \(duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000) ms"
        case .code(let code): "code \(code)"
        case .replace(let octets): "replace \(octets.isEmpty ? "with nothing" : Hexadecimal.text(octets))"
        case .truncate(let count): "truncate \(count)"
        case .extend(let octets): "extend \(Hexadecimal.text(octets))"
        case .drop, .duplicate, .disconnectBefore, .disconnectAfter, .refuse, .wrongConfirm, .wrongProof: word
        }
    }
}
