// SPDX-License-Identifier: Apache-2.0

package import Peripheral
import Proximity
import Reader
package import Scenario
import VirtualRadio

/// The air of a scenario: the lab's own, or controllers behind transports, in real time.
package enum ScenarioAir: Equatable, Sendable {
    /// The lab's own air, on virtual time.
    case virtual
    /// RootCanal's controllers, by the control port of `python -m rig.radio`, which sets levels and losses.
    case rootCanal(control: TransportName)
    /// Controllers at these transports, the readers' first: adapters, or programs that offer one.
    case controllers([TransportName])

    /// The name in tables.
    package var name: String {
        switch self {
        case .virtual: "virtual"
        case .rootCanal: "rootcanal"
        case .controllers: "hci"
        }
    }

    /// The value of `--air`.
    package var text: String {
        switch self {
        case .virtual: name
        case .rootCanal(let control): "rootcanal:\(control)"
        case .controllers(let names): "hci:" + names.map(\.description).joined(separator: ",")
        }
    }

    /// The differences between this air and the file, one line each; empty for the virtual air.
    package func differences(_ scenario: SiteScenario) -> [String] {
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
            lines.append("no LE Power Control: a reader with max-path-loss-db refuses all phones")
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
        if stops { lines.append("a controller that is dead or without power is only reset") }
        if scenario.phones.contains(where: { $0.preset != nil }) || scenario.readers.contains(where: { !$0.isModern }) {
            lines.append("kinds of phones and readers change only their hosts: the controllers are the air's own")
        }
        return lines
    }
}

extension SiteScenario.Reader {
    fileprivate var isModern: Bool { controller == .modern }
}
