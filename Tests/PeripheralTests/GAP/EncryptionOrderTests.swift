// SPDX-License-Identifier: Apache-2.0

import Crypto
import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

/// Data and events arrive by two endpoints (USB), in any order. After the host's reply with the key nothing
/// unencrypted can come (Core 5.4, Vol 6, Part B, 5.1.3.1): data waits until Encryption Change.
@Suite struct EncryptionOrderTests {
    private static let peer = BluetoothAddress(.random, "c0c1c2c3c4c5")

    /// A link to a bonded peer whose key the controller has asked for and got.
    private func keyed() throws -> SecureRig {
        var store = TransientBondStore()
        try store.save(
            Bond(
                identity: EncryptionOrderTests.peer, resolvingKey: nil,
                longTermKey: Value128(hex: "000102030405060708090a0b0c0d0e0f"), keySize: 16, isAuthenticated: false,
                isSecureConnections: true))
        let rig = try SecureRig([SecurityPolicy()], store: store)
        try rig.connect(0x40, EncryptionOrderTests.peer)
        #expect(rig.read(0x40, SecureRig.encrypted) == "010a05000f")
        #expect(rig.key(0x40) != nil)
        return rig
    }

    /// 1 to 12 ms before the event, in order with what follows.
    @Test(arguments: [0, 1, 5, 12] as [Double])
    func dataBeforeEncryptionChange(milliseconds: Double) throws {
        let rig = try keyed()
        #expect(rig.read(0x40, SecureRig.encrypted) == "")
        rig.run(to: rig.now.milliseconds + milliseconds)
        rig.encryptionChange(0x40)
        #expect(rig.takeATT(0x40) == "0ba2")
        #expect(rig.read(0x40, SecureRig.encrypted) == "0ba2")
    }

    /// A request in several fragments, of which some come before the event.
    @Test func fragmentsOnBothSidesOfTheEvent() throws {
        let rig = try keyed()
        _ = rig.takeATT(0x40)
        rig.send(octets("02" + "4020" + "0500" + "03000400" + "0a"))
        rig.encryptionChange(0x40)
        rig.send(octets("02" + "4010" + "0200") + [SecureRig.encrypted, 0x00])
        #expect(rig.takeATT(0x40) == "0ba2")
    }

    /// The link encrypts again with another key: Encryption Key Refresh Complete ends the wait (7.7.39).
    @Test func dataBeforeAKeyRefresh() throws {
        let rig = try keyed()
        rig.encryptionChange(0x40)
        #expect(rig.key(0x40) != nil)
        #expect(rig.read(0x40, SecureRig.encrypted) == "")
        rig.keyRefresh(0x40)
        #expect(rig.takeATT(0x40) == "0ba2")
    }

    /// Judged by the event: after a failure the link is as unprotected as before, and ends.
    @Test func aFailureOpensNothing() throws {
        let rig = try keyed()
        #expect(rig.read(0x40, SecureRig.encrypted) == "")
        rig.encryptionChange(0x40, status: 0x3D, enabled: 0)
        #expect(rig.takeATT(0x40) != "0ba2")
        #expect(rig.takeCommands().contains { $0.hasPrefix("0604") })
    }

    /// Without the event, data waits half a second, and is judged by the level that the link has.
    @Test func theWaitIsBoundedInTime() throws {
        let rig = try keyed()
        rig.run(to: rig.now.milliseconds + 5000)
        #expect(rig.read(0x40, SecureRig.encrypted) == "")
        rig.run(to: rig.now.milliseconds + 499)
        #expect(rig.takeATT(0x40) == "")
        rig.run(to: rig.now.milliseconds + 1)
        #expect(rig.takeATT(0x40) == "010a05000f")
        #expect(rig.read(0x40, SecureRig.open) == "0ba1")
    }

    /// And in octets: a central that sends more is disconnected.
    @Test func theWaitIsBoundedInOctets() throws {
        let rig = try keyed()
        for _ in 0..<EarlyACLData.maximumEntries { _ = rig.read(0x40, SecureRig.open) }
        _ = rig.takeCommands()
        _ = rig.read(0x40, SecureRig.open)
        #expect(rig.takeCommands() == ["060403" + "4000" + "14"])
        rig.encryptionChange(0x40)
        #expect(rig.takeATT(0x40) == "")
    }

    /// Without a key nothing waits: the reply is negative, or refused.
    @Test func withoutAKeyNothingWaits() throws {
        let rig = try keyed()
        rig.encryptionChange(0x40)
        #expect(rig.askForKey(0x40, LTKIdentifier(diversifier: 1, random: 2))?.first == 0x1B)
        #expect(rig.read(0x40, SecureRig.encrypted) == "0ba2")
        rig.controller.refused = [0x201A: 0x12]
        #expect(rig.askForKey(0x40)?.first == 0x1A)
        #expect(rig.read(0x40, SecureRig.open) == "0ba1")
    }

    /// A link that ends meanwhile takes its data with it.
    @Test func theLinkEndsMeanwhile() throws {
        let rig = try keyed()
        #expect(rig.read(0x40, SecureRig.encrypted) == "")
        rig.disconnected(0x40)
        try rig.connect(0x40, BluetoothAddress(.random, "c0c1c2c3c4c6"))
        #expect(rig.takeATT(0x40) == "")
        #expect(rig.read(0x40, SecureRig.encrypted) == "010a050005")
    }

    /// The first PDU of the central's key distribution, before the event: it belongs to the encrypted phase.
    @Test func keysOfTheCentralBeforeEncryptionChange() throws {
        let (rig, central) = try SecureRig.connected()
        let key = try central.agree(.justWorks)
        #expect(rig.key(0x40) == key)
        // Identity Information and Identity Address Information (Vol 3, Part H, 3.6.4, 3.6.5).
        rig.give(0x40, [0x08] + [UInt8](repeating: 0x11, count: 16))
        #expect(!rig.events.contains { if case .pairingFailed = $0 { true } else { false } })
        rig.encryptionChange(0x40)
        #expect(!rig.events.contains { if case .pairingFailed = $0 { true } else { false } })
    }

    // MARK: - Connection and disconnection

    /// The last data of a connection arrives after the event of its end: it belongs to no one, least of all to the next
    /// connection with the handle.
    @Test func dataOfAHandleThatHasJustEnded() throws {
        let (rig, _) = try Rig.linked(.extended, links: 1)
        rig.disconnected(0x40)
        rig.att(0x40, [0x0A, 0x03, 0x00])
        rig.join()
        #expect(rig.takeData() == [])
        // From 20 ms after the end, it is early data of a connection to be reported.
        rig.disconnected(0x40)
        rig.run(to: 20)
        rig.att(0x40, [0x0A, 0x03, 0x00])
        rig.join()
        #expect(rig.takeData() == ["0240000d00090004000b7761307931597753"])
    }
}
