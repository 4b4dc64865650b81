// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Crypto
import Testing
import Timekeeping

@testable import Peripheral

/// The attacks on pairing and encryption, against a whole host.
@Suite struct HostSecurityAttackTests {
    private let closed = "010a05000f"

    private func bonded(_ policy: SecurityPolicy = SecurityPolicy()) throws -> (SecureRig, ScriptedCentral, Value128) {
        let (rig, central) = try SecureRig.connected(policy)
        let key = try central.pair(.justWorks)
        rig.disconnected(0x40)
        try central.connect()
        _ = (rig.takeEvents(), rig.takeCommands())
        return (rig, central, key)
    }

    @Test("BLESA (CVE-2020-9770): a reconnect opens nothing, the client's configuration neither")
    func reconnectWithoutEncryption() throws {
        let (rig, central, _) = try bonded()
        #expect(rig.read(0x40, SecureRig.encrypted) == closed)
        #expect(rig.request(0x40, [0x12, 10, 0, 1, 0]) == "01120a000f")
        #expect(rig.notify(central.link, 9, [1]) == .notSubscribed)
        #expect(rig.level(central.link) == LinkSecurityLevel(isBonded: true))
    }

    @Test(
        "Encryption that fails (wrong key, MIC), or succeeds with enabled 0 or 2: 05 and the end; the bond stays",
        arguments: [(0x3D, 1), (0x06, 0), (0x05, 1), (0x00, 0), (0x00, 2)] as [(UInt8, UInt8)])
    func encryptionFails(_ status: UInt8, _ enabled: UInt8) throws {
        let (rig, central, key) = try bonded()
        #expect(rig.key(0x40) == key)
        rig.encryptionChange(0x40, status: status, enabled: enabled)
        #expect(rig.takeCommands() == ["060403" + "4000" + "05"])
        #expect(rig.read(0x40, SecureRig.encrypted) == "")
        #expect(rig.bonds.count == 1 && rig.level(central.link) == LinkSecurityLevel())
        rig.disconnected(0x40, reason: 0x3D)
        try central.connect()
        try rig.encrypt(0x40, key)
        #expect(rig.read(0x40, SecureRig.encrypted) == "0ba2")
    }

    @Test("Encryption Change that nobody had a key for opens nothing, and ends the link")
    func encryptionFromNowhere() throws {
        let (rig, _, _) = try bonded()
        rig.encryptionChange(0x40)
        #expect(rig.takeCommands() == ["060403" + "4000" + "05"])
        #expect(rig.read(0x40, SecureRig.encrypted) == "")
    }

    @Test("Encryption ends on an encrypted link: what was open is closed, and the link ends")
    func encryptionEnds() throws {
        let (rig, central, key) = try bonded()
        try rig.encrypt(0x40, key)
        _ = (rig.takeEvents(), rig.takeCommands())
        rig.encryptionChange(0x40, enabled: 0)
        #expect(rig.takeEvents() == [.securityChanged(central.link, LinkSecurityLevel(isBonded: true))])
        #expect(rig.takeCommands() == ["060403" + "4000" + "05"])
    }

    @Test("Key refresh: with the bond's key it changes nothing; failed, or without a key, it ends the link")
    func keyRefresh() throws {
        for (asks, status, stays) in [(true, 0, true), (true, 0x3D, false), (false, 0, false)] as [(Bool, UInt8, Bool)]
        {
            let (rig, _, key) = try bonded()
            try rig.encrypt(0x40, key)
            _ = rig.takeCommands()
            if asks { #expect(rig.key(0x40) == key) }
            rig.keyRefresh(0x40, status: status)
            #expect(rig.takeCommands() == (stays ? [] : ["060403" + "4000" + "05"]))
            #expect(rig.read(0x40, SecureRig.encrypted) == (stays ? "0ba2" : ""))
        }
    }

    @Test("BLERP: a bonded identity pairs again only when proven, in the window, or forgotten: else 05 05")
    func repairing() throws {
        let (rig, central, key) = try bonded()
        let request = SecurityPDU.pairingRequest(central.features).octets
        rig.give(0x40, request)
        #expect(rig.takeSMP(0x40).map(hex) == ["0505"])
        let identity = try #require(rig.bonds.first?.identity)
        #expect(
            rig.takeEvents() == [.pairingFailed(central.link, .bondKept(identity, .pairingNotSupported))])
        #expect(rig.bonds.map(\.longTermKey) == [key])
        // The phone has forgotten the device, and the operator opens the window.
        rig.host.openPairingWindow(until: rig.now + .seconds(60))
        let second = try central.pair(.justWorks)
        #expect(rig.bonds.map(\.longTermKey) == [second] && second != key)
        rig.host.closePairingWindow()
        rig.disconnected(0x40)
        try central.connect()
        rig.give(0x40, request)
        #expect(rig.takeSMP(0x40).map(hex) == ["0505"])
        // On the encrypted link.
        try rig.encrypt(0x40, second)
        let third = try central.pair(.justWorks)
        #expect(rig.bonds.map(\.longTermKey) == [third])
        // Forgotten by the device, the link that the bond protects ends, with 13.
        _ = (rig.takeEvents(), rig.takeCommands())
        rig.forget(central.identity)
        #expect(rig.bonds == [] && rig.takeCommands() == ["060403" + "4000" + "13"])
        rig.disconnected(0x40)
        try central.connect()
        #expect(rig.askForKey(0x40).map(hex) == "1b20024000")
        #expect(rig.read(0x40, SecureRig.encrypted) == "010a050005")
        try central.pair(.justWorks)
    }

