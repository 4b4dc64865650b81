// SPDX-License-Identifier: Apache-2.0

public import JSON
import Octets

/// An event between an app and a device, for observation.
///
/// It contains the interpretation of an app's writes, never their octets, which may include a passphrase or a token.
public struct TimelineEntry: Equatable, Sendable {
    /// The kind of event.
    public enum Event: Equatable, Sendable {
        /// The controller is ready, and the device advertises.
        case ready
        /// The device can be reached, in this way.
        case listening(String)
        /// The controller failed, and is restarted.
        case controllerFailed(String)
        /// An app has connected, from this address.
        case connected(peer: String)
        /// The link has ended with this HCI status, by the device or not.
        case disconnected(reason: UInt8, byDevice: Bool)
        /// The ATT_MTU has been exchanged.
        case mtu(Int)
        /// The security of the link has changed.
        case secured(String, isEncrypted: Bool)
        /// The app has configured notifications and indications of a characteristic; both false ends the
        /// subscription.
        case subscribed(to: String, notifications: Bool, indications: Bool)
        /// The app reads a characteristic.
        case read(step: String, meaning: String)
        /// A request in a device-specific protocol, such as HTTP, with its result.
        case requested(step: String, String, result: String)
        /// The app wrote this number of octets. `meaning` is their interpretation, if any.
        case wrote(step: String, count: Int, withResponse: Bool, meaning: String)
        /// The interpretation of the app's writes.
        case understood(step: String, meaning: String)
        /// A request was refused with an ATT error.
        case refused(step: String, error: UInt8, why: String)
        /// A value was sent.
        case sent(step: String, octets: [UInt8], isIndication: Bool, meaning: String)
        /// A value was not sent. `lacking` is the characteristic to which the app has not subscribed, if that is why.
        case unsent(step: String, why: String, lacking: String? = nil)
        /// The app has confirmed an indication.
        case confirmed(step: String)
        /// A planned fault occurred.
        case fault(step: String, String)
        /// An event of the device that is invisible to the app.
        case device(String)
        /// A device-specific event, with its name.
        case happened(String, text: String)
        /// A command to the emulator, typed or from the scenario.
        case command(String, isTyped: Bool)
        /// A finding about the app.
        case finding(Finding)
    }

    /// Its number, counted from 1.
    public var number: Int
    /// The time since the start.
    public var at: Duration
    /// The index of the device, counted from 0; nil for all.
    public var device: Int?
    /// The number of the link, unique in the run; nil for none.
    public var link: UInt32?
    /// The event.
    public var event: Event

    /// An entry.
    public init(number: Int, at: Duration, device: Int?, link: UInt32?, _ event: Event) {
        self.number = number
        self.at = at
        self.device = device
        self.link = link
        self.event = event
    }
}

/// A mistake of an app.
public struct Finding: Equatable, Sendable {
    /// The name of the rule, such as `subscribed-late`.
    public var rule: String
    /// The mistake and the remedy in a sentence.
    public var sentence: String
    /// The number of the entry that shows it.
    public var entry: Int
    /// The device, counted from 0.
    public var device: Int?
    /// The link.
    public var link: UInt32?

    /// A finding.
    public init(rule: String, _ sentence: String, entry: Int, device: Int?, link: UInt32?) {
        self.rule = rule
        self.sentence = sentence
        self.entry = entry
        self.device = device
        self.link = link
    }

    /// The JSON object.
    public var json: JSONObject {
        [
            "rule": rule, "sentence": sentence, "entry": entry, "device": device.map { $0 + 1 }, "link": link,
        ]
    }
}

extension TimelineEntry {
    /// The JSON object (docs/emulators/emulation.md).
    public var json: JSONObject {
        var object: JSONObject = [
            "entry": number, "at-ms": at.components.seconds * 1000 + at.components.attoseconds / 1_000_000_000_000_000,
            "device": device.map { $0 + 1 }, "link": link, "event": name, "step": step,
        ]
        object.add(contentsOf: details)
        // A finding has it among its details.
        if case .finding = event { return object }
        object.add("sentence", sentence)
        return object
    }

    private var details: JSONObject {
        switch event {
        case .ready, .confirmed: [:]
        case .listening(let text), .controllerFailed(let text), .device(let text), .fault(_, let text),
            .happened(_, let text):
            ["text": text]
        case .command(let text, let isTyped): ["typed": isTyped, "text": text]
        case .connected(let peer): ["peer": peer]
        case .disconnected(let reason, let byDevice): ["reason": reason, "by": byDevice ? "device" : "app"]
        case .mtu(let mtu): ["mtu": mtu]
        case .secured(let text, let isEncrypted): ["encrypted": isEncrypted, "text": text]
        case .subscribed(let to, let notifications, let indications):
            ["to": to, "notifications": notifications, "indications": indications]
        case .read(_, let meaning), .understood(_, let meaning): ["meaning": meaning]
        case .requested(_, let text, let result): ["text": text, "result": result]
        case .wrote(_, let count, let withResponse, let meaning):
            ["octets": count, "with-response": withResponse, "meaning": meaning]
        case .refused(_, let error, let why): ["error": error, "why": why]
        case .sent(_, let octets, let isIndication, let meaning):
            ["value": Hexadecimal.text(octets), "indication": isIndication, "meaning": meaning]
        case .unsent(_, let why, _): ["why": why]
        case .finding(let finding): ["rule": finding.rule, "sentence": finding.sentence, "of-entry": finding.entry]
        }
    }

    /// The name of the event in JSON.
    public var name: String {
        switch event {
        case .ready, .listening: "ready"
        case .controllerFailed: "controller-failed"
        case .connected: "connected"
        case .disconnected: "disconnected"
        case .mtu: "mtu"
        case .secured: "secured"
        case .subscribed: "subscribed"
        case .read: "read"
        case .requested: "requested"
        case .wrote: "wrote"
        case .understood: "understood"
        case .refused: "refused"
        case .sent: "sent"
        case .unsent: "unsent"
        case .confirmed: "confirmed"
        case .fault: "fault"
        case .device: "device"
        case .happened(let name, _): name
        case .command: "command"
        case .finding: "finding"
        }
    }

    /// The step of the event, if any.
    public var step: String? {
        switch event {
        case .read(let step, _), .requested(let step, _, _), .wrote(let step, _, _, _), .understood(let step, _),
            .refused(let step, _, _),
            .sent(let step, _, _, _), .unsent(let step, _, _), .confirmed(let step), .fault(let step, _):
            step
        default: nil
        }
    }
}
