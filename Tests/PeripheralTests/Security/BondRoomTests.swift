// SPDX-License-Identifier: Apache-2.0

import Crypto
import Peripheral
import TestSupport
import Testing
import Timekeeping

/// The decision whether a bond can be stored, before Pairing Response: none exists at one side only (Core 5.4, Vol 3,
/// Part H, 3.5.1 and 3.5.2).
@Suite struct BondRoomTests {
    /// A store that fails when it is asked, or only when a bond is saved.
    final class FailingStore: BondStore {
        var inner = TransientBondStore(capacity: 2)
        var reported: BondStoreError?
        var thrown: BondStoreError?

        var bonds: [Bond] { inner.bonds }
        var capacity: Int { inner.capacity }
        func storageError() -> BondStoreError? { reported }
        func save(_ bond: Bond, evicting evicted: [BluetoothAddress]) throws(BondStoreError) {
            if let thrown { throw thrown }
            try inner.save(bond, evicting: evicted)
        }
        func markUsed(_ identity: BluetoothAddress) { inner.markUsed(identity) }
        func remove(_ identity: BluetoothAddress) { inner.remove(identity) }
    }

    private static let offered = "02030009100303"
    private static let notOffered = "02030008100000"

    /// The phone of this number, with a static address.
    private func phone(_ number: UInt64) -> PairingCentral {
        var central = PairingCentral()
        central.address = BluetoothAddress(kind: .random, value: 0xC0C1_C2C3_0000 | number)
        central.identity = central.address
        central.resolvingKey = Value128(hex: "100\(number)")
        return central
    }

    /// Pairs and leaves; the Pairing Response, and the key.
    @discardableResult
    private func visit(_ rig: inout PairingRig, _ central: PairingCentral) throws -> (response: String, key: Value128) {
        rig.connect(central)
        rig.give(.pairingRequest(central.features))
        let response = rig.sent.first.map { hex($0.octets) } ?? ""
        rig.connect(central)
        return (response, try rig.pair(central, .justWorks))
    }

    private func leave(_ rig: inout PairingRig) { rig.manager.close(slot: 0, at: rig.now) }

    @Test func leastRecentlyUsedMakesRoom() throws {
        var rig = PairingRig(SecurityPolicy(), store: TransientBondStore(capacity: 2))
        let first = try visit(&rig, phone(1))
        try visit(&rig, phone(2))
        // The first comes back, and so is no longer the one used longest ago.
        rig.connect(phone(1))
        try rig.encrypt(first.key)
        let third = try visit(&rig, phone(3))
        #expect(first.response == Self.offered && third.response == Self.offered)
        #expect(rig.manager.bonds.map(\.identity) == [phone(1).identity, phone(3).identity])
        #expect(rig.actions.contains(.bondRemoved(phone(2).identity)) && rig.actions.last == .paired(storeError: nil))
        rig.connect(phone(1))
        try rig.encrypt(first.key)
        rig.connect(phone(3))
        try rig.encrypt(third.key)
    }

    @Test func connectedBondsStayAndNoBondingIsOffered() throws {
        var rig = PairingRig(SecurityPolicy(), store: TransientBondStore(capacity: 1))
        try visit(&rig, phone(1))
        leave(&rig)
        rig.manager.open(slot: 1, peer: phone(1).address, own: rig.own)
        #expect(try visit(&rig, phone(2)).response == Self.notOffered)
        #expect(rig.actions.last == .paired(storeError: .full))
        let level = rig.manager.level(slot: 0)
        #expect(level.isEncrypted && !level.isBonded)
        #expect(rig.manager.bonds.map(\.identity) == [phone(1).identity])
        // Once it has left, it makes room.
        rig.manager.close(slot: 1, at: rig.now)
        #expect(try visit(&rig, phone(2)).response == Self.offered)
        #expect(rig.manager.bonds.map(\.identity) == [phone(2).identity])
    }

