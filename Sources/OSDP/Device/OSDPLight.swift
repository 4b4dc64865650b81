// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// The state of a light after its orders (osdp_LED, 6.11): a permanent state, and a temporary state with precedence
/// over it.
///
/// It is a function of time: a late caller gets the current colour, without the changes before it.
public struct OSDPLight: Equatable, Sendable {
    /// A state with its start.
    private struct Shown: Equatable {
        var blinking: OSDPLightOrder.Blinking
        var since: Instant

        func color(at now: Instant) -> OSDPLightOrder.Color {
            cadence.isOn(at: now, since: since) ? blinking.onColor : blinking.offColor
        }

        func nextChange(after now: Instant) -> Instant? {
            blinking.onColor == blinking.offColor ? nil : cadence.nextChange(after: now, since: since)
        }

        /// If both times are 0, the first colour is steady.
        private var cadence: OSDPCadence {
            let isSteady = blinking.onTenths == 0 && blinking.offTenths == 0
            return OSDPCadence(onTenths: isSteady ? 1 : blinking.onTenths, offTenths: blinking.offTenths, count: 0)
        }
    }

    private var permanent: Shown?
    private var temporary: Shown?
    /// The end of the temporary state; nil if it has no end.
    private var end: Instant?

    /// A light without orders.
    public init() {}

    /// Executes an order. A temporary state without a time lasts until another order.
    public mutating func execute(_ order: OSDPLightOrder, at now: Instant) {
        if order.setsPermanent { permanent = Shown(blinking: order.permanentBlinking, since: now) }
        switch order.temporary {
        case .unchanged: break
        case .cancel: temporary = nil
        case .start:
            temporary = Shown(blinking: order.temporaryBlinking, since: now)
            end = order.temporaryTenths == 0 ? nil : now + .milliseconds(100 * Int(order.temporaryTenths))
        }
    }

    /// True while a temporary state with an end is shown.
    public func isTimed(at now: Instant) -> Bool { temporary != nil && end.map { now < $0 } ?? false }

    /// The colour; nil before any order.
    public func color(at now: Instant) -> OSDPLightOrder.Color? { shown(at: now)?.color(at: now) }

    /// The time of the next change without a further order.
    public func nextChange(after now: Instant) -> Instant? {
        let change = shown(at: now)?.nextChange(after: now)
        return isTimed(at: now) ? Instant.earlier(change, end) : change
    }

    private func shown(at now: Instant) -> Shown? {
        guard let temporary, end.map({ now < $0 }) ?? true else { return permanent }
        return temporary
    }
}
