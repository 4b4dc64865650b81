// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// A PN532 on a serial line, whose host polls (PN532 user manual UM0701-02): octets of the host, cards and time go in,
/// octets for the host and commands for cards come out.
///
/// It is as strict as the chip: a faulty frame has no response, a wrong command gets a syntax error, and both are
/// reported. While the host is a card itself (TgInitAsTarget), no phone comes.
public struct PN532Chip: Sendable {
    /// An effect, in the order of occurrence.
    public enum Output: Equatable, Sendable {
        /// Octets for the host.
        case host([UInt8])
        /// The reader has activated this card.
        case activated(String)
        /// A command APDU for this card, to be answered with this number.
        case command(String, [UInt8], number: UInt64)
        /// The reader has released the card, its field went off, or the card has left.
        case released(String)
        /// A frame of enhanced contactless polling without its CRC, which phones receive.
        case pollingFrame([UInt8])
        /// The host broke a rule of the manual.
        case violation(String)
    }

    /// The status octet of a response (7.1).
    enum Status {
        static let ok: UInt8 = 0x00
        static let timedOut: UInt8 = 0x01
        static let overflow: UInt8 = 0x0E
        static let notNow: UInt8 = 0x27
    }

    /// A command whose response awaits a card or a time-out.
    struct Pending: Sendable {
        let code: UInt8
        /// The card that responds; nil for a time-out only.
        var card: String?
        var number: UInt64 = 0
        /// The end of the chip's own time; nil for a command that waits for ever.
        let deadline: Instant?
    }

    /// The maximum number of octets in one exchange with a card (7.3.8).
    static let exchangeLimit = 262
    /// BitFraming: the number of bits of a frame's last octet in bits 0 to 2.
    static let bitFraming: UInt16 = 0x633D
    /// The time-out of an answer after power-up, n = 0A (7.3.1).
    static let usualTimeout = Duration.microseconds(51_200)

    private var decoder = PN532FrameDecoder()
    var outputs: [Output] = []
    private var lastResponse: [UInt8] = []
    var field = CardField()
    /// The activated cards, by the number of the target, from 1.
    var targets: [String?] = []
    var pending: Pending?
    var registers: [UInt16: UInt8] = [:]
    /// The time-out of an answer.
    var timeout = PN532Chip.usualTimeout
    private(set) var exchanges: UInt64 = 0

    /// A chip after power-up.
    public init() {}

    /// The next time at which `advance` has an effect.
    public var deadline: Instant? { pending?.deadline }

    /// The cards in the field, in the order in which they came.
    public var cards: [String] { field.names }

    /// Removes and returns the effects.
    public mutating func takeOutputs() -> [Output] {
        defer { outputs = [] }
        return outputs
    }

    /// The host has opened the line again: as after power-up, with the same cards in the field.
    public mutating func powerUp() {
        releaseAll()
        var fresh = PN532Chip()
        (fresh.field, fresh.outputs) = (field, outputs)
        fresh.field.reset()
        self = fresh
    }

    // MARK: - The host

    /// Handles octets of the host.
    public mutating func receive(_ octets: Span<UInt8>, at now: Instant) {
        advance(to: now)
        for item in decoder.receive(octets) {
            switch item {
            case .fault(let text): outputs.append(.violation(text))
            case .frame(.ack): pending = nil
            case .frame(.nack): outputs.append(.host(lastResponse))
            case .frame(.data(let data)): execute(data, at: now)
            }
        }
    }

    /// Handles the chip's own time-outs.
    public mutating func advance(to now: Instant) {
        guard let pending, let deadline = pending.deadline, now >= deadline else { return }
        answer(pending.code, [Status.timedOut])
    }

    private mutating func execute(_ data: [UInt8], at now: Instant) {
        guard data.count >= 2, data[0] == PN532Frame.toChip else {
            outputs.append(.host(PN532Frame.acknowledgement))
            return refuse("a frame that is no command")
        }
        // 6.2.2.2: a new command ends the one before.
        pending = nil
        outputs.append(.host(PN532Frame.acknowledgement))
        run(data[1], Array(data[2...]), at: now)
    }

    mutating func answer(_ code: UInt8, _ data: [UInt8] = []) {
        pending = nil
        lastResponse = PN532Frame.encoded([PN532Frame.fromChip, code + 1] + data)
        outputs.append(.host(lastResponse))
    }

    /// Reports a wrong command, which gets a syntax error.
    mutating func refuse(_ text: String) {
        pending = nil
        outputs += [.violation(text), .host(PN532Frame.syntaxError)]
    }

    // MARK: - The field

    /// A card enters the field. False if the field is full, or has a card of this name.
    public mutating func enter(_ name: String, _ activation: CardActivation) -> Bool { field.enter(name, activation) }

    /// A card leaves the field: an exchange with it ends by the chip's time-out.
    public mutating func leave(_ name: String) {
        guard field.holds(name) else { return }
        field.leave(name)
        if targets.contains(name) { outputs.append(.released(name)) }
        for index in targets.indices where targets[index] == name { targets[index] = nil }
        if pending?.card == name { pending?.card = nil }
    }

    /// Handles the response of a card to the command with this number.
    ///
    /// - Returns: false for a late response, which has no effect.
    @discardableResult
    public mutating func respond(_ name: String, _ response: [UInt8], number: UInt64, at now: Instant) -> Bool {
        advance(to: now)
        guard let pending, pending.card == name, pending.number == number else { return false }
        let fits = response.count <= PN532Chip.exchangeLimit
        answer(pending.code, fits ? [Status.ok] + response : [Status.overflow])
        return true
    }

    mutating func send(_ command: [UInt8], to card: String, code: UInt8, at now: Instant) {
        exchanges += 1
        pending = Pending(code: code, card: card, number: exchanges, deadline: now + timeout)
        outputs.append(.command(card, command, number: exchanges))
    }

    mutating func release(_ card: String) {
        guard targets.contains(card) else { return }
        for index in targets.indices where targets[index] == card { targets[index] = nil }
        outputs.append(.released(card))
    }

    mutating func releaseAll() {
        for card in targets.compactMap(\.self) { release(card) }
        targets = []
    }

    mutating func switchFieldOff() {
        releaseAll()
        field.reset()
    }
}
