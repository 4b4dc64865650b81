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

/// The codes of the standard, what cannot be read, and conversations with the broadcast address.
struct OSDPObserverReadingTests {
    private func observed(_ octets: [UInt8], keys: [OSDPKey] = []) -> [OSDPObservation] {
        var observer = OSDPObserver(keys: keys)
        var list: [OSDPObservation] = []
        observer.receive(octets.span) { list.append($0) }
        observer.finish { list.append($0) }
        return list
    }

    private func checked(_ content: String) -> [UInt8] {
        let content = octets(content)
        return content + OSDPCheck.crc.octets(after: content)
    }

    /// Annex A of OSDP 2.2, and osdp_EXT_PDID.
    @Test func everyCodeHasItsName() {
        let commands: [UInt8: String] = [
            0x60: "POLL", 0x61: "ID", 0x62: "CAP", 0x64: "LSTAT", 0x65: "ISTAT", 0x66: "OSTAT", 0x67: "RSTAT",
            0x68: "OUT", 0x69: "LED", 0x6A: "BUZ", 0x6B: "TEXT", 0x6E: "COMSET", 0x73: "BIOREAD", 0x74: "BIOMATCH",
            0x75: "KEYSET", 0x76: "CHLNG", 0x77: "SCRYPT", 0x7B: "ACURXSIZE", 0x7C: "FILETRANSFER", 0x80: "MFG",
            0xA1: "XWR", 0xA2: "ABORT", 0xA3: "PIVDATA", 0xA4: "GENAUTH", 0xA5: "CRAUTH", 0xA7: "KEEPACTIVE",
        ]
        let replies: [UInt8: String] = [
            0x40: "ACK", 0x41: "NAK", 0x45: "PDID", 0x46: "PDCAP", 0x48: "LSTATR", 0x49: "ISTATR", 0x4A: "OSTATR",
            0x4B: "RSTATR", 0x50: "RAW", 0x51: "FMT", 0x53: "KEYPAD", 0x54: "COM", 0x57: "BIOREADR",
            0x58: "BIOMATCHR", 0x59: "EXT_PDID", 0x76: "CCRYPT", 0x78: "RMAC_I", 0x79: "BUSY", 0x7A: "FTSTAT",
            0x80: "PIVDATAR", 0x81: "GENAUTHR", 0x82: "CRAUTHR", 0x83: "MFGSTATR", 0x84: "MFGERRR", 0x90: "MFGREP",
            0xB1: "XRD",
        ]
        for code in UInt8.min...UInt8.max {
            #expect(OSDPCommand.Code(rawValue: code)?.name == commands[code])
            #expect(OSDPReply.Code(rawValue: code)?.name == replies[code])
        }
    }

