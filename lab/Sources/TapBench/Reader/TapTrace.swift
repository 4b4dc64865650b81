// SPDX-License-Identifier: Apache-2.0

/// The kinds of credential that are measured.
public enum TapKind: String, CaseIterable, Sendable {
    /// A phone that reads: the reader is the card.
    case token
    case pkoc
    case aliroFast = "aliro-fast"
    case aliroStandard = "aliro-standard"
    case aliroStepUp = "aliro-step-up"
    case desfire

    /// The commands to which the card signs, or agrees on a key.
    var keyWork: Set<String> {
        switch self {
        case .pkoc: ["AUTHENTICATE"]
        case .aliroStandard, .aliroStepUp: ["AUTH1"]
        case .token, .aliroFast, .desfire: []
        }
    }

    /// The name of a command with this instruction.
    func name(of command: [UInt8]) -> String {
        switch (self, command[1]) {
        case (_, 0xA4): "SELECT"
        case (.pkoc, 0x80): "AUTHENTICATE"
        case (_, 0xC0): "GET RESPONSE"
        case (.desfire, 0x5A): "select application"
        case (.desfire, 0x71): "authenticate"
        case (.desfire, 0xAF): "challenge"
        case (.desfire, 0xBD): "read file"
        case (.token, 0x10): "message"
        case (_, 0x80): "AUTH0"
        case (_, 0x81): "AUTH1"
        case (_, 0xC3): "ENVELOPE"
        case (_, 0xC9): "EXCHANGE"
        default: "command"
        }
    }
}

/// One APDU of a transaction and its response, as the reader has made and judged them.
public struct TapExchange: Equatable, Sendable {
    /// The command in words.
    public var name: String
    /// Octets of the command.
    public var command: Int
    /// Octets of the response.
    public var response: Int
    /// True if the card signs, or agrees on a key, before it responds.
    public var hasKeyWork: Bool
    /// The reader's processor time for making the command or judging the response, in nanoseconds.
    public var reader: Int
}

/// The reader's times from the proof of a card to the order to the lock, in nanoseconds.
public struct TapDoor: Equatable, Sendable {
    /// Processor time of the decision: list, revocation, validity, lockdown, and the event.
    public var decision: Int
    /// Until the event is on the disk, by the wall's clock.
    public var record: Int
    /// Processor time from the stored record to the order to the lock's line.
    public var edge: Int

    /// The times of these stages.
    public init(decision: Int, record: Int, edge: Int) {
        (self.decision, self.record, self.edge) = (decision, record, edge)
    }
}

/// A measured transaction, up to the proof.
public struct TapTrace: Equatable, Sendable {
    /// The kind of the card.
    public let kind: TapKind
    /// The exchanges in order.
    public var exchanges: [TapExchange]

    /// Replaces the reader's times by the medians of equal transactions.
    public init(medianOf traces: [TapTrace]) throws(TapFault) {
        guard let first = traces.first else { throw TapFault("no transaction") }
        self = first
        for index in exchanges.indices {
            let times = traces.compactMap { $0.exchanges.indices.contains(index) ? $0.exchanges[index].reader : nil }
            exchanges[index].reader = TapTrace.median(times)
        }
    }

    init(_ kind: TapKind, _ exchanges: [TapExchange]) { (self.kind, self.exchanges) = (kind, exchanges) }

    /// The median of times; of an even number the lower.
    public static func median(_ times: [Int]) -> Int {
        times.isEmpty ? 0 : times.sorted()[(times.count - 1) / 2]
    }
}
