// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CardPolling

/// A poll loop on virtual time, whose chip answers with literal octets.
struct PolledChip {
    var loop: PollLoop
    var now = Duration.zero
    private(set) var step: PollStep
    private(set) var events: [NFCFrontEndEvent] = []

    init(_ settings: PollSettings = .polling) {
        loop = PollLoop(settings)
        step = loop.start(at: .zero)
    }

    /// Removes the events since the last call.
    mutating func removeEvents() -> [NFCFrontEndEvent] {
        defer { events = [] }
        return events
    }

    mutating func handle(_ result: PollResult) {
        step = loop.next(result, at: now)
        events += loop.removeEvents()
    }

    /// Expects the command, and answers it after `milliseconds`.
    mutating func command(
        _ command: String, _ response: String, after milliseconds: Int = 2,
        _ location: SourceLocation = #_sourceLocation
    ) {
        result(of: command, .response(octets(response)), after: milliseconds, location)
    }

    mutating func result(
        of command: String, _ result: PollResult, after milliseconds: Int = 2,
        _ location: SourceLocation = #_sourceLocation
    ) {
        guard case .command(let sent, _) = step else {
            Issue.record("\(step) instead of the command \(command)", sourceLocation: location)
            return
        }
        #expect(sent == octets(command), sourceLocation: location)
        now += .milliseconds(milliseconds)
        handle(result)
    }

    /// Expects a pause, and waits.
    mutating func pause(_ milliseconds: Int, _ location: SourceLocation = #_sourceLocation) {
        #expect(step == .pause(.milliseconds(milliseconds)), sourceLocation: location)
        now += .milliseconds(milliseconds)
        handle(.elapsed)
    }

    mutating func setUp() {
        command("02", "32 01 06 07")
        command("12 14", "")
        command("32 05 00 01 00", "")
        command("32 02 00 0B 0F", "")
        fieldOn()
    }

    mutating func fieldOn() {
        command("32 01 01", "")
        pause(5)
    }

    /// A round without a card: REQA and REQB.
    mutating func emptyRound() {
        command("4A 01 00", "00", after: 5)
        command("4A 01 03 00", "00", after: 5)
    }

    /// The reset of the field after a card or a round with one.
    mutating func reset(_ milliseconds: Int) {
        command("32 01 00", "")
        pause(milliseconds)
        fieldOn()
    }

    /// Expects the question, and gives the order.
    mutating func ask(
        _ question: PollQuestion, _ order: CardOrder?, _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(step == .ask(question, within: .seconds(1)), sourceLocation: location)
        handle(.order(order))
    }
}

extension PollSettings {
    static var polling: PollSettings {
        var settings = PollSettings()
        settings.role = .poll
        return settings
    }
}

extension FoundCard {
    /// The card of `TypeA.card`.
    static let random = FoundCard(
        technology: .a, identifierCount: 4, hasRandomIdentifier: true, sak: 0x20, answer: [0x78, 0x80, 0x70, 0x02],
        takesAPDUs: true)
    /// The card of `TypeA.classic`.
    static let classic = FoundCard(
        technology: .a, identifierCount: 4, hasRandomIdentifier: false, sak: 0x08, answer: [], takesAPDUs: false)
}

/// Responses of InListPassiveTarget.
enum Listed {
    static let card = "01 01 00 04 20 04 08 01 02 03 05 78 80 70 02"
    static let classic = "01 01 00 04 08 04 12 34 56 78"
    static let desfire = "01 01 03 44 20 07 04 2E 1D 22 33 44 55 06 75 77 81 02 80"
    static let typeB = "01 01 50 11 22 33 44 00 00 00 00 00 81 81 01 00"
}
