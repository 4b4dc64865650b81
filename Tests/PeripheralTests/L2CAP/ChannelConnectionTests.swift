// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

/// LE Credit Based Connection Request and Response, Disconnection Request and Response (Core 5.4, Vol 3, Part A, 4.6,
/// 4.7, 4.22, 4.23).
@Suite struct ChannelConnectionTests {
    private static let request = "14 09 0a00 8000 4000 1700 1700 0100"

    /// The response's fields from the endpoint on, without the L2CAP header.
    private func answer(_ rig: ChannelRig, _ pdu: String) -> String {
        let frames = rig.signal(pdu)
        #expect(frames.count == 1)
        return String((frames.first ?? "").dropFirst(8))
    }

    @Test func channelIsOpened() {
        let rig = ChannelRig()
        #expect(answer(rig, Self.request) == packed("15 09 0a00 4000 4000 4000 0400 0000"))
        let id = ChannelID(endpoint: L2CAPChannelID(rawValue: 0x40), serial: 1)
        let description = ChannelDescription(spsm: 0x80, isEnhanced: false, peerMTU: 23, mtu: 64)
        #expect(rig.takeEvents() == [.opened(id, description)])
        #expect(rig.channels.description(of: id) == description && rig.channels.count == 1)
    }

    /// Truncated at every length, with the original or the actual length, and with additional octets.
    @Test func requestOfAnotherLengthOpensNothing() {
        let whole = octets(Self.request)
        for count in 0..<whole.count {
            let rig = ChannelRig()
            var cut = Array(whole.prefix(count))
            let expected = count < 4 ? [] : ["06000500" + packed("01 09 0200 0000")]
            #expect(rig.signal(hex(cut)) == expected)
            if count >= 4 { cut[2] = UInt8(count - 4) }
            #expect(rig.signal(hex(cut)) == expected)
            #expect(rig.takeEvents() == [] && rig.channels.count == 0)
        }
        for extra in 1...9 {
            let rig = ChannelRig()
            var long = whole + [UInt8](repeating: 0, count: extra)
            #expect(answer(rig, hex(long)) == packed("01 09 0200 0000"))
            long[2] += UInt8(extra)
            #expect(answer(rig, hex(long)) == packed("01 09 0200 0000"))
            #expect(rig.channels.count == 0)
        }
    }

    private static func refusal(_ result: String) -> String { packed("15 09 0a00 0000 0000 0000 0000") + result }

    @Test func refusals() {
        let rig = ChannelRig()
        // SPSM not supported, also one that is only for enhanced channels.
        #expect(answer(rig, "14 09 0a00 8100 4000 1700 1700 0100") == Self.refusal("0200"))
        let other = ChannelRig([ChannelService(spsm: 0x80, modes: .enhanced)])
        #expect(answer(other, Self.request) == Self.refusal("0200"))
        // MTU and MPS of 22.
        #expect(answer(rig, "14 09 0a00 8000 4000 1600 1700 0100") == Self.refusal("0b00"))
        #expect(answer(rig, "14 09 0a00 8000 4000 1700 1600 0100") == Self.refusal("0b00"))
        // Source CIDs that are not dynamic on LE.
        for source in ["0000", "0400", "3f00", "8000", "ffff"] {
            #expect(answer(rig, "14 09 0a00 8000 \(source) 1700 1700 0100") == Self.refusal("0900"))
        }
        #expect(rig.channels.count == 0 && rig.takeEvents() == [])
        // The source CID is in use.
        #expect(answer(rig, Self.request).hasSuffix("0000"))
        #expect(answer(rig, Self.request) == Self.refusal("0a00"))
        // The service gives a link three channels.
        #expect(answer(rig, "14 09 0a00 8000 4100 1700 1700 0100").hasSuffix("0000"))
        #expect(answer(rig, "14 09 0a00 8000 7f00 1700 1700 0000").hasSuffix("0000"))
        #expect(answer(rig, "14 09 0a00 8000 4300 1700 1700 0100") == Self.refusal("0400"))
        #expect(rig.channels.count == 3)
    }

    @Test func smallestMTUOfTheServiceIsAsked() {
        let rig = ChannelRig([ChannelService(spsm: 0x80, mtu: 64, minimumPeerMTU: 48)])
        #expect(answer(rig, "14 09 0a00 8000 4000 2f00 1700 0100") == Self.refusal("0b00"))
        #expect(answer(rig, "14 09 0a00 8000 4000 3000 1700 0100").hasSuffix("0000"))
    }

