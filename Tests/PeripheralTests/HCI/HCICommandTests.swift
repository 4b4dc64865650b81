import TestSupport
import Octets
import Testing
import Timekeeping

@testable import Peripheral

/// Core 5.4, Vol 4, Part E, 7: the packets that no transcript shows, and what is read out of answers.
@Suite struct HCICommandTests {
    private func packet(_ command: some HCICommand) -> String {
        var packet: [UInt8] = []
        command.appendPacket(to: &packet)
        return hex(packet)
    }

    @Test func packets() {
        #expect(packet(ReadBufferSize()) == "01051000")
        #expect(packet(Disconnect(handle: 0x0123, reason: .remotePowerOff)) == "010604032301" + "15")
        #expect(packet(Disconnect(handle: 0x0123, reason: HCIStatus(rawValue: 0x3D))) == "010604032301" + "13")
        #expect(packet(LESetExtendedAdvertisingEnable(enabled: false, sets: [])) == "013920020000")
        #expect(packet(LESetExtendedAdvertisingData(set: 3, data: [1, 2])) == "01372006" + "0303010201" + "02")
        #expect(
            packet(LESetAdvertisingData(data: Array(repeating: 9, count: 40)))
                == "01082020" + "1f" + String(repeating: "09", count: 31))
        #expect(
            packet(
                LEConnectionUpdate(
                    handle: 1,
                    parameters: ConnectionParameters(interval: .zero ... .seconds(60), supervisionTimeout: .zero)))
                == "0113200e" + "0100" + "0600" + "800c" + "0000" + "0a00" + "00000000")
    }

    /// 7.8.25 and 7.8.26; and the events of encryption are asked for (7.3.1, 7.8.1): Encryption Change, Encryption Key
    /// Refresh Complete, LE Long Term Key Request.
    @Test func keyReplies() {
        let key = Value128(hex: "000102030405060708090a0b0c0d0e0f")
        #expect(
            packet(LELongTermKeyRequestReply(handle: 0x123, key: key))
                == "011a2012" + "2301" + "0f0e0d0c0b0a09080706050403020100")
        #expect(packet(LELongTermKeyRequestNegativeReply(handle: 0x123)) == "011b2002" + "2301")
        #expect(LELongTermKeyRequestReply.answer(octets("002321").span, in: 0..<3).value == 0x123)
        #expect(LELongTermKeyRequestNegativeReply.answer(octets("002301").span, in: 0..<3).value == 0x123)
        #expect(SetEventMask.needed >> (0x08 - 1) & 1 == 1 && SetEventMask.needed >> (0x30 - 1) & 1 == 1)
        #expect(LESetEventMask.needed >> (0x05 - 1) & 1 == 1)
    }

    /// Every answer, cut at every length: a refusal of the kind that stands for nonsense, never a trap.
    @Test func answersOfEveryLength() {
        func check<C: HCICommand>(_ command: C.Type, _ answer: String) {
            let whole = octets(answer)
            for count in 0..<whole.count {
                guard case .refused(.unspecifiedError) = C.answer(whole.span, in: 0..<count) else {
                    Issue.record("\(C.self) took \(count) octets")
                    continue
                }
            }
            for octets in [whole, whole + [0, 0]] {
                guard case .success = C.answer(octets.span, in: 0..<octets.count) else {
                    Issue.record("\(C.self) did not take \(hex(octets))")
                    continue
                }
            }
            // Refused with one octet; and with a range that lies outside of the packet.
            guard case .refused(.unknownCommand) = C.answer([1].span, in: 0..<1),
                case .refused(.unspecifiedError) = C.answer(whole.span, in: 500..<600)
            else {
                Issue.record("\(C.self) was not refused")
                return
            }
        }
        check(Reset.self, "00")
        check(ReadLocalSupportedCommands.self, "00" + String(repeating: "ff", count: 64))
        check(ReadLocalVersion.self, "00" + "0d01000d59000200")
        check(LEReadLocalSupportedFeatures.self, "00" + "0200000000000000")
        check(LEReadBufferSize.self, "00" + "fb0008")
        check(ReadBufferSize.self, "00" + "36014008000800")
        check(ReadBDADDR.self, "00" + "665544332211")
        check(LEReadNumberOfSupportedAdvertisingSets.self, "00" + "04")
        check(ReadRSSI.self, "00" + "4000c4")
        check(LELongTermKeyRequestReply.self, "00" + "4000")
        check(LELongTermKeyRequestNegativeReply.self, "00" + "4000")
        check(LEReadBufferSizeV2.self, "00" + "fb0008" + "000000")
        check(LEReadAdvertisingTransmitPower.self, "00" + "04")
        // Those that return nothing that is read: a status is enough.
        check(SetEventMask.self, "00")
        check(LESetEventMask.self, "00")
        check(LEWriteSuggestedDefaultDataLength.self, "00")
        check(LESetRandomAddress.self, "00")
        check(LESetAdvertisingParameters.self, "00")
        check(LESetAdvertisingData.self, "00")
        check(LESetScanResponseData.self, "00")
        check(LESetAdvertisingEnable.self, "00")
        check(LESetAdvertisingSetRandomAddress.self, "00")
        check(LESetExtendedAdvertisingParameters.self, "00")
        check(LESetExtendedAdvertisingData.self, "00")
        check(LESetExtendedScanResponseData.self, "00")
        check(LESetExtendedAdvertisingEnable.self, "00")
        check(LERemoveAdvertisingSet.self, "00")
        check(Disconnect.self, "00")
        check(LESetDataLength.self, "00")
        check(LEConnectionUpdate.self, "00")
    }

    @Test func whatIsReadOutOfAnswers() {
        let version = octets("000d01000d59000200")
        #expect(
            ReadLocalVersion.answer(version.span, in: 0..<9).value
                == ReadLocalVersion.Version(hci: 0x0D, manufacturer: 0x0059))
        #expect(
            ReadBufferSize.answer(octets("0036014008000800").span, in: 0..<8).value
                == DataBuffers(length: 310, packets: 8))
        let address = ReadBDADDR.answer(octets("00665544332211").span, in: 0..<7).value
        #expect(address == BluetoothAddress(kind: .public, value: 0x1122_3344_5566))
        let rssi = ReadRSSI.answer(octets("0040f0c4").span, in: 0..<4).value
        #expect(rssi == ReadRSSI.Reading(handle: 0x040, value: -60))
        let buffers = LEReadBufferSizeV2.answer(octets("00fb000878000a").span, in: 0..<7).value
        #expect(buffers == DataBuffers(length: 251, packets: 8))
        // dBm; what is not between −127 and 20 is none, and neither is one that is left out.
        for (answer, power) in [
            ("00ec", -20), ("0014", 20), ("0081", -127), ("0015", nil), ("0080", nil), ("007f", nil),
        ]
            as [(String, Int8?)]
        {
            let packet = octets(answer)
            #expect(LEReadAdvertisingTransmitPower.answer(packet.span, in: 0..<2).value == .some(power))
            #expect(LESetExtendedAdvertisingParameters.answer(packet.span, in: 0..<2).value == .some(power))
        }
        let none = LESetExtendedAdvertisingParameters.answer(octets("00").span, in: 0..<1).value
        #expect(none == .some(nil))
    }

    /// 6.27, by octet and bit.
    @Test func supportedCommands() {
        var list = [UInt8](repeating: 0, count: 64)
        #expect(!SupportedCommands(list).contains(.readRSSI) && !SupportedCommands().contains(.readRSSI))
        list[15] = 0x20
        list[36] = 0x3E
        #expect(SupportedCommands(list).contains(.readRSSI) && SupportedCommands(list).hasExtendedAdvertising)
        for bit in 1...5 {
            list[36] = 0x3E & ~(1 << bit)
            #expect(!SupportedCommands(list).hasExtendedAdvertising, "half a set of commands is none")
        }
    }
}

extension CommandAnswer {
    fileprivate var value: Answer? {
        if case .success(let answer) = self { return answer }
        return nil
    }
}
