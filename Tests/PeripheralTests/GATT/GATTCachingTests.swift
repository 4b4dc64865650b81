// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Testing
import Timekeeping

/// Robust caching; Core 5.4, Vol 3, Part G, 2.5.2.1, 7.1 and 7.2.
@Suite struct GATTCachingTests {
    /// 01 Generic Attribute: 02 03 04 service changed, 05 06 client features, 07 08 hash, 09 0a server features; 0b
    /// FCBA: 0c 0d static "a" (read, write), 0e 0f 10 notify, 11 12 13 second notify. The second table lacks 0e to 10.
    static func database(isFirst: Bool = true, caching: Bool = true) throws -> AttributeDatabase {
        var builder = DatabaseBuilder()
        builder.addGATTService(robustCaching: caching)
        builder.addService(BluetoothUUID(0xFCBA))
        builder.addCharacteristic(
            BluetoothUUID(0x1111), properties: [.read, .write, .writeWithoutResponse],
            value: .static([0x61], maximumCount: 4))
        if isFirst { builder.addCharacteristic(BluetoothUUID(0x2222), properties: .notify) }
        builder.addCharacteristic(
            BluetoothUUID(0x3333), properties: [.notify, .indicate],
            at: AttributeHandle(rawValue: caching ? 0x11 : 0x0B))
        return try builder.build()
    }

