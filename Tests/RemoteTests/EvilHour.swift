// SPDX-License-Identifier: Apache-2.0

import Fleet
import Reader
import TestSupport
import Timekeeping

@testable import Remote

/// An hour of a back end, a reader, and a broker in foreign hands between them, in steps of a second.
struct EvilHour {
    /// Troubles of the reader besides its orders.
    enum Accident: String, CaseIterable {
        /// It is started anew, in order.
        case restart
        /// The power is cut, also in the midst of a write.
        case powerCut
        /// A write fails.
        case diskFailure
        /// For ten seconds nothing is written.
        case slowDisk
        /// An older copy of the policy is put back, with its witness.
        case olderPolicy
        /// An older copy of the policy is put back, without its witness.
        case olderCopies
        /// It starts without a clock, for twenty seconds.
        case noClock
        /// The clock is put back by half a minute or more, for a minute and a half.
        case clockPutBack
        /// The command key is replaced, and the former one leaks.
        case keyReplaced
        /// The door refuses what it is to carry out.
        case doorRefuses
    }

    /// The troubles that chance decides on, each as often as it is here.
    private static let lots =
        [Accident.olderPolicy, .olderCopies, .keyReplaced] + [Accident](repeating: .restart, count: 3)
        + [Accident](repeating: .powerCut, count: 4) + [Accident](repeating: .slowDisk, count: 3)
        + [Accident](repeating: .noClock, count: 3) + [Accident](repeating: .clockPutBack, count: 6)

    static let begin: Int64 = 1_800_000_000
    /// The time in which a policy that is refused stays so, in seconds.
    private static let refusedFor: Int64 = 30
    /// The time in which a former key is accepted, in seconds.
    private static let overlap: Int64 = 60

    private(set) var reader: OrderedReader
    private(set) var accidents: [Accident: Int] = [:]
    /// The number of messages that reached the reader.
    private(set) var delivered = 0
    private var signer: OrderSigner
    private var broker: EvilBroker
    private var random: SplitMix64
    private var former: CommandKey?
    private var leak: (at: Int64, key: SeededKey, id: [UInt8])?
    private var older: PolicyDisk?
    private var now = EvilHour.begin
    private var clockAt: Int64?
    private var writesAt: Int64 = 0
    private var beginAt: Int64?

    init(seed: UInt64, flaw: OrderedReader.Flaw? = nil) throws {
        random = SplitMix64(seed: seed)
        (signer, broker) = (try OrderSigner(), try EvilBroker())
        reader = try OrderedReader([try CommandKey(signer.key)], flaw: flaw)
    }

    /// Lets so many seconds pass.
    mutating func run(seconds: Int64) throws {
        for _ in 0..<seconds {
            now += 1
            try send()
            for delivery in broker.deliveries(at: now) {
                delivered += 1
                reader.receive(delivery, at: now)
                if random.next() % 4 == 0 { try write() }
            }
            try meetAccident()
            for _ in 0..<Int.random(in: 0...6, using: &random) { try write() }
            for _ in 0..<Int.random(in: 0...6, using: &random) { act() }
        }
    }

    private mutating func send() throws {
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            broker.receive(try signer.order(at: now, &random), at: now, &random)
        }
        if random.next() % 20 == 0 {
            broker.misdirect(try signer.order(to: OrderSigner.other, at: now, &random), at: now)
        }
        for _ in 0..<Int.random(in: 0...2, using: &random) { try broker.scheme(at: now, &random) }
        reader.judge.learn(signer.signed)
        signer.signed = []
    }

    private mutating func write() throws {
        guard now >= writesAt else { return }
        let fails = random.next() % 50 == 0
        if try reader.write(isKept: !fails, at: now), fails { record(.diskFailure) }
    }

    private mutating func act() {
        let refuses = random.next() % 20 == 0
        if reader.act(refuses ? .lockdown : nil), refuses { record(.doorRefuses) }
    }

    // MARK: - Accidents

    private mutating func record(_ accident: Accident) { accidents[accident, default: 0] += 1 }

    private mutating func meetAccident() throws {
        if let clockAt, clockAt <= now { (reader.offset, self.clockAt) = (0, nil) }
        if let beginAt, beginAt <= now { try beginPolicy() }
        if let leak, leak.at <= now { broker.leaked = (leak.key, leak.id) }
        if random.next() % 100 == 0 { older = reader.disk }
        guard random.next() % 30 == 0, let accident = EvilHour.lots.randomElement(using: &random) else { return }
        switch accident {
        case .restart: try reader.start(try keys())
        case .powerCut: try reader.cutPower(writes: Int.random(in: 0...PolicyDisk.writes, using: &random))
        case .slowDisk: writesAt = now + 10
        case .olderPolicy, .olderCopies:
            guard let older, older.logged < reader.disk.logged, reader.isKnown else { return }
            try reader.start(withOlder: older, withCount: accident == .olderPolicy)
            beginAt = now + EvilHour.refusedFor
        case .noClock:
            try reader.cutPower(writes: 0)
            (reader.offset, clockAt) = (nil, now + 20)
        case .clockPutBack: (reader.offset, clockAt) = (-Int64.random(in: 30...100, using: &random), now + 90)
        case .keyReplaced: try replaceKey()
        case .diskFailure, .doorRefuses: return
        }
        record(accident)
    }

    /// The installed keys: the current one, and the former one for its time.
    private func keys() throws -> [CommandKey] { [try CommandKey(signer.key)] + (former.map { [$0] } ?? []) }

    private mutating func replaceKey() throws {
        let end = now + EvilHour.overlap
        former = try CommandKey(signer.key, until: CivilTime(epochSeconds: end))
        // The minute of its end is included.
        leak = (end + 60, signer.key, signer.keyID)
        try signer.renew()
        try reader.start(try keys())
    }

    /// The refused policy is replaced by an empty one, which knows no counters: and so is the key.
    private mutating func beginPolicy() throws {
        (beginAt, older, former) = (nil, nil, nil)
        leak = (now, signer.key, signer.keyID)
        try signer.renew()
        try reader.begin(try keys())
    }
}