    @Test func bondedPeerPairsAgainInAFullStore() throws {
        var rig = PairingRig(SecurityPolicy(), store: TransientBondStore(capacity: 1))
        let key = try visit(&rig, phone(1)).key
        rig.connect(phone(1))
        try rig.encrypt(key)
        let again = try rig.pair(phone(1), .justWorks)
        #expect(rig.manager.bonds.map(\.longTermKey) == [again] && again != key)
    }

    @Test func twoPairingsAtOnceDoNotShareAPlace() throws {
        var rig = PairingRig(SecurityPolicy(), store: TransientBondStore(capacity: 1))
        rig.connect(phone(1))
        rig.give(.pairingRequest(phone(1).features))
        #expect(rig.sent.map { hex($0.octets) } == [Self.offered])
        rig.manager.open(slot: 1, peer: phone(2).address, own: rig.own)
        rig.sent = []
        rig.manager.receive(SecurityPDU.pairingRequest(phone(2).features).octets, slot: 1, at: rig.now)
        rig.drain()
        #expect(rig.sent.map { hex($0.octets) } == [Self.notOffered])
        // A pairing that ends returns its place.
        leave(&rig)
        rig.manager.close(slot: 1, at: rig.now)
        #expect(try visit(&rig, phone(2)).response == Self.offered)
    }

    @Test("Eviction by a stranger: a bond with an authenticated key does not make room for one without")
    func weakerEvictsNobody() throws {
        var policy = PairingRig.open
        policy.ioCapability = .displayYesNo
        var owner = phone(1)
        owner.features.ioCapability = .displayYesNo
        owner.features.requirements.insert(.mitm)
        var rig = PairingRig(policy, store: TransientBondStore(capacity: 1))
        rig.connect(owner)
        try rig.pair(owner, .numericComparison)
        rig.connect(phone(2))
        rig.give(.pairingRequest(phone(2).features))
        #expect(rig.sent.map { hex($0.octets) } == ["02010008100000"])
        #expect(rig.manager.bonds.map(\.identity) == [owner.identity])
    }

    @Test func storeThatSaysItFailsIsOfferedNothing() throws {
        let store = FailingStore()
        var rig = PairingRig(SecurityPolicy(), store: store)
        store.reported = .notWritten
        #expect(try visit(&rig, phone(1)).response == Self.notOffered)
        #expect(rig.actions.last == .paired(storeError: .notWritten) && rig.manager.bonds == [])
        store.reported = nil
        #expect(try visit(&rig, phone(1)).response == Self.offered)
        #expect(rig.manager.bonds.count == 1)
    }

    /// The keys were distributed: only Pairing Failed, Key Rejected, can leave the peer without a bond (3.5.5).
    @Test func storeThatFailsAfterAllEndsThePairing() throws {
        let store = FailingStore()
        var rig = PairingRig(SecurityPolicy(), store: store)
        for number in 1...2 as ClosedRange<UInt64> { try visit(&rig, phone(number)) }
        let bonds = rig.manager.bonds
        store.thrown = .notWritten
        rig.connect(phone(3))
        #expect(throws: PairingFailureReason.keyRejected) { try rig.pair(phone(3), .justWorks) }
        #expect(
            rig.actions.suffix(3) == [
                .failed(.notStored(.notWritten)), .levelChanged(LinkSecurityLevel()),
                .disconnect(.authenticationFailure),
            ])
        #expect(rig.manager.bonds == bonds, "no bond was removed for one that is not there")
    }

    @Test("Legacy pairing without a long-term key of this side offers no bonding")
    func legacyWithoutAKey() throws {
        var rig = PairingRig(PairingRig.open)
        var central = phone(1)
        central.features.requirements = [.bonding]
        central.features.responderKeys = [.identity]
        rig.connect(central)
        rig.give(.pairingRequest(central.features))
        #expect(rig.sent.map { hex($0.octets) } == [Self.notOffered])
    }
}