    @Test("Bond overwrite, duplicate IRK (CVE-2021-3436): 05 0f is sent, then the link ends, and the bond is as it was")
    func stolenIdentity() throws {
        let (rig, first, _) = try bonded()
        let bonds = rig.bonds
        for steals: (ScriptedCentral) -> Void in [
            { $0.identity = first.identity }, { $0.resolvingKey = first.resolvingKey },
        ] {
            let thief = ScriptedCentral(rig, 0x41)
            thief.become(9)
            steals(thief)
            try thief.connect()
            let key = try thief.agree(.justWorks)
            try rig.encrypt(0x41, key)
            thief.give(.identityInformation(thief.resolvingKey))
            thief.give(.identityAddress(thief.identity))
            #expect(rig.takeSMP(0x41).last.map(hex) == "050f")
            #expect(rig.takeCommands().last == "060403" + "4100" + "05")
            #expect(rig.bonds == bonds)
            rig.disconnected(0x41)
        }
    }

    @Test("Legacy downgrade: 05 03. Short key (CVE-2019-9506): 05 06. Just Works where more is demanded: 05 03")
    func downgrades() throws {
        var strict = SecurityPolicy()
        strict.ioCapability = .displayYesNo
        strict.requiresAuthentication = true
        let (rig, central) = try SecureRig.connected(strict)
        for (request, answer) in [
            ("01030005100303", "0503"),  // no Secure Connections
            ("0103000d0f0303", "0506"),  // 15 octets
            ("0103000d070303", "0506"),
            ("0103000d100303", "0503"),  // no input, no output: Just Works
            ("0101000d10030", "050a"),  // too short
        ] {
            let octets = octets(request)
            rig.give(0x40, octets)
            #expect(rig.takeSMP(0x40).map(hex) == [answer], "\(request)")
            rig.disconnected(0x40)
            rig.run(to: rig.now.milliseconds + 600_000)
            try central.connect()
        }
        #expect(rig.bonds == [])
    }

    @Test("A bond whose key the policy does not take is not given: 1b 20, and what needs it stays closed")
    func shortBond() throws {
        var store = TransientBondStore()
        let peer = BluetoothAddress(.random, "c0c1c2c3c4c5")
        try store.save(
            Bond(
                identity: peer, resolvingKey: nil, longTermKey: Value128(hex: "01020304050607"), keySize: 7,
                isAuthenticated: true, isSecureConnections: true))
        let rig = try SecureRig([SecurityPolicy()], store: store)
        try rig.connect(0x40, peer)
        #expect(rig.askForKey(0x40).map(hex) == "1b20024000")
        #expect(rig.read(0x40, SecureRig.encrypted) == closed)
    }

    @Test("Zero key (CVE-2019-19194), and no key before the check is passed (CVE-2020-13593)")
    func keysThatAreNotGiven() throws {
        var store = TransientBondStore()
        let peer = BluetoothAddress(.random, "c0c1c2c3c4c5")
        try store.save(
            Bond(
                identity: peer, resolvingKey: nil, longTermKey: .zero, keySize: 16, isAuthenticated: true,
                isSecureConnections: true))
        var rig = try SecureRig([SecurityPolicy()], store: store)
        try rig.connect(0x40, peer)
        #expect(rig.askForKey(0x40).map(hex) == "1b20024000")

        rig = try SecureRig([SecurityPolicy()])
        let central = ScriptedCentral(rig)
        try central.connect()
        central.give(.pairingRequest(central.features))
        let scalar = central.privateKey
        let key = try P256PrivateKey(scalar: scalar.span).publicPoint.octets
        rig.give(0x40, [0x0C] + (0..<32).map { key[32 - $0] } + (0..<32).map { key[64 - $0] })
        #expect(rig.askForKey(0x40).map(hex) == "1b20024000")
        rig.give(0x40, [0x04] + [UInt8](repeating: 7, count: 16))
        #expect(rig.askForKey(0x40).map(hex) == "1b20024000")
        // A check that is wrong: 05 0b.
        _ = rig.takeSMP(0x40)
        rig.give(0x40, [0x0D] + [UInt8](repeating: 7, count: 16))
        #expect(rig.takeSMP(0x40).map(hex) == ["050b"])
        #expect(rig.askForKey(0x40).map(hex) == "1b20024000")
    }

