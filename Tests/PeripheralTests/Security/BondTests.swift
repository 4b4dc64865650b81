// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Crypto
import Peripheral
import Testing
import Timekeeping

/// Bonds: storage, replacement, and the access that they give.
@Suite struct BondTests {
    private typealias Central = PairingCentral

    /// A peer with private addresses and its own identity resolving key.
    private func privateCentral(_ identity: String, irk: String, bits: UInt32 = 0x12345) throws -> PairingCentral {
        var central = PairingCentral()
        central.identity = BluetoothAddress(.public, identity)
        central.resolvingKey = Value128(hex: irk)
        central.address = try IdentityResolution.privateAddress(resolvingKey: central.resolvingKey, bits: bits)
        return central
    }

    @Test("BLESA (CVE-2020-9770): a bonded peer comes back, and nothing is open before Encryption Change says so")
    func reconnect() throws {
        var rig = PairingRig(SecurityPolicy())
        var central = try privateCentral("aabbccddeeff", irk: "1234")
        rig.connect(central)
        let key = try rig.pair(central, .justWorks)
        // Another of its private addresses.
        central.address = try IdentityResolution.privateAddress(resolvingKey: central.resolvingKey, bits: 77)
        rig.connect(central)
        #expect(rig.manager.bondedPeer(slot: 0) == central.identity)
        #expect(rig.manager.provenPeer(slot: 0) == nil)
        #expect(rig.manager.level(slot: 0) == LinkSecurityLevel(isBonded: true))
        let wrong = rig.manager.longTermKeyRequested(slot: 0, name: LTKIdentifier(diversifier: 1, random: 0))
        let given = rig.manager.longTermKeyRequested(slot: 0, name: .zero)
        #expect(wrong == nil && given == key)
        #expect(rig.manager.level(slot: 0) == LinkSecurityLevel(isBonded: true))
        rig.manager.encryptionChanged(slot: 0, status: .success, at: rig.now)
        rig.drain()
        let level = LinkSecurityLevel(isEncrypted: true, isSecureConnections: true, keySize: 16, isBonded: true)
        #expect(rig.manager.provenPeer(slot: 0) == central.identity)
        #expect(rig.manager.level(slot: 0) == level && rig.actions == [.levelChanged(level)])
    }

    @Test(
        "Encryption that fails, ends, or is of another kind closes the link, which ends; the bond stays",
        arguments: [
            (HCIStatus.micFailure, UInt8(1)), (.success, 0), (.success, 2), (HCIStatus(rawValue: 0x06), 1),
            (.success, 1),
        ] as [(HCIStatus, UInt8)])
    func lostEncryption(_ status: HCIStatus, _ enabled: UInt8) throws {
        var rig = PairingRig.connected()
        try rig.pair(Central(), .justWorks)
        rig.actions = []
        // Without a key request even success is no proof: the key is of unknown origin.
        let isFailure = status != .success || enabled != 1
        let key = isFailure ? rig.manager.longTermKeyRequested(slot: 0, name: .zero) : nil
        #expect((key != nil) == isFailure)
        rig.manager.encryptionChanged(slot: 0, status: status, enabled: enabled, at: rig.now)
        rig.drain()
        let level = LinkSecurityLevel(isBonded: true)
        #expect(rig.manager.level(slot: 0) == level)
        #expect(rig.manager.provenPeer(slot: 0) == nil)
        #expect(rig.actions == [.levelChanged(level), .disconnect(.authenticationFailure)])
        #expect(rig.manager.bonds.count == 1)
    }

    @Test("Key refresh with the bond's key keeps the link's level; one whose event never comes counts for nothing")
    func keyRefresh() throws {
        var rig = PairingRig.connected()
        let key = try rig.pair(Central(), .justWorks)
        let before = rig.manager.level(slot: 0)
        try rig.encrypt(key)
        #expect(rig.manager.level(slot: 0) == before)
        let given = rig.manager.longTermKeyRequested(slot: 0, name: .zero)
        let unknown = rig.manager.longTermKeyRequested(slot: 0, name: LTKIdentifier(diversifier: 9, random: 9))
        #expect(given == key && unknown == nil)
        rig.manager.encryptionChanged(slot: 0, status: .success, at: rig.now)
        #expect(!rig.manager.level(slot: 0).isEncrypted)
    }

