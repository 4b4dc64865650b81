// SPDX-License-Identifier: Apache-2.0

import Crypto
import Peripheral
import Timekeeping

/// A Security Manager and its links, each in a slot.
struct SecuredLinks: ~Copyable {
    var manager: SecurityManager
    private(set) var links: [SecurityLink]

    init(
        policy: SecurityPolicy, identity: SecurityIdentity?, store: any BondStore, random: any RandomSource,
        linkCapacity: Int
    ) {
        manager = SecurityManager(policy: policy, identity: identity, store: store, random: random)
        links = (0..<linkCapacity).map { _ in SecurityLink() }
    }

    var policy: SecurityPolicy {
        get { manager.policy }
        set { manager.policy = newValue }
    }
    var bonds: [Bond] { manager.bonds }
    mutating func nextAction() -> SecurityAction? { manager.nextAction() }
    mutating func openWindow(until end: Instant) { manager.openWindow(until: end) }
    mutating func closeWindow() { manager.closeWindow() }
    mutating func publishOutOfBandData() -> OutOfBandData? { manager.publishOutOfBandData() }
    mutating func setPeerOutOfBandData(_ data: PeerOutOfBandData?) { manager.setPeerOutOfBandData(data) }

    mutating func open(slot: Int, peer: BluetoothAddress, own: BluetoothAddress, policy: SecurityPolicy? = nil) {
        manager.open(&links[slot], peer: peer, own: own, policy: policy)
    }
    mutating func close(slot: Int, at now: Instant) { manager.close(&links[slot], at: now) }
    mutating func receive(_ pdu: [UInt8], slot: Int, at now: Instant) {
        manager.receive(pdu.span, on: &links[slot], at: now)
    }
    mutating func answerComparison(_ isSame: Bool, slot: Int, at now: Instant) -> Bool {
        manager.answerComparison(isSame, on: &links[slot], at: now)
    }
    mutating func enterPasskey(_ passkey: UInt32?, slot: Int, at now: Instant) -> Bool {
        manager.enterPasskey(passkey, on: &links[slot], at: now)
    }
    mutating func requestEncryption(slot: Int, at now: Instant) -> Bool {
        manager.requestEncryption(on: &links[slot], at: now)
    }
    mutating func longTermKeyRequested(slot: Int, name: LTKIdentifier) -> Value128? {
        manager.longTermKeyRequested(on: &links[slot], name: name)
    }
    mutating func encryptionChanged(slot: Int, status: HCIStatus, enabled: UInt8 = 1, at now: Instant) {
        manager.encryptionChanged(on: &links[slot], status: status, enabled: enabled, at: now)
    }
    mutating func advance(to now: Instant) {
        for slot in links.indices { manager.advance(&links[slot], to: now) }
    }
    mutating func forget(_ identity: BluetoothAddress) {
        manager.forget(identity)
        for slot in links.indices { manager.forgotten(identity, on: &links[slot]) }
    }

    func level(slot: Int) -> LinkSecurityLevel { links[slot].level }
    func isPairing(slot: Int) -> Bool { links[slot].isPairing }
    func bondedPeer(slot: Int) -> BluetoothAddress? { links[slot].bondedPeer }
    func provenPeer(slot: Int) -> BluetoothAddress? { links[slot].provenPeer }
    var nextDeadline: Instant? { links.compactMap(\.deadline).min() }
}
