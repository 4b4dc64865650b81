// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import OSDP

/// OSDP 2.2, chapters 5 to 7: a device in clear.
struct OSDPDeviceTests {
    @Test func identityAndCapabilities() throws {
        var panel = TestPanel()
        // Literal octets: ID to address 5, sequence 0; PDID.
        let identify = octets("53 05 09 00 04 61 00 ") + OSDPCheck.crc.octets(after: octets("53 05 09 00 04 61 00"))
        let answer = panel.put(identify)
        #expect(Array(answer.dropLast(2)) == octets("FF 53 85 14 00 04 45 0A0B0C 01 02 03040506 010203"))
        panel.sequence = 1
        #expect(
            try panel.send(.capabilities)
                == .capabilities([
                    OSDPCapability(.contactStatus, compliance: 1, count: 2),
                    OSDPCapability(.outputControl, compliance: 3, count: 2),
                    OSDPCapability(.cardFormat, compliance: 1, count: 0),
                    OSDPCapability(.lights, compliance: 4, count: 1), OSDPCapability(.buzzer, compliance: 2, count: 1),
                    OSDPCapability(.checkCharacter, compliance: 1, count: 0),
                    OSDPCapability(.security, compliance: 1, count: 0),
                    OSDPCapability(.receiveSize, compliance: 0xA0, count: 5),
                    OSDPCapability(.largestMessage, compliance: 0xA0, count: 5),
                    OSDPCapability(.readers, compliance: 0, count: 1),
                    OSDPCapability(.version, compliance: 2, count: 0),
                ]))
        #expect(panel.notices == [.online])
    }

    @Test func addresses() throws {
        var panel = TestPanel()
        func poll(_ address: UInt8, isReply: Bool = false) -> [UInt8] {
            OSDPFrame(address: address, isReply: isReply, sequence: 0, check: .crc, code: 0x60).octets
        }
        #expect(panel.put(poll(4)).isEmpty)
        #expect(panel.put(poll(5, isReply: true)).isEmpty)
        #expect(panel.notices.isEmpty)
        #expect(Array(panel.put(poll(5)).prefix(3)) == [0xFF, 0x53, 0x85])
        // Literal octets: ID to the broadcast address. The reply comes from it.
        let answer = panel.put(octets("53 7F 09 00 04 61 00 5F E6"))
        #expect(Array(answer.dropLast(2)) == octets("FF 53 FF 14 00 04 45 0A0B0C 01 02 03040506 010203"))
    }

    /// Every reply to a command to all comes from that address, in a session, too.
    @Test func theBroadcastAddressAnswersForEveryReply() throws {
        var panel = TestPanel(key: TestPanel.key)
        panel.address = OSDPFrame.broadcast
        #expect(try panel.secure(TestPanel.key))
        for (command, _) in OSDPMessageTests.commands {
            switch command {
            // They end the session, or wait for the disk.
            case .challenge, .serverCryptogram, .setKey: continue
            default: #expect(try panel.send(command) != nil, "\(command)")
            }
            #expect(panel.answered.last == 0xFF, "\(command)")
            // The same reply again.
            panel.put(panel.sent)
            #expect(panel.answered.last == 0xFF, "\(command)")
        }
        // A number too far, a wrong header, a key that is being stored.
        panel.sequence = panel.sequence % 3 + 1
        #expect(try panel.send(.poll) == .refused(.sequence))
        panel.put(octets("53 7F 08 00 14 60") + OSDPCheck.crc.octets(after: octets("53 7F 08 00 14 60")))
        panel.sequence = 0
        #expect(try panel.secure(TestPanel.key))
        #expect(try panel.send(.setKey(TestPanel.otherKey)) == nil)
        #expect(panel.put(panel.sent).isEmpty)
        let poll = OSDPFrame(address: OSDPFrame.broadcast, isReply: false, sequence: 0, check: .crc, code: 0x60).octets
        #expect(panel.put(poll)[6] == OSDPReply.Code.busy.rawValue)
        panel.perform { device, now, _, effects in device.keyStored(true, at: now, effects: &effects) }
        #expect(try panel.reply(panel.put(panel.sent)) == .acknowledged)
        #expect(panel.answered.allSatisfy { $0 == 0xFF } && panel.answered.count > 40)
    }

    /// A checksum is answered with a checksum.
    @Test func checksums() throws {
        var panel = TestPanel()
        panel.check = .checksum
        #expect(try panel.send(.poll) == .acknowledged)
        #expect(
            panel.put(OSDPFrame(address: 5, isReply: false, sequence: 1, check: .checksum, code: 0x60).octets).count
                == 8)
    }

    /// 5.8: the same number gets the same reply, without another effect; 0 begins anew; others are refused.
    @Test func sequence() throws {
        var panel = TestPanel()
        #expect(try panel.send(.poll) == .acknowledged)
        let order = OSDPOutputOrder(output: 0, control: .on)
        #expect(try panel.send(.outputs([order])) == .acknowledged)
        let first = panel.effects
        let (repeated, again) = (panel.put(panel.sent), panel.put(panel.sent))
        #expect(repeated == again && !repeated.isEmpty && panel.effects == first)
        // The same number with another command; a number too far.
        panel.sequence = 1
        #expect(try panel.send(.poll) == .refused(.sequence))
        panel.sequence = 3
        #expect(try panel.send(.poll) == .refused(.sequence))
        // The exchange is where it was.
        panel.sequence = 2
        #expect(try panel.send(.poll) == .outputStatus([true, false]))
        #expect(try panel.send(.poll) == .acknowledged)
        #expect(try panel.send(.poll) == .acknowledged)
        #expect(panel.sequence == 2)
        panel.sequence = 0
        #expect(try panel.send(.poll) == .acknowledged)
    }

    /// After a start of the device a panel that goes on is told to begin anew.
    @Test func sequenceAfterAStart() throws {
        var panel = TestPanel()
        panel.sequence = 2
        #expect(try panel.send(.poll) == .refused(.sequence))
        panel.sequence = 0
        #expect(try panel.send(.poll) == .acknowledged)
    }

    @Test func reasonsOfRefusals() throws {
        var panel = TestPanel()
        #expect(try panel.send(code: 0x6D, []) == .refused(.unknownCommand))
        #expect(try panel.send(code: 0x60, [1]) == .refused(.length))
        #expect(try panel.send(code: 0x68, [0, 9, 0, 0]) == .refused(.unable))
        #expect(try panel.send(.outputs([OSDPOutputOrder(output: 2, control: .on)])) == .refused(.unable))
        #expect(try panel.send(.lights([OSDPLightOrder(light: 1)])) == .refused(.unable))
        #expect(
            try panel.send(.text(OSDPTextOrder(control: .permanent, text: [0x41]))) == .refused(.unknownCommand))
        #expect(try panel.send(.receiveSize(64)) == .refused(.unable))
        #expect(try panel.send(.receiveSize(128)) == .acknowledged)
        #expect(try panel.send(.extendedWrite(mode: 0, [])) == .refused(.unknownCommand))
        #expect(
            try panel.send(.manufacturer(OSDPManufacturerData(vendor: [9, 9, 9], data: [1])))
                == .refused(.unknownCommand))
        #expect(try panel.send(.keepActive(500)) == .refused(.unknownCommand))
        // A security block of no kind, with a right check.
        let content = octets("53 05 0A 00 0C 02 19 60")
        #expect(
            try panel.reply(panel.put(content + OSDPCheck.crc.octets(after: content))) == .refused(.securityUnsupported)
        )
        // A wrong check has no answer.
        #expect(panel.put(Array(content.dropLast()) + [0x61, 0, 0]).isEmpty)
    }

    /// Some panels send ID and CAP without the kind of report.
    @Test func requestsWithoutTheirOctet() throws {
        var panel = TestPanel()
        #expect(try panel.send(code: 0x61, []) == .identity(TestPanel.identity))
        guard case .capabilities = try panel.send(code: 0x62, []) else {
            Issue.record("no capabilities")
            return
        }
        #expect(try panel.send(code: 0x61, [1]) == .refused(.unable))
        #expect(try panel.send(code: 0x62, [0, 0]) == .refused(.length))
    }

    /// Several records in one command are all executed, or none if one is impossible.
    @Test func lists() throws {
        var panel = TestPanel { $0.lights = 2 }
        let lights = [OSDPLightOrder(light: 0, temporary: .cancel), OSDPLightOrder(light: 1, temporary: .cancel)]
        let tone = OSDPBuzzerOrder(tone: .usual, onTenths: 1, offTenths: 1, count: 1)
        #expect(try panel.send(.poll) == .acknowledged)
        #expect(try panel.send(.lights(lights)) == .acknowledged)
        #expect(panel.effects.suffix(2) == [.lights(lights[0]), .lights(lights[1])])
        panel.sequence = 0
        // Literal octets: BUZ with two records.
        let answer = try panel.reply(panel.put(octets("53 05 12 00 04 6A 00 02 01 01 01 00 02 01 01 01 C4 63")))
        #expect(answer == .acknowledged && panel.effects.suffix(2) == [.buzzer(tone), .buzzer(tone)])
        let count = panel.effects.count
        panel.sequence = 1
        let other = OSDPBuzzerOrder(reader: 1, tone: .usual, onTenths: 1, offTenths: 1, count: 1)
        #expect(try panel.send(.buzzers([tone, other])) == .refused(.unable))
        #expect(try panel.send(.lights([lights[0], OSDPLightOrder(light: 2)])) == .refused(.unable))
        #expect(try panel.send(code: 0x6A, [0, 2, 1, 1, 1, 0, 2]) == .refused(.length))
        #expect(try panel.send(code: 0x6A, [0, 2, 1, 1, 1, 0, 3, 1, 1, 1]) == .refused(.unable))
        #expect(panel.effects[count...].allSatisfy { if case .notice = $0 { true } else { false } })
    }

    @Test func orders() throws {
        var panel = TestPanel {
            $0.hasDisplay = true
            $0.manufacturerOperations = [1]
        }
        let light = OSDPLightOrder(setsPermanent: true, permanentBlinking: .init(onColor: .red))
        let buzzer = OSDPBuzzerOrder(tone: .usual, onTenths: 1, offTenths: 1, count: 2)
        let text = OSDPTextOrder(control: .permanent, text: Array("Welcome".utf8))
        let message = OSDPManufacturerData(vendor: [0x0A, 0x0B, 0x0C], data: [1])
        #expect(try panel.send(.lights([light])) == .acknowledged)
        #expect(try panel.send(.buzzers([buzzer])) == .acknowledged)
        #expect(try panel.send(.text(text)) == .acknowledged)
        #expect(try panel.send(.manufacturer(message)) == .acknowledged)
        #expect(try panel.send(.abort) == .acknowledged)
        #expect(
            panel.effects == [
                .notice(.online), .lights(light), .buzzer(buzzer), .text(text), .manufacturer(message),
            ])
    }

    /// 6.25: what nobody does is no order that is obeyed.
    @Test func messagesOfMakers() throws {
        func answer(_ vendor: [UInt8], _ data: [UInt8], own: [UInt8] = [1, 2, 3]) throws -> OSDPReply? {
            var panel = TestPanel {
                $0.identity.vendor = own
                $0.manufacturerOperations = [1, 2]
            }
            let reply = try panel.send(.manufacturer(OSDPManufacturerData(vendor: vendor, data: data)))
            let isHandedOn = panel.effects.contains { if case .manufacturer = $0 { true } else { false } }
            #expect(isHandedOn == (reply == .acknowledged))
            return reply
        }
        #expect(try answer([1, 2, 3], [2, 9]) == .acknowledged)
        #expect(try answer([1, 2, 3], [3]) == .refused(.unknownCommand))
        #expect(try answer([1, 2, 3], []) == .refused(.unknownCommand))
        #expect(try answer([9, 2, 3], [1]) == .refused(.unable))
        #expect(try answer([0, 0, 0], [1], own: [0, 0, 0]) == .refused(.unknownCommand))
    }

    /// 7.9: 1 is a reader that is not connected, 2 a tampered one.
    @Test func theStateOfTheReader() throws {
        var panel = TestPanel()
        #expect(try panel.send(.readerStatus) == .readerStatus([0]))
        panel.device.setReaderConnected(false)
        #expect(try panel.send(.poll) == .readerStatus([1]))
        #expect(try panel.send(.poll) == .acknowledged)
        panel.device.setTampered(true)
        #expect(try panel.send(.poll) == .localStatus(isTampered: true, hasPowerFailure: false))
        #expect(try panel.send(.poll) == .readerStatus([2]))
        // Behind the tamper nothing changes.
        panel.device.setReaderConnected(true)
        #expect(try panel.send(.poll) == .acknowledged)
        panel.device.setTampered(false)
        #expect(try panel.send(.readerStatus) == .readerStatus([0]))
    }

    /// A silent panel opens nothing, whatever it ordered before.
    @Test func silence() throws {
        var panel = TestPanel()
        try panel.send(.outputs([OSDPOutputOrder(output: 0, control: .on)]))
        panel.wait(.milliseconds(7999))
        #expect(panel.device.isOnline && panel.device.outputStates == [true, false])
        panel.wait(.milliseconds(1))
        #expect(!panel.device.isOnline && panel.device.outputStates == [false, false])
        #expect(panel.effects.contains(.notice(.offline)) && panel.effects.contains(.output(0, isOn: false)))
        #expect(panel.device.deadline == nil)
        panel.sequence = 0
        #expect(try panel.send(.poll) == .outputStatus([false, false]))
    }

    /// 6.14: the reply comes from the old line.
    @Test func lineSettings() throws {
        var panel = TestPanel()
        #expect(
            try panel.send(.setLine(OSDPLine(address: 0x7F, speed: 9600)))
                == .line(OSDPLine(address: 5, speed: 9600)))
        #expect(
            try panel.send(.setLine(OSDPLine(address: 9, speed: 1200)))
                == .line(OSDPLine(address: 5, speed: 9600)))
        let line = OSDPLine(address: 9, speed: 115_200)
        #expect(try panel.send(.setLine(line)) == .line(line))
        #expect(panel.effects == [.notice(.online), .setLine(line)] && panel.device.line == line)
        #expect(try panel.send(.poll) == nil)
    }

    /// Commands in any pieces, and a pause within a frame.
    @Test func piecesAndPauses() throws {
        var panel = TestPanel()
        let poll = OSDPFrame(address: 5, isReply: false, sequence: 0, check: .crc, code: 0x60).octets
        for octet in poll.dropLast() { #expect(panel.put([octet]).isEmpty) }
        #expect(!panel.put([poll[poll.count - 1]]).isEmpty)
        #expect(panel.put([0x53, 0x05, 0x00, 0x05]).isEmpty)
        panel.wait(.milliseconds(21))
        #expect(!panel.put(poll).isEmpty)
    }
}
