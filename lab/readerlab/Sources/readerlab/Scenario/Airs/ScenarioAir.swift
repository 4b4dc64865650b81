// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Peripheral
import Reader
import Scenario
import VirtualRadio

/// The air of a scenario: the lab's own, or controllers behind transports, in real time.
enum ScenarioAir: Equatable, Sendable {
    /// The lab's own air, on virtual time.
    case virtual
    /// RootCanal's controllers, by the control port of `python -m rig.radio`, which sets levels and losses.
    case rootCanal(control: TransportName)
    /// Controllers at these transports, the readers' first: adapters, or what is offered as one.
    case controllers([TransportName])

    /// The beginnings of a transport's name: in a list, each begins another.
    private static let kinds = ["hci-socket:", "serial:", "tcp-client:", "unix:"]

    /// Parses `virtual`, `rootcanal:PLACE` or `hci:NAME,NAME,…`.
    ///
    /// - Throws: `ValidationError` with the correct form.
    init(_ text: String) throws {
        let rest = text.firstIndex(of: ":").map { String(text[text.index(after: $0)...]) } ?? ""
        switch text.prefix(while: { $0 != ":" }) {
        case "virtual" where rest.isEmpty: self = .virtual
        case "rootcanal":
            let name = try ScenarioAir.transport(rest)
            switch name {
            case .unix, .tcpClient: self = .rootCanal(control: name)
            default: throw ValidationError("--air rootcanal: takes the radio's control, as unix:PATH")
            }
        case "hci": self = .controllers(try ScenarioAir.list(rest).map(ScenarioAir.transport))
        default:
            throw ValidationError(
                "--air \(text.debugDescription): write virtual, rootcanal:unix:PATH or hci:NAME,NAME")
        }
    }

    private static func transport(_ text: String) throws -> TransportName {
        do throws(TransportNameError) { return try TransportName(text) } catch {
            throw ValidationError("--air: \(error)")
        }
    }

    /// The names of a list; a serial line's has commas too.
    private static func list(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).reduce(into: []) { names, part in
            if names.isEmpty || kinds.contains(where: part.hasPrefix) {
                names.append(String(part))
            } else {
                names[names.count - 1] += "," + part
            }
        }
    }

    /// The name in tables.
    var name: String {
        switch self {
        case .virtual: "virtual"
        case .rootCanal: "rootcanal"
        case .controllers: "hci"
        }
    }

    /// The value of `--air`.
    var text: String {
        switch self {
        case .virtual: name
        case .rootCanal(let control): "rootcanal:\(control)"
        case .controllers(let names): "hci:" + names.map(\.description).joined(separator: ",")
        }
    }

    /// The differences of this air from what the file says, one line each; none of the virtual one.
    func differences(_ scenario: SiteScenario) -> [String] {
        switch self {
        case .virtual: []
        case .rootCanal: rootCanalDifferences(scenario) + common(scenario)
        case .controllers:
            ["levels and losses are the adapters' own: places and walls of the file have no effect"] + common(scenario)
        }
    }

    private func rootCanalDifferences(_ scenario: SiteScenario) -> [String] {
        let places = scenario.phones.flatMap(\.walk.points).map(\.place)
        let hasLevels = places.contains { if case .dBm = $0 { true } else { false } }
        var lines = ["packets are carried at once, not at connection events: sessions are shorter"]
        if places.contains(where: { if case .dBm = $0 { false } else { true } }) {
            lines.append(
                "distances and walls are mean levels, set each 100 ms: no fading, sway, shadowing or reading error")
        }
        if hasLevels { lines.append("levels are exact: without the variation of 3 dB") }
        if scenario.readers.contains(where: { $0.gate.maximumPathLoss != nil }) {
            lines.append("no LE Power Control: a reader with max-path-loss-db lets nobody in")
        }
        return lines
    }

    private func common(_ scenario: SiteScenario) -> [String] {
        var lines = ["real time: a run does not repeat to the octet"]
        let orders = scenario.events.map(\.order)
        if orders.contains(where: { if case .interference = $0 { true } else { false } }) {
            lines.append("interference is not carried out")
        }
        if case .controllers = self, orders.contains(where: { if case .loss = $0 { true } else { false } }) {
            lines.append("loss is not carried out")
        }
        let stops = orders.contains {
            switch $0 {
            case .controller(isWorking: false), .power(false): true
            default: false
            }
        }
        if stops { lines.append("a controller that is dead, or without power, is one that was reset") }
        if scenario.phones.contains(where: { $0.preset != nil }) || scenario.readers.contains(where: { !$0.isModern }) {
            lines.append("kinds of phones and readers are those of their hosts: the controllers are the air's own")
        }
        return lines
    }
}

extension SiteScenario.Reader {
    fileprivate var isModern: Bool { controller == .modern }
}
