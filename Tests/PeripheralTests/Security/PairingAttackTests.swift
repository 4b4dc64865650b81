// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Crypto
import Peripheral
import Testing
import Timekeeping

/// Known attacks on a pairing in progress.
@Suite struct PairingAttackTests {
    private typealias Central = PairingCentral

    /// Removes and returns the PDUs of the peripheral as text.
    private func sent(_ rig: inout PairingRig) -> String {
        exchange(&rig.sent, with: []).map { hex($0.octets) }.joined(separator: " ")
    }

    @Test(
        "Short key (KNOB, CVE-2019-9506): below the floor of 16 is 05 06, in both kinds of pairing", arguments: 7...15)
    func shortKey(_ size: UInt8) {
        for requirements: AuthenticationRequirements in [[.bonding, .secureConnections], [.bonding]] {
            var rig = PairingRig(PairingRig.open)
            var central = Central()
            central.features.requirements = requirements
            central.features.maximumKeySize = size
            rig.connect(central)
            rig.give(.pairingRequest(central.features))
            #expect(sent(&rig) == "0506")
            let isPairing = rig.manager.isPairing(slot: 0)
            #expect(!isPairing && rig.actions == [.failed(.refused(.encryptionKeySize))])
        }
    }

    @Test("A lower floor shortens the key, and says so (2.3.4)", arguments: [true, false])
    func shortenedKey(secure: Bool) throws {
        var policy = PairingRig.open
        policy.minimumKeySize = 7
        var rig = PairingRig(policy)
        var central = Central()
        central.features.requirements = secure ? [.bonding, .secureConnections] : [.bonding]
        central.features.maximumKeySize = 7
        rig.connect(central)
        try rig.pair(central, .justWorks)
        let bond = try #require(rig.manager.bonds.first)
        #expect(bond.keySize == 7 && bond.longTermKey.hex.hasPrefix("000000000000000000") && !bond.longTermKey.isZero)
        #expect(rig.manager.level(slot: 0).keySize == 7)
        // The floor is raised: the bond's key is not good enough any more.
        rig.manager.policy.minimumKeySize = 16
        rig.connect(central)
        let key = rig.manager.longTermKeyRequested(slot: 0, name: bond.diversifier)
        #expect(key == nil)
    }

    @Test("Legacy downgrade, SC bit cleared on the way: 05 03 with Secure Connections only")
    func legacyDowngrade() {
        var rig = PairingRig.connected()
        rig.give(octets("01030001100303"))
        #expect(sent(&rig) == "0503")
    }

    @Test("Just Works where protection is demanded: 05 03, whatever the central says it can do")
    func justWorksRefused() {
        var policy = SecurityPolicy()
        policy.ioCapability = .displayYesNo
        policy.requiresAuthentication = true
        var rig = PairingRig(policy)
        rig.connect(Central())
        rig.give(octets("0103000d100303"))
        #expect(sent(&rig) == "0503")
    }

    @Test("Method confusion (CVE-2020-10134, CVE-2022-25836): one model is allowed, all others are 05 03")
    func methodConfusion() throws {
        var policy = SecurityPolicy()
        policy.ioCapability = .keyboardDisplay
        policy.requestsAuthentication = true
        policy.requiredModel = .numericComparison
        var central = Central()
        for capability: IOCapability in [.displayOnly, .keyboardOnly, .noInputNoOutput] {
            var rig = PairingRig(policy)
            central.features.ioCapability = capability
            rig.connect(central)
            rig.give(.pairingRequest(central.features))
            #expect(sent(&rig) == "0503")
        }
        var rig = PairingRig(policy)
        central.features.ioCapability = .displayYesNo
        rig.connect(central)
        try rig.pair(central, .numericComparison)
        #expect(rig.manager.level(slot: 0).isAuthenticated)
    }

