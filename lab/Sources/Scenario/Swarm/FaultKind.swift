// SPDX-License-Identifier: Apache-2.0

import Reader

/// A kind of trouble at a door: a fault, a person who may not enter, or an order. A swarm has some and omits others.
public enum FaultKind: String, CaseIterable, Sendable {
    /// The reader has no power for a while.
    case powerCut = "power-cut"
    /// The reader's controller stops answering, and is replaced.
    case deadController = "dead-controller"
    /// Nothing is received for a while.
    case noReception = "no-reception"
    /// A share of all packets is lost for a while.
    case lostPackets = "lost-packets"
    /// The reader's clock is lost for a while.
    case lostClock = "lost-clock"
    /// The door opens without a grant.
    case doorForced = "door-forced"
    /// The door stands open too long after it was opened.
    case doorHeld = "door-held"
    /// The door's contact bounces.
    case contactBounces = "contact-bounces"
    /// An exit by the button.
    case exit
    /// The exit button sticks.
    case exitStuck = "exit-stuck"
    /// Spikes on the exit's line, shorter than the debounce.
    case exitSpikes = "exit-spikes"
    /// The fire alarm.
    case fire
    /// The housing is opened, and the reader reports it.
    case tamper
    /// The housing is opened at a reader that blocks then, until an operator resets it.
    case tamperBlock = "tamper-block"
    /// A lockdown.
    case lockdown
    /// An operator opens.
    case operatorOpens = "operator-opens"
    /// A credential on the reader's blacklist.
    case revoked
    /// A credential signed by a stranger.
    case stranger
    /// A credential whose time is over.
    case expired
    /// A credential whose time has not come.
    case early
    /// More phones just too far than the reader has links.
    case fullPool = "full-pool"
    /// People who walk past.
    case passersBy = "passers-by"
    /// A phone that leaves in the middle of its visit.
    case cutOff = "cut-off"
    /// Several people at once.
    case rush
}

extension FaultKind {
    /// True if the run shows that the trouble has occurred, and not only that it was planned.
    ///
    /// - Parameter scenario: a scenario of a swarm that has this kind.
    public func isReached(in run: SiteRun, of scenario: SiteScenario) -> Bool {
        switch self {
        case .powerCut: run.told("power off", by: "site")
        case .deadController: run.told("controller dead", by: "site")
        case .noReception: run.told("loss 100", by: "site")
        case .lostPackets:
            scenario.events.contains { event in
                if case .loss(1...99) = event.order { run.told(event.order.line, by: "site") } else { false }
            }
        case .lostClock: run.told("clock unset", by: "site")
        case .doorForced: run.told("alarm: door forced")
        case .doorHeld: run.told("alarm: held open too long")
        case .contactBounces: run.told("door open", by: "site")
        case .exit, .exitStuck: run.told("exit requested")
        case .exitSpikes: run.told("exit on", by: "site")
        case .fire: run.told("fire input active")
        case .tamper: scenario.door.tamper != .block && run.told("alarm: housing opened")
        case .tamperBlock: run.told("tamper reset by an operator")
        case .lockdown: run.told("lockdown: access is refused")
        case .operatorOpens: run.told("open", by: "site") && run.openings > 0
        case .revoked, .stranger, .expired, .early: run.people(of: self).contains { $0.result == .denied }
        case .fullPool: run.people(of: self).count { $0.connections > 0 } > scenario.links
        case .passersBy: run.people(of: self).contains { $0.connections > 0 }
        case .cutOff: run.people(of: self).contains { $0.connections > 0 && $0.result == .refused }
        case .rush: run.people(of: self).count { $0.result == .opened } > 1
        }
    }

    /// The name of a phone of this kind.
    func name(_ number: Int) -> String { "\(rawValue) \(number)" }
}

extension SiteRun {
    fileprivate func told(_ text: String, by who: String = "reader") -> Bool {
        timeline.contains { $0.who == who && (who == "site" ? $0.text == text : $0.text.contains(text)) }
    }

    fileprivate func people(of kind: FaultKind) -> [PhoneResult] {
        phones.filter { $0.name.hasPrefix(kind.rawValue + " ") }
    }
}
