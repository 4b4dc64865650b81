// SPDX-License-Identifier: Apache-2.0

package import Contactless
package import Emulation
package import Timekeeping

/// The fields of readers with the cards of other processes, without I/O: octets of readers, lines of cards, commands
/// and time in; octets for readers, lines for cards and events out.
package struct FieldSession: Sendable {
    /// An effect, in the order of occurrence.
    package enum Effect: Equatable, Sendable {
        /// Octets for the reader with this number.
        case host(Int, [UInt8])
        /// A line for the card of this name.
        case card(String, CardLine)
        /// An event, of a reader or of all.
        case event(Int?, FieldEvent)
    }

    /// The maximum number of cards.
    static let cardLimit = 64
    /// The maximum number of readers.
    package static let readerLimit = 8

    /// A card, and its place.
    struct Card: Sendable {
        let activation: CardActivation
        /// The number of the reader whose field it is in; nil away.
        var reader: Int?
        var stay = CardPlace.Stay.lasting
        /// The end of a limited stay.
        var leaves: Instant?
        /// The number of commands since it came into the field.
        var commands = 0
        /// The command that it has not answered.
        var asked: (number: UInt64, command: [UInt8], at: Instant)?
    }

    /// The names of the readers.
    package let readers: [String]
    var chips: [PN532Chip]
    var cards: [String: Card] = [:]
    private var lastFrames: [[UInt8]]
    var effects: [Effect] = []

    /// Empty fields of these readers.
    package init(readers: [String]) {
        self.readers = readers
        chips = readers.map { _ in PN532Chip() }
        lastFrames = readers.map { _ in [] }
    }

    /// Removes and returns the effects.
    package mutating func takeEffects() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    /// The next time at which `advance` has an effect.
    package var deadline: Instant? {
        (chips.compactMap(\.deadline) + cards.values.compactMap(\.leaves)).min()
    }

    /// Handles time-outs of chips, and ends limited stays.
    package mutating func advance(to now: Instant) {
        for (name, card) in cards where card.leaves.map({ now >= $0 }) ?? false { remove(name) }
        for number in chips.indices {
            chips[number].advance(to: now)
            collect(number, at: now)
        }
    }

    // MARK: - Readers

    /// Handles octets of a reader's host.
    package mutating func receive(_ octets: Span<UInt8>, from reader: Int, at now: Instant) {
        advance(to: now)
        chips[reader].receive(octets, at: now)
        collect(reader, at: now)
    }

    /// The host of a reader has closed its line: its chip is as after power-up.
    package mutating func closed(_ reader: Int, at now: Instant) {
        advance(to: now)
        chips[reader].powerUp()
        lastFrames[reader] = []
        collect(reader, at: now)
    }

    /// Performs the outputs of a chip.
    private mutating func collect(_ reader: Int, at now: Instant) {
        for output in chips[reader].takeOutputs() {
            switch output {
            case .host(let octets): effects.append(.host(reader, octets))
            case .activated(let name):
                effects += [.card(name, .activated(readers[reader])), .event(reader, .activated(name))]
            case .command(let name, let command, let number): ask(name, command, number, reader, at: now)
            case .released(let name):
                endExchange(name, reader)
                effects += [.card(name, .released), .event(reader, .released(name))]
            case .pollingFrame(let frame):
                if frame != lastFrames[reader] { effects.append(.event(reader, .pollingFrame(frame))) }
                lastFrames[reader] = frame
            case .violation(let text): effects.append(.event(reader, .violation(text)))
            }
        }
    }

    private mutating func ask(_ name: String, _ command: [UInt8], _ number: UInt64, _ reader: Int, at now: Instant) {
        endExchange(name, reader)
        guard var card = cards[name] else { return }
        card.commands += 1
        card.asked = (number, command, now)
        cards[name] = card
        if card.stay == .during(command: card.commands) { return remove(name) }
        effects.append(.card(name, .command(number: number, command)))
    }

    /// Reports a command that has no response in time.
    private mutating func endExchange(_ name: String, _ reader: Int) {
        guard let asked = cards[name]?.asked else { return }
        cards[name]?.asked = nil
        effects.append(.event(reader, .silence(name, command: asked.command)))
    }

    // MARK: - Cards

    /// A card's process introduces itself.
    package mutating func join(_ name: String, _ activation: CardActivation) throws(CommandFault) {
        guard cards[name] == nil else { throw CommandFault("a card \(name) is connected already") }
        guard cards.count < FieldSession.cardLimit else {
            throw CommandFault("\(FieldSession.cardLimit) cards are connected, and more are not served")
        }
        cards[name] = Card(activation: activation)
        effects.append(.event(nil, .joined(name)))
    }

    /// A card's process has disconnected.
    package mutating func part(_ name: String, at now: Instant) {
        advance(to: now)
        guard cards[name] != nil else { return }
        remove(name)
        cards[name] = nil
        effects.append(.event(nil, .gone(name)))
    }

    /// Handles the response of a card. One to another command than the last has no effect.
    package mutating func respond(_ name: String, _ response: [UInt8], number: UInt64, at now: Instant) {
        advance(to: now)
        guard let card = cards[name], let reader = card.reader, let asked = card.asked, asked.number == number else {
            return
        }
        cards[name]?.asked = nil
        let isInTime = chips[reader].respond(name, response, number: number, at: now)
        effects.append(
            .event(
                reader,
                isInTime
                    ? .exchange(name, command: asked.command, response: response, took: now - asked.at)
                    : .silence(name, command: asked.command)))
        collect(reader, at: now)
        if card.stay == .after(command: card.commands) { remove(name) }
    }

    /// Moves a card.
    package mutating func move(_ name: String, to place: CardPlace, at now: Instant) throws(CommandFault) -> String {
        advance(to: now)
        guard var card = cards[name] else {
            let names = cards.keys.sorted().joined(separator: ", ")
            throw CommandFault(
                "there is no card \(name.debugDescription); connected are \(names.isEmpty ? "none" : names)")
        }
        guard case .near(let wanted, let stay) = place else {
            remove(name)
            return "\(name): away"
        }
        let reader = try number(of: wanted)
        remove(name)
        guard chips[reader].enter(name, card.activation) else {
            throw CommandFault("the field of \(readers[reader]) is full")
        }
        (card.reader, card.stay, card.leaves, card.commands, card.asked) = (reader, stay, nil, 0, nil)
        if case .limited(let time) = stay { card.leaves = now + time }
        cards[name] = card
        effects.append(.event(reader, .near(name)))
        return "\(name): near \(readers[reader])"
    }

    /// The number of a reader; nil names the only reader.
    private func number(of name: String?) throws(CommandFault) -> Int {
        let names = readers.joined(separator: ", ")
        guard let name else {
            guard readers.count == 1 else { throw CommandFault("name the reader; there are \(names)") }
            return 0
        }
        guard let number = readers.firstIndex(of: name) else {
            throw CommandFault("there is no field of \(name.debugDescription); there are \(names)")
        }
        return number
    }

    /// Takes a card out of its field.
    private mutating func remove(_ name: String) {
        guard let reader = cards[name]?.reader else { return }
        cards[name]?.reader = nil
        cards[name]?.leaves = nil
        chips[reader].leave(name)
        collect(reader, at: .origin)
        effects.append(.event(reader, .away(name)))
    }

    /// The cards with their places, sorted by name.
    package var places: [(card: String, reader: String?)] {
        cards.sorted { $0.key < $1.key }.map { ($0.key, $0.value.reader.map { readers[$0] }) }
    }
}
