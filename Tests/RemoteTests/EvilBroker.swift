// SPDX-License-Identifier: Apache-2.0

import Fleet
import Reader
import TestSupport

/// A broker in foreign hands. It has every message that went through it, for ever, and a key of its own.
struct EvilBroker {
    /// The treatment of a message.
    enum Mischief: String, CaseIterable {
        /// None: delivered at once.
        case none
        /// Never delivered.
        case drop
        /// Delivered some seconds later.
        case hold
        /// Delivered after its end.
        case holdTooLong
        /// Delivered after its end, and all that follow it until then are dropped.
        case silence
        /// Delivered after the next order of its key.
        case swap
        /// Delivered twice at once.
        case double
        /// Twelve orders are held, and delivered at once.
        case hoard
        /// Delivered again, seconds to an hour after the first time.
        case replay
        /// Delivered as a retained message.
        case retain
        /// An octet of it is another.
        case alter
        /// Its end is missing, or something follows it.
        case cut
        /// Its body with the signature of another order.
        case splice
        /// An order that names the reader's key, and is signed by the broker's.
        case forge
        /// An order that names the broker's key, and is signed by it.
        case ownKey
        /// An order that a leaked former key has signed.
        case formerKey
        /// An order of the back end to another reader.
        case misdirect
    }

    /// A message on its way to the reader.
    struct Delivery {
        var octets: [UInt8]
        var mischief: Mischief
        var isRetained: Bool { mischief == .retain }
    }

    /// The number of orders that are held to be delivered at once.
    private static let hoardCount = 12
    /// The treatment of fresh orders, by weight.
    private static let fates: [(mischief: Mischief, weight: Int)] = [
        (.none, 45), (.drop, 6), (.hold, 10), (.holdTooLong, 6), (.swap, 10), (.double, 6), (.hoard, 2), (.silence, 1),
        (.retain, 5),
        (.alter, 4), (.cut, 3), (.splice, 3),
    ]
    /// Messages out of old ones, or out of nothing.
    private static let schemes: [Mischief] = [
        .replay, .replay, .replay, .retain, .alter, .cut, .splice, .forge, .ownKey, .formerKey,
    ]

    /// The key of the broker.
    let ownKey: SeededKey
    /// A former key of the back end, which has leaked.
    var leaked: (key: SeededKey, id: [UInt8])?
    private let ownID: [UInt8]
    private var seen: [[UInt8]] = []
    private var due: [(at: Int64, delivery: Delivery)] = []
    private var swapped: [UInt8]?
    private var hoard: [[UInt8]] = []
    private var isHoarding = false
    private var silentUntil: Int64 = 0

    init() throws {
        ownKey = try SeededKey(200)
        ownID = try CommandKey(ownKey).id
    }

    /// Takes an order of the back end.
    mutating func receive(_ octets: [UInt8], at now: Int64, _ random: inout SplitMix64) {
        seen.append(octets)
        guard now >= silentUntil else { return }
        if isHoarding { return keepInHoard(octets, at: now) }
        let mischief = EvilBroker.fate(&random)
        switch mischief {
        case .drop: break
        case .hold: put(octets, .hold, at: now + Int64.random(in: 1...6, using: &random))
        case .holdTooLong: put(octets, .holdTooLong, at: now + Int64.random(in: 50...400, using: &random))
        case .silence:
            silentUntil = now + Int64.random(in: 40...110, using: &random)
            put(octets, .silence, at: silentUntil)
            // Nobody sees it before.
            seen.removeLast()
        case .swap where swapped == nil:
            swapped = octets
            return
        case .double: for _ in 0..<2 { put(octets, .double, at: now) }
        case .hoard:
            isHoarding = true
            keepInHoard(octets, at: now)
        case .alter, .cut, .splice: put(spoilt(octets, mischief, &random), mischief, at: now)
        case .retain: put(octets, .retain, at: now)
        default: put(octets, .none, at: now)
        }
        if let former = swapped {
            swapped = nil
            put(former, .swap, at: now)
        }
    }

    /// Passes an order for another reader on to this one.
    mutating func misdirect(_ octets: [UInt8], at now: Int64) { put(octets, .misdirect, at: now) }

    /// Makes something of what it has.
    mutating func scheme(at now: Int64, _ random: inout SplitMix64) throws {
        guard let mischief = EvilBroker.schemes.randomElement(using: &random),
            let old = seen.randomElement(using: &random)
        else { return }
        // Half of the time a recent one, which a reader could still take.
        let octets = Bool.random(using: &random) ? seen.suffix(20).randomElement(using: &random) ?? old : old
        switch mischief {
        case .replay, .retain: put(octets, mischief, at: now)
        case .alter, .cut, .splice: put(spoilt(octets, mischief, &random), mischief, at: now)
        default: if let made = try made(mischief, after: old, at: now, &random) { put(made, mischief, at: now) }
        }
    }

    /// The messages that are delivered now, in order.
    mutating func deliveries(at now: Int64) -> [Delivery] {
        let ready = due.filter { $0.at <= now }.map(\.delivery)
        due.removeAll { $0.at <= now }
        return ready
    }

    private mutating func put(_ octets: [UInt8], _ mischief: Mischief, at time: Int64) {
        due.append((time, Delivery(octets: octets, mischief: mischief)))
    }

    private mutating func keepInHoard(_ octets: [UInt8], at now: Int64) {
        hoard.append(octets)
        guard hoard.count == EvilBroker.hoardCount else { return }
        for held in hoard { put(held, .hoard, at: now) }
        (hoard, isHoarding) = ([], false)
    }

    private static func fate(_ random: inout SplitMix64) -> Mischief {
        var left = Int.random(in: 0..<fates.map(\.weight).reduce(0, +), using: &random)
        for (mischief, weight) in fates {
            if left < weight { return mischief }
            left -= weight
        }
        return .none
    }

    private func spoilt(_ octets: [UInt8], _ mischief: Mischief, _ random: inout SplitMix64) -> [UInt8] {
        var spoilt = octets
        switch mischief {
        case .cut where Bool.random(using: &random): spoilt.append(UInt8.random(in: 0...255, using: &random))
        case .cut: spoilt.removeLast(Int.random(in: 1...octets.count, using: &random))
        case .splice:
            let other = seen.first { $0 != octets } ?? ownKey.sign(octets)
            spoilt.replaceSubrange((spoilt.count - SeededKey.count)..., with: other.suffix(SeededKey.count))
        default:
            let place = Int.random(in: octets.indices, using: &random)
            spoilt[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
        return spoilt
    }

    /// A new order of the broker's own, in the manner of one that it has seen.
    private func made(
        _ mischief: Mischief, after old: [UInt8], at now: Int64, _ random: inout SplitMix64
    ) throws -> [UInt8]? {
        var order = try RemoteOrder.Signed(old).order
        (order.id, order.counter) = (random.octets(RemoteOrder.idCount), order.counter + 1_000_000)
        (order.notBefore, order.expires) = (UInt64(now) - 1, UInt64(now) + 20)
        (order.reader, order.command, order.arguments) = (OrderSigner.device, RemoteCommand.pulse.rawValue, [:])
        var key = ownKey
        switch mischief {
        case .ownKey: order.key = ownID
        case .formerKey:
            guard let leaked else { return nil }
            (key, order.key) = leaked
        default: break
        }
        return try OrderSigner.message(order, by: key)
    }
}
