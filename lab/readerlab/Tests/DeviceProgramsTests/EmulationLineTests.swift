// SPDX-License-Identifier: Apache-2.0

import Demo
import Emulation
import GATTDevice
import Peripheral
import Testing

@testable import DevicePrograms

/// The lines of `readerlab emulate`, which are read by programs.
@Suite struct EmulationLineTests {
    private let link = LinkID(slot: 0, generation: 7)
    private let handle = AttributeHandle(rawValue: 13)
    private let uuid = BluetoothUUID(0x2A39)

    /// The JSON of a notice without its sentence, which has to be the terminal's without the link.
    private func json(_ notice: DeviceNotice) throws -> String {
        let line = try #require(EmulationLine(notice))
        let text = try JSONText.line(line.fields)
        let sentence = line.sentence.hasPrefix("link 7: ") ? line.sentence.dropFirst(8) : line.sentence[...]
        let member = try JSONText.line(["sentence": String(sentence)] as SortedJSON)
        let inner = String(member.dropFirst().dropLast())
        #expect(text.contains(inner), "\(text)")
        return text.replacing("," + inner, with: "").replacing(inner + ",", with: "")
    }

    @Test func linesOfPairing() throws {
        let peer = BluetoothAddress(kind: .random, value: 0xC0_1122_3344_55)
        let level = LinkSecurityLevel(
            isEncrypted: true, isAuthenticated: true, isSecureConnections: true, keySize: 16, isBonded: true)
        try check([
            (
                .passkeyDisplayed(link, 42), "link 7: enter 000042 at the client",
                #"{"digits":"000042","event":"passkey","link":7}"#
            ),
            (
                .passkeyWanted(link), "link 7: asks for the six digits that the client shows (--answer)",
                #"{"event":"passkey-wanted","link":7}"#
            ),
            (
                .compared(link, 999_999), "link 7: does the client show 999999 too? (--answer)",
                #"{"digits":"999999","event":"compare","link":7}"#
            ),
            (
                .securityChanged(link, level, peer: peer),
                "link 7: is encrypted: LE Secure Connections, authenticated, 16 octets, bonded, C0:11:22:33:44:55",
                #"{"authenticated":true,"bonded":true,"encrypted":true,"event":"security","key-size":16,"link":7,"#
                    + #""peer":"C0:11:22:33:44:55","secure-connections":true}"#
            ),
            (
                .securityChanged(link, LinkSecurityLevel(isBonded: true), peer: nil),
                "link 7: is not encrypted; the client is bonded",
                #"{"authenticated":false,"bonded":true,"encrypted":false,"event":"security","key-size":0,"link":7,"#
                    + #""secure-connections":false}"#
            ),
            (.paired(link, storeError: nil), "link 7: paired", #"{"event":"paired","link":7}"#),
            (
                .paired(link, storeError: .full),
                "link 7: paired; for this link only, no bonding was offered: 64 bonds are stored, each of a connected "
                    + "client or with a stronger key",
                #"{"event":"paired","link":7,"text":"for this link only, no bonding was offered: 64 bonds are stored, "#
                    + #"each of a connected client or with a stronger key"}"#
            ),
            (
                .bondRemoved(link, peer),
                "link 7: the bond of C0:11:22:33:44:55, used longest ago, makes room for this client's",
                #"{"event":"bond-removed","link":7,"peer":"C0:11:22:33:44:55"}"#
            ),
            (
                .pairingFailed(link, .notStored(.notWritten)),
                "link 7: pairing failed: ended by the device after the keys were exchanged: the file of --bonds cannot "
                    + "be written; have the client forget the device",
                #"{"event":"pairing-failed","link":7,"text":"ended by the device after the keys were exchanged: the "#
                    + #"file of --bonds cannot be written; have the client forget the device"}"#
            ),
            (
                .pairingFailed(link, .refused(.encryptionKeySize)), "link 7: pairing failed: refused, reason 0x06",
                #"{"event":"pairing-failed","link":7,"text":"refused, reason 0x06"}"#
            ),
            (
                .pairingFailed(link, .bondKept(peer, .keyRejected)),
                "link 7: pairing failed: refused, reason 0x0f: C0:11:22:33:44:55 is bonded, and its key was not shown; "
                    + "for a client that has lost it: --pairing-window SECONDS",
                #"{"event":"pairing-failed","link":7,"text":"refused, reason 0x0f: C0:11:22:33:44:55 is bonded, and its "#
                    + #"key was not shown; for a client that has lost it: --pairing-window SECONDS"}"#
            ),
        ])
    }

    @Test func linesOfNotices() throws {
        let peer = BluetoothAddress(kind: .random, value: 0xC0_1122_3344_55)
        let value = DeviceValue(handle: handle, type: uuid, octets: [0x01, 0xAB])
        try check([
            (
                .connected(link, peer: peer, device: 0, ownAddress: nil), "link 7: connected, C0:11:22:33:44:55",
                #"{"device":1,"event":"connected","link":7,"peer":"C0:11:22:33:44:55"}"#
            ),
            (
                .connected(link, peer: peer, device: 1, ownAddress: peer),
                "link 7: connected, C0:11:22:33:44:55 to device 2",
                #"{"address":"C0:11:22:33:44:55","device":2,"event":"connected","link":7,"#
                    + #""peer":"C0:11:22:33:44:55"}"#
            ),
            (
                .disconnected(link, reason: .connectionTimeout), "link 7: disconnected, reason 0x08",
                #"{"event":"disconnected","link":7,"reason":8}"#
            ),
            (.mtuExchanged(link, 247), "link 7: ATT_MTU 247", #"{"event":"mtu","link":7,"mtu":247}"#),
            (
                .written(link, value), "link 7: wrote 2A39 (handle 13): 01ab",
                #"{"event":"written","handle":13,"link":7,"uuid":"2A39","value":"01ab"}"#
            ),
            (
                .read(link, value), "link 7: read 2A39 (handle 13): 01ab",
                #"{"event":"read","handle":13,"link":7,"uuid":"2A39","value":"01ab"}"#
            ),
            (
                .indicated(link, value), "link 7: indicated 2A39 (handle 13): 01ab",
                #"{"event":"indicated","handle":13,"link":7,"uuid":"2A39","value":"01ab"}"#
            ),
            (
                .confirmed(link, handle, uuid), "link 7: confirmed 2A39 (handle 13)",
                #"{"event":"confirmed","handle":13,"link":7,"uuid":"2A39"}"#
            ),
            (
                .notified(link, value), "link 7: notified 2A39 (handle 13): 01ab",
                #"{"event":"notified","handle":13,"link":7,"uuid":"2A39","value":"01ab"}"#
            ),
            (
                .subscribed(link, handle, uuid, .notification),
                "link 7: subscribed to notifications of 2A39 (handle 13)",
                #"{"event":"subscribed","handle":13,"indications":false,"link":7,"notifications":true,"uuid":"2A39"}"#
            ),
            (
                .subscribed(link, handle, uuid, []), "link 7: unsubscribed from 2A39 (handle 13)",
                #"{"event":"subscribed","handle":13,"indications":false,"link":7,"notifications":false,"uuid":"2A39"}"#
            ),
            (
                .channelOpened(link, spsm: 0x80), "link 7: opened a channel to 0x0080",
                #"{"event":"channel-opened","link":7,"spsm":128}"#
            ),
            (
                .channelReceived(link, spsm: 0x80, octets: [1]),
                "link 7: sent on the channel to 0x0080, and was sent back: 01",
                #"{"event":"echoed","link":7,"spsm":128,"value":"01"}"#
            ),
            (
                .channelClosed(link, spsm: 0xFF), "link 7: the channel to 0x00ff is closed",
                #"{"event":"channel-closed","link":7,"spsm":255}"#
            ),
            (
                .leftOut(link, handle, uuid, .busy), "link 7: was not sent 2A39 (handle 13): busy",
                #"{"event":"left-out","handle":13,"link":7,"text":"busy","uuid":"2A39"}"#
            ),
        ])
    }

    @Test func linesOfRefusalsAndChanges() throws {
        let write = RefusedRequest(opcode: .writeRequest, handle: handle, error: .insufficientAuthentication)
        let broken = RefusedRequest(opcode: .readRequest, handle: AttributeHandle(rawValue: 0), error: .invalidPDU)
        try check([
            (
                .refused(link, write, uuid),
                "link 7: refused with 0x05, 2A39 (handle 13): write request: insufficient authentication: the client "
                    + "has to pair",
                #"{"error":5,"event":"refused","handle":13,"link":7,"text":"write request: insufficient "#
                    + #"authentication: the client has to pair","uuid":"2A39"}"#
            ),
            (
                .refused(link, broken, nil), "link 7: refused with 0x04: read request: invalid PDU",
                #"{"error":4,"event":"refused","handle":0,"link":7,"text":"read request: invalid PDU"}"#
            ),
            (
                .failed(link, write, uuid), "link 7: refused with 0x05, 2A39 (handle 13): write request: as a fault",
                #"{"error":5,"event":"refused","handle":13,"link":7,"text":"write request: as a fault","uuid":"2A39"}"#
            ),
            (
                .fault(link, step: "read", .delay(.seconds(2))), "link 7: fault at read: delay 2000 ms",
                #"{"event":"fault","link":7,"step":"read","text":"delay 2000 ms"}"#
            ),
            (
                .replaced(device: 1),
                "device 2 follows its changed file; clients that subscribed to changes are notified",
                #"{"device":2,"event":"replaced"}"#
            ),
        ])
    }

    /// A client with another key than the device's: the line says what to do at either side.
    @Test(arguments: [0x05, 0x06, 0x3D] as [UInt8])
    func aWrongKeyNamesThePairingWindow(reason: UInt8) throws {
        let line = try #require(EmulationLine(.disconnected(link, reason: HCIStatus(rawValue: reason))))
        #expect(line.sentence.contains("--pairing-window SECONDS"))
        #expect(
            try json(.disconnected(link, reason: .remoteUserTerminated))
                == #"{"event":"disconnected","link":7,"reason":19}"#)
    }

    private func check(_ cases: [(DeviceNotice, String, String)]) throws {
        for (notice, sentence, text) in cases {
            #expect(EmulationLine(notice)?.sentence == sentence)
            #expect(try json(notice) == text)
        }
    }
}
