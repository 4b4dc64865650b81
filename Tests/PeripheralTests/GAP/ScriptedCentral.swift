// SPDX-License-Identifier: Apache-2.0

import TestSupport

@testable import Peripheral

/// A central that pairs with a host.
@dynamicMemberLookup
final class ScriptedCentral {
    private var central = PairingCentral()
    private var pairing: HostPairing
    /// The key of legacy pairing for later connections.
    private(set) var legacyKey: (key: Value128, name: LTKIdentifier)?

    init(_ rig: SecureRig, _ handle: UInt16 = 0x40) {
        pairing = HostPairing(rig: rig, handle: handle)
    }

    /// A central with these features, and otherwise the usual ones.
    convenience init(
        _ rig: SecureRig, _ handle: UInt16 = 0x40, io: IOCapability = .noInputNoOutput,
        _ requirements: AuthenticationRequirements
    ) {
        self.init(rig, handle)
        central.features.ioCapability = io
        central.features.requirements = requirements
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<PairingCentral, Value>) -> Value {
        get { central[keyPath: path] }
        set { central[keyPath: path] = newValue }
    }

    /// The link as the device knows it.
    var link: LinkID {
        get { pairing.link }
        set { pairing.link = newValue }
    }

    func connect(set: UInt8? = 1) throws {
        pairing.link = try pairing.rig.connect(pairing.handle, central.address, set: set)
        pairing.own = Sample.address(set ?? 1)
    }

    /// Another phone.
    func become(_ number: UInt64) {
        central.address = BluetoothAddress(kind: .random, value: 0xC0C1_C2C3_0000 | number)
        central.identity = central.address
        central.resolvingKey = Value128(passkey: UInt32(number))
        pairing.random = ScriptedRandom(seed: 100 + number)
    }

    func give(_ pdu: SecurityPDU) { pairing.give(pdu) }

    /// The oldest PDU that was sent; a Pairing Failed ends the test's pairing.
    func nextPDU() throws -> SecurityPDU { try pairing.nextPDU() }

    /// Performs a complete pairing; returns the key of the link.
    @discardableResult
    func pair(_ model: AssociationModel) throws -> Value128 {
        let key = try agree(model)
        try pairing.encrypt(key, .zero)
        try exchangeKeys()
        return key
    }

    /// Phases 1 and 2.
    func agree(_ model: AssociationModel) throws -> Value128 { try pairing.agree(central, model) }

    /// Phase 3: takes the peripheral's keys, and gives its own.
    func exchangeKeys() throws { legacyKey = try pairing.exchangeKeys(central) ?? legacyKey }
}

/// A link of a host that pairs.
private struct HostPairing: PairingPeripheral {
    let rig: SecureRig
    let handle: UInt16
    var own = Sample.address(1)
    var random = ScriptedRandom(seed: 7)
    var link = LinkID(slot: -1, generation: 0)

    /// The keys are given unasked: the host ignores those that it did not request.
    var isPairing: Bool { true }
    var isSecure: Bool { rig.level(link).isSecureConnections }

    var displayedPasskey: UInt32? {
        for case .displayPasskey(link, let passkey) in rig.events { return passkey }
        return nil
    }

    func give(_ pdu: SecurityPDU) { rig.give(handle, pdu.octets) }

    func next() throws -> SecurityPDU? { try rig.takeFirstSMP(handle).map { try SecurityPDU($0) } }

    func confirm(_ number: UInt32) -> Bool {
        rig.events.contains(.compare(link, number)) && rig.answerComparison(link, true)
    }

    func enterPasskey() -> Bool {
        rig.events.contains(.requestPasskey(link)) && rig.enterPasskey(link, PairingCentral.enteredPasskey)
    }

    func encrypt(_ key: Value128, _ name: LTKIdentifier) throws { try rig.encrypt(handle, key, name) }
}
