// SPDX-License-Identifier: Apache-2.0

public import JSON

/// The state of an emulated device, for a page: what is in force, and the lines that change it.
public struct ObservedState: Sendable {
    /// A property with a few values, each set by a line.
    public struct Switch: Sendable {
        /// The name.
        public var name: String
        /// The present value, which may be none of the choices.
        public var value: String
        /// The values with the lines that set them.
        public var choices: [(value: String, line: String)]

        /// A switch that `NAME VALUE` sets.
        public init(_ name: String, _ value: String, of values: [String]) {
            self.init(name, value, values.map { ($0, "\(name) \($0)") })
        }

        /// A switch with its own lines.
        public init(_ name: String, _ value: String, _ choices: [(value: String, line: String)]) {
            self.name = name
            self.value = value
            self.choices = choices
        }
    }

    /// A fault that is in force or to come.
    public struct ActiveFault: Sendable {
        /// The name of the fault.
        public var word: String
        /// The step; nil for the whole device.
        public var step: String?
        /// The fault in words.
        public var text: String

        /// A fault.
        public init(_ word: String, at step: String?, _ text: String) {
            self.word = word
            self.step = step
            self.text = text
        }
    }

    /// The switches, in the order of a page.
    public var switches: [Switch]
    /// The faults.
    public var faults: [ActiveFault]
    /// Further members, different for each kind of device.
    public var details: JSONObject

    /// A state.
    public init(switches: [Switch] = [], faults: [ActiveFault] = [], details: JSONObject = [:]) {
        self.switches = switches
        self.faults = faults
        self.details = details
    }

    /// The line of JSON.
    public var json: JSONObject {
        var object: JSONObject = [
            "event": "state",
            "switches": switches.map { item -> JSONObject in
                [
                    "name": item.name, "value": item.value,
                    "choices": item.choices.map { ["value": $0.value, "line": $0.line] as JSONObject },
                ]
            },
            "faults": faults.map { fault -> JSONObject in
                [
                    "fault": fault.word, "step": fault.step, "text": fault.text,
                    "release": "release \(fault.word)" + (fault.step.map { " \($0)" } ?? ""),
                ]
            },
        ]
        object.add(contentsOf: details)
        return object
    }
}

/// The line of the latest state, so that only changes are printed.
public struct ObservedStateLog: Sendable {
    private var latest = ""

    /// A log without a state.
    public init() {}

    /// The line of a state that differs from the latest; nil for the same.
    public mutating func line(_ state: ObservedState) -> String? {
        let text = state.json.text
        defer { latest = text }
        return text == latest ? nil : text
    }
}
