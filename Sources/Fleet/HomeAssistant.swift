// SPDX-License-Identifier: Apache-2.0

import JSON

/// The reader as a device of Home Assistant, by MQTT discovery. It is read-only: Home Assistant cannot sign orders.
public enum HomeAssistant {
    /// The kinds of events that its event entity lists.
    public static let kinds = [
        "granted", "denied", "withdrawn", "unlocked", "door-forced", "door-ajar", "tamper", "fire",
    ]
    /// The state that Home Assistant publishes after its start.
    public static let online = "online"

    /// The retained discovery message of a reader.
    public static func discovery(_ reader: LinkReader) -> String {
        let topics = FleetTopics(device: reader.device)
        let availability: JSONObject = [
            "topic": topics.online, "payload_available": "1", "payload_not_available": "0",
        ]
        var components = JSONObject()
        for (name, component) in Component.all(topics) { components.add(name, component.object(reader.device, name)) }
        let message: JSONObject = [
            "device": device(reader), "origin": origin(reader), "availability": [availability],
            "state_topic": topics.state, "qos": 1, "components": components,
        ]
        return message.text
    }

    /// The message of a recorded event; nil for a kind that is not listed.
    public static func occasion(_ event: String, kind: String) -> String? {
        guard kinds.contains(kind), event.hasPrefix("{"), event != "{}" else { return nil }
        return "{\"event_type\":\(JSONObject.quoted(kind)),\(event.dropFirst())"
    }

    private static func device(_ reader: LinkReader) -> JSONObject {
        [
            "identifiers": ["readerd_\(reader.device)"], "name": reader.name, "manufacturer": "readerd",
            "sw_version": reader.firmware,
        ]
    }

    private static func origin(_ reader: LinkReader) -> JSONObject {
        ["name": "readerd", "sw_version": reader.firmware]
    }
}

extension HomeAssistant {
    /// An entity of the device.
    private struct Component {
        var platform: String
        var members: [(name: String, value: String)]
        var types: [String] = []

        static func all(_ topics: FleetTopics) -> [(name: String, component: Component)] {
            [
                // A lock without commands is a sensor: on is unlocked.
                ("lock", flag("lock", "{{'ON' if value_json.lock == 'UNLOCKED' else 'OFF'}}", [("name", "Lock")])),
                ("contact", flag("door", "{{'ON' if value_json.open else 'OFF'}}", [("name", "Door")])),
                ("tamper", flag("tamper", "{{'ON' if value_json.tampered else 'OFF'}}", [])),
                (
                    "problem",
                    flag(
                        "problem", "{{'ON' if value_json.faults else 'OFF'}}",
                        [("json_attributes_topic", topics.state), ("entity_category", "diagnostic")])
                ),
                (
                    "access",
                    Component(
                        platform: "event", members: [("name", "Access"), ("state_topic", topics.occasions)],
                        types: kinds)
                ),
                (
                    "last",
                    Component(
                        platform: "sensor",
                        members: [
                            ("name", "Last event"), ("entity_category", "diagnostic"),
                            ("value_template", "{{value_json.sequence}}"),
                        ])
                ),
            ]
        }

        private static func flag(
            _ kind: String, _ template: String, _ more: [(name: String, value: String)]
        ) -> Component {
            Component(
                platform: "binary_sensor", members: more + [("device_class", kind), ("value_template", template)])
        }

        func object(_ device: String, _ name: String) -> JSONObject {
            var object: JSONObject = ["platform": platform, "unique_id": "\(device)_\(name)"]
            for (name, value) in members { object.add(name, value) }
            if !types.isEmpty { object.add("event_types", types) }
            return object
        }
    }
}
