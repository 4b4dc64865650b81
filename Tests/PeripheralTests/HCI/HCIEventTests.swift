// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Octets
import Testing
import Timekeeping

@testable import Peripheral

/// Core 5.4, Vol 4, Part E, 7.7.
@Suite struct HCIEventTests {
    private static let samples: [(packet: [UInt8], event: HCIEvent)] = [
        (octets("04 05 04 00 4020 13"), .disconnectionComplete(.success, handle: 0x040, reason: .remoteUserTerminated)),
        (octets("04 0e 04 05 0304 00"), .commandComplete(credits: 5, opcode: 0x0403, returned: 6..<7)),
        (octets("04 0f 04 0c 00 0604"), .commandStatus(.commandDisallowed, credits: 0, opcode: 0x0406)),
        (octets("04 10 01 42"), .hardwareError(code: 0x42)),
        (octets("04 13 09 02 4000 0100 4100 0200"), .completedPackets(4..<12)),
        (
            octets("04 3e 13 01 00 4000 01 01 665544332211 1800 0000 c800 00"),
            .connectionComplete(
                .success,
                .init(
                    handle: 0x40, isPeripheral: true, peer: BluetoothAddress(kind: .random, value: 0x1122_3344_5566),
                    interval: .milliseconds(30), supervisionTimeout: .seconds(2)))
        ),
        (
            octets("04 3e 1f 0a 3e 4000 00 00 665544332211 000000000000 000000000000 0600 0000 0a00 00"),
            .connectionComplete(
                .connectionFailedToBeEstablished,
                .init(
                    handle: 0x40, isPeripheral: false, peer: BluetoothAddress(kind: .public, value: 0x1122_3344_5566),
                    interval: .microseconds(7500), supervisionTimeout: .milliseconds(100)))
        ),
        (
            octets("04 3e 0a 03 00 4000 0c00 0000 9001"),
            .connectionUpdated(
                .success, handle: 0x40, interval: .milliseconds(15), supervisionTimeout: .seconds(4))
        ),
        (octets("04 08 04 00 4000 01"), .encryptionChanged(.success, handle: 0x40, enabled: 1)),
        (octets("04 59 05 06 4000 00 10"), .encryptionChanged(HCIStatus(rawValue: 6), handle: 0x40, enabled: 0)),
        (octets("04 30 03 00 4000"), .keyRefreshed(.success, handle: 0x40)),
        (octets("04 3e 0d 05 4000 0000000000000000 0000"), .longTermKeyRequest(handle: 0x40, .zero)),
        (
            octets("04 3e 0d 05 4000 efcdab8967452301 7424"),
            .longTermKeyRequest(
                handle: 0x40, LTKIdentifier(diversifier: 0x2474, random: 0x0123_4567_89AB_CDEF))
        ),
        (octets("04 3e 06 12 00 02 4000 00"), .advertisingSetTerminated(.success, set: 2, handle: 0x40)),
        (octets("04 3e 06 0c 00 4000 01 02"), .phyUpdated(.success, handle: 0x40, receiver: 2)),
        (
            octets("04 3e 09 21 00 4000 02 01 ec 01 7f"),
            .transmitPower(.success, .init(handle: 0x40, reason: 2, phy: 1, level: -20))
        ),
        (
            octets("04 3e 09 21 1a 4000 02 02 7f 00 00"),
            .transmitPower(.unsupportedRemoteFeature, .init(handle: 0x40, reason: 2, phy: 2, level: 127))
        ),
        (octets("04 3e 0b 07 4000 fb00 4808 fb00 4808"), .otherLE(.dataLengthChange, 4..<14)),
        (octets("04 3e 03 7f 4000"), .otherLE(nil, 4..<6)),
        (octets("04 3d 08 00 665544332211 00"), .other),
    ]

    @Test func eachEvent() throws {
        for (packet, event) in HCIEventTests.samples {
            #expect(try parsed(packet) == event, "\(hex(packet))")
        }
    }

