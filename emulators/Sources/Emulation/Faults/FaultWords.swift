// SPDX-License-Identifier: Apache-2.0

import Octets

/// The syntax of faults in commands and files.
enum FaultWords {
    /// The valid occurrences: more than a device reaches in a day of tests.
    static let occurrences = 1...100_000

    /// The valid statuses of a final HTTP response (RFC 9110, 15).
    static let statuses = 200...599

    static let plain: [String: Fault] = [
        "drop": .drop, "duplicate": .duplicate, "disconnect-before": .disconnectBefore,
        "disconnect-after": .disconnectAfter, "refuse": .refuse, "wrong-confirm": .wrongConfirm,
        "wrong-proof": .wrongProof,
    ]
    static let withArgument = ["delay", "error", "code", "truncate", "replace", "extend"]
    static let all =
        ["drop", "duplicate", "disconnect-before", "disconnect-after", "refuse", "wrong-confirm", "wrong-proof"]
        + withArgument

    /// The faults of a kind of step, in the order of `all`.
    static func offered(_ kind: EmulatedStep.Kind) -> [OfferedFault] {
        all.filter { (plain[$0] ?? fault($0, "2") ?? fault($0, "00"))?.suits(kind) ?? false }
            .map { OfferedFault($0, argument: arguments[$0]) }
    }

    private static let arguments = [
        "delay": "MS", "error": "CODE", "code": "NUMBER", "truncate": "COUNT", "replace": "HEX", "extend": "HEX",
    ]

    /// A description of the argument of a kind of fault.
    static func wanted(_ kind: String) -> String {
        switch kind {
        case "delay": "milliseconds, 0 to \(Fault.maximumDelay)"
        case "error": "an ATT error, 0x01 to 0xff"
        case "code": "a number"
        case "truncate": "a count of octets, 0 to \(Fault.maximumOctets)"
        default: "octets, two hexadecimal digits each, at most \(Fault.maximumOctets)"
        }
    }

    /// The fault of this kind with this argument; nil if the argument is invalid.
    static func fault(_ kind: String, _ argument: String) -> Fault? {
        switch kind {
        case "delay":
            number(argument).flatMap { (0...Fault.maximumDelay).contains($0) ? .delay(.milliseconds($0)) : nil }
        case "error": number(argument).flatMap { (1...255).contains($0) ? .error(UInt8(truncatingIfNeeded: $0)) : nil }
        case "code": number(argument).flatMap { Int32(exactly: $0) == nil ? nil : .code($0) }
        case "truncate": number(argument).flatMap { (0...Fault.maximumOctets).contains($0) ? .truncate($0) : nil }
        case "replace": octets(argument).map { .replace($0) }
        case "extend": octets(argument).map { .extend($0) }
        default: nil
        }
    }

    /// `26` or `0x1a`.
    private static func number(_ text: String) -> Int? {
        text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
    }

    private static func octets(_ text: String) -> [UInt8]? {
        guard let octets = Hexadecimal.octets(text), octets.count <= Fault.maximumOctets else { return nil }
        return octets
    }

    /// The problem of a rule for devices with these steps; nil for a valid rule.
    static func problem(_ rule: FaultRule, _ steps: [EmulatedStep]) -> String? {
        let meant = steps.filter { $0.name == rule.step }
        guard !meant.isEmpty else {
            return
                "there is no step \(rule.step.debugDescription); here are \(steps.map(\.name).joined(separator: ", "))"
        }
        guard meant.contains(where: { rule.fault.suits($0.kind) }) else {
            let kind = meant[0].kind
            let article = kind == .exchange || kind == .answer ? "an" : "a"
            return "\(rule.fault.word) does not suit \(rule.step), \(article) \(kind.rawValue); "
                + "what does is \(meant[0].faults.map(\.word).joined(separator: ", "))"
        }
        if case .code(let code) = rule.fault, meant.allSatisfy({ $0.kind == .exchange }), !statuses.contains(code) {
            return "code at \(rule.step) is an HTTP status, \(statuses.lowerBound) to \(statuses.upperBound)"
        }
        return nil
    }
}
