// SPDX-License-Identifier: Apache-2.0

public import Reader

extension ReaderSettings {
    /// `[gpio]`: lines by name or as `gpiochip0:17`.
    public struct GPIO: Equatable, Sendable {
        /// A line of the door; the raw value is its key.
        public enum Line: String, CaseIterable, Hashable, Sendable {
            /// The relay.
            case lock
            /// The green light.
            case grantedIndicator = "led-granted"
            /// The red light.
            case deniedIndicator = "led-denied"
            /// The buzzer.
            case buzzer
            /// The door contact.
            case contact
            /// The request to exit.
            case requestToExit = "rex"
            /// The fire alarm.
            case fire
            /// The tamper contact.
            case tamper
        }

        /// `lock` and the keys of the other lines; none for a line that is not connected.
        public var lines: [Line: String] = [:]
        /// `active-low`
        public var activeLow: [Line] = []
        /// `pull-up`
        public var pulledUp: [DoorInput] = []
        /// `pull-down`
        public var pulledDown: [DoorInput] = []
        /// `debounce-ms`
        public var debounceMilliseconds = 20
        /// `contact-debounce-ms` and the keys of the other inputs; none for an input with `debounce-ms`.
        public var ownDebounceMilliseconds: [DoorInput: Int] = [:]
        /// `hardware-safe-state`
        public var hasHardwareSafeState = false

        /// The configured lines in the order of the keys.
        public var linesInOrder: [(line: Line, text: String)] {
            Line.allCases.compactMap { line in lines[line].map { (line, $0) } }
        }

        /// Returns the line of an input; nil if not connected.
        public func text(of input: DoorInput) -> String? { Line(rawValue: input.rawValue).flatMap { lines[$0] } }

        /// True if the input is active at the low level.
        public func isActiveLow(_ input: DoorInput) -> Bool { activeLow.contains { $0.rawValue == input.rawValue } }

        /// Returns the input's debounce time in milliseconds.
        public func debounceMilliseconds(of input: DoorInput) -> Int {
            ownDebounceMilliseconds[input] ?? debounceMilliseconds
        }
    }
}
