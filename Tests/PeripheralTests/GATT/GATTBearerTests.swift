// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Peripheral
import Testing
import Timekeeping

/// Enhanced ATT bearers; Core 5.4, Vol 3, Part G, 5.3, and Part F, 3.2.11.
@Suite struct GATTBearerTests {
    private func bench(enhanced: Int = 2) throws -> GATTBench {
        var configuration = GATTServer.Configuration()
        configuration.enhancedBearers = enhanced
        return try SampleTable.bench(configuration: configuration)
    }

    @Test func asManyAsAreOffered() throws {
        let bench = try bench()
        #expect((bench.openBearer(), bench.openBearer(), bench.openBearer()) == (1, 2, nil))
        #expect((bench.openBearer(slot: 1), bench.openBearer(slot: 2), bench.openBearer(slot: -1)) == (1, nil, nil))
        bench.closeBearer(slot: 0, bearer: 1)
        #expect((bench.openBearer(mtu: 63), bench.openBearer(), bench.openBearer()) == (nil, 1, nil))
        #expect(try self.bench(enhanced: 0).openBearer() == nil)
        // A link begins without.
        bench.open(slot: 0)
        #expect(bench.send("0a 0300", bearer: 1) == "")
        #expect((bench.openBearer(), bench.openBearer(), bench.openBearer()) == (1, 2, nil))
    }

    /// 5.3.1: the MTU is that of the channel and is not exchanged.
    @Test func eachHasItsMTU() throws {
        let bench = try bench()
        #expect((bench.openBearer(mtu: 100), bench.openBearer(mtu: 999)) == (1, 2))
        #expect((bench.mtu(slot: 0), bench.mtu(slot: 0, bearer: 1)) == (23, 100))
        #expect(bench.mtu(slot: 0, bearer: 2) == 999)
        bench.setMTU(120, slot: 0, bearer: 1)
        bench.setMTU(64, slot: 0, bearer: 1)
        bench.setMTU(64, slot: 0, bearer: 0)
        #expect((bench.mtu(slot: 0), bench.mtu(slot: 0, bearer: 1)) == (23, 120))
        #expect(bench.send("0a 1200", bearer: 1) == "0b" + "5a".times(119))
        #expect(bench.send("0a 1200") == "0b" + "5a".times(22))
        #expect(bench.send("02 4000", bearer: 1) == packed("01 02 0000 06"))
        #expect(bench.send("02 4000") == packed("03 0502"))
        for bearer in [-1, 3, 9] {
            #expect(bench.send("0a 0300", bearer: bearer) == "" && bench.mtu(slot: 0, bearer: bearer) == 23)
        }
    }

    @Test func eachIndicatesForItself() throws {
        let bench = try bench()
        #expect(bench.openBearer() == 1 && bench.send("12 0f00 0300", bearer: 1) == "13")
        #expect(bench.indicate(0x0E, [1]).0 == .accepted && bench.indicate(0x0E, [2]).0 == .busy)
        #expect(bench.indicate(0x0E, [2], bearer: 1) == (.accepted, packed("1d 0e00 02")))
        bench.events.removeAll()
        #expect(bench.send("1e", bearer: 1) == "")
        #expect(bench.taken().events == [.confirmed(AttributeHandle(rawValue: 0x0E))])
        #expect(bench.awaitsConfirmation(slot: 0) && !bench.awaitsConfirmation(slot: 0, bearer: 1))
        #expect(bench.indicate(0x0E, [2], bearer: 2).0 == .gone)
        #expect(bench.notify(0x0E, [UInt8](repeating: 0, count: 61), bearer: 1).0 == .accepted)
        #expect(bench.notify(0x0E, [UInt8](repeating: 0, count: 62), bearer: 1).0 == .tooLong)
        // The one that is not confirmed ends the link; one whose channel has gone does not.
        #expect(bench.indicate(0x0E, [3], bearer: 1).0 == .accepted)
        bench.closeBearer(slot: 0, bearer: 1)
        #expect(bench.send("1e") == "" && bench.advance(to: 40) == [])
    }

