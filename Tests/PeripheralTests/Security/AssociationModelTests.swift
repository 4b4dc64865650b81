// SPDX-License-Identifier: Apache-2.0

import Crypto
import Peripheral
import Testing

/// The selection of the association model (Core 5.4, Vol 3, Part H, 2.3.5.1, tables 2.6 to 2.8), each case completed by
/// a central that follows the specification.
@Suite struct AssociationModelTests {
    /// Table 2.8: rows are the responder, columns the initiator, both in the order of the codes: DisplayOnly,
    /// DisplayYesNo, KeyboardOnly, NoInputNoOutput, KeyboardDisplay. J: Just Works, D: the peripheral displays, E: the
    /// passkey is entered here, N: numeric comparison with Secure Connections and the model after it without.
    private static let table = [
        ["J", "J", "D", "J", "D"],
        ["J", "NJ", "D", "J", "ND"],
        ["E", "E", "E", "J", "E"],
        ["J", "J", "J", "J", "J"],
        ["E", "NE", "D", "J", "NE"],
    ]

    private func model(_ responder: Int, _ initiator: Int, secure: Bool) -> AssociationModel {
        let entry = AssociationModelTests.table[responder][initiator]
        return switch secure ? entry.first : entry.last {
        case "N": .numericComparison
        case "D": .passkeyDisplayed
        case "E": .passkeyEntered
        default: .justWorks
        }
    }

    /// The deviation of the pairing from the expected result; nil if there is none.
    private func fault(
        _ responder: IOCapability, _ initiator: IOCapability, secure: Bool, mitm: (own: Bool, peer: Bool), bonding: Bool
    ) -> String? {
        var policy = PairingRig.open
        policy.ioCapability = responder
        policy.requestsAuthentication = mitm.own
        var central = PairingCentral()
        central.features.ioCapability = initiator
        central.features.requirements = secure ? [.secureConnections] : []
        if mitm.peer { central.features.requirements.insert(.mitm) }
        if bonding { central.features.requirements.insert(.bonding) }
        let expected =
            mitm.own || mitm.peer
            ? model(Int(responder.rawValue), Int(initiator.rawValue), secure: secure) : .justWorks
        var rig = PairingRig(policy)
        rig.connect(central)
        do {
            try rig.pair(central, expected)
        } catch {
            return "\(error)"
        }
        let level = LinkSecurityLevel(
            isEncrypted: true, isAuthenticated: expected != .justWorks, isSecureConnections: secure, keySize: 16,
            isBonded: bonding)
        if rig.manager.level(slot: 0) != level { return "level \(rig.manager.level(slot: 0))" }
        if rig.actions.last != .paired(storeError: nil) { return "\(rig.actions)" }
        return rig.manager.bonds.count == (bonding ? 1 : 0) ? nil : "bonds"
    }

    @Test("IO capabilities × Secure Connections × MITM × bonding", arguments: [true, false], [true, false])
    func matrix(secure: Bool, bonding: Bool) {
        var tried = 0
        for responder in IOCapability.allCases {
            for initiator in IOCapability.allCases {
                for mitm in [(false, false), (true, false), (false, true), (true, true)] {
                    let fault = fault(responder, initiator, secure: secure, mitm: mitm, bonding: bonding)
                    if let fault { Issue.record("\(initiator) to \(responder), \(mitm): \(fault)") }
                    tried += 1
                }
            }
        }
        #expect(tried == 100)
    }

    @Test("Out of band with Secure Connections: the data of one side, the other, or both (2.3.5.6.4)", arguments: 1...3)
    func outOfBand(_ ways: Int) throws {
        var rig = PairingRig(SecurityPolicy())
        var central = PairingCentral()
        if ways & 1 != 0 {
            central.peerOutOfBand = rig.manager.publishOutOfBandData()
            #expect(central.peerOutOfBand != nil)
            central.features.hasOutOfBandData = true
        }
        if ways & 2 != 0 { rig.manager.setPeerOutOfBandData(.secureConnections(try outOfBandData(&central))) }
        rig.connect(central)
        try rig.pair(central, .outOfBand)
        #expect(rig.manager.level(slot: 0).isAuthenticated && rig.manager.bonds.first?.isAuthenticated == true)
    }

    /// The central's data, bound to its key.
    private func outOfBandData(_ central: inout PairingCentral) throws -> OutOfBandData {
        let random = Value128(hex: "123456")
        central.outOfBandRandom = random
        let point = try P256PrivateKey(scalar: central.privateKey.span).publicPoint.octets
        let x = Value256(InlineArray { point[1 + $0] })
        return OutOfBandData(confirm: try SecurityToolbox.f4(x, x, random, 0), random: random)
    }

    @Test("Out of band: data of another key, data that was never given out, a central that does not know r")
    func badOutOfBand() throws {
        var central = PairingCentral()
        var rig = PairingRig(SecurityPolicy())
        let data = try outOfBandData(&central)
        rig.manager.setPeerOutOfBandData(
            .secureConnections(OutOfBandData(confirm: data.random, random: data.confirm)))
        rig.connect(central)
        #expect(throws: PairingFailureReason.confirmValueFailed) { try rig.pair(central, .outOfBand) }

        central = PairingCentral()
        central.features.hasOutOfBandData = true
        rig.connect(central)
        #expect(throws: PairingFailureReason.outOfBandNotAvailable) { try rig.pair(central, .outOfBand) }

        _ = rig.manager.publishOutOfBandData()
        rig.connect(central)
        #expect(throws: PairingFailureReason.keyCheckFailed) { try rig.pair(central, .outOfBand) }
        #expect(rig.manager.bonds == [])
    }

    @Test("Out of band without Secure Connections needs both sides' flags, and the same temporary key (2.3.5.4)")
    func legacyOutOfBand() throws {
        var central = PairingCentral()
        central.features.requirements = [.bonding]
        central.features.hasOutOfBandData = true
        central.temporaryKey = Value128(hex: "00112233445566778899aabbccddeeff")
        var rig = PairingRig(PairingRig.open)
        rig.manager.setPeerOutOfBandData(.legacy(temporaryKey: central.temporaryKey))
        rig.connect(central)
        try rig.pair(central, .outOfBand)
        #expect(rig.manager.level(slot: 0).isAuthenticated)

        // Used up: without it the flag of the central alone leads to Just Works.
        rig.manager.forget(central.identity)
        rig.connect(central)
        try rig.pair(central, .justWorks)
        #expect(!rig.manager.level(slot: 0).isAuthenticated)

        rig = PairingRig(PairingRig.open)
        rig.manager.setPeerOutOfBandData(.legacy(temporaryKey: .zero))
        rig.connect(central)
        #expect(throws: PairingFailureReason.confirmValueFailed) { try rig.pair(central, .outOfBand) }
    }
}
