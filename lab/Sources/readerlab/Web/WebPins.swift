// SPDX-License-Identifier: Apache-2.0

/// The lines of an emulated reader's door as pins over HTTP: a GET is answered with a pin's level, a PUT sets it. What
/// labgrid's `HttpDigitalOutputDriver` expects: `1` or `0` as the whole body, in both directions.
struct WebPins {
    /// A pin.
    enum Pin: String, CaseIterable {
        /// The door's contact; 1 is open.
        case contact
        /// The fire input.
        case fire
        /// The lockdown that an operator begins.
        case lockdown
        /// The lock's line; 1 is released. Only read.
        case lock

        /// The line that sets it; nil for one that is only read.
        func line(_ level: Bool) -> String? {
            switch self {
            case .contact: "door \(level ? "open" : "closed")"
            case .fire: "fire \(level ? "on" : "off")"
            case .lockdown: "lockdown \(level ? "on" : "off")"
            case .lock: nil
            }
        }
    }

    /// The beginning of a pin's path.
    static let path = "/v1/gpio/"
    /// The bodies of the two levels.
    static let bodies: [Bool: String] = [false: "0", true: "1"]

    private var levels: [Pin: Bool] = [:]

    /// The level of a pin: the last that was set, 0 before, and the lock's as the reader tells it.
    func level(_ pin: Pin) -> Bool { levels[pin] ?? false }

    /// The level in the body of a request; nil for anything else.
    static func level(in body: [UInt8]) -> Bool? { bodies.first { Array($0.value.utf8) == body }?.key }

    /// Notes a line that goes to the program, from wherever it comes.
    mutating func sent(_ line: String) {
        for pin in Pin.allCases {
            for level in [false, true] where pin.line(level) == line { levels[pin] = level }
        }
    }

    /// Notes what the reader tells of its door, as `door: unlocked for a grant`.
    mutating func told(_ text: String) {
        if text.hasPrefix("door: unlocked") { levels[.lock] = true }
        if text.hasPrefix("door: secured") { levels[.lock] = false }
    }
}
