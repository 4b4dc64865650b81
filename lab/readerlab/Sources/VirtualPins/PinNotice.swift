// SPDX-License-Identifier: Apache-2.0

import Emulation
package import JSON
package import Timekeeping

/// An event at a pin.
package struct PinNotice: Equatable {
    package enum Event: String {
        /// The pin is present.
        case pin
        /// The line of an input has changed, at the kernel's time.
        case edge
        /// An output was set; the time is the one after that.
        case set
        /// Edges of an input are missing here, or may be.
        case lost
    }

    package var event: Event
    package var pin: String
    package var isOutput: Bool
    /// The level starting now: true is on.
    package var level: Bool
    /// CLOCK_MONOTONIC.
    package var at: Instant
    /// The number of edges of this pin so far, this one included.
    package var number: Int
    /// The time since the previous edge, with all between them known.
    package var after: Duration?

    package static func word(_ level: Bool) -> String { level ? "on" : "off" }

    /// The event in words: `lock off, was on for 5.001 s`.
    package var text: String {
        let word = PinNotice.word(level)
        switch event {
        case .pin: return "\(pin) \(word), an \(isOutput ? "output" : "input")"
        case .lost: return "\(pin) \(word); edges before may be lost"
        case .edge, .set:
            let length = after.map { ", was \(PinNotice.word(!level)) for \(PinNotice.text($0))" }
            return "\(pin) \(word)\(length ?? "")"
        }
    }

    /// A length with three decimals, in seconds or, below one, in milliseconds.
    package static func text(_ length: Duration) -> String {
        guard length < .seconds(1) else { return TextColumn.seconds(length, width: 0) + " s" }
        return TextColumn.seconds(length * 1000, width: 0) + " ms"
    }

    /// A JSON object. `begin` is the origin of `at-ms`, for pages; `ns` is the clock's own time.
    package func json(since begin: Instant) -> JSONObject {
        [
            "at-ms": (at - begin).wholeMilliseconds, "event": event.rawValue, "pin": pin,
            "output": event == .pin ? isOutput : nil, "level": level ? 1 : 0,
            "number": event == .pin ? nil : number, "ns": at.nanoseconds, "after-ns": after?.wholeNanoseconds,
            "text": text,
        ]
    }
}

extension PinNotice {
    /// The part of a notice's JSON that a page needs.
    package struct Told {
        package var pin: String
        package var level: Bool
        /// True for an output; only in the notice that the pin is present.
        package var isOutput: Bool?
        /// The number of the edge, in all other notices.
        package var number: Int?

        /// Nil for a line that is no notice.
        package init?(_ members: [String: JSONNode.Content]) {
            guard case .string(let event)? = members["event"], Event(rawValue: event) != nil,
                case .string(let pin)? = members["pin"], case .number(let level)? = members["level"]
            else { return nil }
            self.pin = pin
            self.level = level == "1"
            if case .boolean(let isOutput)? = members["output"] { self.isOutput = isOutput }
            if case .number(let number)? = members["number"] { self.number = Int(number) }
        }
    }
}
