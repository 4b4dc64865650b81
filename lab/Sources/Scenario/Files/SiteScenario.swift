// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
public import Credentials
public import Phone
public import Proximity
public import Reader
public import Timekeeping
public import VirtualRadio

/// A scenario of a file: readers at their doors, phones and their ways, orders at their times, and what is expected.
public struct SiteScenario: Equatable, Sendable {
    /// An order at its time.
    public struct Event: Equatable, Sendable {
        /// The time after the start.
        public var after: Duration
        /// The order.
        public var order: SiteOrder
        /// The name of the reader that it is for; nil for all.
        public var reader: String?

        /// An order at its time.
        public init(after: Duration, order: SiteOrder, reader: String? = nil) {
            (self.after, self.order, self.reader) = (after, order, reader)
        }
    }

    /// A reader with its door.
    public struct Reader: Equatable, Sendable {
        /// The name in the timeline.
        public var name = SiteReader.onlyName
        /// The place on the floor plan.
        public var place = FloorPoint(0, 0)
        /// The gate of both modes.
        public var gate = ProximityGate.Configuration()
        /// The number of links served at once.
        public var links = 3
        /// The controller.
        public var controller = ControllerProfile.modern
        /// The door.
        public var door = DoorConfiguration()
        /// The number of times that the lock is released; nil for any.
        public var openings: Int?
        /// The kinds of card that are tried, in this order, at a site with cards.
        public var cardKinds = Reader.usualKinds
        /// The polling frame.
        public var pollingFrame = PollingFrame.aliro

        /// The frame of enhanced contactless polling in each round.
        public enum PollingFrame: String, CaseIterable, Sendable {
            /// That of the reader's Aliro group.
            case aliro
            case none
        }

        /// All kinds. The native command of DESFire comes last: it has no application name, and others may misread it.
        public static let usualKinds: [CardKind] = [.phone, .aliro, .pkoc, .desfire]

        /// A reader with the defaults.
        public init() {}
    }

    /// The result of a phone.
    public enum Result: String, CaseIterable, Sendable {
        /// The reader reported an open door.
        case opened
        /// The reader reported a status other than 0.
        case denied
        /// No reader considered it near: it connected, and received no status.
        case refused
        /// It has not connected.
        case unseen
    }

    /// An expectation of a phone. Values of nil are not checked.
    public struct Expectation: Equatable, Sendable {
        /// The results that are allowed; empty for all.
        public var results: [Result] = []
        /// The status that is reported.
        public var status: Int?
        /// The reason in the reader's words; cards only.
        public var reason: String?
        /// The name of the reader that reports the result.
        public var reader: String?
        /// The time from the first point of its way to the result.
        public var within: Duration?
    }

    /// A credential, signed by the site or by a stranger.
    public struct Credential: Equatable, Sendable {
        /// The identifier, 1 to 10 characters.
        public var id = "CRED000001"
        /// The validity.
        public var validity = TokenValidity(
            from: CivilTime(year: 2026, month: 1, day: 1), through: CivilTime(year: 2027, month: 1, day: 1))
        /// False for a key that no reader knows.
        public var isOfSite = true
    }

    /// A phone.
    public struct Phone: Equatable, Sendable {
        /// The name in tables.
        public var name: String
        /// The credential.
        public var credential = Credential()
        /// The kind of phone; nil if it scans all the time, connects with 30 ms, and keeps its address.
        public var preset: PhonePreset?
        /// Its connection interval, instead of its kind's.
        public var interval: Duration?
        /// The transmit power in dBm that its link layer reports, and by which it is received more strongly; nil for
        /// 0 dBm, and a phone that reports none.
        public var transmitPower: Int8?
        /// The way.
        public var walk: DistanceWalk
        /// The weakest advertisement that it connects to, in dBm.
        public var connectsAt: Int8 = -90
        /// The maximum number of connections.
        public var attempts = Int.max
        /// The time after a success until it connects again; nil if it opens once.
        public var again: Duration?
        /// The expectation.
        public var expected = Expectation()
    }

    /// One sentence for people.
    public var about = ""
    /// The end.
    public var end = Duration.seconds(30)
    /// The readers' clock at the start, local time.
    public var start = CivilTime(year: 2026, month: 11, day: 20, hour: 12)
    /// The readers, at least one.
    public var readers = [Reader()]
    /// The walls between places on the floor plan.
    public var walls: [Wall] = []
    /// The phones.
    public var phones: [Phone] = []
    /// The cards, and the phones that play one.
    public var cards: [Card] = []
    /// The orders, earliest first.
    public var events: [Event] = []
    /// The number of times that locks are released; nil for any.
    public var openings: Int?
    /// Texts that the timeline of the reader and the door contains.
    public var told: [String] = []

    /// A scenario without phones.
    public init() {}
}

/// The first reader; most scenarios have no other.
extension SiteScenario {
    /// Its gate, in both modes.
    public var gate: ProximityGate.Configuration {
        get { readers[0].gate }
        set { readers[0].gate = newValue }
    }

    /// The number of links that it serves at once.
    public var links: Int {
        get { readers[0].links }
        set { readers[0].links = newValue }
    }

    /// Its controller.
    public var controller: ControllerProfile {
        get { readers[0].controller }
        set { readers[0].controller = newValue }
    }

    /// Its door.
    public var door: DoorConfiguration {
        get { readers[0].door }
        set { readers[0].door = newValue }
    }
}
