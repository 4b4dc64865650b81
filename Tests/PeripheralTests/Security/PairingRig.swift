// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Peripheral
import Timekeeping

/// A Security Manager with one central.
struct PairingRig: ~Copyable, PairingPeripheral {
    static let own = BluetoothAddress(.random, "f0f1f2f3f4f5")
    static let ownIdentity = SecurityIdentity(
        address: BluetoothAddress(.public, "0a0b0c0d0e0f"),
        resolvingKey: Value128(hex: "22222222222222222222222222222222"))

    var manager: SecuredLinks
    var random = ScriptedRandom(seed: 7)
    var now = start
    /// The PDUs sent and not yet taken.
    var sent: [SecurityPDU] = []
    /// All actions except PDUs.
    var actions: [SecurityAction] = []

    init(_ policy: SecurityPolicy, store: any BondStore = TransientBondStore(), seed: UInt64 = 3) {
        manager = SecuredLinks(
            policy: policy, identity: PairingRig.ownIdentity, store: store, random: ScriptedRandom(seed: seed),
            linkCapacity: 2)
    }

    /// A permissive policy, for tests of one restriction at a time.
    static var open: SecurityPolicy {
        var policy = SecurityPolicy()
        policy.secureConnections = .preferred
        return policy
    }

    /// With the usual policy and the usual central.
    static func connected() -> PairingRig {
        var rig = PairingRig(SecurityPolicy())
        rig.connect(PairingCentral())
        return rig
    }

    mutating func connect(_ central: PairingCentral) {
        manager.close(slot: 0, at: now)
        manager.open(slot: 0, peer: central.address, own: own)
        sent = []
        actions = []
    }

    mutating func drain() {
        while let action = manager.nextAction() {
            if case .send(let pdu) = action { sent.append(pdu) } else { actions.append(action) }
        }
    }

    mutating func give(_ octets: [UInt8]) {
        manager.receive(octets, slot: 0, at: now)
        drain()
    }

    // MARK: - A pairing

    var own: BluetoothAddress { PairingRig.own }
    var isPairing: Bool { manager.isPairing(slot: 0) }
    var isSecure: Bool { manager.level(slot: 0).isSecureConnections }

    var displayedPasskey: UInt32? {
        for case .displayPasskey(let passkey) in actions { return passkey }
        return nil
    }

    mutating func give(_ pdu: SecurityPDU) { give(pdu.octets) }

    mutating func next() -> SecurityPDU? { sent.isEmpty ? nil : sent.removeFirst() }

    mutating func confirm(_ number: UInt32) -> Bool {
        actions.contains(.compare(number)) && manager.answerComparison(true, slot: 0, at: now)
    }

    mutating func enterPasskey() -> Bool {
        guard actions.contains(.requestPasskey), sent.isEmpty,
            manager.enterPasskey(PairingCentral.enteredPasskey, slot: 0, at: now)
        else { return false }
        drain()
        return true
    }

    mutating func encrypt(_ key: Value128, _ name: LTKIdentifier = .zero) throws {
        guard manager.longTermKeyRequested(slot: 0, name: name) == key else { throw PairingCentral.Wrong(what: "key") }
        manager.encryptionChanged(slot: 0, status: .success, at: now)
        drain()
    }
}
