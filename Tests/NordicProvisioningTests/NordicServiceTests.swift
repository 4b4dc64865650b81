// SPDX-License-Identifier: Apache-2.0

import NordicProvisioning
import Peripheral
import WiFi
import WiFiStation
import TestSupport
import Testing
import Timekeeping

/// The table as a client reads it, PDU for PDU (Core 5.4, Vol 3, Part F, 3.4).
@Suite struct NordicServiceTests {
    private final class Bench {
        var server: GATTServer
        var client = GATTServer.Client()
        let service: NordicService
        private var events = GATTEvents()
        private var response: [UInt8] = []

        init(_ profile: NordicProfile) throws {
            let (device, service) = try NordicService.device(named: "PV1A2B3C", profile: profile, advertisingSets: [0])
            server = GATTServer(database: device.database, configuration: device.server)
            server.open(&client)
            self.service = service
        }

        func send(_ pdu: String) -> String {
            let octets = octets(pdu)
            response.removeAll()
            server.receive(octets.span, from: &client, at: .origin, response: &response, events: &events)
            return hex(response)
        }

        /// The value of an attribute, by Read Request.
        func read(_ handle: UInt16) -> String {
            send("0a" + hex([UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8)]))
        }
    }

    private static let base = "58b29cc8812877b8e7490c13"

    @Test(arguments: NordicProfile.allCases)
    func theAttributesStandInThePublishedOrder(profile: NordicProfile) throws {
        let bench = try Bench(profile)
        let first = bench.service.information.rawValue - 2
        #expect(bench.service.controlPoint.rawValue == first + 4)
        #expect(bench.service.dataOut.rawValue == first + 7)
        #expect(bench.read(first) == "0b" + Self.base + "00783814")
        let declarations: [(UInt16, String, UInt16, String)] = [
            (1, "02", 2, "01"), (3, "28", 4, "02"), (6, "10", 7, "03"),
        ]
        for (place, properties, value, digit) in declarations {
            let handle = first + value
            let expected =
                "0b" + properties + hex([UInt8(handle & 0xFF), UInt8(handle >> 8)]) + Self.base + digit + "783814"
            #expect(bench.read(first + place) == expected)
        }
        // Two configurations, which require encryption even to be read; nothing after the second.
        for place in [5, 8] as [UInt16] {
            let handle = first + place
            #expect(bench.read(handle) == "010a" + hex([UInt8(handle & 0xFF), UInt8(handle >> 8)]) + "05")
        }
        let beyond = first + 9
        #expect(bench.read(beyond) == "010a" + hex([UInt8(beyond & 0xFF), UInt8(beyond >> 8)]) + "01")
    }

    @Test(arguments: NordicProfile.allCases)
    func whatALinkHasToBe(profile: NordicProfile) throws {
        let bench = try Bench(profile)
        let control = hex([UInt8(bench.service.controlPoint.rawValue), 0])
        let data = hex([UInt8(bench.service.dataOut.rawValue), 0])
        let configuration = hex([UInt8(bench.service.controlPoint.rawValue) + 1, 0])
        #expect(bench.send("12" + control + "0801") == "0112" + control + "05")
        #expect(bench.send("12" + configuration + "0200") == "0112" + configuration + "05")
        // Read is not among its properties on any link, and Data Out can be neither read nor written.
        #expect(bench.send("0a" + control) == "010a" + control + "02")
        #expect(bench.send("0a" + data) == "010a" + data + "02")
        #expect(bench.send("12" + data + "00") == "0112" + data + "03")
        // A phone with a key is asked to use it: the firmware keeps none, so other devices respond this way.
        bench.client.setSecurity(LinkSecurityLevel(isBonded: true))
        #expect(bench.send("12" + control + "0801") == "0112" + control + "0f")
        #expect(bench.send("0a" + configuration) == "010a" + configuration + "0f")
        bench.client.setSecurity(LinkSecurityLevel(isEncrypted: true, keySize: 7))
        #expect(bench.send("0a" + configuration) == "0b0000")
        #expect(bench.send("12" + configuration + "0200") == "13")
        #expect(bench.send("0a" + configuration) == "0b0200")
        #expect(bench.send("0a" + control) == "010a" + control + "02")
        // A Write Command has no effect: it is not among the properties, and has no response.
        #expect(bench.send("52" + control + "0801") == "")
    }

    @Test func theFirmwareTakes147OctetsAndNoLongWrites() throws {
        let exact = try Bench(.exact)
        #expect(exact.send("020502") == "039300")
        let control = hex([UInt8(exact.service.controlPoint.rawValue), 0])
        exact.client.setSecurity(LinkSecurityLevel(isEncrypted: true))
        #expect(exact.send("16" + control + "00000801") == "0116" + control + "06")
        let gateway = try Bench(.gateway)
        #expect(gateway.send("020502") == "030502")
        gateway.client.setSecurity(LinkSecurityLevel(isEncrypted: true))
        #expect(gateway.send("16" + control + "00000801") == "17" + control + "00000801")
    }

    /// A device program has its own identifiers for characteristics, and the same declarations.
    @Test func otherTablesHaveTheSameDeclarations() {
        var declared: [NordicDeclaration] = []
        let table = NordicTable(security: .authenticated) { declaration in
            declared.append(declaration)
            return "value \(declared.count)"
        }
        #expect(declared.map(\.characteristic) == NordicCharacteristic.allCases)
        #expect(declared.map { "\($0.type)".prefix(8) } == ["14387801", "14387802", "14387803"])
        #expect(declared.map(\.properties) == [.read, [.write, .indicate], .notify])
        #expect(declared.map(\.security) == [.none, .authenticated, .none])
        let configuration: AttributePermissions = [.readAuthenticated, .writeAuthenticated]
        #expect(declared.map(\.configuration) == [nil, configuration, configuration])
        #expect(table.information == "value 1" && table.controlPoint == "value 2" && table.dataOut == "value 3")
        for characteristic in NordicCharacteristic.allCases {
            #expect(table.characteristic(table[characteristic]) == characteristic)
        }
        #expect(table.characteristic("value 4") == nil)
    }

    /// The name and 750 ms of supervision time-out, by Read By Type.
    @Test func whatEveryDeviceSays() throws {
        let bench = try Bench(.exact)
        #expect(bench.send("080100ffff002a") == "090a0300" + hex(Array("PV1A2B3C".utf8)))
        #expect(bench.send("080100ffff042a") == "090a0700" + "1800280000004b00")
    }

    @Test func itPairsJustWorksAndKeepsNothing() {
        let policy = NordicService.security
        #expect(policy.ioCapability == .noInputNoOutput)
        #expect(policy.secureConnections == .preferred)
        #expect(!policy.keepsBonds && !policy.requestsAuthentication && !policy.requiresAuthentication)
        #expect(policy.minimumKeySize == 7)
    }
}
