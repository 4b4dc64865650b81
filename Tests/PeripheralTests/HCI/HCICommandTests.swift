// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Octets
import Testing
import Timekeeping

@testable import Peripheral

/// Core 5.4, Vol 4, Part E, 7: the packets of all commands, and the fields read from answers.
@Suite struct HCICommandTests {
    private func packet(_ command: some HCICommand) -> String {
        var packet: [UInt8] = []
        command.appendPacket(to: &packet)
        return hex(packet)
    }

    private func host(_ command: HostCommand) -> String { packet(command) }

    private func advertiser(_ command: AdvertisingCommand) -> String { packet(command) }

    private static let parameters = ConnectionParameters(interval: .zero ... .seconds(60), supervisionTimeout: .zero)

    /// 7.3.2, 7.4.1, 7.4.2, 7.4.5, 7.4.6, 7.8.2, 7.8.3, 7.8.58.
    @Test(
        arguments: [
            (.reset, "030c"), (.readLocalVersion, "0110"), (.readLocalSupportedCommands, "0210"),
            (.readBufferSize, "0510"), (.readBDADDR, "0910"), (.leReadBufferSize, "0220"),
            (.leReadBufferSizeV2, "6020"), (.leReadLocalSupportedFeatures, "0320"),
            (.leReadNumberOfSupportedAdvertisingSets, "3b20"),
        ] as [(HCIOpcode, String)])
    func packetsWithoutParameters(opcode: HCIOpcode, octets: String) {
        #expect(host(.bare(opcode)) == "01" + octets + "00")
    }

