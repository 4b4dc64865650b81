// SPDX-License-Identifier: Apache-2.0

import Fleet
import Reader
import Timekeeping

@testable import Remote

/// Judges each act of a reader by what the back end has signed. It shares no state with the reader.
struct OrderJudge {
    /// The acts that should not have been.
    private(set) var findings: [String] = []
    /// The number of openings that were carried out.
    private(set) var openings = 0
    /// The treatments of messages whose orders were carried out.
    private(set) var treatments: Set<EvilBroker.Mischief> = []
    /// All that the back end has signed, by its octets.
    private var signed: [[UInt8]: RemoteOrder] = [:]
    private var carriedOut: Set<[UInt8]> = []
    private var lastCounters: [[UInt8]: UInt64] = [:]
    private var shown: Int64 = 0
    private var now: Int64?

    /// The back end has signed these.
    mutating func learn(_ orders: [(octets: [UInt8], order: RemoteOrder)]) {
        for (octets, order) in orders { signed[octets] = order }
    }

    /// The clock shows this.
    mutating func see(_ moment: Moment) {
        now = moment.epochSeconds
        shown = max(shown, moment.epochSeconds ?? shown)
    }

    /// An order is carried out: with this policy in force on the disk, and these keys installed.
    mutating func judge(
        _ act: RemoteOrders.Act, _ delivery: EvilBroker.Delivery, keys: [CommandKey], _ policy: PolicyDocument?,
        isKnown: Bool
    ) {
        treatments.insert(delivery.mischief)
        if act.command.isOpening { openings += 1 }
        guard let order = signed[delivery.octets] else { return find("no order of the back end", act, delivery) }
        let time = CivilTime(epochSeconds: shown)
        check(order.reader == OrderSigner.device, "for another reader", act, delivery)
        check(order.command == act.command.rawValue, "another command", act, delivery)
        check(keys.contains { $0.id == order.key && $0.isAccepted(at: time) }, "of an ended key", act, delivery)
        check(carriedOut.insert(order.id).inserted, "twice", act, delivery)
        check(order.counter > lastCounters[order.key] ?? 0, "after a later one", act, delivery)
        check(!(delivery.isRetained && act.command.mustBeFresh), "retained", act, delivery)
        check(now != nil, "without a clock", act, delivery)
        check(Int64(order.notBefore) <= shown, "early", act, delivery)
        check(shown <= Int64(order.expires), "late", act, delivery)
        check(order.expires - order.notBefore <= act.command.lifeSeconds, "valid too long", act, delivery)
        check(isKnown && policy != nil, "without a policy", act, delivery)
        let ledger = policy?.settings[RemoteOrders.setting].flatMap { RemoteLedger($0) }
        check(ledger?.entry(order.key, order.id) != nil, "not on the disk", act, delivery)
        lastCounters[order.key] = max(lastCounters[order.key] ?? 0, order.counter)
    }

    private mutating func check(
        _ holds: Bool, _ text: String, _ act: RemoteOrders.Act, _ delivery: EvilBroker.Delivery
    ) {
        if !holds { find(text, act, delivery) }
    }

    private mutating func find(_ text: String, _ act: RemoteOrders.Act, _ delivery: EvilBroker.Delivery) {
        findings.append("\(act.command.rawValue) is carried out: \(text) (\(delivery.mischief.rawValue))")
    }
}
