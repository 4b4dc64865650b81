// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Crypto
import Testing
import Timekeeping

@testable import Peripheral

/// Pairing and encryption in a complete host: PDUs on the air, commands to the controller, events for the device.
@Suite struct HostPairingTests {
    struct Kind: CustomTestStringConvertible {
        var model: AssociationModel
        var central: IOCapability
        var own: IOCapability
        var isLegacy: Bool
        var testDescription: String { (isLegacy ? "legacy " : "") + "\(model)" }

        var policy: SecurityPolicy {
            var policy = SecurityPolicy()
            policy.ioCapability = own
            policy.secureConnections = isLegacy ? .preferred : .only
            policy.requestsAuthentication = model != .justWorks
            return policy
        }

        var requirements: AuthenticationRequirements {
            var requirements: AuthenticationRequirements = isLegacy ? [.bonding] : [.bonding, .secureConnections]
            if model != .justWorks { requirements.insert(.mitm) }
            return requirements
        }

        static let all: [Kind] = [
            Kind(model: .justWorks, central: .noInputNoOutput, own: .noInputNoOutput, isLegacy: false),
            Kind(model: .passkeyDisplayed, central: .keyboardOnly, own: .displayOnly, isLegacy: false),
            Kind(model: .passkeyEntered, central: .displayOnly, own: .keyboardOnly, isLegacy: false),
            Kind(model: .numericComparison, central: .displayYesNo, own: .displayYesNo, isLegacy: false),
            Kind(model: .justWorks, central: .noInputNoOutput, own: .noInputNoOutput, isLegacy: true),
            Kind(model: .passkeyDisplayed, central: .keyboardOnly, own: .displayOnly, isLegacy: true),
            Kind(model: .passkeyEntered, central: .displayOnly, own: .keyboardOnly, isLegacy: true),
        ]
    }

    @Test(
        "Pair, open what the level opens, come back, encrypt with the bond: Core 5.4, Vol 3, Part H, 2.1, 2.4.4",
        arguments: Kind.all)
    func pairAndComeBack(_ kind: Kind) throws {
        let rig = try SecureRig([kind.policy])
        let central = ScriptedCentral(rig, io: kind.central, kind.requirements)
        try central.connect()
        // Without a key: 05, Insufficient Authentication (Vol 3, Part C, 10.3.1).
        #expect(rig.read(0x40, SecureRig.open) == "0ba1")
        #expect(rig.read(0x40, SecureRig.encrypted) == "010a050005")
        #expect(rig.read(0x40, SecureRig.authenticated) == "010a070005")
        #expect(rig.request(0x40, [0x12, 5, 0, 0x55]) == "0112050005")
        #expect(rig.request(0x40, [0x12, 10, 0, 1, 0]) == "01120a0005")

        let key = try central.agree(kind.model)
        #expect(rig.key(0x40) == key)
        // The key is given; nothing is open before Encryption Change says so, and requests wait for it.
        #expect(rig.read(0x40, SecureRig.encrypted) == "")
        #expect(rig.level(central.link) == LinkSecurityLevel())
        rig.encryptionChange(0x40)
        #expect(rig.takeATT(0x40) == "0ba2")
        #expect(rig.read(0x40, SecureRig.encrypted) == "0ba2")
        try central.exchangeKeys()
        let isAuthenticated = kind.model != .justWorks
        let level = LinkSecurityLevel(
            isEncrypted: true, isAuthenticated: isAuthenticated, isSecureConnections: !kind.isLegacy, keySize: 16,
            isBonded: true)
        #expect(rig.level(central.link) == level)
        #expect(
            rig.events.suffix(2) == [.securityChanged(central.link, level), .paired(central.link, storeError: nil)])
        #expect(rig.read(0x40, SecureRig.authenticated) == (isAuthenticated ? "0ba3" : "010a070005"))
        #expect(rig.request(0x40, [0x12, 10, 0, 1, 0]) == "13")
        #expect(rig.host.provenPeer(central.link) == central.identity)
        // The client's configuration is stored for the bond.
        #expect(rig.host.nextDeadline == Instant.origin + Host.clientStateDelay)