    private func bench(robust: Bool = true, enhanced: Int = 0) throws -> GATTBench {
        var configuration = GATTServer.Configuration()
        configuration.enhancedBearers = enhanced
        let bench = GATTBench(try GATTCachingTests.database(), configuration: configuration)
        if robust { #expect(bench.send("12 0600 01") == "13") }
        bench.events.removeAll()
        return bench
    }

    private func replace(_ bench: GATTBench, isFirst: Bool = false) throws {
        bench.replaceDatabase(
            with: try GATTCachingTests.database(isFirst: isFirst))
    }

    private let outOfSync = packed("01 0a 0d00 12")

    /// 7.2: bits may be set but not cleared.
    @Test func clientFeatures() throws {
        let bench = try bench(robust: false)
        #expect(bench.send("0a 0600") == packed("0b 00"))
        #expect(bench.send("12 0600 04") == "13" && bench.send("12 0600 0500") == "13")
        #expect(bench.taken().events == [.clientStateChanged, .clientStateChanged])
        #expect(bench.send("0a 0600") == packed("0b 05"))
        for value in ["00", "01", "04", "fa"] {
            #expect(bench.send("12 0600" + value) == packed("01 12 0600 13"))
        }
        #expect(bench.send("12 0600") == packed("01 12 0600 0d"))
        #expect(bench.send("12 0600" + "ff".times(17)) == packed("01 12 0600 0d"))
        // Bits of no meaning are ignored; each link has its own.
        #expect(bench.send("12 0600 ff") == "13" && bench.send("0a 0600") == packed("0b 07"))
        #expect(bench.send("0a 0600", slot: 1) == packed("0b 00"))
        bench.open(slot: 0)
        #expect(bench.send("0a 0600") == packed("0b 00"))
    }

    @Test func requestsOnHandlesAreOutOfSyncOnce() throws {
        for (pdu, answer) in [
            ("0a 0d00", "01 0a 0d00 12"), ("0c 0d00 0000", "01 0c 0d00 12"), ("12 0d00 62", "01 12 0d00 12"),
            ("16 0d00 0000 62", "01 16 0d00 12"), ("0e 0d00 0d00", "01 0e 0d00 12"), ("20 0d00 0d00", "01 20 0d00 12"),
            ("08 0100 feff 1111", "01 08 0100 12"), ("08 0200 ffff 2a2b", "01 08 0200 12"),
        ] {
            let bench = try bench()
            try replace(bench)
            #expect(!bench.isChangeAware(slot: 0))
            #expect(bench.send(pdu) == packed(answer), "\(pdu)")
            bench.events.removeAll()
            // With one bearer, the next request makes the client aware, and is served.
            #expect(bench.send("0a 0d00") == packed("0b 61"), "\(pdu)")
            #expect(bench.isChangeAware(slot: 0))
            #expect(bench.taken().events == [.clientStateChanged])
        }
    }

    @Test func discoveryIsServedMeanwhile() throws {
        let bench = try bench()
        try replace(bench)
        #expect(bench.send("10 0100 ffff 0028").hasPrefix("11"))
        #expect(bench.send("08 0100 0200 0328") == packed("09 07 0200 20 0300 052a"))
        #expect(bench.send("04 0200 0200") == packed("05 01 0200 0328"))
        #expect(bench.send("08 0100 ffff 1111") == packed("09 03 0d00 61"))
        #expect(bench.send("06 0100 ffff 0028 bafc").hasPrefix("07"))
        #expect(bench.send("02 4000") == packed("03 0502"))
        #expect(!bench.isChangeAware(slot: 0))
        #expect(bench.send("0a 0d00") == outOfSync)
    }

    @Test func commandsAreIgnoredMeanwhile() throws {
        let bench = try bench()
        try replace(bench)
        #expect(bench.send("52 0d00 62") == "")
        #expect(bench.send("0a 0d00") == outOfSync && bench.send("52 0d00 62") == "")
        #expect(bench.send("0a 0d00") == packed("0b 61"))
        #expect(bench.send("52 0d00 62") == "" && bench.send("0a 0d00") == packed("0b 62"))
    }

    @Test func hashThatWasReadMakesAware() throws {
        let bench = try bench()
        try replace(bench)
        #expect(bench.send("08 0100 ffff 2a2b").hasPrefix("09120800"))
        #expect(!bench.isChangeAware(slot: 0))
        #expect(bench.send("0a 0d00") == packed("0b 61"))
        #expect(bench.isChangeAware(slot: 0))
    }

    @Test func confirmedServiceChangedMakesAware() throws {
        let bench = try bench()
        #expect(bench.send("12 0400 0200") == "13")
        try replace(bench)
        #expect(bench.outputs() == ["0.0!1d03000100ffff"])
        bench.events.removeAll()
        #expect(bench.send("1e") == "")
        #expect(bench.isChangeAware(slot: 0))
        #expect(bench.taken().events == [.clientStateChanged])
        #expect(bench.send("0a 0d00") == packed("0b 61") && bench.outputs() == [])
    }

    /// A change while Service Changed is unconfirmed is indicated again.
    @Test func changeDuringServiceChanged() throws {
        let bench = try bench()
        #expect(bench.send("12 0400 0200") == "13")
        try replace(bench)
        #expect(bench.outputs().count == 1)
        try replace(bench, isFirst: true)
        #expect(bench.outputs() == [])
        #expect(bench.send("1e") == "" && !bench.isChangeAware(slot: 0))
        #expect(bench.outputs() == ["0.0!1d03000100ffff"])
        #expect(bench.send("1e") == "" && bench.isChangeAware(slot: 0))
    }

    @Test func errorIsSentAgainAfterAnotherChange() throws {
        let bench = try bench()
        try replace(bench)
        #expect(bench.send("0a 0d00") == outOfSync)
        try replace(bench, isFirst: true)
        #expect(bench.send("0a 0d00") == outOfSync && bench.send("0a 0d00") == packed("0b 61"))
    }

    @Test func nothingButServiceChangedIsSentMeanwhile() throws {
        let bench = try bench()
        for descriptor in ["0400 0200", "1300 0300"] { #expect(bench.send("12" + descriptor) == "13") }
        #expect(bench.notify(0x12, [1]).0 == .accepted)
        try replace(bench)
        #expect(bench.notify(0x12, [1]) == (.notSubscribed, ""))
        #expect(bench.indicate(0x12, [1]) == (.notSubscribed, ""))
        #expect(bench.outputs() == ["0.0!1d03000100ffff"])
        #expect(bench.send("1e") == "")
        #expect(bench.notify(0x12, [1]) == (.accepted, packed("1b 1200 01")))
    }

    @Test func clientThatDoesNotCacheRobustlyIsServed() throws {
        let bench = try bench(robust: false)
        for descriptor in ["0400 0200", "1300 0100"] { #expect(bench.send("12" + descriptor) == "13") }
        try replace(bench)
        #expect(!bench.isChangeAware(slot: 0))
        #expect(bench.send("0a 0d00") == packed("0b 61") && bench.send("52 0d00 62") == "")
        #expect(bench.send("0a 0d00") == packed("0b 62"))
        #expect(bench.notify(0x12, [1]).0 == .accepted)
        #expect(bench.outputs() == ["0.0!1d03000100ffff"])
        #expect(bench.send("1e") == "" && bench.isChangeAware(slot: 0))
    }

    /// With several bearers only reading the hash makes the client aware, and the error is sent once per bearer.
    @Test func severalBearers() throws {
        let bench = try bench(enhanced: 2)
        let second = try #require(bench.openBearer())
        try replace(bench)
        #expect(bench.send("0a 0d00") == outOfSync && bench.send("0a 0d00", bearer: second) == outOfSync)
        #expect(bench.send("0a 0d00") == packed("0b 61") && bench.send("0a 0d00", bearer: second) == packed("0b 61"))
        #expect(!bench.isChangeAware(slot: 0))
        #expect(bench.send("08 0100 ffff 2a2b", bearer: second).hasPrefix("0912"))
        #expect(!bench.isChangeAware(slot: 0))
        #expect(bench.send("0a 0d00") == packed("0b 61") && bench.isChangeAware(slot: 0))
    }

    @Test func configurationsOfWhatIsGoneEnd() throws {
        let bench = try bench(robust: false)
        for descriptor in ["1000 0100", "1300 0300"] { #expect(bench.send("12" + descriptor) == "13") }
        #expect(bench.send("16 0d00 0000 62") == packed("17 0d00 0000 62"))
        bench.events.removeAll()
        try replace(bench)
        #expect(
            bench.taken().events == [
                .subscribed(AttributeHandle(rawValue: 0x0F), []), .clientStateChanged,
                .clientStateChanged,
            ])
        #expect(bench.configuration(of: AttributeHandle(rawValue: 0x12), slot: 0) == [.notification, .indication])
        #expect(bench.send("0a 1000") == packed("01 0a 1000 01"))
        #expect(bench.send("18 01") == "19" && bench.send("0a 0d00") == packed("0b 61"))
        // The other link had nothing to lose.
        #expect(!bench.isChangeAware(slot: 1))
    }

    /// The same definitions with other values are no change.
    @Test func sameDefinitionsAreNoChange() throws {
        let bench = try bench()
        #expect(bench.send("12 1000 0100") == "13")
        bench.events.removeAll()
        try replace(bench, isFirst: true)
        #expect(bench.events.events.isEmpty && bench.outputs() == [] && bench.isChangeAware(slot: 0))
        #expect(bench.notify(0x0F, [1]).0 == .accepted)
    }

    @Test func requestThatWaitsForTheDeviceFails() throws {
        var builder = DatabaseBuilder()
        builder.addService(BluetoothUUID(0xFCBA))
        builder.addCharacteristic(BluetoothUUID(0x1111), properties: .read, value: .dynamic)
        let bench = GATTBench(try builder.build())
        #expect(bench.send("0a 0300") == "")
        let old = bench.question
        bench.replaceDatabase(with: try builder.build())
        #expect(bench.outputs() == ["0.0<010a03000e"] && bench.respond(old, [1]) == "gone")
    }

    /// A client that subscribes to Service Changed after the change is indicated then.
    @Test func lateSubscription() throws {
        let bench = try bench(robust: false)
        try replace(bench)
        #expect(bench.outputs() == [])
        #expect(bench.send("12 0400 0200") == "13")
        #expect(bench.outputs() == ["0.0!1d03000100ffff"])
    }
}