    @Test("Invalid curve (CVE-2018-5383) and reflected key (CVE-2020-26558): 05 0a or 05 0b, and no key")
    func badPublicKeys() throws {
        for reflects in [false, true] {
            let (rig, central) = try SecureRig.connected()
            central.give(.pairingRequest(central.features))
            _ = try central.nextPDU()
            var key = [0x0C] + [UInt8](repeating: 0x11, count: 64)
            if reflects {
                let own = try ownPublicKey()
                key = own
            }
            rig.give(0x40, key)
            let answer = rig.takeSMP(0x40).last.map(hex)
            #expect(answer == "050a" || answer == "050b" || answer == "0508", "\(answer ?? "nothing")")
            #expect(rig.askForKey(0x40).map(hex) == "1b20024000" && rig.bonds == [])
        }
    }

    /// The public key that a host with the rig's random numbers sends first.
    private func ownPublicKey() throws -> [UInt8] {
        let (rig, central) = try SecureRig.connected()
        central.give(.pairingRequest(central.features))
        _ = try central.nextPDU()
        let scalar = central.privateKey
        let key = try P256PrivateKey(scalar: scalar.span).publicPoint.octets
        rig.give(0x40, [0x0C] + (0..<32).map { key[32 - $0] } + (0..<32).map { key[64 - $0] })
        return try #require(rig.takeFirstSMP(0x40))
    }

    @Test("PDUs out of place, empty, reserved or too long, before, in and after a pairing: no trap, no key")
    func outOfPlace() throws {
        let rig = try SecureRig([SecurityPolicy()])
        let central = ScriptedCentral(rig)
        for code in UInt8(0)...0x20 {
            for count in [0, 1, 7, 17, 65, 400] {
                try central.connect()
                rig.give(0x40, count == 0 ? [] : [code] + [UInt8](repeating: 1, count: count - 1))
                #expect(rig.askForKey(0x40).map(hex) == "1b20024000")
                _ = rig.takeSMP(0x40)
                rig.disconnected(0x40)
            }
        }
        #expect(rig.bonds == [])
    }

    @Test("A central that asks again and again without reading the answers is disconnected")
    func flood() throws {
        let (rig, central) = try SecureRig.connected()
        // The controller takes eight packets and never gives their room back.
        for _ in 0..<64 { central.give(.pairingRequest(central.features)) }
        #expect(rig.takeCommands().contains("060403" + "4000" + "14"))
        #expect(rig.controller.data.count <= 8)
    }

    @Test("Repeated attempts wait twice as long after each failure: 05 09 (2.3.6), also on a new link")
    func repeatedAttempts() throws {
        let rig = try SecureRig([SecurityPolicy()])
        let central = ScriptedCentral(rig)
        for _ in 0..<3 {
            try central.connect()
            central.give(.pairingRequest(central.features))
            _ = try central.nextPDU()
            rig.disconnected(0x40)
        }
        try central.connect()
        central.give(.pairingRequest(central.features))
        #expect(rig.takeSMP(0x40).map(hex) == ["0509"])
        rig.run(to: 2000)
        try central.pair(.justWorks)
    }

    @Test("Without a setup, or without a policy, pairing is refused as ever: 05 05; and there are no keys")
    func notPairing() throws {
        for rig in [try SecureRig([SecurityPolicy()], isSetUp: false), try SecureRig([nil])] {
            let central = ScriptedCentral(rig)
            try central.connect()
            rig.give(0x40, SecurityPDU.pairingRequest(central.features).octets)
            #expect(rig.takeSMP(0x40).map(hex) == ["0505"])
            rig.give(0x40, [0x0C] + [UInt8](repeating: 1, count: 64))
            #expect(rig.takeSMP(0x40) == [])
            #expect(rig.askForKey(0x40).map(hex) == "1b20024000")
            rig.encryptionChange(0x40)
            #expect(rig.read(0x40, SecureRig.encrypted) == "010a050005")
            #expect(rig.read(0x40, SecureRig.open) == "0ba1")
            #expect(rig.level(central.link) == LinkSecurityLevel())
            #expect(rig.takeEvents().filter { if case .pairingFailed = $0 { true } else { false } } == [])
        }
    }
}

extension Instant {
    var milliseconds: Double { Double(nanoseconds) / 1_000_000 }
}
