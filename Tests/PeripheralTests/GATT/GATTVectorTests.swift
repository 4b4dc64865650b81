// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Peripheral
import Testing

/// The byte facts in `Vectors/gatt_vectors.json`: qualification cases for a GATT server on four databases.
@Suite struct GATTVectorTests {
    struct Vectors: Decodable {
        struct Database: Decodable { var services: [Service] }
        struct Service: Decodable {
            var uuid: String
            var primary: Bool
            var start: UInt16
            var end: UInt16
            var attributes: [Attribute]
        }
        struct Attribute: Decodable {
            var handle: UInt16
            var type: String
            var permissions: [String]
            var value: String
        }
        struct Case: Decodable, CustomTestStringConvertible {
            var id: String
            var db: String
            var steps: [Step]
            var testDescription: String { id }
        }
        struct Step: Decodable {
            var send: String?
            var expect: String?
            var expect_nothing: Bool?
            var trigger: Trigger?
        }
        struct Trigger: Decodable {
            var kind: String
            var handle: UInt16
            var value: String
        }
        var databases: [String: Database]
        var tests: [Case]
    }

    static func load() throws -> Vectors {
        try SecurityFacts.read("gatt_vectors.json", as: Vectors.self)
    }

    /// The case writes three octets to a client characteristic configuration and expects success. Core 5.4, Vol 3, Part
    /// G, 3.3.3.3 gives it two, so it is replayed with that descriptor as one of no special kind.
    static let descriptorOfAnyLength = "/TP/GAW/SR/BV-08-C/small"

    @Test(arguments: try load().tests)
    func isAnsweredByteForByte(_ vector: Vectors.Case) throws {
        let databases = try GATTVectorTests.load().databases
        let description = try #require(databases[vector.db])
        let plain = vector.id == GATTVectorTests.descriptorOfAnyLength
        try replay(vector, on: GATTVectorTests.database(description, plainConfigurations: plain))
    }

    @Test func thereAreAllCases() throws {
        let vectors = try GATTVectorTests.load()
        #expect(vectors.tests.count == 24)
        #expect(vectors.databases.count == 4)
        #expect(vectors.tests.allSatisfy { $0.steps.contains { $0.expect != nil } })
    }

    /// The response to the excepted case with a real configuration: Invalid Attribute Value Length.
    @Test func configurationOfThreeOctetsIsRefused() throws {
        let description = try #require(try GATTVectorTests.load().databases["ts_small_db"])
        let bench = GATTBench(try GATTVectorTests.database(description, plainConfigurations: false))
        #expect(bench.send("12 0400 010203") == packed("01 12 0400 0d"))
        #expect(bench.send("12 0400 0200") == "13")
    }

    private func replay(_ vector: Vectors.Case, on database: AttributeDatabase) throws {
        var configuration = GATTServer.Configuration()
        configuration.maximumMTU = 512
        let bench = GATTBench(database, slots: 1, configuration: configuration)
        var answer = ""
        for (number, step) in vector.steps.enumerated() {
            if let pdu = step.send { answer = bench.send(pdu) }
            if let expected = step.expect { #expect(answer == expected, "step \(number)") }
            if step.expect_nothing == true { #expect(answer == "", "step \(number)") }
            if let trigger = step.trigger {
                let value = octets(trigger.value)
                let sent =
                    trigger.kind == "indicate"
                    ? bench.indicate(trigger.handle, value) : bench.notify(trigger.handle, value)
                #expect(sent.0 == .accepted, "step \(number)")
                answer = sent.1
            }
        }
        #expect(!bench.awaitsConfirmation(slot: 0))
    }

    static func database(_ description: Vectors.Database, plainConfigurations: Bool) throws -> AttributeDatabase {
        var builder = DatabaseBuilder()
        for service in description.services {
            let start = AttributeHandle(rawValue: service.start)
            let uuid = try #require(BluetoothUUID(service.uuid))
            builder.addService(
                uuid, primary: service.primary, at: start, through: AttributeHandle(rawValue: service.end))
            var declaration: [UInt8] = []
            for attribute in service.attributes.dropFirst() {
                let type = try #require(BluetoothUUID(attribute.type))
                var value = AttributeValue.static(octets(attribute.value))
                if type == .characteristic { declaration = octets(attribute.value) }
                if type == .clientConfiguration, !plainConfigurations, declaration.count >= 3 {
                    let target = UInt16(declaration[1]) | UInt16(declaration[2]) << 8
                    var supported: ClientConfiguration = []
                    if declaration[0] & 0x10 != 0 { supported.insert(.notification) }
                    if declaration[0] & 0x20 != 0 { supported.insert(.indication) }
                    value = .clientConfiguration(of: AttributeHandle(rawValue: target), supporting: supported)
                }
                builder.addAttribute(
                    type, permissions: try permissions(attribute.permissions), value: value,
                    at: AttributeHandle(rawValue: attribute.handle))
            }
        }
        return try builder.build()
    }

    private static func permissions(_ names: [String]) throws -> AttributePermissions {
        let known: [String: AttributePermissions] = [
            "read": .read, "write": .write, "read_encrypt": .readEncrypted, "write_encrypt": .writeEncrypted,
        ]
        return try names.reduce(into: []) { $0.insert(try #require(known[$1])) }
    }
}