    /// A written event is read as the same event, and equals the sample except for fields that are not read (7.7.65.1:
    /// a clock accuracy of 250 ppm).
    @Test func writing() throws {
        var written: [UInt8] = []
        for (packet, event) in HCIEventTests.samples {
            var octets: [UInt8] = []
            event.append(to: &octets, packet.span)
            guard !octets.isEmpty else { continue }
            written.append(packet[1])
            #expect(try parsed(octets) == event, "\(hex(packet))")
            if packet[1] == 0x3E, packet[3] != 0x0A { #expect(octets.dropLast() == packet.dropLast()) }
        }
        #expect(written == [0x05, 0x0E, 0x0F, 0x13, 0x3E, 0x3E, 0x3E, 0x3E])
        let none: [UInt8] = []
        let connection = HCIEvent.NewConnection(
            handle: 0x40, isPeripheral: true, peer: BluetoothAddress(kind: .random, value: 0x1122_3344_5566),
            interval: .milliseconds(30), supervisionTimeout: .seconds(2))
        for (event, expected) in [
            (.connectionComplete(.success, connection), "043e130100400001016655443322111800" + "0000c80001"),
            (.disconnectionComplete(.success, handle: 0x40, reason: .localHostTerminated), "04050400400016"),
            (.commandStatus(.success, credits: 1, opcode: 0x0406), "040f0400010604"),
        ] as [(HCIEvent, String)] {
            var octets: [UInt8] = []
            event.append(to: &octets, none.span)
            #expect(hex(octets) == expected)
        }
    }

    @Test func truncatedAtEveryLength() {
        for (packet, event) in HCIEventTests.samples {
            for count in 0..<packet.count {
                let short = Array(packet.prefix(count))
                #expect(throws: OctetError.self, "\(hex(short))") { try parsed(short) }
                // With a length that fits: still too short for its fields, where it has any that are needed.
                guard count > 3, packet[1] != 0x0E || count < 6 else { continue }
                switch event {
                case .other, .otherLE: continue
                default: break
                }
                var consistent = short
                consistent[2] = UInt8(count - 3)
                #expect(throws: OctetError.self, "\(hex(consistent))") { try parsed(consistent) }
            }
        }
    }

    /// Octets behind the packet are an error, octets behind the last known field of an event are not.
    @Test func trailing() throws {
        for (packet, event) in HCIEventTests.samples {
            let trailing = packet + [0]
            #expect(throws: OctetError.trailing(offset: packet.count, count: 1)) {
                try parsed(trailing)
            }
            if case .otherLE = event { continue }
            guard packet[1] != 0x0E else { continue }
            var longer = trailing
            longer[2] += 1
            #expect(try parsed(longer) == event, "\(hex(longer))")
        }
    }

    /// 7.7.65.33: −127 to 20 dBm; 0x7E is not managed, 0x7F not available, the others are reserved.
    @Test func transmitPowers() {
        for level in Int8.min...Int8.max {
            let report = HCIEvent.TransmitPowerReport(handle: 0, reason: 2, phy: 1, level: level)
            #expect(report.dBm == (level >= -127 && level <= 20 ? level : nil))
        }
    }

    @Test func dataPackets() throws {
        #expect(
            try parsedData(octets("02 4020 0200 aabb"))
                == DataPacket(handle: 0x40, isStart: true, fragment: 5..<7))
        #expect(
            try parsedData(octets("02 ff1e 0000"))
                == DataPacket(handle: 0xEFF, isStart: false, fragment: 5..<5))
        for packet in ["02 4030 0000", "02 4060 0000", "02 40a0 0000"] {
            #expect(try parsedData(octets(packet)) == nil)
        }
        let whole = octets("02 4020 0200 aabb")
        for count in 0..<whole.count {
            #expect(throws: OctetError.self) { try parsedData(Array(whole.prefix(count))) }
        }
        #expect(throws: OctetError.trailing(offset: 7, count: 1)) { try parsedData((whole + [0])) }
        var packet: [UInt8] = []
        DataPacket.appendHeader(handle: 0x40, isStart: true, count: 2, to: &packet)
        DataPacket.appendHeader(handle: 0xEFF, isStart: false, count: 260, to: &packet)
        DataPacket.appendHeader(handle: 0x40, isStart: true, count: 2, isFromController: true, to: &packet)
        #expect(hex(packet) == "0240000200" + "02ff1e0401" + "0240200200")
    }
}

/// Macros cannot hold a span.
private func parsed(_ packet: [UInt8]) throws -> HCIEvent { try HCIEvent.parse(packet.span) }

private func parsedData(_ packet: [UInt8]) throws -> DataPacket? { try DataPacket.parse(packet.span) }