    @Test("BLERP, bond overwrite: a bonded identity on a link that is not encrypted is 05 05")
    func strangerRefused() throws {
        var rig = PairingRig.connected()
        try rig.pair(Central(), .justWorks)
        let bond = try #require(rig.manager.bonds.first)
        rig.connect(Central())
        #expect(throws: PairingFailureReason.pairingNotSupported) { try rig.pair(Central(), .justWorks) }
        #expect(rig.manager.bonds == [bond])
    }

    @Test(
        "A phone that forgot the device pairs again in the operator's window, or anybody on the bond's encrypted link")
    func repairing() throws {
        var rig = PairingRig.connected()
        let first = try rig.pair(Central(), .justWorks)
        rig.manager.openWindow(until: start + .seconds(60))
        rig.connect(Central())
        let second = try rig.pair(Central(), .justWorks)
        #expect(first != second && rig.manager.bonds.map(\.longTermKey) == [second])
        rig.now = start + .seconds(60)
        rig.connect(Central())
        #expect(throws: PairingFailureReason.pairingNotSupported) { try rig.pair(Central(), .justWorks) }
        rig.connect(Central())
        try rig.encrypt(second)
        let third = try rig.pair(Central(), .justWorks)
        #expect(third != second && rig.manager.bonds.map(\.longTermKey) == [third])
        #expect(rig.manager.level(slot: 0).isBonded)
    }

    @Test("A second phone claims a bonded identity after pairing: 05 0f, the link ends, the bond is as it was")
    func stolenIdentity() throws {
        var rig = PairingRig.connected()
        try rig.pair(Central(), .justWorks)
        let bond = try #require(rig.manager.bonds.first)
        var thief = try privateCentral("aabbccddeeff", irk: "4321")
        thief.identity = Central().identity
        rig.connect(thief)
        #expect(throws: PairingFailureReason.keyRejected) { try rig.pair(thief, .justWorks) }
        #expect(rig.actions.contains(.failed(.bondKept(Central().identity, .keyRejected))))
        #expect(rig.manager.bonds == [bond])
        #expect(rig.manager.level(slot: 0) == LinkSecurityLevel())
        #expect(rig.actions.suffix(3).contains(.disconnect(.authenticationFailure)))
    }

    @Test("A bonded phone on its own encrypted link cannot take the place of another")
    func stolenIdentityByBonded() throws {
        var rig = PairingRig.connected()
        try rig.pair(Central(), .justWorks)
        var thief = try privateCentral("aabbccddeeff", irk: "4321")
        rig.connect(thief)
        let key = try rig.pair(thief, .justWorks)
        let bonds = rig.manager.bonds
        rig.connect(thief)
        try rig.encrypt(key)
        thief.identity = Central().identity
        #expect(throws: PairingFailureReason.keyRejected) { try rig.pair(thief, .justWorks) }
        #expect(bonds.count == 2 && rig.manager.bonds == bonds)
    }

    @Test("Duplicate resolving key (CVE-2021-3436), and this device's own identity, are 05 0f")
    func duplicateKey() throws {
        var rig = PairingRig(SecurityPolicy())
        let first = try privateCentral("aabbccddeeff", irk: "1234")
        rig.connect(first)
        try rig.pair(first, .justWorks)
        var second = try privateCentral("aabbccddee00", irk: "1234")
        second.address = BluetoothAddress(.random, "c00000000001")
        rig.connect(second)
        #expect(throws: PairingFailureReason.keyRejected) { try rig.pair(second, .justWorks) }
        #expect(rig.actions.contains(.failed(.ended(.keyRejected))))
        second = try privateCentral("aabbccddee00", irk: "5678")
        second.identity = PairingRig.ownIdentity.address
        rig.connect(second)
        #expect(throws: PairingFailureReason.keyRejected) { try rig.pair(second, .justWorks) }
        #expect(rig.manager.bonds.map(\.identity) == [first.identity])
    }

    @Test("Never weaker: not on the encrypted link, not in the window, and not for an identity that is claimed later")
    func downgrade() throws {
        var policy = PairingRig.open
        policy.ioCapability = .displayYesNo
        var strong = Central()
        strong.features.ioCapability = .displayYesNo
        strong.features.requirements.insert(.mitm)
        var weak = strong
        weak.features.requirements.remove(.mitm)
        var legacy = strong
        legacy.features.requirements = [.bonding]
        var rig = PairingRig(policy)
        rig.connect(strong)
        let key = try rig.pair(strong, .numericComparison)
        let bond = try #require(rig.manager.bonds.first)
        rig.manager.openWindow(until: start + .seconds(60))
        for central in [weak, legacy] {
            rig.connect(central)
            try rig.encrypt(key)
            #expect(throws: PairingFailureReason.authenticationRequirements) { try rig.pair(central, .justWorks) }
            #expect(rig.manager.level(slot: 0).isAuthenticated)
        }
        weak.address = try IdentityResolution.privateAddress(resolvingKey: Value128(hex: "99"), bits: 5)
        rig.connect(weak)
        #expect(throws: PairingFailureReason.keyRejected) { try rig.pair(weak, .justWorks) }
        #expect(rig.manager.bonds == [bond])
    }

