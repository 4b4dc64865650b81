// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import JSON
import Phone
import Proximity
import Reader
import Timekeeping
import VirtualRadio

/// Scenarios written as files: a line for each phone and each event, without what is the default anyway.
extension SiteScenario {
    /// The file, whose reading gives an equal scenario.
    public var json: String {
        let defaults = SiteScenario()
        var parts: [String] = []
        if !about.isEmpty { parts.append("\"about\": " + JSONObject.quoted(about)) }
        var times = JSONMembersText()
        if end != defaults.end { times.add("seconds", end.wholeMilliseconds / 1000) }
        if start != defaults.start { times.add("start", LocalMinute.text(start)) }
        let isOnly = readers.count == 1 && readers[0].name == SiteReader.onlyName
        if isOnly, readers[0] != SiteScenario.Reader() { times.add("reader", json: readers[0].text(isOnly: true)) }
        if !times.isEmpty { parts.append(times.text) }
        if !isOnly { parts.append(SiteScenario.list("readers", readers.map { $0.text(isOnly: false) })) }
        if !walls.isEmpty { parts.append(SiteScenario.list("walls", walls.map(\.text))) }
        parts.append(SiteScenario.list("phones", phones.map(\.text)))
        if !cards.isEmpty { parts.append(SiteScenario.list("cards", cards.map(\.text))) }
        if !events.isEmpty { parts.append(SiteScenario.list("events", events.map(\.text))) }
        var expected = JSONMembersText()
        if let openings { expected.add("openings", openings) }
        if !told.isEmpty {
            expected.add("told", json: JSONMembersText.list(told))
        }
        if !expected.isEmpty { parts.append("\"expect\": " + expected.object) }
        return "{\n" + parts.map { "  " + $0 }.joined(separator: ",\n") + "\n}\n"
    }

    private static func list(_ name: String, _ lines: [String]) -> String {
        guard !lines.isEmpty else { return "\"\(name)\": []" }
        return "\"\(name)\": [\n" + lines.map { "    " + $0 }.joined(separator: ",\n") + "\n  ]"
    }
}

extension SiteScenario.Reader {
    /// - Parameter isOnly: true for one without name and place.
    fileprivate func text(isOnly: Bool) -> String {
        let defaults = SiteScenario.Reader()
        var text = JSONMembersText()
        if !isOnly {
            text.add("name", name)
            text.add("at", json: place.text)
        }
        if gate.threshold != defaults.gate.threshold { text.add("threshold-dbm", Int(gate.threshold)) }
        if let loss = gate.maximumPathLoss { text.add("max-path-loss-db", loss) }
        if gate.window != defaults.gate.window { text.add("window-ms", gate.window.wholeMilliseconds) }
        if links != defaults.links { text.add("links", links) }
        if !controller.extendedAdvertising { text.add("controller", "legacy") }
        if controller.powerControl { text.add("controller", "power-control") }
        if door.pulse != defaults.door.pulse { text.add("pulse-s", door.pulse.wholeMilliseconds / 1000) }
        if door.tamper != defaults.door.tamper { text.add("tamper", door.tamper.rawValue) }
        if cardKinds != defaults.cardKinds {
            text.add("card-kinds", json: JSONMembersText.list(cardKinds.map(\.rawValue)))
        }
        if pollingFrame != defaults.pollingFrame { text.add("ecp", pollingFrame.rawValue) }
        if let openings { text.add("openings", openings) }
        return text.object
    }
}

extension FloorPoint {
    fileprivate var text: String { "[\(JSONMembersText.decimal(x)), \(JSONMembersText.decimal(y))]" }
}

extension Wall {
    fileprivate var text: String {
        var text = JSONMembersText()
        text.add("from", json: from.text)
        text.add("to", json: to.text)
        text.add("db", attenuation)
        return text.object
    }
}