    /// Part C, 10.3.1: without encryption the central must pair, or encrypt with its key.
    @Test func security() {
        func result(_ demand: ChannelSecurity, _ level: LinkSecurityLevel, authorized: Bool = false) -> String {
            let rig = ChannelRig([ChannelService(spsm: 0x80, security: demand)])
            rig.security = level
            rig.channels.isAuthorized = authorized
            let text = answer(rig, Self.request)
            #expect((rig.channels.count == 1) == text.hasSuffix("0000"))
            return String(text.suffix(4))
        }
        let plain = LinkSecurityLevel()
        let bonded = LinkSecurityLevel(isBonded: true)
        let encrypted = LinkSecurityLevel(isEncrypted: true, keySize: 7)
        let authenticated = LinkSecurityLevel(isEncrypted: true, isAuthenticated: true, keySize: 16)
        let secure = LinkSecurityLevel(
            isEncrypted: true, isAuthenticated: true, isSecureConnections: true, keySize: 16)
        #expect(result(.none, plain) == "0000")
        #expect(result(.encrypted, plain) == "0500")
        #expect(result(.encrypted, bonded) == "0800")
        #expect(result(.encrypted, encrypted) == "0000")
        #expect(result(.authenticated, encrypted) == "0500")
        #expect(result(.authenticated, authenticated) == "0000")
        // Authenticated without encryption is nothing.
        #expect(result(.authenticated, LinkSecurityLevel(isAuthenticated: true)) == "0500")
        #expect(result(ChannelSecurity(needsSecureConnections: true), authenticated) == "0500")
        #expect(result(ChannelSecurity(needsSecureConnections: true), secure) == "0000")
        #expect(result(ChannelSecurity(minimumKeySize: 16), plain) == "0500")
        #expect(result(ChannelSecurity(minimumKeySize: 16), encrypted) == "0700")
        #expect(result(ChannelSecurity(minimumKeySize: 16), secure) == "0000")
        #expect(result(ChannelSecurity(needsAuthorization: true), secure) == "0600")
        #expect(result(ChannelSecurity(needsAuthorization: true), plain, authorized: true) == "0000")
    }