    @Test("Invalid curve (CVE-2018-5383, CVE-2019-17520): every bad key is 05 0b, and no key goes back")
    func invalidCurve() throws {
        let vectors = try SecurityFacts.read("smp_vectors.json", as: SecurityToolboxTests.Vectors.self).vectors
            .filter { $0.function == "P-256 public key validation" }
        #expect(vectors.count == 7)
        for vector in vectors {
            var policy = SecurityPolicy()
            // They are variants of the debug key: let them come as far as the curve.
            policy.allowsDebugKey = true
            var rig = PairingRig(policy)
            rig.connect(Central())
            rig.give(.pairingRequest(Central().features))
            rig.sent = []
            rig.give(.publicKey(x: Value256(hex: vector["public_x"]), y: Value256(hex: vector["public_y"])))
            if vector.output["valid"]?.truth == true {
                #expect(rig.sent.map { $0.octets[0] } == [0x0C, 0x03])
            } else {
                #expect(sent(&rig) == "050b")
                let isPairing = rig.manager.isPairing(slot: 0)
                #expect(!isPairing)
            }
        }
    }

    @Test("The debug key, with either y, is 05 0a (2.3.5.6.1)")
    func debugKey() {
        for y in [
            "dc809c49652aeb6d63329abf5a52155c766345c28fed3024741c8ed01589d28b",
            "237f63b59ad514939ccd6540a5adeaa3899cba3e7012cfdb8be3712fea762d74",
        ] {
            var rig = PairingRig.connected()
            rig.give(.pairingRequest(Central().features))
            rig.sent = []
            rig.give(.publicKey(x: SecurityPDUTests.x, y: Value256(hex: y)))
            #expect(sent(&rig) == "050a")
        }
    }

    @Test("Reflected public key (CVE-2020-26558), and its twin with the same x (CVE-2021-37577), are 05 0a")
    func reflection() throws {
        var rig = PairingRig(SecurityPolicy())
        // Data that was given out fixes the key, so that a second attempt can know it.
        _ = rig.manager.publishOutOfBandData()
        rig.connect(Central())
        rig.give(.pairingRequest(Central().features))
        rig.give(SecurityPDU.publicKey(x: PairingAttackTests.peerX, y: PairingAttackTests.peerY))
        guard rig.sent.count == 3, case .publicKey(let x, let y) = rig.sent[1] else {
            Issue.record("no public key")
            return
        }
        for other in [y, PairingAttackTests.negated(y)] {
            rig.connect(Central())
            rig.give(.pairingRequest(Central().features))
            rig.sent = []
            rig.give(.publicKey(x: x, y: other))
            #expect(sent(&rig) == "050a")
        }
    }

    private static let peerX = Value256(hex: "1ea1f0f01faf1d9609592284f19e4c0047b58afd8615a69f559077b22faaa190")
    private static let peerY = Value256(hex: "4c55f33e429dad377356703a9ab85160472d1130e28e36765f89aff915b1214a")

    /// p − y.
    private static func negated(_ y: Value256) -> Value256 {
        let prime = Value256(hex: "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff")
        var result = Value256.zero
        var borrow = 0
        for index in stride(from: 31, through: 0, by: -1) {
            let difference = Int(prime.octets[index]) - Int(y.octets[index]) - borrow
            borrow = difference < 0 ? 1 : 0
            result.octets[index] = UInt8(truncatingIfNeeded: difference)
        }
        return result
    }

    @Test("BLURtooth (CVE-2020-15802): link keys and signing keys are asked for and never agreed to; nor is CT2")
    func crossTransport() {
        var rig = PairingRig.connected()
        rig.give(octets("01030029100f0f"))
        #expect(sent(&rig) == "02030009100303")
        rig.connect(Central())
        rig.give(octets("010300291008ff"))
        #expect(sent(&rig) == "02030009100003")
    }

