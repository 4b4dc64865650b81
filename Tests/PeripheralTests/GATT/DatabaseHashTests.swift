// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Peripheral
import Testing

/// Core 5.4, Vol 3, Part G, 7.3 and Appendix B.
@Suite struct DatabaseHashTests {
    /// The database of the specification's sample, as far as the hash depends on it.
    static func sample(name: String = "x") throws -> AttributeDatabase {
        var builder = DatabaseBuilder()
        builder.addService(.genericAccess)
        builder.addCharacteristic(.deviceName, properties: [.read, .write], value: .static(Array(name.utf8)))
        builder.addCharacteristic(.appearance, properties: .read, value: .static([0, 0], maximumCount: 2))
        builder.addService(.genericAttribute)
        builder.addCharacteristic(.serviceChanged, properties: .indicate)
        builder.addCharacteristic(.clientSupportedFeatures, properties: [.read, .write], value: .static([0]))
        builder.addCharacteristic(.databaseHash, properties: .read, value: .static([]))
        builder.addService(BluetoothUUID(0x1808))
        let included = AttributeHandle(rawValue: 0x14)
        builder.addInclude(of: included)
        builder.addCharacteristic(
            BluetoothUUID(0x2A18), properties: [.read, .indicate, .extended], value: .static([]))
        builder.addAttribute(.extendedProperties, permissions: .read, value: .static([0, 0], maximumCount: 2))
        builder.addService(BluetoothUUID(0x180F), primary: false, at: included)
        builder.addCharacteristic(BluetoothUUID(0x2A19), properties: .read, value: .static([80], maximumCount: 1))
        return try builder.build()
    }

    /// The vector `GATT database hash` of `Vectors/smp_vectors.json`: the same declarations, handle by handle.
    @Test func sampleOfTheSpecification() throws {
        #expect(hex(try DatabaseHashTests.sample().hash.octets) == "f1ca2d48ecf58bac8a8830bbb9fba990")
    }

    @Test func valuesAreNoPartOfIt() throws {
        #expect(try DatabaseHashTests.sample(name: "another").hash == DatabaseHashTests.sample().hash)
        var builder = DatabaseBuilder()
        builder.addService(.genericAccess)
        #expect(try builder.build().hash != DatabaseHashTests.sample().hash)
    }

    @Test func hashThatWasKeptHasSixteenOctets() throws {
        let hash = try DatabaseHashTests.sample().hash
        #expect(DatabaseHash(octets: hash.octets) == hash)
        for count in [0, 15, 17] { #expect(DatabaseHash(octets: [UInt8](repeating: 1, count: count)) == nil) }
    }

    /// 7: the service contains Service Changed, client features, hash and server features in this order, so that the
    /// handle of Service Changed is the same without the others.
    @Test func genericAttributeServiceHasAll() throws {
        var builder = DatabaseBuilder()
        #expect(builder.addGATTService().rawValue == 3)
        let database = try builder.build()
        let bench = GATTBench(database)
        #expect(
            bench.send("08 0100 0900 0328") == packed("09 07 0200 20 0300 052a 0500 0a 0600 292b 0700 02 0800 2a2b"))
        #expect(bench.send("08 0900 ffff 0328") == packed("09 07 0900 02 0a00 3a2b"))
        #expect(bench.send("0a 0600") == packed("0b 00"))
        #expect(bench.send("0a 0800") == "0b" + hex(database.hash.octets))
        #expect(bench.send("08 0100 ffff 2a2b") == packed("09 12 0800") + hex(database.hash.octets))
        #expect(bench.send("12 0800" + "00".times(16)) == packed("01 12 0800 03"))
        // No enhanced bearers, no EATT.
        #expect(bench.send("0a 0a00") == packed("0b 00"))
        var configuration = GATTServer.Configuration()
        configuration.enhancedBearers = 1
        #expect(GATTBench(database, configuration: configuration).send("0a 0a00") == packed("0b 01"))
    }

    @Test func genericAttributeServiceWithoutCaching() throws {
        var builder = DatabaseBuilder()
        #expect(builder.addGATTService(robustCaching: false).rawValue == 3)
        #expect(try builder.build().count == 4)
    }

    /// A table with its own attributes of these types is unchanged.
    @Test func tableThatDescribesItselfIsLeftAlone() throws {
        let bench = GATTBench(try DatabaseHashTests.sample())
        #expect(bench.send("08 0100 ffff 2a2b") == packed("09 02 0d00"))
        #expect(bench.send("12 0b00 07") == "13" && bench.send("12 0b00 00") == "13")
        #expect(bench.events.events.isEmpty)
    }
}
