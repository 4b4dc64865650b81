public import Timekeeping

/// Something that happened in a scenario: when, to whom, and what; with the numbers apart, for machines.
public struct TimelineEntry: Equatable, Sendable, Encodable {
    /// The kind of an entry, stable for machines.
    public enum Event: String, Equatable, Sendable, Encodable {
        /// The reader's controller is up.
        case controllerReady = "controller-ready"
        /// The reader's controller failed.
        case controllerFailed = "controller-failed"
        /// Advertising was switched; `level` says how.
        case advertising
        /// A phone has come into range, or its distance changes; `rssi` is what the reader will measure.
        case walks
        /// A link came up.
        case connected
        /// The reader measured the link; `rssi`.
        case measured
        /// The gate opened; `rssi` is the median.
        case near
        /// The reader closed the link; `reason`.
        case refused
        /// The reader refused a message; `status`.
        case messageRefused = "message-refused"
        /// The reader carried out a command; `command`, `credential`, `status`.
        case executed
        /// The link is gone.
        case disconnected
        /// The phone got its result, or an error; `status`.
        case result
        /// The door was unlocked or secured; `level` is true for unlocked.
        case door
        /// A line of the door changed; `output`, `level`.
        case edge
        /// Anything else worth a line.
        case note
    }

    /// Seconds since the scenario began.
    public var seconds: Double
    /// Who: `reader`, `door`, or a phone's name.
    public var who: String
    /// What, for machines.
    public var event: Event
    /// What, for people.
    public var text: String
    /// The reader's number of the link.
    public var link: Int?
    /// A strength in dBm.
    public var rssi: Int?
    /// A status code of the access protocol.
    public var status: Int?
    /// A reason in one word.
    public var reason: String?
    /// A command's name.
    public var command: String?
    /// A credential's identifier.
    public var credential: String?
    /// One of the door's outputs.
    public var output: String?
    /// The level of an output, or whether advertising is on.
    public var level: Bool?

    /// An entry with nothing but its text.
    public init(_ now: Instant, _ who: String, _ event: Event, _ text: String) {
        seconds = Double((now - .origin).wholeNanoseconds / 1000) / 1_000_000
        self.who = who
        self.event = event
        self.text = text
    }

    enum CodingKeys: String, CodingKey {
        case seconds = "t"
        case who, event, text, link, rssi, status, reason, command, credential, output, level
    }
}
