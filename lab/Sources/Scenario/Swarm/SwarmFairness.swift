// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Reader
import Timekeeping
import VirtualRadio

/// The conditions under which the good phone has to open: all trouble has ended, and it has a good credential. A
/// smaller scenario that fails without them would show something else than the one it was made from.
struct SwarmFairness {
    /// A level that is never received.
    static let outOfRange: Int8 = -126
    /// The strongest level at which a phone counts as gone.
    private static let gone = -100
    /// The time from the housing's closing to a reset that is surely after its debounce.
    private static let settling = Duration.milliseconds(50)

    let patience: Duration

    /// True if the good phone of a scenario has to open.
    func holds(_ scenario: SiteScenario) -> Bool {
        guard let good = scenario.phones.first(where: { $0.name == Swarm.goodPhone }),
            let arrival = good.walk.points.first?.at,
            good.walk.points.allSatisfy({ $0.place == .dBm(-45) }), good.attempts == .max,
            good.expected == .init(results: [.opened], within: patience),
            scenario.end >= arrival + patience
        else { return false }
        let begin = arrival - Swarm.rest
        return scenario.events.allSatisfy { $0.after <= begin } && isAtRest(scenario, good)
            && scenario.phones.allSatisfy { $0.name == good.name || isGone($0, by: begin) }
    }

    private func isGone(_ phone: SiteScenario.Phone, by time: Duration) -> Bool {
        guard let last = phone.walk.points.last, last.at <= time else { return false }
        switch last.place {
        case .dBm(let level): return Int(level) <= SwarmFairness.gone
        case .metres(let metres): return phone.walk.propagation.level(at: metres) <= Double(SwarmFairness.gone)
        // Swarms are of one reader, without a floor plan.
        case .floor: return false
        }
    }

    /// True if nothing is left of the orders that keeps the good phone out.
    private func isAtRest(_ scenario: SiteScenario, _ good: SiteScenario.Phone) -> Bool {
        var lasting: Set<String> = []
        var closedSince: Duration?
        for event in scenario.events {
            switch event.order {
            case .line(.contact, _), .open: break
            case .line(let input, let isActive):
                lasting.set("\(input)", isActive)
                guard input == .tamper else { continue }
                closedSince = isActive ? nil : event.after
                if isActive, scenario.door.tamper == .block { lasting.insert("block") }
            case .resetTamper:
                if let closedSince, event.after >= closedSince + SwarmFairness.settling { lasting.remove("block") }
            case .lockdown(let isActive): lasting.set("lockdown", isActive)
            case .controller(let isWorking): lasting.set("controller", !isWorking)
            case .power(let isOn): lasting.set("power", !isOn)
            case .clock(let isSet): lasting.set("clock", !isSet)
            case .loss(let percent): lasting.set("loss", percent > 0)
            case .interference(let percent): lasting.set("interference", percent > 0)
            case .blacklist(let id): if id.text == good.credential.id { lasting.insert("blacklist") }
            }
        }
        return lasting.isEmpty
    }
}

extension Set<String> {
    fileprivate mutating func set(_ name: String, _ lasts: Bool) {
        if lasts { insert(name) } else { remove(name) }
    }
}
