// SPDX-License-Identifier: Apache-2.0

import Crypto
import Peripheral
import SeededNumbers
import Timekeeping

/// A device as its peer knows it: the address of its packets, or the identity that the address resolves to.
struct AirPeer: Equatable {
    /// The device in events: kind 0x02 or 0x03 for a resolved identity (Core 5.4, Vol 4, Part E, 7.7.65.10).
    let reported: BluetoothAddress
    /// The resolved private address; nil if nothing was resolved.
    let privateAddress: BluetoothAddress?

    /// A device without a resolved address.
    init(_ address: BluetoothAddress) {
        reported = address
        privateAddress = nil
    }

    /// A device whose private address resolves to `identity`.
    init(_ identity: BluetoothAddress, by privateAddress: BluetoothAddress) {
        reported = BluetoothAddress(
            kind: identity.kind == .public ? .publicIdentity : .randomIdentity, value: identity.value)
        self.privateAddress = privateAddress
    }

    /// The device in commands and lists: the identity, or the address of its packets.
    var address: BluetoothAddress { reported.unresolvedKind }
}

/// A peer and the keys of private addresses on both sides (Core 5.4, Vol 6, Part B, 4.7).
struct ResolvingEntry {
    /// The mode of privacy (Core 5.4, Vol 4, Part E, 7.8.77).
    enum Mode: UInt8 {
        /// A peer with a key is ignored under its identity address.
        case network = 0
        /// A peer with a key is also received under its identity address.
        case device = 1
    }

    /// A generated private address and its time.
    struct Generated {
        var address: BluetoothAddress
        var time: Instant
    }

    /// The length of a key in octets.
    static let keyCount = 16

    let identity: BluetoothAddress
    /// The identity resolving keys; zero without one.
    let peerKey: Value128
    let localKey: Value128
    var mode = Mode.network
    /// The local address for this peer, and the peer's in directed advertising.
    var local: Generated?
    var target: Generated?
    /// The address under which the peer was received last.
    var lastReceived: BluetoothAddress?

    /// The local address, replaced after the time-out; nil without a key.
    mutating func local(
        at now: Instant, _ timeout: Duration, _ random: inout SeededGenerator
    ) -> BluetoothAddress? {
        ResolvingEntry.renew(&local, localKey, at: now, timeout, &random)
    }

    /// The peer's address in directed advertising, replaced after the time-out; nil without a key.
    mutating func target(
        at now: Instant, _ timeout: Duration, _ random: inout SeededGenerator
    ) -> BluetoothAddress? {
        ResolvingEntry.renew(&target, peerKey, at: now, timeout, &random)
    }

    private static func renew(
        _ generated: inout Generated?, _ key: Value128, at now: Instant, _ timeout: Duration,
        _ random: inout SeededGenerator
    ) -> BluetoothAddress? {
        if let generated, now - generated.time < timeout { return generated.address }
        guard !key.isZero else { return nil }
        let bits = UInt32(truncatingIfNeeded: random.next())
        guard let address = try? IdentityResolution.privateAddress(resolvingKey: key, bits: bits) else { return nil }
        generated = Generated(address: address, time: now)
        return address
    }
}

/// The resolving list, and the private addresses that its keys generate and resolve (Core 5.4, Vol 6, Part B, 6).
struct ResolvingList {
    private var entries: [ResolvingEntry] = []
    /// True if received private addresses are resolved.
    var resolves = false
    /// The time after which private addresses are replaced; 900 s is the default (Core 5.4, Vol 4, Part E, 7.8.45).
    var timeout = Duration.seconds(900)

    var count: Int { entries.count }

    /// The address under which the peer of an entry was received last.
    func lastReceived(at index: Int) -> BluetoothAddress? { entries[index].lastReceived }

    /// The address that was generated last towards the peer of an entry.
    func lastLocal(at index: Int) -> BluetoothAddress? { entries[index].local?.address }

    /// True if `address` is a present local address.
    func hasGenerated(_ address: BluetoothAddress) -> Bool { entries.contains { $0.local?.address == address } }

    /// The position of the entry with this identity.
    func index(of identity: BluetoothAddress) -> Int? { entries.firstIndex { $0.identity == identity } }

    /// Adds an entry; false if the list has the identity or the key of the peer (7.8.38).
    mutating func add(_ entry: ResolvingEntry) -> Bool {
        let isKnown = entries.contains {
            $0.identity == entry.identity || !entry.peerKey.isZero && $0.peerKey == entry.peerKey
        }
        guard !isKnown else { return false }
        entries.append(entry)
        return true
    }

    mutating func remove(at index: Int) { entries.remove(at: index) }

    mutating func removeAll() { entries.removeAll() }

    mutating func setMode(_ mode: ResolvingEntry.Mode, at index: Int) { entries[index].mode = mode }

    /// The device with the received address; nil if privacy ignores it: an identity whose peer has a key, in network
    /// privacy mode (Core 5.4, Vol 6, Part B, 6.5).
    mutating func peer(at address: BluetoothAddress) -> AirPeer? {
        guard resolves, !entries.isEmpty else { return AirPeer(address) }
        for (index, entry) in entries.enumerated() where !entry.peerKey.isZero {
            if IdentityResolution.resolves(address, with: entry.peerKey) {
                entries[index].lastReceived = address
                return AirPeer(entry.identity, by: address)
            }
            if entry.identity == address, entry.mode == .network { return nil }
        }
        return AirPeer(address)
    }

    /// True if a local key generated `address`.
    func isLocal(_ address: BluetoothAddress) -> Bool {
        resolves
            && entries.contains {
                !$0.localKey.isZero && IdentityResolution.resolves(address, with: $0.localKey)
            }
    }

    /// The private address towards a peer, replaced after the time-out; nil without an entry or a local key.
    mutating func localAddress(
        toward peer: BluetoothAddress, at now: Instant, _ random: inout SeededGenerator
    ) -> BluetoothAddress? {
        guard let index = index(of: peer) else { return nil }
        return entries[index].local(at: now, timeout, &random)
    }

    /// The private address of a peer in directed advertising, replaced after the time-out; nil without an entry or a
    /// key of the peer.
    mutating func targetAddress(
        of peer: BluetoothAddress, at now: Instant, _ random: inout SeededGenerator
    ) -> BluetoothAddress? {
        guard let index = index(of: peer) else { return nil }
        return entries[index].target(at: now, timeout, &random)
    }
}
