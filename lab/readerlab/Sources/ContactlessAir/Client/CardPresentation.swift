// SPDX-License-Identifier: Apache-2.0

import CLinux
package import Commands
import Console
package import Contactless
import Emulation
import Glibc
import System
package import Timekeeping

/// A card in its own process, presented to a reader by a field.
package protocol PresentedCard: ~Copyable {
    /// The reader of this name has activated the card, and sends the first command.
    mutating func activated(by reader: String, at now: Instant)
    /// The response to a command APDU; nil for silence.
    mutating func respond(to command: [UInt8], at now: Instant) -> [UInt8]?
    /// The reader has released the card after at least one command, or the card has left. True if its process is done.
    mutating func released(at now: Instant) -> Bool
    /// The presentation is over.
    mutating func ended(_ end: CardPresentationEnd, at now: Instant)
}

/// The end of a presentation.
package enum CardPresentationEnd: Equatable {
    /// The card's process is done.
    case done
    /// No reader has sent a command in time.
    case untouched
    /// A signal.
    case interrupted
}

/// The place of a card in an air, and its time.
package struct CardPresentationPlan: Sendable {
    /// The number of activations without a command after which the card is moved away, and for how long: more than the
    /// 400 ms for which a reader wants an empty field.
    static let noticeLimit = 3, absence = Duration.seconds(1)

    /// The path of the field's socket.
    package var socket: String
    /// The card's name.
    package var name: String
    /// Its place; nil to wait for the air's commands.
    package var place: CardPlace? = .near(reader: nil, .lasting)
    /// The time until the first command of a reader; nil for no limit.
    package var timeout: Duration? = .seconds(10)

    package init(socket: String, name: String) { (self.socket, self.name) = (socket, name) }
}

/// Presents a card in the field of an air: connects, and answers the reader until the card is done.
package final class CardPresentation<Card: PresentedCard & ~Copyable> {
    /// The card, with its results.
    package private(set) var card: Card
    private let plan: CardPresentationPlan
    private let activation: CardActivation
    private let reactor: Reactor
    private let stream: OctetStream
    private var lines = CommandLines()
    private var failure: CommandError?
    private var end: CardPresentationEnd?
    /// The reader that has activated the card, until the first command.
    private var activator: String?
    private var isServed = false
    private var wasServed = false
    /// The number of activations without a command: the reader waits for an empty field.
    private var noticed = 0
    private lazy var timer = reactor.timer { [weak self] in self?.expire() }
    private lazy var returning = reactor.timer { [weak self] in
        if let self, let place = plan.place { send(.place(place)) }
    }

    /// Connects to the field.
    package init(
        _ card: consuming Card, _ activation: CardActivation, _ plan: CardPresentationPlan
    ) throws(CommandError) {
        var isConnecting = false
        let descriptor = readerd_connect_unix(plan.socket, plan.socket.utf8.count, false, &isConnecting)
        guard descriptor >= 0 else {
            throw .failed(
                "unix:\(plan.socket): no field answers (\(String(cString: strerror(-descriptor)))); "
                    + "start one: readerlab air --nfc reader=pty:PATH --field unix:\(plan.socket)")
        }
        stream = OctetStream(descriptor, isSocket: true)
        do throws(SystemError) { reactor = try Reactor.ofProgram() } catch { throw .failed("\(error)") }
        self.card = card
        (self.activation, self.plan) = (activation, plan)
    }

    /// Runs to the card's end.
    package func run() throws(CommandError) -> CardPresentationEnd {
        defer {
            timer.cancel()
            returning.cancel()
            stream.stop()
        }
        do {
            try stream.watch(on: reactor) { [weak self] in self?.ready() }
            try reactor.onSignal(Reactor.endingSignals) { [weak self] _ in self?.stop(.interrupted) }
            send(.introduction(plan.name, activation))
            if let place = plan.place { send(.place(place)) }
            if let timeout = plan.timeout { timer.set(reactor.now + timeout) }
            try reactor.run()
        } catch { throw .failed("\(error)") }
        if let failure { throw failure }
        return end ?? .interrupted
    }

    private func stop(_ end: CardPresentationEnd) {
        guard self.end == nil else { return }
        self.end = end
        card.ended(end, at: reactor.now)
        reactor.stop()
    }

    private func expire() { if !wasServed { stop(.untouched) } }

    private func fail(_ text: String) {
        failure = .failed(text)
        reactor.stop()
    }

    private func send(_ line: CardLine) {
        stream.append(Array((line.text + "\n").utf8))
        if !stream.flush() { fail("the field has closed the connection") }
    }

    private func ready() {
        var received: [String] = []
        let isOpen = stream.read { octets in
            octets.withUnsafeBufferPointer { received = lines.append(Array($0)[...]) }
        }
        for line in received where end == nil && failure == nil {
            do throws(CommandFault) { try receive(CardLine(line)) } catch { fail("the field writes: \(line)") }
        }
        if !isOpen, end == nil, failure == nil { fail("the field has closed the connection: the air has ended") }
    }

    /// A reader that has served a card waits until its field was empty: the card is moved away, and comes again.
    private func notice(at now: Instant) {
        noticed += 1
        guard noticed == CardPresentationPlan.noticeLimit, plan.place != nil else { return }
        noticed = 0
        send(.place(.away))
        returning.set(now + CardPresentationPlan.absence)
    }

    private func receive(_ line: CardLine) {
        let now = reactor.now
        switch line {
        case .rejected(let text): fail(text)
        case .activated(let reader): (activator, isServed) = (reader, false)
        case .command(let number, let command):
            if let activator { card.activated(by: activator, at: now) }
            (activator, isServed, wasServed, noticed) = (nil, true, true, 0)
            if let response = card.respond(to: command, at: now) { send(.response(number: number, response)) }
        case .released where isServed: if card.released(at: now) { stop(.done) }
        case .released: notice(at: now)
        default: break
        }
    }
}