    @Test("Admission: nobody, or only within the window")
    func admission() throws {
        var policy = SecurityPolicy()
        policy.admission = .noPeers
        var rig = PairingRig(policy)
        rig.manager.openWindow(until: start + .seconds(60))
        rig.connect(Central())
        #expect(throws: PairingFailureReason.pairingNotSupported) { try rig.pair(Central(), .justWorks) }
        rig.manager.policy.admission = .withinWindow
        rig.connect(Central())
        try rig.pair(Central(), .justWorks)
        rig.manager.closeWindow()
        let other = try privateCentral("aabbccddeeff", irk: "1234")
        rig.connect(other)
        #expect(throws: PairingFailureReason.pairingNotSupported) { try rig.pair(other, .justWorks) }
        #expect(rig.actions.contains(.failed(.refused(.pairingNotSupported))))
    }

    /// Part H, 3.5.5: 0x05 if the address identifies the peer, 0x0F if the peer distributes its identity.
    @Test("A phone with a private address that lost its bond is 05 0f, and the bond that is kept is named")
    func lostBondOfAPrivateAddress() throws {
        var rig = PairingRig(SecurityPolicy())
        let first = try privateCentral("aabbccddeeff", irk: "1234")
        rig.connect(first)
        try rig.pair(first, .justWorks)
        // A phone that forgot the device has another resolving key; its identity is the same.
        let again = try privateCentral("aabbccddeeff", irk: "4321")
        rig.connect(again)
        #expect(throws: PairingFailureReason.keyRejected) { try rig.pair(again, .justWorks) }
        #expect(rig.actions.contains(.failed(.bondKept(first.identity, .keyRejected))))
        // With the same key the address tells.
        rig.connect(first)
        #expect(throws: PairingFailureReason.pairingNotSupported) { try rig.pair(first, .justWorks) }
        #expect(rig.actions.contains(.failed(.bondKept(first.identity, .pairingNotSupported))))
        rig.manager.openWindow(until: start + .seconds(60))
        rig.connect(again)
        try rig.pair(again, .justWorks)
        #expect(rig.manager.bonds.map(\.resolvingKey) == [again.resolvingKey])
    }

    @Test("Security Request goes to a bonded peer on an open link, and to nobody else")
    func securityRequest() throws {
        var rig = PairingRig.connected()
        let asked = rig.manager.requestEncryption(slot: 0, at: rig.now)
        #expect(!asked)
        let key = try rig.pair(Central(), .justWorks)
        let askedAgain = rig.manager.requestEncryption(slot: 0, at: rig.now)
        rig.connect(Central())
        let askedOpen = rig.manager.requestEncryption(slot: 0, at: rig.now)
        rig.drain()
        #expect(!askedAgain && askedOpen)
        #expect(rig.sent.map { hex($0.octets) } == ["0b09"])
        try rig.encrypt(key)
    }

    @Test("A legacy key is named by EDIV and Rand, and only with legacy pairing allowed is it given")
    func legacyKey() throws {
        var rig = PairingRig(PairingRig.open)
        var central = Central()
        central.features.requirements = [.bonding]
        rig.connect(central)
        try rig.pair(central, .justWorks)
        let bond = try #require(rig.manager.bonds.first)
        #expect(bond.diversifier != .zero && !bond.isSecureConnections)
        rig.connect(central)
        let unnamed = rig.manager.longTermKeyRequested(slot: 0, name: .zero)
        #expect(unnamed == nil)
        try rig.encrypt(bond.longTermKey, bond.diversifier)
        #expect(rig.manager.level(slot: 0).isEncrypted)
        rig.manager.policy.secureConnections = .only
        rig.connect(central)
        let refused = rig.manager.longTermKeyRequested(slot: 0, name: bond.diversifier)
        #expect(refused == nil)
    }

