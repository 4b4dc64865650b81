// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import OSDP

/// An observer of a line (OSDP 2.2, chapters 5 to 7, annex D), and its warnings.
struct OSDPObserverTests {
    private let key = OSDPKey(taking: (1...16).map { $0 * 7 })

    private func observed(_ octets: [UInt8], keys: [OSDPKey] = []) -> [OSDPObservation] {
        var observer = OSDPObserver(keys: keys)
        var list: [OSDPObservation] = []
        observer.receive(octets.span) { list.append($0) }
        observer.finish { list.append($0) }
        return list
    }

    private func frame(
        _ code: UInt8, _ data: [UInt8] = [], isReply: Bool = false, sequence: UInt8 = 1,
        _ block: OSDPSecurityBlock? = nil
    ) -> OSDPFrame {
        OSDPFrame(
            address: 0, isReply: isReply, sequence: sequence, check: .crc, security: block, code: code, data: data)
    }

    /// The octets of a handshake (annex E for SCBK-D), and the session after it.
    private func handshake(
        _ key: OSDPKey, kind: UInt8, random: UInt8 = 0xA0
    ) throws -> (octets: [UInt8], session: OSDPSession) {
        let (panelRandom, deviceRandom) = (Array(0xB0...0xB7) as [UInt8], (0..<8).map { random + UInt8($0) })
        let keys = try OSDPHandshake(key, panelRandom: panelRandom, deviceRandom: deviceRandom)
        let identifier = [UInt8](repeating: 0, count: 8)
        let frames = [
            frame(0x76, panelRandom, sequence: 0, OSDPSecurityBlock(.challenge, [kind])),
            frame(
                0x76, identifier + deviceRandom + keys.clientCryptogram, isReply: true, sequence: 0,
                OSDPSecurityBlock(.clientCryptogram, [kind])),
            frame(0x77, keys.serverCryptogram, OSDPSecurityBlock(.serverCryptogram, [kind])),
            frame(0x78, keys.initialMAC, isReply: true, OSDPSecurityBlock(.initialMAC, [1])),
        ]
        return (frames.flatMap(\.octets), keys.session)
    }

    @Test func literalFrames() throws {
        // Vectors of libosdp: COMSET at the broadcast, ID with marks before it.
        let list = observed(octets("537F0D00046E00802500006E38 FFFF 53000900046100C066"))
        #expect(list.count == 2)
        #expect(list.map(\.protection) == [.clear, .clear])
        #expect(list[0].message == .command(.setLine(OSDPLine(address: 0, speed: 9600))))
        #expect(list[0].frame?.address == OSDPFrame.broadcast)
        #expect(list[1].message == .command(.identify))
        #expect(list.allSatisfy { $0.warnings.isEmpty && !$0.isRepeated })
    }

    @Test func damage() {
        let list = observed(octets("53000900046100C067 53000900046100C066"))
        #expect(list.first?.warnings == [.damaged])
        #expect(list.last?.message == .command(.identify))
        #expect(observed(octets("530009")).map(\.warnings) == [[.damaged]])
    }

    /// Every cut of the octets gives the same.
    @Test func pieces() {
        let line = octets("537F0D00046E00802500006E38FF53000900046100C066")
        let whole = observed(line)
        for cut in line.indices {
            var observer = OSDPObserver()
            var list: [OSDPObservation] = []
            for part in [Array(line[..<cut]), Array(line[cut...])] { observer.receive(part.span) { list.append($0) } }
            #expect(list == whole)
        }
    }

    /// Annex E: the session under SCBK-D is read without being given a key.
    @Test func theWellKnownKeyNeedsNoKey() throws {
        var (line, session) = try handshake(.wellKnown, kind: 0)
        let set = OSDPCommand.setKey(key)
        line += try session.seal(frame(0x75, set.data, sequence: 2)).octets
        line += try session.seal(frame(0x40, isReply: true, sequence: 2)).octets
        // The key that was set in it opens the next session.
        var (next, later) = try handshake(key, kind: 1, random: 0x70)
        next += try later.seal(frame(0x60, sequence: 2)).octets
        let card = OSDPCardData(bits: [true, false, true])
        next += try later.seal(frame(0x50, OSDPReply.card(card).data, isReply: true, sequence: 2)).octets
        let list = observed(line + next)
        #expect(list.count == 12)
        #expect(list[0].warnings == [.wellKnownKey])
        #expect(list[4].protection == .verified && list[4].message == .command(set))
        #expect(list[4].warnings == [.keyDisclosed])
        #expect(list[11].protection == .verified && list[11].message == .reply(.card(card)))
        #expect(list[11].warnings.isEmpty)
    }

    @Test func withoutTheKey() throws {
        var (line, session) = try handshake(key, kind: 1)
        line += try session.seal(frame(0x68, [0, 2, 0, 0], sequence: 2)).octets
        let list = observed(line)
        #expect(list[1].warnings == [.unknownKey])
        #expect(list[4].protection == .unverified && list[4].message == .encrypted)
        #expect(
            observed(line, keys: [key])[4].message == .command(.outputs([OSDPOutputOrder(output: 0, control: .on)])))
    }

    @Test func replays() throws {
        var (line, session) = try handshake(key, kind: 1)
        let on = try session.seal(frame(0x68, [0, 2, 0, 0], sequence: 2)).octets
        let answer = try session.seal(frame(0x40, isReply: true, sequence: 2)).octets
        let poll = try session.seal(frame(0x60, sequence: 3)).octets
        // A repetition at once is the standard's; later it is a replay.
        line += on + answer + on + answer + poll + on
        let list = observed(line, keys: [key])
        #expect(list[6].isRepeated && list[7].isRepeated && list[6].warnings.isEmpty)
        #expect(list[8].protection == .verified)
        #expect(list[9].protection == .wrong && list[9].warnings == [.wrongMAC, .replayed])
        // A recorded handshake.
        #expect(observed(line + line, keys: [key])[10].warnings == [.repeatedRandom])
    }

    @Test func alteredFrames() throws {
        var (line, session) = try handshake(key, kind: 1)
        var sealed = try session.seal(frame(0x68, [0, 2, 0, 0], sequence: 2))
        sealed.mac[3] ^= 1
        line += sealed.octets
        #expect(observed(line, keys: [key])[4].warnings == [.wrongMAC])
    }

    @Test func downgrade() throws {
        var (line, session) = try handshake(key, kind: 1)
        line += try session.seal(frame(0x60, sequence: 2)).octets
        line += frame(0x60, sequence: 3).octets
        // Once: what follows is a line in clear.
        line += frame(0x60, sequence: 1).octets
        let list = observed(line, keys: [key])
        #expect(list[5].warnings == [.clearInSession])
        #expect(list[6].warnings.isEmpty)
    }

    @Test func credentialsInClear() {
        let card = frame(0x50, OSDPReply.card(OSDPCardData(bits: [true])).data, isReply: true)
        let keys = frame(0x53, [0, 1, 0x31], isReply: true, sequence: 2)
        #expect(observed(card.octets + keys.octets).map(\.warnings) == [[.clearCredential], [.clearCredential]])
        let set = frame(0x75, OSDPCommand.setKey(.wellKnown).data)
        #expect(observed(set.octets).map(\.warnings) == [[.keyDisclosed, .weakKey]])
    }
}
