// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import OSDP

/// OSDP 2.2, annexes D and E: keys, cryptograms, MAC chain.
struct OSDPSecurityTests {
    static let panelRandom: [UInt8] = Array(0xB0...0xB7)
    static let deviceRandom: [UInt8] = Array(0xA0...0xA7)

    private func handshake() throws -> OSDPHandshake {
        try OSDPHandshake(
            .wellKnown, panelRandom: OSDPSecurityTests.panelRandom, deviceRandom: OSDPSecurityTests.deviceRandom)
    }

    /// Annex E.
    @Test func thePublishedHandshake() throws {
        let keys = try OSDPSessionKeys(.wellKnown, panelRandom: OSDPSecurityTests.panelRandom)
        #expect(Array(keys.encryption) == octets("BF8DC2A8329ACB8C67C6D0CD9A451682"))
        #expect(Array(keys.mac1) == octets("5E86C676603BDEE2D8BEAFE178637332"))
        #expect(Array(keys.mac2) == octets("6FDA86E857777E81132035758239172E"))
        let handshake = try handshake()
        #expect(handshake.clientCryptogram == octets("FDE5D2F428EC16312471EA3C02BD7796"))
        #expect(handshake.serverCryptogram == octets("26D3356E07762D262801FC8E6665A891"))
        #expect(handshake.initialMAC == octets("B2A30057EB98BA2229EC1F875662B524"))
        #expect(handshake.isServerCryptogram(octets("26D3356E07762D262801FC8E6665A891")))
        #expect(!handshake.isServerCryptogram(octets("26D3356E07762D262801FC8E6665A890")))
        #expect(!handshake.isServerCryptogram([]))
        #expect(handshake.isClientCryptogram(octets("FDE5D2F428EC16312471EA3C02BD7796")))
    }

    /// D.3: the identifier and its complement under the master key.
    @Test func derivedKeys() {
        let identity = OSDPIdentity(
            vendor: [0x0A, 0x0B, 0x0C], model: 1, version: 2, serial: 0x0605_0403, firmware: [1, 0, 0])
        #expect(identity.clientIdentifier == octets("0A0B010203040506"))
        // AES-128, FIPS 197, appendix B: a block that is no identifier and its complement is not reachable; so the
        // derivation is compared with the plain cipher.
        let master: [UInt8] = Array(0...15)
        let block = octets("0A0B010203040506 F5F4FEFDFCFBFAF9")
        let expected = try? OSDPCipher.block(block, key: master[...])
        let key = OSDPKey(master: master, identifier: identity.clientIdentifier)
        #expect(key?.octets == expected && expected != nil)
        #expect(OSDPKey(master: [1], identifier: identity.clientIdentifier) == nil)
        #expect(OSDPKey(master: master, identifier: [1]) == nil)
    }

    /// The keys of the published attack: each octet repeated, counted up and counted down.
    @Test func weakKeys() throws {
        var weak: Set<[UInt8]> = []
        for first in UInt8.min...UInt8.max {
            for step: UInt8 in [0, 1, 0xFF] { weak.insert((0..<16).map { first &+ $0 &* step }) }
        }
        #expect(weak.count == 768)
        #expect(weak.contains(octets("F8F9FAFBFCFDFEFF0001020304050607")))
        #expect(weak.contains(octets("0706050403020100FFFEFDFCFBFAF9F8")))
        for key in weak {
            #expect(OSDPKey(taking: key).isWeak, "\(key)")
            // Changed in one place it is none of them.
            for place in [0, 7, 15] {
                var other = key
                other[place] ^= 0x40
                #expect(!OSDPKey(taking: other).isWeak, "\(other)")
            }
        }
        #expect(OSDPKey.wellKnown.isWeak)
        #expect(!OSDPKey(taking: (0..<16).map { $0 * 2 }).isWeak)
        #expect(OSDPKey([1]) == nil)
    }

    /// Both directions in turn: the MAC of each starts from that of the other.
    @Test func theChain() throws {
        var (panel, device) = (try handshake().session, try handshake().session)
        var last: [UInt8] = []
        for round in 0..<20 {
            let data = Array(repeating: UInt8(round), count: round)
            for isReply in [false, true] {
                let clear = OSDPFrame(
                    address: 1, isReply: isReply, sequence: 1, check: .crc, code: 0x60, data: data)
                let sealed = isReply ? try device.seal(clear) : try panel.seal(clear)
                #expect(sealed.mac.count == 4 && sealed.mac != last)
                #expect(sealed.data.count == (data.isEmpty ? 0 : (round / 16 + 1) * 16))
                last = sealed.mac
                let octets = sealed.octets
                let read = try OSDPFrame(octets.span)
                #expect(try (isReply ? panel.open(read) : device.open(read)) == data)
            }
        }
    }

    /// Every changed octet of header, data and MAC. The session goes on afterwards.
    @Test func changedFrames() throws {
        var (panel, device) = (try handshake().session, try handshake().session)
        let sealed = try panel.seal(
            OSDPFrame(address: 1, isReply: false, sequence: 1, check: .crc, code: 0x68, data: [0, 2, 0, 0]))
        let content = sealed.authenticated + sealed.mac
        for index in content.indices where ![0, 2, 3].contains(index) {
            var changed = content
            changed[index] ^= 0x10
            let octets = changed + OSDPCheck.crc.octets(after: changed)
            guard let frame = try? OSDPFrame(octets.span) else { continue }
            #expect(throws: OSDPFault.self) { try device.open(frame) }
        }
        #expect(try device.open(sealed) == [0, 2, 0, 0])
        // Again after a reply, which is in the chain.
        _ = try device.seal(OSDPFrame(address: 1, isReply: true, sequence: 1, check: .crc, code: 0x40))
        #expect(throws: OSDPFault.authentication) { try device.open(sealed) }
    }

    @Test func padding() throws {
        #expect(OSDPCipher.padded([]) == octets("80000000000000000000000000000000"))
        #expect(OSDPCipher.padded([UInt8](repeating: 1, count: 15)).count == 16)
        #expect(OSDPCipher.padded([UInt8](repeating: 1, count: 16)).count == 32)
        #expect(try OSDPCipher.unpadded(OSDPCipher.padded([1, 0x80])) == [1, 0x80])
        #expect(throws: OSDPFault.authentication) { try OSDPCipher.unpadded([UInt8](repeating: 0, count: 16)) }
        #expect(throws: OSDPFault.authentication) { try OSDPCipher.unpadded([UInt8](repeating: 1, count: 16)) }
    }
}