extension SiteScenario.Event {
    fileprivate var text: String {
        var text = JSONMembersText()
        text.add("after-ms", after.wholeMilliseconds)
        text.add("do", order.line)
        if let reader { text.add("reader", reader) }
        return text.object
    }
}

extension SiteScenario.Phone {
    fileprivate var text: String {
        let defaults = SiteScenario.Phone(name: "", walk: DistanceWalk([]))
        var text = JSONMembersText()
        text.add("name", name)
        if credential != defaults.credential { text.add("credential", json: credential.text) }
        if let preset { text.add("phone", preset.name) }
        if let interval { text.add("interval-ms", Double(interval.wholeNanoseconds) / 1e6) }
        let (propagation, usual) = (walk.propagation, defaults.walk.propagation)
        if propagation.carry != usual.carry { text.add("carry", propagation.carry.rawValue) }
        if propagation.levelAtOneMetre != usual.levelAtOneMetre { text.add("level-at-1m", propagation.levelAtOneMetre) }
        if propagation.exponent != usual.exponent { text.add("exponent", propagation.exponent) }
        text.add("path", json: "[" + walk.points.map(\.text).joined(separator: ", ") + "]")
        if connectsAt != defaults.connectsAt { text.add("connects-at-dbm", Int(connectsAt)) }
        if let transmitPower { text.add("transmit-power-dbm", Int(transmitPower)) }
        if attempts != defaults.attempts { text.add("attempts", attempts) }
        if let again { text.add("again-s", again.wholeMilliseconds / 1000) }
        expected.add(to: &text)
        return text.object
    }
}

extension SiteScenario.Expectation {
    /// Adds the members of a phone or a card.
    func add(to text: inout JSONMembersText) {
        switch results {
        case []: break
        case [.denied, .refused, .unseen]: text.add("expect", "not-opened")
        default: text.add("expect", results[0].rawValue)
        }
        if let status { text.add("status", status) }
        if let reason { text.add("reason", reason) }
        if let reader { text.add("reader", reader) }
        if let within { text.add("within-ms", within.wholeMilliseconds) }
    }
}

extension SiteScenario.Credential {
    var text: String {
        let defaults = SiteScenario.Credential()
        var text = JSONMembersText()
        if id != defaults.id { text.add("id", id) }
        if validity.start != defaults.validity.start { text.add("from", LocalMinute.text(validity.start)) }
        if validity.end != defaults.validity.end { text.add("through", LocalMinute.text(validity.end)) }
        if !isOfSite { text.add("signed-by", "stranger") }
        return text.object
    }
}

extension DistanceWalk.Point {
    /// The members.
    var text: String {
        var text = JSONMembersText()
        text.add("at-ms", at.wholeMilliseconds)
        switch place {
        case .dBm(let level): text.add("dbm", Int(level))
        case .metres(let metres): text.add("metres", metres)
        case .floor(let point): text.add("at", json: point.text)
        }
        return text.object
    }
}

/// The members of a JSON object for people: with spaces.
struct JSONMembersText {
    private var members: [String] = []

    var isEmpty: Bool { members.isEmpty }
    var text: String { members.joined(separator: ", ") }
    var object: String { "{" + text + "}" }

    mutating func add(_ name: String, json: String) { members.append("\"\(name)\": \(json)") }
    mutating func add(_ name: String, _ text: String) { add(name, json: JSONObject.quoted(text)) }
    mutating func add(_ name: String, _ number: some BinaryInteger) { add(name, json: "\(number)") }

    mutating func add(_ name: String, _ number: Double) { add(name, json: JSONMembersText.decimal(number)) }

    /// A list of texts.
    static func list(_ texts: [String]) -> String {
        "[" + texts.map(JSONObject.quoted).joined(separator: ", ") + "]"
    }

    /// A whole number without its point.
    static func decimal(_ number: Double) -> String { Int64(exactly: number).map { "\($0)" } ?? "\(number)" }
}