    @Test("Skipped DHKey check (CVE-2020-13593): no key for the controller, no level, before the check has passed")
    func skippedCheck() throws {
        var rig = PairingRig.connected()
        rig.give(.pairingRequest(Central().features))
        rig.give(.publicKey(x: PairingAttackTests.peerX, y: PairingAttackTests.peerY))
        rig.give(.random(.zero))
        let key = rig.manager.longTermKeyRequested(slot: 0, name: .zero)
        #expect(key == nil)
        rig.manager.encryptionChanged(slot: 0, status: .success, at: rig.now)
        rig.drain()
        #expect(rig.manager.level(slot: 0) == LinkSecurityLevel())
        #expect(rig.actions.suffix(2) == [.failed(.notEncrypted), .disconnect(.authenticationFailure)])
    }

    @Test("Wrong check value: 05 0b, nothing of this side's own is revealed")
    func wrongCheck() {
        var rig = PairingRig.connected()
        rig.give(.pairingRequest(Central().features))
        rig.give(.publicKey(x: PairingAttackTests.peerX, y: PairingAttackTests.peerY))
        rig.give(.random(.zero))
        rig.sent = []
        rig.give(.keyCheck(.zero))
        #expect(sent(&rig) == "050b")
        let key = rig.manager.longTermKeyRequested(slot: 0, name: .zero)
        #expect(key == nil && rig.actions == [.failed(.ended(.keyCheckFailed))])
    }

    @Test("Numeric comparison: the check waits for the user, comes once, and \"no\" is 05 0c")
    func numericComparison() {
        var policy = SecurityPolicy()
        policy.ioCapability = .displayYesNo
        policy.requestsAuthentication = true
        var central = Central()
        central.features.ioCapability = .displayYesNo
        for isTwice in [true, false] {
            var rig = PairingRig(policy)
            rig.connect(central)
            rig.give(.pairingRequest(central.features))
            rig.give(.publicKey(x: PairingAttackTests.peerX, y: PairingAttackTests.peerY))
            rig.give(.random(.zero))
            rig.sent = []
            rig.give(.keyCheck(.zero))
            #expect(rig.sent == [])
            if isTwice {
                rig.give(.keyCheck(.zero))
                #expect(sent(&rig) == "0508")
            } else {
                let wasAwaited = rig.manager.answerComparison(false, slot: 0, at: rig.now)
                rig.drain()
                #expect(wasAwaited && sent(&rig) == "050c")
            }
            let isLate = rig.manager.answerComparison(true, slot: 0, at: rig.now)
            #expect(!isLate)
        }
    }

    @Test("Passkey: a wrong one is 05 04 before this side opens its bit, none is 05 01, seven digits are not taken")
    func passkey() throws {
        var policy = SecurityPolicy()
        policy.ioCapability = .keyboardOnly
        policy.requestsAuthentication = true
        var central = Central()
        central.features.ioCapability = .displayOnly
        var rig = PairingRig(policy)
        for entered: UInt32? in [nil, 1] {
            rig.connect(central)
            rig.give(.pairingRequest(central.features))
            rig.give(.publicKey(x: PairingAttackTests.peerX, y: PairingAttackTests.peerY))
            rig.sent = []
            let isTooLong = rig.manager.enterPasskey(1_000_000, slot: 0, at: rig.now)
            #expect(!isTooLong && rig.actions == [.requestPasskey])
            let wasAwaited = rig.manager.enterPasskey(entered, slot: 0, at: rig.now)
            rig.drain()
            #expect(wasAwaited)
            if entered != nil {
                rig.give(.keypress(1))
                rig.give(.confirm(.zero))
                #expect(rig.sent.map { $0.octets[0] } == [0x03])
                rig.sent = []
                rig.give(.random(.zero))
            }
            #expect(sent(&rig) == (entered == nil ? "0501" : "0504"))
        }
    }

    @Test("A passkey is drawn anew for each attempt, and all digits occur")
    func freshPasskeys() {
        var policy = SecurityPolicy()
        policy.ioCapability = .displayOnly
        policy.requestsAuthentication = true
        policy.freeAttempts = 1000
        var central = Central()
        central.features.ioCapability = .keyboardOnly
        var rig = PairingRig(policy)
        var seen: Set<UInt32> = []
        for _ in 0..<50 {
            rig.connect(central)
            rig.give(.pairingRequest(central.features))
            rig.give(.publicKey(x: PairingAttackTests.peerX, y: PairingAttackTests.peerY))
            for case .displayPasskey(let passkey) in rig.actions { seen.insert(passkey) }
        }
        #expect(seen.count == 50)
        #expect(seen.allSatisfy { $0 < 1_000_000 } && seen.contains { $0 > 500_000 } && seen.contains { $0 < 500_000 })
    }