    @Test("Zero long-term key (CVE-2019-19194): a stored one is never given, a peer's is 05 0a")
    func zeroKey() throws {
        var store = TransientBondStore()
        try store.save(
            Bond(
                identity: Central().identity, resolvingKey: nil, longTermKey: .zero, keySize: 16, isAuthenticated: true,
                isSecureConnections: true))
        var rig = PairingRig(SecurityPolicy(), store: store)
        rig.connect(Central())
        let given = rig.manager.longTermKeyRequested(slot: 0, name: .zero)
        #expect(rig.manager.level(slot: 0).isBonded && given == nil)

        rig = PairingRig(PairingRig.open)
        var central = Central()
        central.features.requirements = [.bonding]
        rig.connect(central)
        try rig.encrypt(rig.agree(central, .justWorks))
        rig.sent = []
        rig.give(.encryptionInformation(.zero))
        #expect(rig.sent == [.failed(.invalidParameters)])
        #expect(rig.manager.level(slot: 0) == LinkSecurityLevel())
    }

    @Test("Keys out of order, again, or of a kind that was not agreed: 05 08, and nothing is kept (3.6.1)")
    func keyOrder() throws {
        for pdu: SecurityPDU in [
            .identityAddress(Central().identity), .signingInformation(Value128(hex: "1")),
            .encryptionInformation(Value128(hex: "1")), .pairingRequest(Central().features), .keyCheck(.zero),
        ] {
            var rig = PairingRig.connected()
            try rig.encrypt(rig.agree(Central(), .justWorks))
            #expect(rig.sent.map { $0.octets[0] } == [0x08, 0x09])
            rig.sent = []
            rig.give(pdu)
            #expect(rig.sent == [.failed(.unspecified)] && rig.manager.bonds == [])
            #expect(rig.manager.level(slot: 0) == LinkSecurityLevel())
        }
    }

    @Test("Bonds are not made of what cannot be found again, nor when one side does not want to")
    func unbonded() throws {
        var rig = PairingRig(SecurityPolicy())
        var central = try privateCentral("aabbccddeeff", irk: "1234")
        central.features.initiatorKeys = [.encryption]
        rig.connect(central)
        rig.give(.pairingRequest(central.features))
        #expect(rig.sent.map { hex($0.octets) } == ["02030008100000"], "without an identity, no bonding is offered")
        rig.connect(central)
        try rig.pair(central, .justWorks)
        #expect(rig.manager.bonds == [] && rig.actions.last == .paired(storeError: nil))
        central.features.initiatorKeys = [.encryption, .identity]
        central.features.requirements = [.secureConnections]
        rig.connect(central)
        rig.give(.pairingRequest(central.features))
        #expect(rig.sent.map { hex($0.octets) } == ["02030009100000"])
    }

    @Test("Forgetting a bond ends the link that it protects, and shuts out the key")
    func forget() throws {
        var rig = PairingRig.connected()
        try rig.pair(Central(), .justWorks)
        rig.actions = []
        rig.manager.forget(Central().identity)
        rig.drain()
        #expect(rig.actions == [.levelChanged(LinkSecurityLevel()), .disconnect(.remoteUserTerminated)])
        rig.connect(Central())
        let given = rig.manager.longTermKeyRequested(slot: 0, name: .zero)
        #expect(rig.manager.bonds == [] && given == nil)
    }

    @Test("A bond shows nothing of its keys")
    func secrecy() {
        let bond = Bond(
            identity: Central().identity, resolvingKey: Value128(hex: "42"), longTermKey: Value128(hex: "43"),
            keySize: 16, isAuthenticated: true, isSecureConnections: true)
        var dumped = ""
        dump(bond, to: &dumped)
        #expect("\(bond)" == "bond with C0:C1:C2:C3:C4:C5" && !dumped.contains("ongTermKey"))
    }

    @Test("Links that are not open are ignored")
    func closedLinks() {
        var rig = PairingRig(SecurityPolicy())
        let request = SecurityPDU.pairingRequest(Central().features).octets
        for slot in 0...1 {
            rig.manager.receive(request, slot: slot, at: start)
            rig.manager.encryptionChanged(slot: slot, status: .success, at: start)
            let key = rig.manager.longTermKeyRequested(slot: slot, name: .zero)
            let answered = rig.manager.answerComparison(true, slot: slot, at: start)
            let entered = rig.manager.enterPasskey(1, slot: slot, at: start)
            #expect(key == nil && !answered && !entered)
            #expect(rig.manager.level(slot: slot) == LinkSecurityLevel() && rig.manager.bondedPeer(slot: slot) == nil)
            rig.manager.close(slot: slot, at: start)
        }
        rig.drain()
        #expect(rig.sent == [] && rig.actions == [])
    }
}
