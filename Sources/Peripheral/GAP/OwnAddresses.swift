public import Crypto
import Timekeeping

/// What private addresses are made of.
public struct AddressPrivacy {
    /// Who the device is to bonded peers; nil where only non-resolvable addresses are wanted.
    public var identity: SecurityIdentity?
    /// Where the random part comes from.
    public var random: any RandomSource

    /// Private addresses of this identity.
    public init(identity: SecurityIdentity?, random: any RandomSource) {
        self.identity = identity
        self.random = random
    }
}

/// The address that each set has at present, and when it gets another (Core 5.4, Vol 3, Part C, 10.7.1.2).
///
/// Each set's address changes in its own time, so that two sets cannot be told to be one device's by that.
struct OwnAddresses {
    /// How long an address may stay (Vol 4, Part E, 7.8.45 allows a controller the same).
    static let rotations: ClosedRange<Duration> = .seconds(1) ... .seconds(3600)
    /// A turn of addresses is longer than asked for by up to this part, at random: whoever sees addresses change by
    /// the clock knows them again.
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

    /// No addresses yet.
    init(rotation: Duration) {
        self.rotation = min(max(rotation, OwnAddresses.rotations.lowerBound), OwnAddresses.rotations.upperBound)
    }

    /// Makes addresses with this from now on; those made before are given up.
    mutating func use(_ privacy: AddressPrivacy) {
        self.privacy = privacy
        entries = []
        nextRotation = nil
    }

    /// Whether there is all that such an address needs.
    func canMake(_ kind: AdvertisingSet.OwnAddress) -> Bool {
        switch kind {
        case .fixed: true
        case .resolvable: privacy?.identity != nil
        case .nonResolvable: privacy != nil
        }
    }

    /// The sets are these now; each one that stays keeps its address.
    mutating func keep(_ sets: [AdvertisingSet]) {
        entries.removeAll { entry in !sets.contains { $0.id == entry.id && $0.ownAddress == entry.kind } }
        nextRotation = entries.map(\.due).min()
        isIncomplete = sets.contains { set in !set.hasFixedAddress && !entries.contains { $0.id == set.id } }
    }

    /// Makes the addresses that are missing or have had their time; whether there were any.
    mutating func refresh(_ sets: [AdvertisingSet], at now: Instant) -> Bool {
        guard isIncomplete || nextRotation.map({ now >= $0 }) ?? false else { return false }
        isIncomplete = false
        for set in sets where !set.hasFixedAddress {
            let index = entries.firstIndex { $0.id == set.id }
            if let index, entries[index].due > now { continue }
            guard let address = make(set.ownAddress) else {
                // The cipher failed: the old address stays for another turn.
                if let index { entries[index].due = turn(after: now) }
                continue
            }
            let entry = Entry(id: set.id, kind: set.ownAddress, address: address, due: turn(after: now))
            if let index { entries[index] = entry } else { entries.append(entry) }
        }
        nextRotation = entries.map(\.due).min()
        return true
    }

    /// The sets that have an address, with it.
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

    private mutating func turn(after now: Instant) -> Instant {
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

/// The address with which each set was last on the air, by what the controller has confirmed.
///
/// Events come in the order in which things happened, so a phone whose connection is told while an enable with another
/// address has no answer yet has connected to the address before.
struct OnAirAddresses: Equatable {
    private struct Entry: Equatable {
        var id: UInt8
        /// What the controller has been given.
        var loaded: BluetoothAddress
        /// What it has been enabled with.
        var aired: BluetoothAddress?
    }

    private var entries: [Entry] = []
    private var legacySet: UInt8?

    /// The controller has done what `command` says.
    mutating func done(_ command: AdvertisingCommand?) {
        switch command {
        case .address(let set, let address): load(set, address)
        case .legacyAddress(let set, let address):
            load(set, address)
            legacySet = set
        case .enable(let sets): for set in sets { air(set) }
        case .legacyEnable(true): if let legacySet { air(legacySet) }
        default: break
        }
    }

    private mutating func load(_ set: UInt8, _ address: BluetoothAddress) {
        guard let index = entries.firstIndex(where: { $0.id == set }) else {
            return entries.append(Entry(id: set, loaded: address))
        }
        // Links keep what was here when they came: a copy is made only where something changes.
        if entries[index].loaded != address { entries[index].loaded = address }
    }

    private mutating func air(_ set: UInt8) {
        guard let index = entries.firstIndex(where: { $0.id == set }) else { return }
        if entries[index].aired != entries[index].loaded { entries[index].aired = entries[index].loaded }
    }

    /// The address with which the set was last on the air; nil if it never was.
    func address(ofSet id: UInt8) -> BluetoothAddress? { entries.first { $0.id == id }?.aired }
}

extension AdvertisingSet {
    /// Whether the address needs no making.
    var hasFixedAddress: Bool {
        if case .fixed = ownAddress { return true }
        return false
    }
}