    @Test func oneThatWaitsDoesNotHoldTheOthers() throws {
        var builder = DatabaseBuilder()
        builder.addService(BluetoothUUID(0xFCBA))
        builder.addCharacteristic(BluetoothUUID(0x1111), properties: [.read, .write], value: .dynamic)
        var configuration = GATTServer.Configuration()
        configuration.enhancedBearers = 1
        let bench = GATTBench(try builder.build(), configuration: configuration)
        #expect(bench.openBearer() == 1)
        #expect(bench.send("0a 0300") == "")
        let first = bench.question
        #expect(bench.send("0a 0100", bearer: 1) == packed("0b bafc"))
        #expect(bench.send("0a 0300", bearer: 1) == "")
        let second = bench.question
        #expect((first?.bearer, second?.bearer) == (0, 1))
        #expect(bench.respond(second, [2]) == packed("0b 02") && bench.respond(first, [1]) == packed("0b 01"))
        // The queue of prepared writes is the client's: while one bearer executes it, others do not touch it.
        #expect(bench.send("16 0300 0000 05") == packed("17 0300 0000 05"))
        #expect(bench.send("18 01") == "")
        #expect(bench.send("16 0300 0000 05", bearer: 1) == packed("01 16 0300 09"))
        #expect(bench.send("18 01", bearer: 1) == packed("01 18 0000 09"))
        #expect(bench.accept(bench.question) == "19")
        // The channel goes while its request waits.
        #expect(bench.send("0a 0300", bearer: 1) == "")
        let gone = bench.question
        bench.closeBearer(slot: 0, bearer: 1)
        #expect(bench.respond(gone, [1]) == "gone" && bench.advance(to: 60) == [] && bench.outputs() == [])
    }

    @Test func fixedChannelEndsOnlyWithItsLink() throws {
        let bench = try bench()
        bench.closeBearer(slot: 0, bearer: 0)
        #expect(bench.send("0a 0300") == packed("0b 646f6f72"))
    }
}

/// Core 5.4, Vol 3, Part F, 3.4.7.4.
@Suite struct GATTMultipleNotificationTests {
    private typealias Values = [(handle: AttributeHandle, value: Range<Int>)]

    @Test func severalValuesInOne() throws {
        let bench = GATTBench(try GATTCachingTests.database())
        let (first, second) = (AttributeHandle(rawValue: 0x0F), AttributeHandle(rawValue: 0x12))
        let values: Values = [(first, 0..<2), (second, 2..<3)]
        #expect(bench.send("12 1000 0100") == "13")
        // Only to clients that say they take it, for all that they have subscribed to.
        #expect(bench.notify(values, in: [1, 2, 3]) == (.notSubscribed, ""))
        #expect(bench.send("12 0600 04") == "13")
        #expect(bench.notify(values, in: [1, 2, 3]) == (.notSubscribed, ""))
        #expect(bench.send("12 1300 0100") == "13")
        #expect(bench.notify(values, in: [1, 2, 3]) == (.accepted, packed("23 0f00 0200 0102 1200 0100 03")))
        #expect(
            bench.notify([(first, 0..<0), (first, 1..<2)], in: [1, 2]) == (
                .accepted, packed("23 0f00 0000 0f00 0100 02")
            ))
        #expect(bench.notify([(first, 0..<1)], in: [1]) == (.notSubscribed, ""))
        // 22 octets at ATT_MTU 23, eight of them handles and lengths.
        let octets = [UInt8](repeating: 7, count: 20)
        #expect(bench.notify([(first, 0..<7), (second, 7..<14)], in: octets).0 == .accepted)
        #expect(bench.notify([(first, 0..<7), (second, 7..<15)], in: octets) == (.tooLong, ""))
        #expect(bench.notify([(first, 0..<1), (second, 19..<21)], in: octets) == (.tooLong, ""))
        bench.close(slot: 0)
        #expect(bench.notify(values, in: [1, 2, 3]) == (.gone, ""))
    }
}
