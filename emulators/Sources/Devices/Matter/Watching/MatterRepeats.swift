// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// Events that any host on the network can cause without end: the first few are reported, the rest are counted, so
/// that a flood fills neither a terminal nor a transcript.
public struct MatterRepeats: Sendable {
    /// The number of events of one text that are reported in one period.
    public static let toldAtOnce = 5
    /// The length of a period.
    public static let period = Duration.seconds(10)
    /// The number of texts that are counted apart; more than there are by themselves.
    public static let limit = 32

    private struct Text: Sendable {
        let text: String
        var ends: Instant
        var told = 0
        var untold = 0
    }

    private var texts: [Text] = []

    /// No events yet.
    public init() {}

    /// Receives an event. Returns true if it has to be reported now.
    public mutating func admits(_ text: String, at now: Instant) -> Bool {
        guard let index = texts.firstIndex(where: { $0.text == text }) else {
            guard texts.count < MatterRepeats.limit else { return false }
            texts.append(Text(text: text, ends: now + MatterRepeats.period, told: 1))
            return true
        }
        guard texts[index].told < MatterRepeats.toldAtOnce else {
            texts[index].untold += 1
            return false
        }
        texts[index].told += 1
        return true
    }

    /// The time of the next call of `advance`; nil if nothing is counted.
    public var deadline: Instant? { texts.lazy.map(\.ends).min() }

    /// Ends the periods that are over at `now`. Returns a line for each text with unreported events.
    public mutating func advance(to now: Instant) -> [String] {
        defer { texts.removeAll { $0.ends <= now } }
        return lines { $0.ends <= now }
    }

    /// Ends all periods.
    public mutating func finish() -> [String] {
        defer { texts = [] }
        return lines { _ in true }
    }

    private func lines(where isOver: (Text) -> Bool) -> [String] {
        texts.filter { isOver($0) && $0.untold > 0 }.map { "\($0.text): \($0.untold) more" }
    }
}
