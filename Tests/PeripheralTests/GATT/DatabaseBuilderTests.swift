// SPDX-License-Identifier: Apache-2.0

import Peripheral
import TestSupport
import Testing

/// Core 5.4, Vol 3, Part G, 2.5 and 3.
@Suite struct DatabaseBuilderTests {
    private func fault(_ describe: (inout DatabaseBuilder) -> Void) -> DatabaseError? {
        var builder = DatabaseBuilder()
        describe(&builder)
        return thrown { () throws(DatabaseError) in _ = try builder.build() }
    }

    private let one = AttributeHandle(rawValue: 1)

    @Test func handlesAreThoseOfTheTable() throws {
        #expect(try SampleTable.database().count == 0x1E)
        var builder = DatabaseBuilder()
        #expect(builder.addService(BluetoothUUID(0x1900)) == one)
        #expect(builder.addCharacteristic(BluetoothUUID(1), properties: .notify).rawValue == 3)
        #expect(builder.addCharacteristic(BluetoothUUID(1), properties: .read, value: .static([])).rawValue == 6)
        #expect(
            builder.addDescriptor(.userDescription, permissions: .read, value: .static([]), at: .init(rawValue: 0x20))
                == AttributeHandle(rawValue: 0x20))
        #expect(
            builder.addCharacteristic(
                BluetoothUUID(1), properties: .read, at: .init(rawValue: 0x30), valueAt: .init(rawValue: 0x32)
            ).rawValue == 0x32)
        let bench = GATTBench(try builder.build())
        #expect(bench.send("0a 3000") == packed("0b 02 3200 0100"))
        // Gaps are no attributes, and the service spans them.
        for handle in ["0700", "1f00", "2100", "3100", "3300"] {
            #expect(bench.send("0a" + handle) == packed("01 0a" + handle + "01"))
        }
        #expect(bench.send("0a 2000") == "0b")
        #expect(bench.send("10 0100 ffff 0028") == packed("11 06 0100 3200 0019"))
    }

    @Test func serviceMayReserveHandles() throws {
        var builder = DatabaseBuilder()
        builder.addService(BluetoothUUID(0x1900), through: AttributeHandle(rawValue: 0x10))
        builder.addCharacteristic(BluetoothUUID(1), properties: .read, value: .static([]))
        builder.addService(BluetoothUUID(0x1901), at: AttributeHandle(rawValue: 0xFFFF))
        let bench = GATTBench(try builder.build())
        #expect(bench.send("10 0100 ffff 0028") == packed("11 06 0100 1000 0019 ffff ffff 0119"))
        #expect(bench.send("06 0100 ffff 0328 02 0300 0100") == packed("07 0200 1000"))
        #expect(bench.send("0a ffff") == packed("0b 0119"))
        var next = DatabaseBuilder()
        next.addService(BluetoothUUID(0x1900), through: AttributeHandle(rawValue: 0x10))
        #expect(next.addService(BluetoothUUID(0x1901)).rawValue == 0x11)
    }

    @Test func standardServices() throws {
        var builder = DatabaseBuilder()
        let preferred = ConnectionParameters(
            minimumInterval: 12, maximumInterval: 24, latency: 0, supervisionTimeout: 400)
        #expect(builder.addGAPService(name: "Tür", appearance: 0x0708, preferredParameters: preferred).rawValue == 3)
        #expect(builder.addGATTService().rawValue == 10)
        let bench = GATTBench(try builder.build())
        #expect(bench.send("0a 0300") == packed("0b 54c3bc72"))
        #expect(bench.send("0a 0600") == packed("0b 02 0700 042a"))
        #expect(bench.send("0a 0700") == packed("0b 0c00 1800 0000 9001"))
        #expect(bench.send("0a 0900") == packed("0b 20 0a00 052a"))
        #expect(bench.send("12 0300 41") == packed("01 12 0300 03"))
    }

    @Test func emptyDatabaseAnswers() throws {
        let bench = GATTBench(try DatabaseBuilder().build())
        #expect(bench.send("0a 0100") == packed("01 0a 0100 01"))
        #expect(bench.send("10 0100 ffff 0028") == packed("01 10 0100 0a"))
        #expect(bench.send("04 0100 ffff") == packed("01 04 0100 0a"))
    }

    @Test func faultsAreFound() {
        let service = BluetoothUUID(0x1900)
        #expect(fault { $0.addService(service, at: AttributeHandle(rawValue: 0)) } == .handleUnavailable(0))
        #expect(
            fault {
                $0.addService(service, at: AttributeHandle(rawValue: 5))
                $0.addService(service, at: AttributeHandle(rawValue: 5))
            } == .handleUnavailable(5))
        #expect(
            fault {
                $0.addService(service, at: AttributeHandle(rawValue: 0xFFFF))
                $0.addCharacteristic(service, properties: .read)
            } == .handleUnavailable(0x10000))
        #expect(fault { $0.addCharacteristic(service, properties: .read) } == .outsideService(one))
        #expect(
            fault {
                $0.addService(service, through: AttributeHandle(rawValue: 2))
                $0.addCharacteristic(service, properties: .read)
            } == .invalidServiceEnd(one))
        #expect(
            fault {
                $0.addService(service, through: AttributeHandle(rawValue: 9))
                $0.addService(service, at: AttributeHandle(rawValue: 9))
            } == .invalidServiceEnd(one))
        #expect(
            fault {
                $0.addService(service)
                $0.addDescriptor(.userDescription, permissions: [], value: .static(Array(repeating: 0, count: 513)))
            } == .valueTooLong(AttributeHandle(rawValue: 2)))
        #expect(
            fault { $0.addGAPService(name: String(repeating: "x", count: 249), appearance: 0) }
                == .valueTooLong(AttributeHandle(rawValue: 3)))
        #expect(
            fault {
                $0.addService(service)
                $0.addInclude(of: AttributeHandle(rawValue: 2))
            } == .unknownService(AttributeHandle(rawValue: 2)))
        let twice = AttributeValue.clientConfiguration(of: AttributeHandle(rawValue: 3), supporting: .notification)
        #expect(
            fault {
                $0.addService(service)
                $0.addCharacteristic(service, properties: .notify)
                $0.addDescriptor(.clientConfiguration, permissions: .read, value: twice)
            } == .invalidConfiguration(AttributeHandle(rawValue: 3)))
        #expect("\(DatabaseError.outsideService(one))" == "attribute 1 is in no service: add a service before it")
    }

    /// A configuration that requires encryption for reading also, of a value without permissions (Core 5.4, Vol 3, Part
    /// G, 3.3.3.3 leaves the write permission to the implementation).
    @Test func configurationWithPermissionsOfItsOwn() throws {
        var builder = DatabaseBuilder()
        builder.addService(BluetoothUUID(0xFF00))
        builder.addCharacteristic(
            BluetoothUUID(0xFF01), properties: .notify, permissions: [],
            configuration: [.readEncrypted, .writeEncrypted])
        let bench = GATTBench(try builder.build())
        #expect(bench.send("0a 0400") == packed("01 0a 0400 05"))
        #expect(bench.send("12 0400 0100") == packed("01 12 0400 05"))
        bench.setSecurity(LinkSecurityLevel(isBonded: true), slot: 0)
        #expect(bench.send("0a 0400") == packed("01 0a 0400 0f"))
        bench.setSecurity(LinkSecurityLevel(isEncrypted: true), slot: 0)
        #expect(bench.send("0a 0400") == packed("0b 0000"))
        #expect(bench.send("12 0400 0100") == "13")
        #expect(bench.send("0a 0300") == packed("01 0a 0300 02"))
        #expect(bench.send("12 0300 01") == packed("01 12 0300 03"))
    }
}
