// SPDX-License-Identifier: Apache-2.0

package import Commands
package import Contactless
package import ContactlessAir
import Crypto
import Glibc
package import JSON
import Timekeeping

/// The result of a touch, as a line for people or a JSON object.
package protocol TouchReport {
    /// The result in a sentence.
    var sentence: String { get }
    /// The result in JSON.
    var members: JSONObject { get }
    /// The findings about the reader.
    var findings: [String] { get }
    /// True if the touch went as its user wants it.
    var isSuccess: Bool { get }
}

/// Presents a card in a field, and prints its touches.
package enum CardRun {
    /// Presents the card until its first touch is over; with `stays` until a signal.
    ///
    /// - Parameter report: the result of a touch that is over.
    /// - Throws: if no reader came, or a touch did not go as wanted.
    package static func present<Card: ContactlessCard>(
        _ card: Card, _ plan: CardPresentationPlan, stays: Bool, json: Bool,
        report: @escaping (Card) -> any TouchReport
    ) throws(CommandError) {
        let activation = card.activation
        let held = HeldCard(card: card, stays: stays, json: json, report: report)
        let presentation = try CardPresentation(held, activation, plan)
        let end = try presentation.run()
        if let failure = presentation.card.failure { throw .failed(failure) }
        switch end {
        case .untouched: throw .failed("no reader has sent \(plan.name) a command: does one poll this field?")
        case .interrupted where !stays: throw .failed("interrupted")
        case .done, .interrupted: break
        }
    }
}

/// A card of the library in its process.
private struct HeldCard<Card: ContactlessCard>: PresentedCard {
    private var card: Card
    private let stays: Bool
    private let json: Bool
    private let report: (Card) -> any TouchReport
    private var random = SystemRandomSource()
    private var start: Instant?
    private var reader = ""
    private var commands = 0
    /// The reason of the last touch that did not go as wanted.
    private(set) var failure: String?

    init(card: Card, stays: Bool, json: Bool, report: @escaping (Card) -> any TouchReport) {
        (self.card, self.stays, self.json, self.report) = (card, stays, json, report)
    }

    mutating func activated(by reader: String, at now: Instant) {
        (start, self.reader, commands) = (now, reader, 0)
        card.activate()
    }

    mutating func respond(to command: [UInt8], at now: Instant) -> [UInt8]? {
        commands += 1
        return card.respond(to: command, random: &random)
    }

    mutating func released(at now: Instant) -> Bool {
        guard let start else { return false }
        let result = report(card)
        let took = (now - start).wholeMilliseconds
        if json {
            var object: JSONObject = ["event": "touch", "reader": reader, "took-ms": took, "commands": commands]
            object.add(contentsOf: result.members)
            object.add("findings", result.findings)
            print(object.text)
        } else {
            print("\(reader): \(result.sentence), \(commands) commands, \(took) ms")
            for finding in result.findings { print("finding: \(finding)") }
        }
        failure = result.findings.first ?? (result.isSuccess ? nil : result.sentence)
        self.start = nil
        return !stays
    }

    func ended(_ end: CardPresentationEnd, at now: Instant) {}

    private func print(_ line: String) { ConsoleOutput.write(line, to: STDOUT_FILENO) }
}

/// The touch of a card that proves its identity, and learns nothing of the decision.
package struct PlainTouch: TouchReport {
    let isRead: Bool
    let kind: String

    /// The touch of a card of this kind.
    package init(_ card: any ContactlessCard, kind: String) { (isRead, self.kind) = (card.isRead, kind) }

    package var sentence: String {
        isRead ? "the reader has read the card" : "the reader has not read the card: is \(kind) among its card-kinds?"
    }
    package var members: JSONObject { ["read": isRead] }
    package var findings: [String] { [] }
    package var isSuccess: Bool { isRead }
}
