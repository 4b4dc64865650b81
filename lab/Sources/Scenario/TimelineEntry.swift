// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// An event in a scenario: time, subject and description, with numeric details in separate fields.
public struct TimelineEntry: Equatable, Sendable, Encodable {
    /// The kind of an entry, stable for programs.
    public enum Event: String, Equatable, Sendable, Encodable {
        /// The reader's controller is ready.
        case controllerReady = "controller-ready"
        /// The reader's controller failed.
        case controllerFailed = "controller-failed"
        /// Advertising was enabled or disabled; `level`.
        case advertising
        /// A phone has come into range, or its distance changes; `rssi` is the level at the reader.
        case walks
        /// A link was established.
        case connected
        /// The reader measured the link; `rssi`.
        case measured
        /// The proximity gate opened; `rssi` is the median.
        case near
        /// The reader closed the link; `reason`.
        case refused
        /// The reader refused a message; `status`.
        case messageRefused = "message-refused"
        /// The reader executed a command; `command`, `credential`, `status`.
        case executed
        /// A link has ended.
        case disconnected
        /// The phone received its result or an error; `status`.
        case result
        /// The door was unlocked or secured; `level` is true for unlocked.
        case door
        /// An output of the door changed; `output`, `level`.
        case edge
        /// Any other event.
        case note
    }

    /// Seconds since the start of the scenario.
    public var seconds: Double
    /// The subject: `reader`, `door`, or a phone's name.
    public var who: String
    /// The kind of event.
    public var event: Event
    /// The description.
    public var text: String
    /// The reader's number of the link.
    public var link: Int?
    /// A level in dBm.
    public var rssi: Int?
    /// A status code of the access protocol.
    public var status: Int?
    /// A reason in one word.
    public var reason: String?
    /// A command's name.
    public var command: String?
    /// A credential's identifier.
    public var credential: String?
    /// The name of a door output.
    public var output: String?
    /// The level of an output; for advertising, true if it is on.
    public var level: Bool?

    /// An entry with a description only.
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
