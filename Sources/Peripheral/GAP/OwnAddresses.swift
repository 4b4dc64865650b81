// SPDX-License-Identifier: Apache-2.0

public import Crypto
import Timekeeping

/// The source of private addresses.
public struct AddressPrivacy {
    /// The identity for resolvable addresses; nil if only non-resolvable addresses are used.
    public var identity: SecurityIdentity?
    /// The source of the random part.
    public var random: any RandomSource

    /// A source with this identity.
    public init(identity: SecurityIdentity?, random: any RandomSource) {
        self.identity = identity
        self.random = random
    }
}

/// The present address of each set, and its rotation (Core 5.4, Vol 3, Part C, 10.7.1.2).
///
/// The addresses of the sets change at different times, so that sets of one device cannot be linked by that.
struct OwnAddresses {
    /// The permitted lifetime of an address (Vol 4, Part E, 7.8.45 permits a controller the same).
    static let rotations: ClosedRange<Duration> = .seconds(1) ... .seconds(3600)
    /// The maximum random extension of a lifetime, as a fraction: changes at regular times would identify the device.
    static let spreadDivisor = 8

    private struct Entry {
        var id: UInt8
        var kind: AdvertisingSet.OwnAddress
        var address: BluetoothAddress
        var due: Instant
    }

    private let rotation: Duration
    private var privacy: AddressPrivacy?
    private var entries: [Entry] = []
    private var isIncomplete = false
    private(set) var nextRotation: Instant?

    /// No addresses. `rotation` is limited to `rotations`.
    init(rotation: Duration) {
        self.rotation = min(max(rotation, OwnAddresses.rotations.lowerBound), OwnAddresses.rotations.upperBound)
    }

    /// Sets the source; earlier addresses are discarded.
    mutating func use(_ privacy: AddressPrivacy) {
        self.privacy = privacy
        entries = []
        nextRotation = nil
    }

    /// True if an address of this type can be generated.
    func canMake(_ kind: AdvertisingSet.OwnAddress) -> Bool {
        switch kind {
        case .fixed: true
        case .resolvable: privacy?.identity != nil
        case .nonResolvable: privacy != nil
        }
    }

    /// Replaces the sets; a set that remains retains its address.
    mutating func keep(_ sets: [AdvertisingSet]) {
        entries.removeAll { entry in !sets.contains { $0.id == entry.id && $0.ownAddress == entry.kind } }
        nextRotation = entries.map(\.due).min()
        isIncomplete = sets.contains { set in !set.hasFixedAddress && !entries.contains { $0.id == set.id } }
    }

    /// Generates missing and expired addresses; true if there were any.
    mutating func refresh(_ sets: [AdvertisingSet], at now: Instant) -> Bool {
        guard isIncomplete || nextRotation.map({ now >= $0 }) ?? false else { return false }
        isIncomplete = false
        for set in sets where !set.hasFixedAddress {
            let index = entries.firstIndex { $0.id == set.id }
            if let index, entries[index].due > now { continue }
            guard let address = make(set.ownAddress) else {
                // The cipher failed: the old address is used for another turn.
                if let index { entries[index].due = rotationTime(after: now) }
                continue
            }
            let entry = Entry(id: set.id, kind: set.ownAddress, address: address, due: rotationTime(after: now))
            if let index { entries[index] = entry } else { entries.append(entry) }
        }
        nextRotation = entries.map(\.due).min()
        return true
    }

    /// The sets that have an address, with their addresses.
    func advertised(_ sets: [AdvertisingSet]) -> [AdvertisedSet] {
        sets.compactMap { set in
            if case .fixed(let address) = set.ownAddress { return AdvertisedSet(set: set, address: address) }
            return entries.first { $0.id == set.id }.map { AdvertisedSet(set: set, address: $0.address) }
        }
    }

    private mutating func make(_ kind: AdvertisingSet.OwnAddress) -> BluetoothAddress? {
        switch kind {
        case .fixed(let address): return address
        case .resolvable:
            guard let key = privacy?.identity?.resolvingKey else { return nil }
            let bits = UInt32(truncatingIfNeeded: randomBits())
            return try? IdentityResolution.privateAddress(resolvingKey: key, bits: bits)
        case .nonResolvable: return .nonResolvable(from: randomBits())
        }
    }

    private mutating func rotationTime(after now: Instant) -> Instant {
        let spread = rotation / OwnAddresses.spreadDivisor
        let steps = Int(truncatingIfNeeded: randomBits() & 0xFF)
        return now + min(rotation + spread * steps / 0xFF, OwnAddresses.rotations.upperBound)
    }

    private mutating func randomBits() -> UInt64 {
        var octets: [8 of UInt8] = .init(repeating: 0)
        var span = octets.mutableSpan
        privacy?.random.fill(&span)
        var bits: UInt64 = 0
        for index in 0..<8 { bits = bits << 8 | UInt64(octets[index]) }
        return bits
    }
}

/// The last address of each set on the air, as confirmed by the controller.
///
/// Events arrive in order: a connection that is reported before the answer to an enable with a new address was made to
/// the previous address.
struct OnAirAddresses: Equatable {
    private struct Entry: Equatable {
        var id: UInt8
        /// The address configured in the controller.
        var loaded: BluetoothAddress
        /// The address at the last enable.
        var aired: BluetoothAddress?
    }

    private var entries: [Entry] = []
    private var legacySet: UInt8?

    /// Handles the success of a command.
    mutating func done(_ command: AdvertisingCommand?) {
        switch command {
        case .address(let set, let address): load(set, address)
        case .legacyAddress(let set, let address):
            load(set, address)
            legacySet = set
        case .enable(let sets): for set in sets { markOnAir(set) }
        case .legacyEnable(true): if let legacySet { markOnAir(legacySet) }
        default: break
        }
    }

    private mutating func load(_ set: UInt8, _ address: BluetoothAddress) {
        guard let index = entries.firstIndex(where: { $0.id == set }) else {
            return entries.append(Entry(id: set, loaded: address))
        }
        // Links hold copies of this value; it is written only when it changes.
        if entries[index].loaded != address { entries[index].loaded = address }
    }

    private mutating func markOnAir(_ set: UInt8) {
        guard let index = entries.firstIndex(where: { $0.id == set }) else { return }
        if entries[index].aired != entries[index].loaded { entries[index].aired = entries[index].loaded }
    }

    /// The last address of the set on the air; nil if the set has not been on the air.
    func address(ofSet id: UInt8) -> BluetoothAddress? { entries.first { $0.id == id }?.aired }
}

extension AdvertisingSet {
    /// True if the address is given.
    var hasFixedAddress: Bool {
        if case .fixed = ownAddress { return true }
        return false
    }
}