    /// 7.7: supervised inputs. 7.3: codes that no standard has yet, and makers' own.
    @Test func valuesOfTheirOwn() {
        let list = observed(octets("53 80 0A 00 05 49 00 02 E8 D0"))
        #expect(list.map(\.message) == [.reply(.inputStatus([.inactive, .short]))])
        #expect(list[0].warnings.isEmpty)
        let refusals = [UInt8(0x0A), 0x80, 0xFF].map { OSDPRefusal(rawValue: $0).text }
        #expect(refusals == ["reserved code 10", "private code 128", "private code 255"])
        let states = (0...7).map { OSDPInputState(rawValue: $0).text } + [OSDPInputState(rawValue: 0x81).text]
        #expect(
            states == [
                "off", "on", "short circuit", "open circuit", "fault", "unknown", "reserved state 6",
                "reserved state 7",
                "private state 129",
            ])
    }

    /// A right check with reserved bits, or with a security block of no kind, is no damage.
    @Test func headersThatAreNotOfTheStandard() {
        let list = observed(
            checked("53 80 0A 00 15 49 00 02") + checked("53 00 0B 00 0C 03 19 07 60") + checked("53 80 08 00 F5 40")
                + checked("53 00 0A 00 0C 09 15 60"))
        #expect(list.map(\.warnings) == [[.header], [.header], [.header], [.header]])
        #expect(list[0].message == .reply(.inputStatus([.inactive, .short])) && list[0].frame?.sequence == 1)
        #expect(list[1].message == .unreadable(.securityBlock) && list[1].frame?.code == 0x60)
        #expect(list[2].message == .reply(.acknowledged))
        #expect(list[3].frame == nil && list[3].octets == checked("53 00 0A 00 0C 09 15 60"))
    }

    /// A MAC over reserved bits is not verified, and not called wrong.
    @Test func reservedBitsInASession() throws {
        var (line, session) = try session()
        var content = Array(try session.seal(frame(0x60, sequence: 2)).octets.dropLast(2))
        content[4] |= 0x10
        line += content
        let list = observed(line + OSDPCheck.crc.octets(after: content), keys: [TestPanel.key])
        #expect(list.last?.protection == .unverified && list.last?.warnings == [.header])
    }

    /// Octets between frames are shown, those of a damaged frame once.
    @Test func noise() {
        let poll = octets("53 00 08 00 04 60 EB AA")
        let list = observed([0x12, 0x34] + poll + [0xFF, 0xFF] + poll + [0x56])
        #expect(list.map(\.octets) == [[0x12, 0x34], poll, poll, [0x56]])
        #expect(list.map(\.warnings) == [[.damaged], [], [], [.damaged]])
        var damaged = poll
        damaged[6] ^= 1
        #expect(observed(damaged + poll).map(\.octets) == [damaged, poll])
        let long = [UInt8](repeating: 1, count: 100)
        #expect(observed(long).map(\.octets.count) == [32, 32, 32, 4])
    }

    /// A key is not in the octets of what cannot be read.
    @Test func aKeyThatCannotBeReadIsNotShown() {
        let key = String(repeating: "AB", count: 16)
        let wrongType = observed(checked("53 00 1A 00 05 75 02 10 \(key)"))
        #expect(wrongType.map(\.warnings) == [[.keyDisclosed]] && wrongType[0].mayHoldKey)
        var damaged = checked("53 00 1A 00 05 75 01 10 \(key)")
        damaged[25] ^= 1
        #expect(observed(damaged).allSatisfy { $0.mayHoldKey })
        #expect(!observed(octets("53 80 0A 00 05 49 00 02 E8 D0"))[0].mayHoldKey)
    }

    /// Cards and keys of every kind in clear.
    @Test(arguments: ["50 00 00 0100 80", "51 00 00 01 31", "53 00 01 31", "57 00 00 00 00 0000", "80 00", "B1 01 01"])
    func credentialsInClear(_ message: String) {
        let data = Array(octets(message).dropFirst())
        let reply = OSDPFrame(
            address: 0, isReply: true, sequence: 1, check: .crc, code: octets(message)[0], data: data)
        #expect(observed(reply.octets).map(\.warnings) == [[.clearCredential]])
    }

    // MARK: - Broadcast

    private func frame(
        _ code: UInt8, _ data: [UInt8] = [], to address: UInt8 = OSDPFrame.broadcast, isReply: Bool = false,
        sequence: UInt8 = 1, _ block: OSDPSecurityBlock? = nil
    ) -> OSDPFrame {
        OSDPFrame(
            address: address, isReply: isReply, sequence: sequence, check: .crc, security: block, code: code,
            data: data)
    }

    /// A handshake with the broadcast address, whose replies come from `replies`.
    private func session(replies: UInt8 = OSDPFrame.broadcast) throws -> (octets: [UInt8], session: OSDPSession) {
        let (panelRandom, deviceRandom) = (Array(0xB0...0xB7) as [UInt8], Array(0xA0...0xA7) as [UInt8])
        let keys = try OSDPHandshake(TestPanel.key, panelRandom: panelRandom, deviceRandom: deviceRandom)
        let answer = [UInt8](repeating: 0, count: 8) + deviceRandom + keys.clientCryptogram
        let frames = [
            frame(0x76, panelRandom, sequence: 0, OSDPSecurityBlock(.challenge, [1])),
            frame(0x76, answer, to: replies, isReply: true, sequence: 0, OSDPSecurityBlock(.clientCryptogram, [1])),
            frame(0x77, keys.serverCryptogram, OSDPSecurityBlock(.serverCryptogram, [1])),
            frame(0x78, keys.initialMAC, to: replies, isReply: true, OSDPSecurityBlock(.initialMAC, [1])),
        ]
        return (frames.flatMap(\.octets), keys.session)
    }

    /// Replies to the broadcast address belong to it, from it or from the device's own; and a session that began there
    /// goes on with the device's own.
    @Test(arguments: [OSDPFrame.broadcast, 5]) func sessionsWithTheBroadcastAddress(_ replies: UInt8) throws {
        var (line, session) = try session(replies: replies)
        line += try session.seal(frame(0x60, sequence: 2)).octets
        line += try session.seal(frame(0x40, to: replies, isReply: true, sequence: 2)).octets
        line += try session.seal(frame(0x60, to: 5, sequence: 3)).octets
        line += try session.seal(frame(0x40, to: 5, isReply: true, sequence: 3)).octets
        let list = observed(line, keys: [TestPanel.key])
        #expect(list.count == 8)
        #expect(list.suffix(4).map(\.protection) == [.verified, .verified, .verified, .verified])
        #expect(list.allSatisfy { $0.warnings.isEmpty })
    }

    /// Another device's session is not mistaken for it.
    @Test func sessionsOfTwoDevicesStayApart() throws {
        var (line, session) = try session()
        line += frame(0x60, to: 3, sequence: 1).octets
        line += frame(0x40, to: 3, isReply: true, sequence: 1).octets
        line += try session.seal(frame(0x60, sequence: 2)).octets
        let list = observed(line, keys: [TestPanel.key])
        #expect(list.last?.protection == .verified && list.allSatisfy { $0.warnings.isEmpty })
    }
}
