public import Peripheral
public import Timekeeping

/// Remembers which addresses were refused again and again, so that they cannot crowd out the next phone.
///
/// An address that is backing off is not shut out: it may connect, but not take the last free slot. A phone that
/// walks up slowly loses nothing while there is room, and a phone that loops in the distance never keeps a near one
/// waiting. Refusals for backing off do not count again, else a steady retry would prolong itself for ever.
public struct AddressBackOff: Sendable {
    /// So many refusals in a row are free: a phone that connects early while it is carried to the door has a few.
    static let freeRefusals = 3
    /// The first back-off, doubled with each refusal more; a phone of the published kind tries again after 500 ms.
    static let first = Duration.milliseconds(1000)
    /// The longest back-off: what a person at the door would wait.
    static let longest = Duration.seconds(4)
    /// An address not refused for so long starts anew.
    static let memory = Duration.seconds(30)
    /// How many addresses are remembered; the one refused longest ago makes room. Addresses are the peer's choice,
    /// so the table must be bounded.
    static let capacity = 64

    private struct Entry {
        var address: BluetoothAddress
        var refusals: Int
        var lastRefusal: Instant
    }

    private var entries: [Entry] = []

    /// An empty memory.
    public init() {
        entries.reserveCapacity(AddressBackOff.capacity)
    }

    /// Whether `address` is backing off at `now`.
    public func isBackingOff(_ address: BluetoothAddress, at now: Instant) -> Bool {
        guard let entry = entries.first(where: { $0.address == address }),
            entry.refusals >= AddressBackOff.freeRefusals
        else { return false }
        let doublings = min(entry.refusals - AddressBackOff.freeRefusals, 8)
        let wait = min(AddressBackOff.longest, AddressBackOff.first * (1 << doublings))
        return now < entry.lastRefusal + wait
    }

    /// `address` was refused after it had its chance.
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

    /// `address` was served: nothing is held against it. A phone without one has nothing held against it anyway.
    public mutating func served(_ address: BluetoothAddress?) {
        guard let address else { return }
        entries.removeAll { $0.address == address }
    }
}
