// SPDX-License-Identifier: Apache-2.0

import Crypto
import Peripheral
import TestSupport
import Testing
import Timekeeping

/// A peer, a controller and a user with random input at any time.
@Suite struct SecurityHostilityTests {
    @Test("100 000 random inputs: nobody gets in, and the answers stay few", arguments: 1...4)
    func random(_ seed: UInt64) {
        var random = ScriptedRandom(seed: seed)
        var policy = PairingRig.open
        policy.ioCapability = seed % 2 == 0 ? .keyboardDisplay : .displayYesNo
        policy.requestsAuthentication = true
        policy.minimumKeySize = 7
        policy.freeAttempts = .max
        var rig = PairingRig(policy, seed: seed)
        var faults: [String] = []
        var begun = 0
        var furthest: Set<UInt8> = []
        rig.connect(PairingCentral())
        for _ in 0..<25_000 {
            rig.now = rig.now + .milliseconds(Int(random.next()))
            switch random.next() {
            case 0..<200: rig.give(pdu(&random))
            case 200..<210: _ = rig.manager.answerComparison(random.next() > 64, slot: 0, at: rig.now)
            case 210..<220: _ = rig.manager.enterPasskey(UInt32(random.next()) << 12, slot: 0, at: rig.now)
            case 220..<230: rig.manager.advance(to: rig.now)
            case 230..<240: _ = rig.manager.longTermKeyRequested(slot: 0, name: .zero)
            case 240..<250:
                rig.manager.encryptionChanged(slot: 0, status: .success, enabled: random.next() % 3, at: rig.now)
            default: rig.connect(PairingCentral())
            }
            rig.drain()
            // The longest answer is the public key and the confirm value after it.
            if rig.sent.count > 2 { faults.append("\(rig.sent)") }
            if rig.manager.level(slot: 0) != LinkSecurityLevel() { faults.append("level") }
            for pdu in rig.sent {
                furthest.insert(pdu.octets[0])
                if case .pairingResponse = pdu { begun += 1 }
            }
            if rig.actions.contains(.paired(storeError: nil)) { faults.append("paired") }
            rig.sent = []
            rig.actions = []
        }
        #expect(faults == [] && rig.manager.bonds == [])
        // The numbers show that the inputs get somewhere: pairings begin, and come as far as nonces.
        #expect(begun > 1000 && furthest == [0x02, 0x03, 0x04, 0x05, 0x0C])
    }

    /// Half are valid except for their content, a quarter have the right length, the rest are random.
    private func pdu(_ random: inout ScriptedRandom) -> [UInt8] {
        let templates = SecurityPDUTests.all
        switch random.next() % 8 {
        case 0...1: return SecurityPDU.pairingRequest(features(&random)).octets
        case 2:
            return SecurityPDU.publicKey(
                x: Value256(hex: "1ea1f0f01faf1d9609592284f19e4c0047b58afd8615a69f559077b22faaa190"),
                y: Value256(hex: "4c55f33e429dad377356703a9ab85160472d1130e28e36765f89aff915b1214a")
            ).octets
        case 3: return [0x03] + (0..<16).map { _ in random.next() }
        case 4: return [0x04] + (0..<16).map { _ in random.next() }
        case 5...6:
            var octets = templates[Int(random.next()) % templates.count].pdu.octets
            for index in octets.indices.dropFirst() where random.next() % 4 == 0 { octets[index] = random.next() }
            return octets
        default: return (0..<Int(random.next() % 80)).map { _ in random.next() % 20 }
        }
    }

    private func features(_ random: inout ScriptedRandom) -> PairingFeatures {
        PairingFeatures(
            ioCapability: IOCapability(rawValue: random.next() % 5) ?? .displayOnly, hasOutOfBandData: false,
            requirements: AuthenticationRequirements(rawValue: random.next()), maximumKeySize: 7 + random.next() % 10,
            initiatorKeys: KeyDistribution(rawValue: random.next()),
            responderKeys: KeyDistribution(rawValue: random.next()))
    }

    @Test("A source of randomness that gives one octet for ever ends pairings, and never hangs them")
    func brokenRandomness() {
        for octet: UInt8 in [0x00, 0xFF] {
            for requirements: AuthenticationRequirements in [[.mitm, .secureConnections], [.mitm]] {
                var policy = PairingRig.open
                policy.ioCapability = .displayOnly
                var manager = SecuredLinks(
                    policy: policy, identity: nil, store: TransientBondStore(), random: ConstantRandom(octet),
                    linkCapacity: 1)
                manager.open(slot: 0, peer: PairingCentral().address, own: PairingRig.own)
                var features = PairingCentral().features
                features.ioCapability = .keyboardOnly
                features.requirements = requirements
                let request = SecurityPDU.pairingRequest(features).octets
                manager.receive(request, slot: 0, at: start)
                let key = SecurityPDU.publicKey(x: SecurityPDUTests.x, y: SecurityPDUTests.y).octets
                manager.receive(key, slot: 0, at: start)
                var failures = 0
                while let action = manager.nextAction() {
                    if case .failed = action { failures += 1 }
                }
                #expect(failures == 1)
            }
        }
    }
}
