// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

/// Credit Based Connection and Reconfigure, requests and responses (Core 5.4, Vol 3, Part A, 4.25 to 4.28).
@Suite struct EnhancedChannelTests {
    private static let service = ChannelService(
        spsm: 0x0027, modes: .enhanced, mtu: 128, mps: 64, credits: 3, maximumPerLink: 4)

    private func answer(_ rig: ChannelRig, _ pdu: String) -> String {
        let frames = rig.signal(pdu)
        #expect(frames.count == 1)
        return String((frames.first ?? "").dropFirst(8))
    }

    @Test func twoChannelsAreOpened() {
        let rig = ChannelRig([Self.service])
        #expect(
            answer(rig, "17 03 0c00 2700 6400 4000 0500 5000 5100")
                == packed("18 03 0c00 8000 4000 0300 0000 4000 4100"))
        let description = ChannelDescription(spsm: 0x27, isEnhanced: true, peerMTU: 100, mtu: 128)
        #expect(
            rig.takeEvents() == [
                .opened(ChannelID(endpoint: L2CAPChannelID(rawValue: 0x40), serial: 1), description),
                .opened(ChannelID(endpoint: L2CAPChannelID(rawValue: 0x41), serial: 2), description),
            ])
    }

    /// Five channels fit a signalling PDU of 23 octets.
    @Test func fiveChannelsAreTheMost() {
        let rig = ChannelRig([ChannelService(spsm: 0x27, mtu: 64, mps: 64, credits: 1, maximumPerLink: 16)])
        #expect(
            answer(rig, "17 03 1200 2700 4000 4000 0100 5000 5100 5200 5300 5400")
                == packed("18 03 1200 4000 4000 0100 0000 4000 4100 4200 4300 4400"))
    }

    /// A partial refusal: the refused channel IDs are 0, and the result is that of the first refusal (4.26).
    @Test func partialSuccess() {
        let rig = ChannelRig([Self.service])
        // 0x0080 is not dynamic, 0x0050 is there twice.
        #expect(
            answer(rig, "17 03 1000 2700 4000 4000 0100 5000 8000 5000 5100")
                == packed("18 03 1000 8000 4000 0300 0900 4000 0000 0000 4100"))
        #expect(
            answer(rig, "17 04 0e00 2700 4000 4000 0100 5000 5200 0400")
                == packed("18 04 0e00 8000 4000 0300 0a00 0000 4200 0000"))
        // One place is left.
        #expect(
            answer(rig, "17 05 0e00 2700 4000 4000 0100 5300 5400 5500")
                == packed("18 05 0e00 8000 4000 0300 0400 4300 0000 0000"))
        #expect(answer(rig, "17 06 0a00 2700 4000 4000 0100 5600") == packed("18 06 0a00 0000 0000 0000 0400 0000"))
        #expect(rig.channels.count == 4 && rig.takeEvents().count == 4)
    }

    @Test func allAreRefused() {
        func refused(_ fields: String, _ level: LinkSecurityLevel = LinkSecurityLevel()) -> String {
            let rig = ChannelRig([
                Self.service, ChannelService(spsm: 0x81, modes: .creditBased),
                ChannelService(spsm: 0x82, security: .authenticated),
                ChannelService(spsm: 0x83, minimumPeerMTU: 65),
                ChannelService(spsm: 0x84, security: ChannelSecurity(minimumKeySize: 16)),
                ChannelService(spsm: 0x85, security: ChannelSecurity(needsAuthorization: true)),
            ])
            rig.security = level
            let text = answer(rig, "17 03 0c00" + fields + "5000 5100")
            #expect(rig.channels.count == 0 && rig.takeEvents() == [])
            #expect(text.hasPrefix(packed("18 03 0c00 0000 0000 0000")) && text.hasSuffix("00000000"))
            return String(text.dropFirst(20).prefix(4))
        }
        #expect(refused("8000 4000 4000 0100") == "0200")
        #expect(refused("8100 4000 4000 0100") == "0200")
        // Below 64, and no credits: not valid. Below what the service needs: not acceptable.
        #expect(refused("2700 3f00 4000 0100") == "0c00")
        #expect(refused("2700 4000 3f00 0100") == "0c00")
        #expect(refused("2700 4000 4000 0000") == "0c00")
        #expect(refused("8300 4000 4000 0100") == "0b00")
        #expect(refused("8200 4000 4000 0100") == "0500")
        #expect(refused("8200 4000 4000 0100", LinkSecurityLevel(isBonded: true)) == "0800")
        #expect(refused("8400 4000 4000 0100", LinkSecurityLevel(isEncrypted: true, keySize: 15)) == "0700")
        #expect(refused("8500 4000 4000 0100") == "0600")
    }

    // MARK: - Reconfigure

    /// A rig with three enhanced channels, 0x50 to 0x52, with MTU 100 and MPS 80.
    private func reconfigurable() -> ChannelRig {
        let rig = ChannelRig([Self.service, ChannelService(spsm: 0x80)])
        _ = rig.signal("17 03 0e00 2700 6400 5000 0100 5000 5100 5200")
        _ = rig.signal("14 03 0a00 8000 5300 6400 5000 0100")
        _ = rig.takeEvents()
        return rig
    }

    @Test func mtuGrows() {
        let rig = reconfigurable()
        #expect(answer(rig, "19 07 0800 c800 5000 5000 5200") == packed("1a 07 0200 0000"))
        let first = ChannelID(endpoint: L2CAPChannelID(rawValue: 0x40), serial: 1)
        let third = ChannelID(endpoint: L2CAPChannelID(rawValue: 0x42), serial: 3)
        #expect(rig.takeEvents() == [.reconfigured(first, peerMTU: 200), .reconfigured(third, peerMTU: 200)])
        #expect(rig.send([UInt8](repeating: 1, count: 200), on: first) == .accepted)
        #expect(rig.send([UInt8](repeating: 1, count: 201), on: first) == .tooLong)
    }

    @Test func mpsOfOneChannelShrinks() {
        let rig = reconfigurable()
        #expect(answer(rig, "19 07 0600 6400 4000 5100") == packed("1a 07 0200 0000"))
        #expect(rig.takeEvents() == [])
        let second = ChannelID(endpoint: L2CAPChannelID(rawValue: 0x41), serial: 2)
        #expect(rig.send([UInt8](repeating: 1, count: 100), on: second) == .accepted)
        // 64 octets with the SDU length among them.
        #expect(rig.takeFrames() == ["40005100" + "6400" + "01".times(62)])
    }

    @Test func reconfigurationsThatAreRefused() {
        for (fields, result) in [
            ("6300 5000 5000", "0100"),  // the MTU shrinks
            ("6400 4f00 5000 5100", "0200"),  // the MPS of two channels shrinks
            ("6400 5000 5000 5400", "0300"),  // one does not exist
            ("6400 5000 5300", "0300"),  // it is not enhanced
            ("6400 5000 4000", "0300"),  // this is our endpoint
            ("6400 5000 5000 5000", "0300"),  // twice the same
            ("6300 5000 5400", "0300"),
            ("3f00 5000 5000", "0400"), ("6400 3f00 5000", "0400"),  // below 64
            ("6400 5000", "0400"),  // no channel
        ] as [(String, String)] {
            let rig = reconfigurable()
            let count = packed(fields).count / 2
            #expect(
                answer(rig, "19 07" + hex([UInt8(count), 0]) + fields) == packed("1a 07 0200") + result, "\(fields)")
            #expect(rig.takeEvents() == [])
            // Nothing has changed.
            #expect(rig.channels.channels.allSatisfy { $0.peerMTU == 100 && $0.peerMPS == 80 })
        }
    }

    /// Truncated at every length: not understood, or a request for fewer channels or none.
    @Test func cutRequests() {
        for whole in [
            "17 03 1200 2700 4000 4000 0100 5000 5100 5200 5300 5400", "19 07 0e00 c800 5000 5000 5100 5200 5300 5400",
        ] {
            let pdu = octets(packed(whole))
            for count in 4..<pdu.count {
                let rig = reconfigurable()
                var cut = Array(pdu.prefix(count))
                #expect(rig.signal(hex(cut)) == ["06000500" + "01" + hex([cut[1]]) + "02000000"])
                cut[2] = UInt8(count - 4)
                let answer = answer(rig, hex(cut))
                let fields = (count - 4) / 2
                let least = cut[0] == 0x17 ? 4 : 2
                let isUnderstood = count % 2 == 0 && fields >= least
                #expect(answer.hasPrefix(isUnderstood ? hex([cut[0] + 1]) : "01"))
            }
        }
    }
}
