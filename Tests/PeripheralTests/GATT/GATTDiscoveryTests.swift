// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Peripheral
import Testing

/// Core 5.4, Vol 3, Part F, 3.4.3, 3.4.4.1 and 3.4.4.9.
@Suite struct GATTDiscoveryTests {
    static let service128 = "e444ec7f8c98a1ad7d4fb50b01009258"
    static let bulk = "e444ec7f8c98a1ad7d4fb50b02009258"

    @Test func primaryServicesOfMixedWidthComeApart() throws {
        for mtu in [nil, 517] {
            let bench = try SampleTable.bench(mtu: mtu)
            #expect(bench.send("10 0100 ffff 0028") == packed("11 06 01000500 0018 06000900 0118 0a000f00 bafc"))
            #expect(bench.send("10 1000 ffff 0028") == packed("11 14 10001900") + GATTDiscoveryTests.service128)
            #expect(bench.send("10 1a00 ffff 0028") == packed("01 10 1a00 0a"))
        }
    }

    @Test func secondaryServicesAndOtherGroups() throws {
        let bench = try SampleTable.bench()
        #expect(bench.send("10 0100 ffff 0128") == packed("11 06 1a001e00 0a18"))
        #expect(bench.send("10 0200 ffff 0328") == packed("01 10 0200 10"))
        #expect(bench.send("10 0100 ffff" + GATTDiscoveryTests.bulk) == packed("01 10 0100 10"))
        let based = "fb349b5f8000008000100000 01280000"
        #expect(bench.send("10 0100 ffff" + based) == packed("11 06 1a001e00 0a18"))
    }

    @Test func groupListIsCutAtTheMTU() throws {
        var builder = DatabaseBuilder()
        for number: UInt16 in 0..<100 { builder.addService(BluetoothUUID(0x1900 + number)) }
        let database = try builder.build()
        for mtu in [23, 26, 27, 517] {
            let bench = GATTBench(database)
            _ = bench.send([0x02, UInt8(truncatingIfNeeded: mtu), UInt8(truncatingIfNeeded: mtu >> 8)])
            let response = bench.send(octets("10 0100 ffff 0028"))
            #expect(response.count == 2 + (mtu - 2) / 6 * 6)
        }
    }

    @Test func serviceByUUID() throws {
        let bench = try SampleTable.bench()
        #expect(bench.send("06 0100 ffff 0028 bafc") == packed("07 0a00 0f00"))
        #expect(bench.send("06 0100 ffff 0028" + GATTDiscoveryTests.service128) == packed("07 1000 1900"))
        #expect(bench.send("06 0b00 ffff 0028 bafc") == packed("01 06 0b00 0a"))
        // Only the exact value matches.
        #expect(bench.send("06 0100 ffff 0028 bc") == packed("01 06 0100 0a"))
        #expect(bench.send("06 0100 ffff 0028") == packed("01 06 0100 0a"))
    }

    @Test func otherTypesByValue() throws {
        let bench = try SampleTable.bench()
        #expect(bench.send("06 0100 ffff 002a 646f6f72") == packed("07 0300 0300"))
        // A characteristic is a group too (Part G, 2.5.3).
        #expect(bench.send("06 0100 ffff 0328 30 0e00 3512") == packed("07 0d00 0f00"))
        #expect(bench.send("06 0100 ffff 0328 0a 1500 3612") == packed("07 1400 1500"))
        // Each link compares its own configuration.
        #expect(bench.send("06 0100 ffff 0229 0000") == packed("07 0900 0900 0f00 0f00"))
        #expect(bench.send("12 0f00 0100") == "13")
        #expect(bench.send("06 0100 ffff 0229 0000") == packed("07 0900 0900"))
        #expect(bench.send("06 0100 ffff 0229 0000", slot: 1) == packed("07 0900 0900 0f00 0f00"))
    }

    @Test func valuesThatMayNotBeReadCannotBeGuessed() throws {
        let bench = try SampleTable.bench()
        #expect(bench.send("06 0100 ffff 3612 01") == packed("01 06 0100 0a"))
        bench.setSecurity(LinkSecurityLevel(isEncrypted: true), slot: 0)
        #expect(bench.send("06 0100 ffff 3612 01") == packed("07 1500 1500"))
    }

