// SPDX-License-Identifier: Apache-2.0

public import Peripheral
public import Timekeeping

/// The addresses that were refused repeatedly, so that they cannot take the last slot.
///
/// An address that is backing off may connect, but not take the last free slot. A phone that approaches slowly loses
/// nothing while there is room, and a phone that loops in the distance does not delay a near one. Refusals for backing
/// off do not count again: steady retries would prolong it for ever.
public struct AddressBackOff: Sendable {
    /// The refusals in a row without back-off: a phone that is carried to the door connects early and has a few.
    static let freeRefusals = 3
    /// The first back-off, doubled with each refusal more; a phone of the published kind tries again after 500 ms.
    static let first = Duration.milliseconds(1000)
    /// The longest back-off, which a person at the door would wait.
    static let longest = Duration.seconds(4)
    /// The time without a refusal after which the refusals of an address are forgotten.
    static let memory = Duration.seconds(30)
    /// The number of addresses kept; the one refused longest ago makes room. The peer chooses its address, so the table
    /// has to be bounded.
    static let capacity = 64

    private struct Entry {
        var address: BluetoothAddress
        var refusals: Int
        var lastRefusal: Instant
    }

    private var entries: [Entry] = []

    /// An empty table.
    public init() {
        entries.reserveCapacity(AddressBackOff.capacity)
    }

    /// True if `address` is backing off at `now`.
    public func isBackingOff(_ address: BluetoothAddress, at now: Instant) -> Bool {
        guard let entry = entries.first(where: { $0.address == address }),
            entry.refusals >= AddressBackOff.freeRefusals
        else { return false }
        let doublings = min(entry.refusals - AddressBackOff.freeRefusals, 8)
        let wait = min(AddressBackOff.longest, AddressBackOff.first * (1 << doublings))
        return now < entry.lastRefusal + wait
    }

    /// Counts a refusal of `address`.
    public mutating func refused(_ address: BluetoothAddress, at now: Instant) {
        if let index = entries.firstIndex(where: { $0.address == address }) {
            let stale = now >= entries[index].lastRefusal + AddressBackOff.memory
            entries[index].refusals = stale ? 1 : min(entries[index].refusals + 1, Int(Int16.max))
            entries[index].lastRefusal = now
            return
        }
        if entries.count >= AddressBackOff.capacity,
            let oldest = entries.indices.min(by: { entries[$0].lastRefusal < entries[$1].lastRefusal })
        {
            entries.remove(at: oldest)
        }
        entries.append(Entry(address: address, refusals: 1, lastRefusal: now))
    }

    /// Forgets `address`, which was served.
    public mutating func served(_ address: BluetoothAddress) {
        entries.removeAll { $0.address == address }
    }
}