        rig.disconnected(0x40)
        #expect(rig.level(central.link) == LinkSecurityLevel() && rig.host.bondedPeer(central.link) == nil)
        // A key exists now: 0F, Insufficient Encryption.
        try central.connect()
        #expect(rig.read(0x40, SecureRig.encrypted) == "010a05000f")
        #expect(rig.read(0x40, SecureRig.authenticated) == "010a07000f")
        #expect(rig.host.bondedPeer(central.link) == central.identity)
        #expect(rig.host.provenPeer(central.link) == nil)
        if let legacy = central.legacyKey {
            try rig.encrypt(0x40, legacy.key, legacy.name)
        } else {
            try rig.encrypt(0x40, key)
        }
        #expect(rig.level(central.link) == level)
        #expect(rig.read(0x40, SecureRig.encrypted) == "0ba2")
        #expect(rig.read(0x40, SecureRig.authenticated) == (isAuthenticated ? "0ba3" : "010a070005"))
        #expect(rig.host.provenPeer(central.link) == central.identity)
    }

    @Test("The answers to a request for a key are these octets: Core 5.4, Vol 4, Part E, 7.8.25 and 7.8.26")
    func keyReplyOctets() throws {
        var store = TransientBondStore()
        let peer = BluetoothAddress(.random, "c0c1c2c3c4c5")
        try store.save(
            Bond(
                identity: peer, resolvingKey: nil, longTermKey: Value128(hex: "000102030405060708090a0b0c0d0e0f"),
                keySize: 16, isAuthenticated: false, isSecureConnections: true))
        let rig = try SecureRig([SecurityPolicy()], store: store)
        try rig.connect(0x123, peer)
        #expect(
            rig.askForKey(0x123).map(hex) == "1a20" + "12" + "2301" + "0f0e0d0c0b0a09080706050403020100")
        #expect(rig.askForKey(0x123, LTKIdentifier(diversifier: 1, random: 0)).map(hex) == "1b20022301")
        #expect(rig.askForKey(0x123, LTKIdentifier(diversifier: 0, random: 1)).map(hex) == "1b20022301")
    }

    @Test("A request for a key of a handle that nobody knows, or that is gone: no answer, counted")
    func keyOfUnknownHandle() throws {
        let rig = try SecureRig([SecurityPolicy()])
        #expect(rig.askForKey(0x55) == nil && rig.host.ignoredPackets == 1)
        let central = ScriptedCentral(rig)
        try central.connect()
        rig.disconnected(0x40)
        #expect(rig.askForKey(0x40) == nil)
        // Encryption of a link that is not there.
        rig.encryptionChange(0x40)
        rig.keyRefresh(0x40)
        #expect(rig.takeCommands() == [])
    }

    @Test("A request for a key waits for its turn, and is not answered once the link has gone")
    func keyRequestOfLinkThatEnds() throws {
        let (rig, central) = try SecureRig.connected()
        // A command that is not answered keeps the channel.
        rig.controller.silent = [0x1405]
        _ = rig.readRSSI(central.link)
        rig.settle()
        rig.send(SecureRig.keyRequest(0x40))
        rig.disconnected(0x40)
        rig.run(to: 5000)
        #expect(!rig.takeOpcodes().contains { $0 == 0x201A || $0 == 0x201B })
    }

    @Test("A key reply that the controller never answers, or refuses, stops nothing", arguments: [true, false])
    func keyReplyUnanswered(isSilent: Bool) throws {
        let (rig, central) = try SecureRig.connected()
        let key = try central.pair(.justWorks)
        rig.disconnected(0x40)
        try central.connect()
        if isSilent {
            rig.controller.silent = [0x201A]
        } else {
            rig.controller.refused = [0x201A: 0x02]
        }
        #expect(rig.key(0x40) == key)
        rig.run(to: 3000)
        #expect(rig.read(0x40, SecureRig.encrypted) == "010a05000f")
        #expect(!rig.events.contains { if case .controllerFailed = $0 { true } else { false } })
        (rig.controller.silent, rig.controller.refused) = ([], [:])
        try rig.encrypt(0x40, key)
        #expect(rig.read(0x40, SecureRig.encrypted) == "0ba2")
    }

    @Test("A request for a key goes before advertising")
    func keyReplyIsUrgent() throws {
        let (rig, central) = try SecureRig.connected()
        rig.controller.silent = [0x1405]
        _ = rig.readRSSI(central.link)
        rig.settle()
        rig.host.configure(advertising: [Sample.set(1), Sample.set(5)], at: rig.now)
        rig.send(SecureRig.keyRequest(0x40))
        _ = rig.takeOpcodes()
        rig.run(to: 2000)
        #expect(rig.takeOpcodes().first == 0x201B)
    }

    @Test("Until the set is known, PDUs and requests for keys wait: 05 is said by the device's policy")
    func heldUntilIdentified() throws {
        let rig = try SecureRig([SecurityPolicy()])
        let central = ScriptedCentral(rig)
        rig.send(SecureRig.connection(0x40, central.address))
        rig.give(0x40, SecurityPDU.pairingRequest(central.features).octets)
        #expect(rig.askForKey(0x40) == nil && rig.takeSMP(0x40) == [])
        rig.terminate(set: 1, handle: 0x40)
        #expect(rig.takeSMP(0x40).map(hex) == ["02030009100303"])
        #expect(rig.takeCommands().contains("1b20024000"))
    }

    @Test("Legacy advertising, and a set that is never told: the address is the one that is advertised")
    func ownAddress() throws {
        var rig = try SecureRig([SecurityPolicy()], controller: .legacy)
        var central = ScriptedCentral(rig)
        try central.connect(set: nil)
        try central.pair(.justWorks)
        #expect(rig.bonds.count == 1)
        rig = try SecureRig([SecurityPolicy()])
        central = ScriptedCentral(rig)
        rig.send(SecureRig.connection(0x40, central.address))
        rig.run(to: 11)
        central.link = try #require(rig.events.compactMap(\.connectedLink).last)
        try central.pair(.justWorks)
        #expect(rig.bonds.count == 1)
    }

    @Test("A peer that the controller resolved: the pairing signs the address that was on the air (2.2.7)")
    func resolvedPeer() throws {
        let rig = try SecureRig([SecurityPolicy()])
        let central = ScriptedCentral(rig)
        central.address = try IdentityResolution.privateAddress(resolvingKey: central.resolvingKey, bits: 5)
        rig.send(
            SecureRig.connection(
                0x40, BluetoothAddress(kind: .randomIdentity, value: central.identity.value),
                resolved: central.address.value))
        rig.terminate(set: 1, handle: 0x40)
        central.link = try #require(rig.events.compactMap(\.connectedLink).last)
        let key = try central.pair(.justWorks)
        #expect(rig.bonds.map(\.identity) == [central.identity])
        // Back with a resolved address, and without: the same bond.
        for packet in [
            SecureRig.connection(0x41, BluetoothAddress(kind: .randomIdentity, value: central.identity.value)),
            SecureRig.connection(0x41, central.address),
        ] {
            rig.send(packet)
            rig.terminate(set: 1, handle: 0x41)
            try rig.encrypt(0x41, key)
            #expect(rig.read(0x41, SecureRig.encrypted) == "0ba2")
            rig.disconnected(0x41)
        }
    }

    @Test("Two links pair at once, each with its own numbers")
    func twoLinks() throws {
        let rig = try SecureRig([SecurityPolicy()])
        let first = ScriptedCentral(rig, 0x40)
        let second = ScriptedCentral(rig, 0x41)
        second.become(2)
        try first.connect()
        try second.connect()
        let firstKey = try first.agree(.justWorks)
        let secondKey = try second.agree(.justWorks)
        try rig.encrypt(0x41, secondKey)
        #expect(rig.read(0x40, SecureRig.encrypted) == "010a050005")
        #expect(rig.read(0x41, SecureRig.encrypted) == "0ba2")
        try rig.encrypt(0x40, firstKey)
        try second.exchangeKeys()
        try first.exchangeKeys()
        #expect(firstKey != secondKey)
        #expect(Set(rig.bonds.map(\.identity)) == [first.identity, second.identity])
    }

    @Test("Thirty seconds of silence: the pairing fails, the link ends, and its channel stays shut (3.4)")
    func timeOut() throws {
        let (rig, central) = try SecureRig.connected()
        central.give(.pairingRequest(central.features))
        _ = try central.nextPDU()
        #expect(rig.host.nextDeadline == Instant.origin + .seconds(30))
        rig.run(to: 29_999)
        #expect(!rig.takeOpcodes().contains(0x0406))
        _ = rig.takeEvents()
        rig.run(to: 30_000)
        #expect(rig.takeCommands() == ["060403" + "4000" + "05"])
        #expect(rig.takeEvents() == [.pairingFailed(central.link, .timedOut)])
        #expect(rig.takeSMP(0x40) == [])
        rig.disconnected(0x40, reason: 0x16)
        #expect(rig.takeEvents() == [.disconnected(central.link, reason: .localHostTerminated)])
    }

    @Test("Pairing while disconnecting: deaf and dumb from the Disconnect command on")
    func pairingWhileDisconnecting() throws {
        let (rig, central) = try SecureRig.connected()
        central.give(.pairingRequest(central.features))
        _ = try central.nextPDU()
        rig.act { $0.disconnect(central.link, reason: .remoteUserTerminated, at: $1) }
        _ = rig.takeEvents()
        central.give(.pairingRequest(central.features))
        #expect(rig.takeSMP(0x40) == [] && rig.askForKey(0x40).map(hex) == "1b20024000")
        rig.encryptionChange(0x40)
        rig.run(to: 40_000)
        #expect(!rig.takeEvents().contains { if case .pairingFailed = $0 { true } else { false } })
        rig.disconnected(0x40)
        // The next one on this handle begins with nothing.
        try central.connect()
        #expect(rig.level(central.link) == LinkSecurityLevel())
        try central.pair(.justWorks)
    }

    @Test("A controller that fails, or a transport that is lost, ends pairings; the bonds stay")
    func controllerFails() throws {
        let (rig, central) = try SecureRig.connected()
        let key = try central.pair(.justWorks)
        rig.send([0x04, 0x10, 0x01, 0x42])
        #expect(rig.level(central.link) == LinkSecurityLevel() && rig.bonds.count == 1)
        try central.connect()
        #expect(rig.read(0x40, SecureRig.encrypted) == "010a05000f")
        try rig.encrypt(0x40, key)
        central.give(.pairingRequest(central.features))
        rig.act { $0.transportLost(at: $1) }
        #expect(rig.host.nextDeadline == nil)
        rig.start()
        try central.connect()
        try rig.encrypt(0x40, key)
    }

    @Test("The user's answers: on a link that is gone, unasked, and too large are false")
    func unaskedAnswers() throws {
        let (rig, central) = try SecureRig.connected()
        let gone = LinkID(slot: 0, generation: 99)
        for link in [central.link, gone, LinkID(slot: -1, generation: 0), LinkID(slot: 500, generation: 1)] {
            #expect(!rig.answerComparison(link, true) && !rig.enterPasskey(link, 1))
            #expect(!rig.enterPasskey(link, nil) && !rig.requestEncryption(link))
        }
        #expect(rig.takeSMP(0x40) == [])
    }

    @Test("Security Request goes to a bonded peer: 0b 09; and to nobody else")
    func securityRequest() throws {
        let (rig, central) = try SecureRig.connected()
        #expect(!rig.requestEncryption(central.link))
        let key = try central.pair(.justWorks)
        rig.disconnected(0x40)
        try central.connect()
        #expect(rig.requestEncryption(central.link))
        #expect(rig.takeSMP(0x40).map(hex) == ["0b09"])
        try rig.encrypt(0x40, key)
        #expect(!rig.requestEncryption(central.link))
    }

    /// Core 5.4, Vol 3, Part H, 2.3.5.6.4: what is given out is f4 of the key's x and the random number, and a host
    /// without pairing gives nothing out.
    @Test func outOfBandData() throws {
        let rig = try SecureRig([SecurityPolicy()])
        let (first, second) = (rig.publish(), rig.publish())
        let (data, again) = (try #require(first), try #require(second))
        #expect(data != again && !again.confirm.isZero && !again.random.isZero)
        let central = ScriptedCentral(rig, io: .noInputNoOutput, [.secureConnections])
        central.features.hasOutOfBandData = true
        try central.connect()
        central.give(.pairingRequest(central.features))
        _ = try central.nextPDU()
        let scalar = central.privateKey
        let key = try P256PrivateKey(scalar: scalar.span).publicPoint.octets
        central.give(
            .publicKey(x: Value256(InlineArray { key[1 + $0] }), y: Value256(InlineArray { key[33 + $0] })))
        guard case .publicKey(let x, _) = try central.nextPDU() else { throw PairingCentral.Wrong(what: "public key") }
        #expect(try SecurityToolbox.f4(x, x, again.random, 0) == again.confirm)
        let plain = try SecureRig([SecurityPolicy()], isSetUp: false)
        #expect(plain.publish() == nil)
    }
}