    @Test func informationKeepsToOneWidth() throws {
        let bench = try SampleTable.bench()
        #expect(bench.send("04 0100 ffff") == packed("05 01 01000028 02000328 0300002a 04000328 0500012a"))
        #expect(bench.send("04 1000 1200") == packed("05 01 10000028 11000328"))
        #expect(bench.send("04 1200 ffff") == packed("05 02 1200") + GATTDiscoveryTests.bulk)
        #expect(bench.send("04 1e00 ffff") == packed("05 01 1e000228"))
        #expect(bench.send("04 1f00 ffff") == packed("01 04 1f00 0a"))
    }

    @Test func characteristicsByDeclaration() throws {
        let small = try SampleTable.bench()
        let first = "02 0300 002a 0400 02 0500 012a 0700 20 0800 052a"
        #expect(small.send("08 0100 ffff 0328") == packed("09 07 0200" + first))
        let large = try SampleTable.bench(mtu: 517)
        #expect(
            large.send("08 0100 ffff 0328") == packed("09 07 0200" + first + "0b00 0c 0c00 3412 0d00 30 0e00 3512"))
        #expect(large.send("08 1000 ffff 0328") == packed("09 15 1100 0a 1200") + GATTDiscoveryTests.bulk)
    }

    @Test func includes() throws {
        let bench = try SampleTable.bench(mtu: 100)
        #expect(bench.send("08 0100 ffff 0228") == packed("09 08 1d00 01000500 0018"))
        #expect(bench.send("08 1e00 ffff 0228") == packed("09 06 1e00 10001900"))
    }

    @Test func longValuesAreCut() throws {
        let request = "08 0100 ffff" + GATTDiscoveryTests.bulk
        #expect(try SampleTable.bench().send(request) == packed("09 15 1200") + "5a".times(19))
        let large = "09ff" + "1200" + "5a".times(253) + "1900" + "a5".times(253)
        #expect(try SampleTable.bench(mtu: 517).send(request) == large)
        // One octet short of both.
        #expect(try SampleTable.bench(mtu: 511).send(request) == "09ff" + "1200" + "5a".times(253))
        #expect(try SampleTable.bench(mtu: 512).send(request) == large)
    }

    @Test func permissionOfTheFirstMatchDecides() throws {
        var builder = DatabaseBuilder()
        builder.addService(BluetoothUUID(0xFCBA))
        let type = BluetoothUUID(0x1234)
        builder.addAttribute(type, permissions: .read, value: .static([1]))
        builder.addAttribute(type, permissions: .readEncrypted, value: .static([2]))
        builder.addAttribute(type, permissions: .write, value: .static([3]))
        builder.addAttribute(type, permissions: .read, value: .static([4]))
        let bench = GATTBench(try builder.build())
        #expect(bench.send("08 0100 ffff 3412") == packed("09 03 0200 01"))
        #expect(bench.send("08 0300 ffff 3412") == packed("01 08 0300 05"))
        #expect(bench.send("08 0400 ffff 3412") == packed("01 08 0400 02"))
        #expect(bench.send("08 0500 ffff 3412") == packed("09 03 0500 04"))
        bench.setSecurity(LinkSecurityLevel(isBonded: true), slot: 0)
        #expect(bench.send("08 0300 ffff 3412") == packed("01 08 0300 0f"))
        bench.setSecurity(LinkSecurityLevel(isEncrypted: true), slot: 0)
        #expect(bench.send("08 0100 ffff 3412") == packed("09 03 0200 01 0300 02"))
    }

    @Test func rangesThatMakeNoSense() throws {
        let bench = try SampleTable.bench()
        for (opcode, tail) in [("04", ""), ("06", "0028bafc"), ("08", "0328"), ("10", "0028")] {
            #expect(bench.send(opcode + "0000 ffff" + tail) == packed("01" + opcode + "0000 01"))
            #expect(bench.send(opcode + "0500 0400" + tail) == packed("01" + opcode + "0500 01"))
            #expect(bench.send(opcode + "ffff ffff" + tail) == packed("01" + opcode + "ffff 0a"))
        }
    }
}
