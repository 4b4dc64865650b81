// SPDX-License-Identifier: Apache-2.0

import Fleet
import Reader
import TestSupport
import Timekeeping

@testable import Remote

/// A reader of the simulated hour: what it takes, keeps on its disk, and does, with its clock and its restarts.
struct OrderedReader {
    /// A fault that is planted in the reader, which has to be found.
    enum Flaw: CaseIterable {
        /// Orders that were taken are forgotten at a restart.
        case forgetsOrders
        /// A policy that is refused is used all the same.
        case usesOlderPolicy
        /// Retained messages are as others.
        case hidesRetention
        /// Only the clock counts, and not what it has shown before.
        case forgetsTime
        /// An order is carried out before it is on the disk.
        case actsBeforeKeeping
        /// The time at which the order came counts, and not that at which it is carried out.
        case ignoresSlowDisk
        /// Every key that it is shown is one of the back end.
        case takesEveryKey
        /// A key that was replaced is accepted for ever.
        case keepsFormerKey
    }

    /// A message, and what came of it.
    struct Outcome {
        var mischief: EvilBroker.Mischief
        /// `done`, `repeated`, `waits`, `lost` in a power cut, or a reason of a refusal.
        var text: String
    }

    private struct Pending {
        var delivery: EvilBroker.Delivery
        var taken: Moment
    }

    let flaw: Flaw?
    var judge = OrderJudge()
    private(set) var disk: PolicyDisk
    private(set) var outcomes: [Outcome] = []
    /// True while the policy is known, and not refused.
    private(set) var isKnown = true
    /// True while the reader takes it for known.
    private var isUsed = true
    /// The clock against the time, in seconds; nil for one that is not set.
    var offset: Int64? = 0
    private var orders: RemoteOrders
    private var keys: [CommandKey]
    private var latest: Int64 = 0
    private var pending: [UInt64: Pending] = [:]
    private var writes: [(ticket: UInt64?, octets: [UInt8])] = []
    private var acting: [UInt64] = []

    init(_ keys: [CommandKey], flaw: Flaw?) throws {
        (self.keys, self.flaw) = (keys, flaw)
        disk = try PolicyDisk()
        orders = RemoteOrders(device: OrderSigner.device, keys: keys)
        orders.restore(nil)
    }

    /// The time, as the clock shows it.
    mutating func moment(at now: Int64) -> Moment {
        let shown = offset.map { now + $0 }
        latest = max(latest, shown ?? latest)
        return Moment(
            instant: .origin, epochSeconds: shown, latestSeconds: shown.map { flaw == .forgetsTime ? $0 : latest })
    }

    // MARK: - Orders

    /// Takes a message of the broker.
    mutating func receive(_ delivery: EvilBroker.Delivery, at now: Int64) {
        let moment = moment(at: now)
        judge.see(moment)
        let step = orders.receive(
            delivery.octets, isRetained: delivery.isRetained && flaw != .hidesRetention, number: 1,
            permitted: OrderSigner.permitted, zone: .utc, at: moment)
        switch step {
        case .answer(let answer): report(delivery, answer)
        case .waits: outcomes.append(Outcome(mischief: delivery.mischief, text: "waits"))
        case .keep(let ticket, _, let octets):
            pending[ticket] = Pending(delivery: delivery, taken: moment)
            writes.append((ticket, octets))
            if flaw == .actsBeforeKeeping { kept(ticket, true, at: now) }
        }
    }

    /// The oldest write ends; false if there is none.
    mutating func write(isKept: Bool, at now: Int64) throws -> Bool {
        guard !writes.isEmpty else { return false }
        let (ticket, octets) = writes.removeFirst()
        if isKept, isUsed { try disk.keep(octets) }
        if let ticket { kept(ticket, isKept && isUsed, at: now) }
        return true
    }

    private mutating func kept(_ ticket: UInt64, _ isKept: Bool, at now: Int64) {
        guard let pending = pending[ticket] else { return }
        let moment = moment(at: now)
        judge.see(moment)
        switch orders.kept(ticket, isKept, at: flaw == .ignoresSlowDisk ? pending.taken : moment) {
        case .act(let act):
            acting.append(ticket)
            judge.judge(act, pending.delivery, keys: keys, disk.inForce, isKnown: isKnown)
        case .answer(let reply): end(ticket, reply)
        case nil: break
        }
    }

    /// The door has carried the oldest order out, or refuses it; false if there is none.
    mutating func act(_ refusal: RemoteAnswer.Reason?) -> Bool {
        guard !acting.isEmpty else { return false }
        let ticket = acting.removeFirst()
        if let reply = orders.acted(ticket, refusal) { end(ticket, reply) }
        return true
    }

    private mutating func end(_ ticket: UInt64, _ reply: RemoteOrders.Reply) {
        if let ended = pending.removeValue(forKey: ticket) { report(ended.delivery, reply.answer) }
        if let octets = orders.octets { writes.append((nil, octets)) }
    }

    private mutating func report(_ delivery: EvilBroker.Delivery, _ answer: RemoteAnswer) {
        let text = answer.reason?.rawValue ?? answer.result.rawValue
        outcomes.append(Outcome(mischief: delivery.mischief, text: text))
    }

    // MARK: - Ends and starts

    /// The power is gone, after so many writes of the change that is under way; and comes back.
    mutating func cutPower(writes count: Int) throws {
        if count > 0, isUsed, let (_, octets) = writes.first { try disk.keep(octets, writes: count) }
        for lost in pending.values { outcomes.append(Outcome(mischief: lost.delivery.mischief, text: "lost")) }
        (writes, acting, pending) = ([], [], [:])
        try start(keys)
    }

    /// Starts with these keys.
    mutating func start(_ keys: [CommandKey]) throws {
        (writes, acting, pending) = ([], [], [:])
        self.keys = keys
        var installed = keys
        if flaw == .takesEveryKey { installed.append(try CommandKey(EvilBroker().ownKey)) }
        if flaw == .keepsFormerKey { installed = try keys.map { try CommandKey($0.key) } }
        orders = RemoteOrders(device: OrderSigner.device, keys: installed)
        let loaded = try disk.load()
        isKnown = loaded != nil
        isUsed = isKnown || flaw == .usesOlderPolicy
        guard let document = loaded ?? (flaw == .usesOlderPolicy ? disk.firstCopy : nil) else { return }
        orders.restore(flaw == .forgetsOrders ? nil : document.settings[RemoteOrders.setting])
    }

    /// The reader is off, and an older copy of the policy is put back; then it starts.
    mutating func start(withOlder older: PolicyDisk, withCount: Bool) throws {
        disk.putBack(older, withCount: withCount)
        try start(keys)
    }

    /// An operator begins an empty policy, and installs these keys.
    mutating func begin(_ keys: [CommandKey]) throws {
        try disk.begin()
        try start(keys)
    }
}
