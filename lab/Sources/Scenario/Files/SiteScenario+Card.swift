// SPDX-License-Identifier: Apache-2.0

import Credentials
import Timekeeping
import VirtualRadio

extension SiteScenario {
    /// A card, or a phone that plays one, which comes into the NFC fields of readers.
    public struct Card: Equatable, Sendable {
        /// The kind.
        public enum Kind: String, CaseIterable, Sendable {
            case pkoc
            case desfire
            case aliro
            /// A phone with a token, which plays the card of the access session.
            case phone
            /// A card with an identifier only, which proves nothing.
            case identifier

            /// The kind as the reader's list has it; nil for one that is not listed.
            var listed: CardKind? {
                switch self {
                case .pkoc: .pkoc
                case .desfire: .desfire
                case .aliro: .aliro
                case .phone, .identifier: nil
                }
            }
        }

        /// The end of a presence in a field.
        public enum Stay: Equatable, Sendable {
            /// Until its time is over.
            case lasting
            /// In this command of the reader, counted from 1, without a response.
            case during(command: Int)
            /// After the response to this command.
            case after(command: Int)
        }

        /// A presence in a reader's field.
        public struct Presence: Equatable, Sendable {
            /// The beginning.
            public var from: Duration
            /// The end; nil for the end of the scenario.
            public var until: Duration?
            /// An earlier end.
            public var stay = Stay.lasting
            /// The name of the reader; nil for the only one.
            public var reader: String?

            /// A presence of this time.
            public init(from: Duration, until: Duration?, stay: Stay = .lasting, reader: String? = nil) {
                (self.from, self.until, self.stay, self.reader) = (from, until, stay, reader)
            }
        }

        /// The distance in metres at which a carried card is in a reader's field: the 4 cm that the NFC Forum names
        /// for the use of its technology. ISO/IEC 14443 readers reach up to 10 cm with a large antenna.
        public static let reach = 0.04
        /// The time to each response, unless a file has another: an assumption.
        public static let usualAnswerTime = Duration.milliseconds(20)

        /// The name in tables.
        public var name: String
        /// The kind.
        public var kind: Kind
        /// The credential. `isOfSite` false is a card that no list has, a DESFire card of another site's key, and a
        /// phone with a stranger's token.
        public var credential = Credential()
        /// The presences in fields at given times.
        public var presences: [Presence] = []
        /// The way of a carried card, which is in a field within `reach`; empty for none.
        public var walk = DistanceWalk([])
        /// The time to each response.
        public var answerTime = Card.usualAnswerTime
        /// True for a phone that answers requests only after a polling frame of its presence.
        public var waitsForFrame = false
        /// The fault of the proof; PKOC and DESFire.
        public var fault: SiteCardFault?
        /// The name of a fault of an Aliro phone (`readerlab card faults`).
        public var aliroFault: String?
        /// The expectation.
        public var expected = Expectation()

        /// A card without a presence.
        public init(name: String, kind: Kind) { (self.name, self.kind) = (name, kind) }
    }
}

extension SiteScenario.Card {
    /// The presences in the fields of these readers, given and walked.
    func presences(at readers: [SiteScenario.Reader]) -> [(reader: Int, presence: Presence)] {
        let given = presences.map { presence in
            (readers.firstIndex { $0.name == presence.reader } ?? 0, presence)
        }
        let walked = readers.indices.flatMap { index in
            walk.spans(within: Self.reach, of: readers[index].place).map { span in
                (index, Presence(from: span.from, until: span.until))
            }
        }
        return given + walked
    }
}

extension DistanceWalk {
    /// The spans of the way within `reach` metres of a reader; the last may have no end.
    func spans(within reach: Double, of reader: FloorPoint) -> [(from: Duration, until: Duration?)] {
        var spans: [(from: Duration, until: Duration?)] = []
        for (start, end) in zip(points, points.dropFirst()) {
            guard let share = DistanceWalk.share(within: reach, of: reader, from: start.place, to: end.place) else {
                continue
            }
            let length = end.at - start.at
            let (from, until) = (start.at + length * share.lowerBound, start.at + length * share.upperBound)
            if let last = spans.last, last.until == from {
                spans[spans.count - 1].until = until
            } else {
                spans.append((from, until))
            }
        }
        // A way ends at its last point.
        guard let last = points.last,
            DistanceWalk.share(within: reach, of: reader, from: last.place, to: last.place) != nil
        else { return spans }
        if spans.last?.until == last.at { spans[spans.count - 1].until = nil } else { spans.append((last.at, nil)) }
        return spans
    }

    /// The share of a leg within `reach`, from 0 to 1; nil for none. The square of the distance is quadratic in it.
    private static func share(
        within reach: Double, of reader: FloorPoint, from start: Place, to end: Place
    ) -> ClosedRange<Double>? {
        let (first, change): ((Double, Double), (Double, Double))
        switch (start, end) {
        case (.metres(let near), .metres(let far)): (first, change) = ((near, 0), (far - near, 0))
        case (.floor(let from), .floor(let to)):
            first = (from.x - reader.x, from.y - reader.y)
            change = (to.x - from.x, to.y - from.y)
        // A level is no distance, and two kinds have nothing between them.
        default: return nil
        }
        let square = change.0 * change.0 + change.1 * change.1
        let half = first.0 * change.0 + first.1 * change.1
        let rest = first.0 * first.0 + first.1 * first.1 - reach * reach
        guard square > 0 else { return rest <= 0 ? 0...1 : nil }
        let discriminant = half * half - square * rest
        guard discriminant >= 0 else { return nil }
        let (low, high) = ((-half - discriminant.squareRoot()) / square, (-half + discriminant.squareRoot()) / square)
        guard low <= 1, high >= 0 else { return nil }
        return max(0, low)...min(1, high)
    }
}