    @Test("Time-out (3.4): 30 s after the last command that was sent; then the channel is shut and the link ends")
    func timeout() {
        var rig = PairingRig.connected()
        rig.give(.pairingRequest(Central().features))
        rig.now = start + .seconds(29)
        rig.give(.publicKey(x: PairingAttackTests.peerX, y: PairingAttackTests.peerY))
        rig.sent = []
        #expect(rig.manager.nextDeadline == start + .seconds(59))
        rig.manager.advance(to: start + .seconds(58))
        rig.drain()
        #expect(rig.actions == [])
        rig.now = start + .seconds(59)
        rig.manager.advance(to: rig.now)
        rig.drain()
        #expect(rig.actions == [.failed(.timedOut), .disconnect(.authenticationFailure)])
        rig.give(.pairingRequest(Central().features))
        #expect(rig.sent == [] && rig.manager.nextDeadline == nil)
    }

    @Test("Repeated attempts (2.3.6): after three failures 05 09 for 2 s, then twice as long; another peer may pair")
    func repeatedAttempts() throws {
        var rig = PairingRig(SecurityPolicy())
        func attempt(_ rig: inout PairingRig, _ central: Central) -> String {
            rig.connect(central)
            rig.give(.pairingRequest(central.features))
            rig.sent = []
            rig.give(.confirm(.zero))
            return sent(&rig)
        }
        for _ in 0..<3 { #expect(attempt(&rig, Central()) == "0508") }
        rig.connect(Central())
        rig.now = start + .milliseconds(1999)
        rig.give(.pairingRequest(Central().features))
        #expect(sent(&rig) == "0509" && rig.actions == [.failed(.refused(.repeatedAttempts))])
        var other = Central()
        other.address = BluetoothAddress(.random, "c00000000001")
        #expect(attempt(&rig, other) == "0508")
        rig.now = start + .seconds(2)
        #expect(attempt(&rig, Central()) == "0508")
        rig.now = start + .milliseconds(5999)
        rig.connect(Central())
        rig.give(.pairingRequest(Central().features))
        #expect(sent(&rig) == "0509")
        rig.now = start + .seconds(6)
        rig.connect(Central())
        try rig.pair(Central(), .justWorks)
        #expect(rig.actions.last == .paired(storeError: nil))
    }

    @Test("A link that ends in the middle counts as a failure too")
    func hangingUp() {
        var rig = PairingRig(SecurityPolicy())
        for _ in 0..<3 {
            rig.connect(Central())
            rig.give(.pairingRequest(Central().features))
        }
        rig.connect(Central())
        rig.give(.pairingRequest(Central().features))
        #expect(sent(&rig) == "0509")
    }

    @Test("Out of state: each command where it does not belong ends the pairing and opens nothing")
    func outOfState() throws {
        let all = try SecurityFacts.read("smp_transcripts.json", as: SecurityTranscriptTests.Transcripts.self)
        var tried = 0
        for transcript in all.transcripts {
            let central = transcript.pdus.filter { $0.from == "central" }.map { octets($0.pdu) }
            // Request, public key, nonce or confirm value; in legacy pairing request and confirm value. Later PDUs are
            // checked against this side's own random numbers, which are not those of the transcript.
            let steps = transcript.name.hasPrefix("legacy") ? 1...2 : 1...3
            for step in steps {
                for (intruder, _) in SecurityPDUTests.all where intruder.octets[0] != central[step][0] {
                    tried += 1
                    if let fault = intrusion(intruder, after: central.prefix(step), transcript) {
                        Issue.record("\(transcript.name), \(step), \(intruder): \(fault)")
                    }
                }
            }
        }
        #expect(tried == 13 * (3 + 3 + 3 + 2 + 2))
    }

    private func intrusion(
        _ intruder: SecurityPDU, after steps: ArraySlice<[UInt8]>,
        _ transcript: SecurityTranscriptTests.Transcripts.Transcript
    ) -> String? {
        let hasPasskey = transcript.passkey != nil
        var policy = PairingRig.open
        policy.requestsAuthentication = hasPasskey || transcript.numeric_comparison != nil
        policy.ioCapability =
            hasPasskey ? .displayOnly : transcript.numeric_comparison != nil ? .displayYesNo : .noInputNoOutput
        var rig = PairingRig(policy)
        rig.connect(Central())
        for step in steps { rig.give(step) }
        guard rig.manager.isPairing(slot: 0) else { return "the pairing was over before" }
        rig.sent = []
        rig.give(intruder)
        let isPairing = rig.manager.isPairing(slot: 0)
        switch intruder {
        case .failed(let reason):
            if isPairing || !rig.sent.isEmpty || rig.actions.last != .failed(.endedByPeer(reason)) {
                return "\(rig.sent)"
            }
        case .keypress where isPairing:
            if !rig.sent.isEmpty || !hasPasskey { return "keypress" }
        case .pairingResponse, .securityRequest:
            if isPairing || rig.sent != [.failed(.commandNotSupported)] { return "\(rig.sent)" }
        default:
            if isPairing || rig.sent != [.failed(.unspecified)] { return "\(rig.sent)" }
        }
        let key = rig.manager.longTermKeyRequested(slot: 0, name: .zero)
        return key == nil && rig.manager.bonds.isEmpty ? nil : "key"
    }

    @Test("After the check and before the encryption, any command ends the pairing, and its key is not given any more")
    func betweenCheckAndEncryption() throws {
        for (intruder, _) in SecurityPDUTests.all {
            var rig = PairingRig.connected()
            let key = try rig.agree(Central(), .justWorks)
            let given = rig.manager.longTermKeyRequested(slot: 0, name: .zero)
            rig.give(intruder)
            let isPairing = rig.manager.isPairing(slot: 0)
            let after = rig.manager.longTermKeyRequested(slot: 0, name: .zero)
            #expect(given == key && !isPairing && after == nil)
            rig.manager.encryptionChanged(slot: 0, status: .success, at: rig.now)
            #expect(rig.manager.level(slot: 0) == LinkSecurityLevel())
        }
    }

    @Test(
        "Malformed commands: 05 0a in a pairing or for a Pairing Request, else nothing; Pairing Failed is never answered"
    )
    func malformed() {
        for (pdu, _) in SecurityPDUTests.all {
            let octets = pdu.octets
            for other in [Array(octets.dropLast()), octets + [0]] {
                var rig = PairingRig.connected()
                rig.give(other)
                #expect(sent(&rig) == (octets[0] == 0x01 ? "050a" : ""))
                rig.give(.pairingRequest(Central().features))
                rig.sent = []
                rig.give(other)
                #expect(sent(&rig) == (octets[0] == 0x05 ? "" : "050a"))
                let isPairing = rig.manager.isPairing(slot: 0)
                #expect(!isPairing)
            }
        }
    }

    @Test("Without a pairing, only Pairing Request is heard; reserved codes are never answered")
    func idle() {
        var rig = PairingRig.connected()
        for (pdu, _) in SecurityPDUTests.all.dropFirst() { rig.give(pdu) }
        rig.give([])
        for code in 0x0F...0xFF { rig.give([UInt8(code), 1, 2]) }
        #expect(rig.sent == [] && rig.actions == [])
        rig.give(.pairingRequest(Central().features))
        rig.sent = []
        rig.give([0x0F, 0x00])
        rig.give([])
        let isPairing = rig.manager.isPairing(slot: 0)
        #expect(rig.sent == [] && isPairing)
    }
}
