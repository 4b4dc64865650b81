// SPDX-License-Identifier: Apache-2.0

internal import Fleet
internal import Octets

/// The durable part of the accepted orders: the last counter of each key, and the last orders with their answers. As a
/// setting of the policy it is sealed, written before the door acts, and rejected if it is an older copy.
struct RemoteLedger: Equatable, Sendable {
    /// An accepted order.
    struct Entry: Equatable, Sendable {
        var key: [UInt8]
        var id: [UInt8]
        var counter: UInt64
        var command: String
        /// The answer; nil before it is given, and if it was not kept.
        var outcome: Outcome?
        /// The number of the event; nil without an event.
        var sequence: UInt64?
    }

    /// The answer to an accepted order.
    enum Outcome: Equatable, Sendable {
        case done
        case refused(RemoteAnswer.Reason)
    }

    /// The last counter of a key.
    private struct Last: Equatable, Sendable {
        var key: [UInt8]
        var counter: UInt64
    }

    /// The name of the setting.
    static let setting = "remote-orders"
    /// The maximum number of orders whose answers are repeated: four seconds of a back end at its limit. A removed
    /// order is refused by its counter.
    static let entryLimit = 32
    /// The maximum number of keys with a known counter: the two installed keys and some previous ones, so that a key
    /// that is installed again continues with its counter.
    static let keyLimit = 8
    private static let version: UInt8 = 2
    /// The version without the numbers of events.
    private static let formerVersion: UInt8 = 1

    private var lasts: [Last] = []
    private(set) var entries: [Entry] = []

    /// The ledger of a reader without accepted orders.
    init() {}

    /// The last counter of a key; nil for a key without orders.
    func counter(of key: [UInt8]) -> UInt64? { lasts.first { $0.key == key }?.counter }

    /// The order with this key and identifier; nil if it is unknown or was removed.
    func entry(_ key: [UInt8], _ id: [UInt8]) -> Entry? { entries.first { $0.key == key && $0.id == id } }

    /// Adds an order. At the limits, the oldest order for which `isPending` is false is removed, and the oldest counter
    /// of a key that is not `installed`.
    mutating func append(_ order: RemoteOrder, installed: [[UInt8]], isPending: (Entry) -> Bool) {
        lasts.removeAll { $0.key == order.key }
        if lasts.count >= RemoteLedger.keyLimit, let index = lasts.firstIndex(where: { !installed.contains($0.key) }) {
            lasts.remove(at: index)
        }
        lasts.append(Last(key: order.key, counter: order.counter))
        if entries.count >= RemoteLedger.entryLimit, let index = entries.firstIndex(where: { !isPending($0) }) {
            entries.remove(at: index)
        }
        entries.append(Entry(key: order.key, id: order.id, counter: order.counter, command: order.command))
    }

    /// Sets the answer to an order, and the number of its event.
    mutating func end(_ key: [UInt8], _ id: [UInt8], _ outcome: Outcome, _ sequence: UInt64?) {
        guard let index = entries.firstIndex(where: { $0.key == key && $0.id == id }) else { return }
        (entries[index].outcome, entries[index].sequence) = (outcome, sequence)
    }
}

// MARK: - Encoding

extension RemoteLedger {
    /// The only encoding: little endian, the counters in the order of their last use, then the orders, oldest first.
    var octets: [UInt8] {
        var octets = [RemoteLedger.version, UInt8(truncatingIfNeeded: lasts.count)]
        for last in lasts {
            octets += last.key
            octets.append(littleEndian: last.counter)
        }
        octets.append(UInt8(truncatingIfNeeded: entries.count))
        for entry in entries {
            octets += entry.key + entry.id
            octets.append(littleEndian: entry.counter)
            for text in [entry.command, entry.outcome?.text ?? ""] {
                octets.append(UInt8(truncatingIfNeeded: text.utf8.count))
                octets += text.utf8
            }
            octets.append(littleEndian: entry.sequence ?? 0)
        }
        return octets
    }

    /// Decodes a ledger from all of `octets`; nil if they are invalid.
    init?(_ octets: [UInt8]) {
        do throws(OctetError) {
            let span = octets.span
            var cursor = OctetCursor(span)
            let version = try cursor.u8(span)
            guard [RemoteLedger.version, RemoteLedger.formerVersion].contains(version) else { return nil }
            let keys = Int(try cursor.u8(span))
            guard keys <= RemoteLedger.keyLimit else { return nil }
            for _ in 0..<keys {
                let key = Array(octets[try cursor.consume(RemoteOrder.keyCount, of: span)])
                lasts.append(Last(key: key, counter: try cursor.u64(span)))
            }
            let count = Int(try cursor.u8(span))
            guard count <= RemoteLedger.entryLimit else { return nil }
            for _ in 0..<count {
                let key = Array(octets[try cursor.consume(RemoteOrder.keyCount, of: span)])
                let id = Array(octets[try cursor.consume(RemoteOrder.idCount, of: span)])
                var entry = Entry(key: key, id: id, counter: try cursor.u64(span), command: "")
                guard let command = try cursor.text(octets), !command.isEmpty, let outcome = try cursor.text(octets)
                else { return nil }
                entry.command = command
                entry.outcome = Outcome(text: outcome)
                let sequence = version == RemoteLedger.version ? try cursor.u64(span) : 0
                entry.sequence = sequence == 0 ? nil : sequence
                entries.append(entry)
            }
            try cursor.finish()
        } catch {
            return nil
        }
        guard Set(lasts.map(\.key)).count == lasts.count,
            Set(entries.map { $0.key + $0.id }).count == entries.count
        else { return nil }
    }
}

extension RemoteLedger.Outcome {
    fileprivate var text: String {
        switch self {
        case .done: "done"
        case .refused(let reason): reason.rawValue
        }
    }

    /// Nil for an unknown answer, and for a reason of a later version: the order then counts as repeated.
    fileprivate init?(text: String) {
        if text == "done" {
            self = .done
        } else if let reason = RemoteAnswer.Reason(rawValue: text) {
            self = .refused(reason)
        } else {
            return nil
        }
    }
}

extension OctetCursor {
    /// Reads a text of at most 16 characters of ASCII; nil for any other text.
    fileprivate mutating func text(_ octets: [UInt8]) throws(OctetError) -> String? {
        let count = Int(try u8(octets.span))
        guard count <= RemoteOrder.commandCount else { return nil }
        let characters = octets[try consume(count, of: octets.span)]
        guard characters.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return String(decoding: characters, as: UTF8.self)
    }
}
