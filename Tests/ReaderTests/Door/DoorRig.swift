// SPDX-License-Identifier: Apache-2.0

import Timekeeping
import VirtualTime

@testable import Reader

/// A door with simulated lines on a virtual clock.
final class DoorRig {
    var door: Door
    var lines = SimulatedLines(capacity: 100_000)
    var now = Instant.origin
    private var actions: [DoorAction] = []
    private var recorded: [(Int64, DoorEvent)] = []

    /// A door that is not started.
    init(stopped configuration: DoorConfiguration) { door = Door(configuration) }

    /// A door that is started.
    convenience init(_ change: (inout DoorConfiguration) -> Void = { _ in }) {
        var configuration = DoorConfiguration()
        change(&configuration)
        self.init(stopped: configuration)
        start()
        _ = takeEvents()
    }

    var isFree: Bool { lines.level(of: .lock) == true }
    var isRed: Bool { lines.level(of: .deniedIndicator) == true }
    var isGreen: Bool { lines.level(of: .grantedIndicator) == true }
    var isSounding: Bool { lines.level(of: .buzzer) == true }
    var isUnlocked: Bool { door.isUnlocked }
    var nextDeadline: Instant? { door.nextDeadline }
    var state: DoorState { door.state }

    @discardableResult
    func perform<Result>(_ input: (inout Door, Instant, inout [DoorAction]) -> Result) -> Result {
        actions.removeAll(keepingCapacity: true)
        let result = input(&door, now, &actions)
        for action in actions { lines.apply(action, at: now) }
        recorded += door.events.map { ((now - .origin).wholeMilliseconds, $0) }
        door.events.removeAll()
        return result
    }

    /// Performs an input; returns its actions.
    @discardableResult
    func act(_ input: (inout Door, Instant, inout [DoorAction]) -> Void) -> [DoorAction] {
        perform(input)
        return actions
    }

    @discardableResult func start() -> [DoorAction] { act { $0.start(at: $1, into: &$2) } }
    @discardableResult func grant() -> [DoorAction] { act { $0.grant(at: $1, into: &$2) } }
    @discardableResult func deny() -> [DoorAction] { act { $0.deny(at: $1, into: &$2) } }
    @discardableResult func shutdown() -> [DoorAction] { act { $0.shutdown(at: $1, into: &$2) } }
    @discardableResult func advance() -> [DoorAction] { act { $0.advance(to: $1, into: &$2) } }

    @discardableResult
    func ask(_ request: DoorRequest) -> DoorVerdict { perform { $0.request(request, at: $1, into: &$2) } }
    func contact(open: Bool) { perform { $0.contact(isOpen: open, at: $1, into: &$2) } }
    func exit(_ active: Bool) { perform { $0.exitRequest(isActive: active, at: $1, into: &$2) } }
    func fire(_ active: Bool) { perform { $0.fire(isActive: active, at: $1, into: &$2) } }
    func tamper(_ active: Bool) { perform { $0.tamper(isActive: active, at: $1, into: &$2) } }
    func resetTamper() -> Bool { perform { $0.resetTamper(at: $1, into: &$2) } }
    func lockdown(_ active: Bool) { perform { $0.lockdown(active, at: $1, into: &$2) } }
    func schedule(open: Bool) { perform { $0.schedule(isOpen: open, at: $1, into: &$2) } }
    func panel(_ unlocks: Bool) { perform { $0.panel(unlocks: unlocks, at: $1, into: &$2) } }
    func lacks(_ flashes: Int) { perform { $0.lacks(flashes, at: $1, into: &$2) } }
    func show(_ fault: DoorFault?) { perform { $0.show(fault, at: $1, into: &$2) } }
    func show(_ signs: PanelSigns) { perform { $0.panel(shows: signs, at: $1, into: &$2) } }

    /// Lets the clock run to `seconds`, calling the door when it asks to be.
    func run(to seconds: Double) { run(until: .origin + .nanoseconds(Int64(seconds * 1_000_000_000))) }

    /// Lets the clock run to `end`, calling the door when it asks to be.
    func run(until end: Instant) {
        now = elapse(from: now, to: end, deadline: { door.nextDeadline }) {
            now = $0
            advance()
        }
    }

    /// The events since the last call.
    func takeEvents() -> [DoorEvent] { exchange(&recorded, with: []).map(\.1) }

    /// The events since the last call with their times in seconds, as text.
    func takeTimeline() -> [String] { exchange(&recorded, with: []).map { "\(Double($0.0) / 1000) \($0.1)" } }
}