    @Test func numbersAreHeldToTheirRanges() {
        let low = ChannelService(
            spsm: 1, modes: .creditBased, mtu: 0, mps: -1, credits: 0, maximumPerLink: 0, queueOctets: -1)
        #expect(
            low.mtu == 23 && low.mps == 23 && low.credits == 1 && low.maximumPerLink == 1 && low.queueOctets == 0)
        let high = ChannelService(spsm: 1, mtu: 70_000, mps: 70_000, credits: 70_000, maximumPerLink: 100)
        #expect(high.mtu == 65_535 && high.mps == 1000 && high.credits == 65_535 && high.maximumPerLink == 16)
        #expect(ChannelService(spsm: 1, modes: .enhanced, mtu: 23, mps: 23).mtu == 64)
    }

    // MARK: - Disconnection

    @Test func centralDisconnects() {
        let (rig, id) = ChannelRig.open()
        #expect(rig.signal("06 05 0400 4000 4500") == ["08000500" + packed("07 05 0400 4000 4500")])
        #expect(rig.takeEvents() == [.closed(id)] && rig.channels.count == 0)
        #expect(rig.send([1], on: id) == .gone && !rig.frame([1, 0, 1]))
        // Again: there is no such channel any more.
        #expect(rig.signal("06 06 0400 4000 4500") == ["0a000500" + packed("01 06 0600 0200 4000 4500")])
        // The next channel has another endpoint and serial number.
        #expect(rig.signal("14 07 0a00 8000 4500 4000 4000 0100").first?.hasPrefix("0e00050015070a004100") == true)
        #expect(rig.send([1], on: id) == .gone)
    }

    /// 4.6: the channel ID of the receiver must exist; if the other one does not match, the request is ignored.
    @Test func disconnectionOfAnotherChannel() {
        let (rig, _) = ChannelRig.open()
        #expect(rig.signal("06 05 0400 4100 4500") == ["0a000500" + packed("01 05 0600 0200 4100 4500")])
        #expect(rig.signal("06 05 0400 4000 4600") == [])
        #expect(rig.signal("06 05 0400 0400 0400") == ["0a000500" + packed("01 05 0600 0200 0400 0400")])
        #expect(rig.takeEvents() == [] && rig.channels.count == 1)
    }

    @Test func deviceDisconnects() {
        let (rig, id) = ChannelRig.open()
        rig.close(id)
        rig.close(id)
        #expect(rig.takeEvents() == [.closed(id)])
        #expect(rig.takeFrames() == ["08000500" + packed("06 01 0400 4500 4000")])
        // Until the answer, both endpoints stay taken, and what comes is ignored.
        #expect(rig.frame([1, 0, 1]) && rig.takeEvents() == [])
        #expect(rig.signal("14 09 0a00 8000 4500 4000 4000 0100").first?.hasSuffix("0a00") == true)
        for wrong in ["07 02 0400 4500 4000", "07 01 0400 4000 4500", "07 01 0200 4500", "15 01 0000"] {
            #expect(rig.signal(wrong) == [] && rig.channels.count == 1)
        }
        #expect(rig.signal("07 01 0400 4500 4000") == [] && rig.channels.count == 0)
        #expect(rig.channels.deadline == nil && rig.takeEvents() == [])
    }

    @Test func rejectedDisconnectionIsTheEndToo() {
        let (rig, id) = ChannelRig.open()
        rig.close(id)
        _ = rig.takeFrames()
        #expect(rig.signal("01 02 0600 0200 4500 4000") == [] && rig.channels.count == 1)
        #expect(rig.signal("01 01 0600 0200 4500 4000") == [] && rig.channels.count == 0)
    }

    @Test func disconnectionThatIsNotAnsweredEnds() {
        let (rig, id) = ChannelRig.open()
        rig.close(id)
        #expect(rig.channels.deadline == rig.now + .seconds(30))
        rig.channels.advance(to: rig.now + .milliseconds(29_999))
        #expect(rig.channels.count == 1)
        rig.channels.advance(to: rig.now + .seconds(30))
        #expect(rig.channels.count == 0 && rig.channels.deadline == nil)
    }

    /// Both ends disconnect at once.
    @Test func disconnectionsCross() {
        let (rig, id) = ChannelRig.open()
        rig.close(id)
        #expect(
            rig.signal("06 05 0400 4000 4500") == ["08000500" + packed("07 05 0400 4000 4500")])
        #expect(rig.takeEvents() == [.closed(id)] && rig.channels.count == 0)
        #expect(rig.signal("07 01 0400 4500 4000") == [])
    }

    /// 4: identifiers are 1 to 255, and none is used while a request with it is outstanding.
    @Test func identifiersAreNeverZeroOrOutstanding() {
        let (rig, id) = ChannelRig.open()
        rig.close(id)
        #expect(rig.takeFrames() == ["08000500" + packed("06 01 0400 4500 4000")])
        var seen: [String] = []
        for _ in 0..<300 {
            #expect(rig.signal("14 01 0a00 8000 4600 4000 4000 0100").count == 1)
            guard case .opened(let next, _) = rig.takeEvents().last else {
                Issue.record("not opened")
                return
            }
            rig.close(next)
            let request = rig.takeFrames()[0]
            let identifier = String(request.dropFirst(10).prefix(2))
            seen.append(identifier)
            _ = rig.signal("07" + identifier + "04004600" + ChannelRig.word(next.endpoint.rawValue))
            _ = rig.takeEvents()
        }
        #expect(rig.channels.count == 1)
        #expect(seen.first == "02" && seen[253] == "ff" && seen[254] == "02" && !seen.contains("00"))
        #expect(!seen.contains("01"))
    }

    @Test func linkEndClosesEveryChannel() {
        let (rig, id) = ChannelRig.open()
        _ = rig.signal("14 02 0a00 8000 4600 4000 4000 0100")
        guard case .opened(let second, _) = rig.takeEvents().last else {
            Issue.record("not opened")
            return
        }
        rig.close(id)
        _ = rig.takeEvents()
        rig.closeAll()
        #expect(rig.takeEvents() == [.closed(second)])
        #expect(rig.takeFrames() == [] && rig.channels.count == 0 && rig.channels.deadline == nil)
    }
}