    /// 7.1.6, 7.3.1, 7.5.4, 7.8.1, 7.8.4, 7.8.18, 7.8.25, 7.8.26, 7.8.31, 7.8.33, 7.8.35.
    @Test func packets() {
        let address = BluetoothAddress(kind: .random, value: 0xC011_2233_4455)
        let key = Value128(hex: "000102030405060708090a0b0c0d0e0f")
        let parameters = "0100" + "0600" + "800c" + "0000" + "0a00" + "00000000"
        #expect(host(.disconnect(handle: 0x0123, reason: .remotePowerOff)) == "010604032301" + "15")
        #expect(host(.setEventMask(0x0807_0605_0403_0201)) == "01010c08" + "0102030405060708")
        #expect(host(.readRSSI(handle: 0x0123)) == "01051402" + "2301")
        #expect(host(.leReadRemoteTransmitPowerLevel(handle: 0x0123, phy: 2)) == "01772003" + "230102")
        #expect(host(.leReportRemoteTransmitPower(handle: 0x0123)) == "017a2004" + "23010001")
        #expect(host(.leSetEventMask(0x1F)) == "01012008" + "1f00000000000000")
        #expect(host(.leSetRandomAddress(address)) == "01052006" + "5544332211c0")
        #expect(host(.leConnectionUpdate(handle: 1, HCICommandTests.parameters)) == "0113200e" + parameters)
        #expect(
            host(.leLongTermKeyRequestReply(handle: 0x123, key))
                == "011a2012" + "2301" + "0f0e0d0c0b0a09080706050403020100")
        #expect(host(.leLongTermKeyRequestNegativeReply(handle: 0x123)) == "011b2002" + "2301")
        #expect(
            host(.leRemoteConnectionParameterRequestReply(handle: 1, HCICommandTests.parameters))
                == "0120200e" + parameters)
        #expect(host(.leSetDataLength(handle: 0x123)) == "01222006" + "2301" + "fb004808")
        #expect(host(.leWriteSuggestedDefaultDataLength) == "01242004" + "fb004808")
    }

    /// 7.8.4 to 7.8.9: one advertiser.
    @Test func packetsOfLegacyAdvertising() {
        let address = BluetoothAddress(kind: .random, value: 0xC011_2233_4455)
        #expect(advertiser(.randomAddress(address)) == "01052006" + "5544332211c0")
        #expect(advertiser(.legacyAddress(set: 2, address)) == "01052006" + "5544332211c0")
        for (kind, type) in [(AdvertisingSet.Kind.connectable, "00"), (.scannable, "02"), (.nonConnectable, "03")] {
            let parameters = AdvertisingParameters(kind: kind, interval: 0x0140, power: nil)
            let expected = "0106200f40014001\(type)01" + "00000000000000" + "0700"
            #expect(advertiser(.legacyParameters(parameters)) == expected)
        }
        #expect(advertiser(.legacyPower) == "01072000")
        let full = Array(repeating: UInt8(9), count: 40)
        #expect(advertiser(.legacyData(full)) == "01082020" + "1f" + String(repeating: "09", count: 31))
        #expect(advertiser(.legacyScanResponse([1, 2])) == "01092020" + "020102" + String(repeating: "00", count: 29))
        #expect(
            advertiser(.legacyEnable(true)) == "010a2001" + "01" && advertiser(.legacyEnable(false)) == "010a200100")
    }

    /// 7.8.52 to 7.8.56, 7.8.59: advertising sets.
    @Test func packetsOfExtendedAdvertising() {
        let address = BluetoothAddress(kind: .random, value: 0xC011_2233_4455)
        #expect(advertiser(.address(set: 3, address)) == "01352007" + "03" + "5544332211c0")
        let kinds: [(AdvertisingSet.Kind, String)] = [
            (.connectable, "1300"), (.scannable, "1200"), (.nonConnectable, "1000"),
        ]
        for (kind, properties) in kinds {
            for (power, octet) in [(nil, "7f"), (-20, "ec")] as [(Int8?, String)] {
                let parameters = AdvertisingParameters(kind: kind, interval: 0x0140, power: power)
                let expected = "0136201903\(properties)400100400100" + "070100000000000000" + "00\(octet)0100010000"
                #expect(advertiser(.parameters(set: 3, parameters)) == expected)
            }
        }
        #expect(advertiser(.data(set: 3, [1, 2])) == "01372006" + "0303010201" + "02")
        #expect(advertiser(.scanResponse(set: 3, [1, 2])) == "01382006" + "0303010201" + "02")
        #expect(advertiser(.enable([1, 2])) == "0139200a" + "0102" + "01000000" + "02000000")
        #expect(advertiser(.disable([])) == "01392002" + "0000" && advertiser(.remove(set: 3)) == "013c2001" + "03")
    }

    /// 7.1.6: another reason would be refused.
    @Test func reasonsOfDisconnect() {
        #expect(HCIStatus.remotePowerOff.disconnectReason == .remotePowerOff)
        #expect(HCIStatus(rawValue: 0x29).disconnectReason == HCIStatus(rawValue: 0x29))
        #expect(HCIStatus.micFailure.disconnectReason == .remoteUserTerminated)
    }

    /// The events of encryption are enabled (7.3.1, 7.8.1): Encryption Change, Encryption Key Refresh Complete, LE Long
    /// Term Key Request.
    @Test func eventMasks() {
        #expect(BringUp.eventMask >> (0x08 - 1) & 1 == 1 && BringUp.eventMask >> (0x30 - 1) & 1 == 1)
        #expect(BringUp.leEventMask >> (0x05 - 1) & 1 == 1)
    }

    /// Every answer, truncated at every length: refused as invalid, never a trap.
    @Test func answersOfEveryLength() {
        check("00" + "4000c4", ReturnedRSSI.init)
        let answers: [(BringUp.Step, String)] = [
            (.reset, "00"), (.supportedCommands, "00" + String(repeating: "ff", count: 64)),
            (.version, "00" + "0d01000d59000200"), (.features, "00" + "0200000000000000"), (.eventMask, "00"),
            (.leEventMask, "00"), (.leBufferSize, "00" + "fb0008"), (.leBufferSizeV2, "00" + "fb0008" + "000000"),
            (.bufferSize, "00" + "36014008000800"), (.address, "00" + "665544332211"), (.numberOfSets, "00" + "04"),
            (.suggestedDataLength, "00"),
        ]
        #expect(answers.map(\.0) == BringUp.Step.allCases)
        for (step, answer) in answers {
            var start = BringUp(step: step)
            check(answer) { (packet, cursor) throws(OctetError) in try start.store(packet, &cursor) }
        }
    }

    private func check<Answer>(
        _ answer: String, _ read: (Span<UInt8>, inout OctetCursor) throws(OctetError) -> Answer
    ) {
        let whole = octets(answer)
        for count in 0..<whole.count {
            #expect(CommandAnswer(whole.span, in: 0..<count, read).refusal == .unspecifiedError, "\(answer), \(count)")
        }
        for octets in [whole, whole + [0, 0]] {
            #expect(CommandAnswer(octets.span, in: 0..<octets.count, read).refusal == nil, "\(hex(octets))")
        }
        // Refused with one octet; and with a range that lies outside of the packet.
        let refused: [UInt8] = [1]
        #expect(CommandAnswer(refused.span, in: 0..<1, read).refusal == .unknownCommand)
        #expect(CommandAnswer(whole.span, in: 500..<600, read).refusal == .unspecifiedError)
    }

    @Test func whatIsReadOutOfAnswers() throws {
        func learned(_ step: BringUp.Step, _ answer: String) throws -> BringUp {
            var start = BringUp(step: step)
            let packet = octets(answer)
            let span = packet.span
            var cursor = OctetCursor(span)
            try start.store(span, &cursor)
            return start
        }
        let version = try learned(.version, "0d01000d59000200").version
        #expect(version.hci == 0x0D && version.manufacturer == 0x0059)
        let shared = try learned(.bufferSize, "36014008000800").buffers
        #expect(shared.length == 310 && shared.packets == 8 && shared.exist)
        let buffers = try learned(.leBufferSizeV2, "fb000878000a").buffers
        #expect(buffers.length == 251 && buffers.packets == 8 && !DataBuffers().exist)
        #expect(
            try learned(.address, "665544332211").publicAddress
                == BluetoothAddress(kind: .public, value: 0x1122_3344_5566))
        #expect(try learned(.features, "0200000000000000").features == 2)
        #expect(try learned(.numberOfSets, "00").sets == 1 && learned(.numberOfSets, "04").sets == 4)
        let packet = octets("0040f0c4")
        guard case .success(let rssi) = CommandAnswer(packet.span, in: 0..<4, ReturnedRSSI.init) else {
            Issue.record("no RSSI")
            return
        }
        #expect(rssi.handle == 0x040 && rssi.value == -60)
    }

    /// 7.8.6, 7.8.53: dBm; what is not between −127 and 20 is none. Some controllers omit the power of a set.
    @Test func powers() {
        func power(_ answer: String, required: Bool) -> AdvertisingAnswer {
            let packet = octets(answer)
            return AdvertisingAnswer(packet.span, in: 0..<packet.count, requiresPower: required)
        }
        for (answer, dBm) in [
            ("00ec", -20), ("0014", 20), ("0081", -127), ("0015", nil), ("0080", nil), ("007f", nil),
        ] as [(String, Int8?)] {
            for required in [true, false] {
                let answer = power(answer, required: required)
                #expect(answer.power == dBm && answer.status == .success)
            }
        }
        #expect(power("00", required: false).status == .success && power("00", required: false).power == nil)
        #expect(power("00", required: true).status == .unspecifiedError)
        #expect(power("0c", required: false).status == .commandDisallowed)
    }

    /// 6.27, by octet and bit.
    @Test func supportedCommands() throws {
        func supported(_ list: [UInt8]) throws -> SupportedCommands {
            let span = list.span
            var cursor = OctetCursor(span)
            return try SupportedCommands(span, &cursor)
        }
        var list = [UInt8](repeating: 0, count: 64)
        #expect(try !supported(list).hasReadRSSI && !SupportedCommands().hasReadRSSI)
        let places: [(Int, UInt8, (SupportedCommands) -> Bool)] = [
            (15, 0x20, \.hasReadRSSI), (27, 0x04, \.hasConnectionUpdate), (33, 0x40, \.hasDataLength),
            (34, 0x01, \.hasSuggestedDataLength), (36, 0x80, \.hasNumberOfAdvertisingSets),
            (41, 0x20, \.hasBufferSizeV2),
        ]
        for (octet, bit, has) in places {
            list[octet] = ~bit
            #expect(try !has(supported(list)), "octet \(octet)")
            list[octet] = bit
            #expect(try has(supported(list)), "octet \(octet)")
        }
        list[36] = 0x3E
        #expect(try supported(list).hasExtendedAdvertising)
        for bit in 1...5 {
            list[36] = 0x3E & ~(1 << bit)
            #expect(try !supported(list).hasExtendedAdvertising, "half a set of commands is none")
        }
    }
}
