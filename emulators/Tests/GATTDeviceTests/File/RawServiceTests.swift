// SPDX-License-Identifier: Apache-2.0

import Foundation
import Peripheral
import Testing

@testable import GATTDevice

/// The raw form: a list of attributes.
@Suite struct RawServiceTests {
    private static let declaration = #"{"handle": 1, "type": "2800", "permissions": ["read"], "value": "0118"}"#

    private static func service(_ attributes: String, start: Int = 1, end: Int = 9, uuid: String = "1801") -> String {
        """
        {"name": "raw", "services": [
        {"uuid": "\(uuid)", "start": \(start), "end": \(end), "attributes": [
        \(attributes)
        ]}]}
        """
    }

    private static func attribute(
        _ handle: Int, _ type: String, _ value: String, permissions: String = #"["read"]"#
    ) -> String {
        ",\n" + #"{"handle": \#(handle), "type": "\#(type)", "permissions": \#(permissions), "value": "\#(value)"}"#
    }

    /// Every database of the qualification vectors is served as the vectors specify.
    @Test func databasesOfTheVectorsAreServedByteForByte() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Tests/PeripheralTests/Vectors/gatt_vectors.json")
        let vectors = try #require(
            JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        let databases = try #require(vectors["databases"] as? [String: [String: Any]])
        let cases = try #require(vectors["tests"] as? [[String: Any]])
        var played = 0
        for vector in cases {
            let (id, name) = (try #require(vector["id"] as? String), try #require(vector["db"] as? String))
            let steps = try #require(vector["steps"] as? [[String: Any]])
            // Notifications are sent through the host. Three octets to a configuration are refused, as 3.3.3.3
            // specifies.
            if steps.contains(where: { $0["trigger"] != nil }) || id == "/TP/GAW/SR/BV-08-C/small" { continue }
            var description = try #require(databases[name])
            description["name"] = name
            description["mtu"] = 512
            let json = try JSONSerialization.data(withJSONObject: description)
            let table = try DeviceTable(json: [UInt8](json))
            #expect(table.mtu == 512)
            var bearer = Bearer(table)
            var answer = ""
            for step in steps {
                if let pdu = step["send"] as? String { answer = bearer.send(pdu) }
                if let expected = step["expect"] as? String { #expect(answer == expected, "\(id)") }
                if step["expect_nothing"] as? Bool == true { #expect(answer == "", "\(id)") }
            }
            played += 1
        }
        #expect(played == 22)
    }

    @Test func endMayLieBeyondTheLastAttribute() throws {
        var bearer = Bearer(try device(RawServiceTests.service(RawServiceTests.declaration)))
        #expect(bearer.send("10 0100 ffff 0028") == "1106010009000118")
    }

    @Test func permissionsOnALinkThatIsNotEncrypted() throws {
        let attributes =
            RawServiceTests.declaration
            + RawServiceTests.attribute(2, "2a00", "01", permissions: "[]")
            + RawServiceTests.attribute(3, "2a01", "02", permissions: #"["read_encrypt", "write"]"#)
            + RawServiceTests.attribute(4, "2a02", "03", permissions: #"["read", "write_encrypt"]"#)
        let table = try device(RawServiceTests.service(attributes))
        var bearer = Bearer(table)
        #expect(bearer.send("0a 0200") == "010a020002")
        #expect(bearer.send("12 0200 00") == "0112020003")
        #expect(bearer.send("0a 0300") == "010a030005")
        #expect(bearer.send("12 0300 0a0b") == "13")
        #expect(bearer.send("0a 0400") == "0b03")
        #expect(bearer.send("12 0400 00") == "0112040005")
    }

    @Test func configurationBelongsToTheCharacteristicBeforeIt() throws {
        let attributes =
            RawServiceTests.declaration + RawServiceTests.attribute(2, "2803", "100300372a")
            + RawServiceTests.attribute(3, "2a37", "0048", permissions: "[]")
            + RawServiceTests.attribute(4, "2902", "0000", permissions: #"["read", "write"]"#)
        let table = try device(RawServiceTests.service(attributes))
        var bearer = Bearer(table)
        #expect(bearer.send("12 0400 0200") == "01120400fd")
        #expect(bearer.send("12 0400 0100") == "13")
        #expect(
            bearer.events.events == [.subscribed(AttributeHandle(rawValue: 3), .notification)])
    }

    @Test func whatIsAdvertisedAreThePrimaryServices() throws {
        let table = try device(
            """
            {"name": "x", "services": [
             {"uuid": "180d", "primary": false, "start": 1, "end": 1, "attributes": [
              {"handle": 1, "type": "2801", "permissions": ["read"], "value": "0d18"}]},
             {"uuid": "180f", "start": 2, "end": 2, "attributes": [
              {"handle": 2, "type": "2800", "permissions": ["read"], "value": "0f18"}]}]}
            """)
        #expect(table.services == [BluetoothUUID(0x180F)])
        #expect(table.database.count == 2)
    }

    @Test func faultsHavePlaces() {
        let declaration = RawServiceTests.declaration
        let cases = [
            (
                RawServiceTests.service(declaration + RawServiceTests.attribute(1, "2a00", "")),
                "4: services[0].attributes[1].handle: is 1, and the attribute before has 1; give attributes in order"
            ),
            (
                RawServiceTests.service(declaration + RawServiceTests.attribute(10, "2a00", "")),
                "4: services[0].attributes[1].handle: is 10, behind the service's end, 9"
            ),
            (
                RawServiceTests.service(declaration + RawServiceTests.attribute(70_000, "2a00", "")),
                "4: services[0].attributes[1].handle: 70000 is not a whole number from 1 to 65535"
            ),
            (
                RawServiceTests.service(declaration, start: 2),
                "3: services[0].attributes[0].handle: is not the service's start, 2; the first attribute is its "
                    + "declaration"
            ),
            (
                RawServiceTests.service(declaration, uuid: "1802"),
                "3: services[0].attributes[0].value: is not the service's UUID, 1802, with the least significant "
                    + "octet first"
            ),
            (
                RawServiceTests.service(declaration, end: 0),
                "2: services[0].end: 0 is not a whole number from 1 to 65535"
            ),
            (RawServiceTests.service(""), "2: services[0].attributes: is empty; give the service's declaration"),
            (
                RawServiceTests.service(declaration + RawServiceTests.attribute(2, "2a0", "")),
                "4: services[0].attributes[1].type: \"2a0\" is no UUID; write four hexadecimal digits, or 36 "
                    + "characters with hyphens"
            ),
            (
                RawServiceTests.service(declaration + RawServiceTests.attribute(2, "2a00", "012")),
                "4: services[0].attributes[1].value: has 3 hexadecimal digits; two make an octet"
            ),
            (
                RawServiceTests.service(declaration + RawServiceTests.attribute(2, "2a00", "01 2")),
                "4: services[0].attributes[1].value: has something else than hexadecimal digits at character 3"
            ),
            (
                RawServiceTests.service(
                    declaration + RawServiceTests.attribute(2, "2a00", String(repeating: "00", count: 513))),
                "4: services[0].attributes[1].value: has 513 octets, and 512 are the most"
            ),
            (
                RawServiceTests.service(
                    declaration + RawServiceTests.attribute(2, "2a00", "", permissions: #"["see"]"#)),
                "4: services[0].attributes[1].permissions[0]: \"see\" is not known; write read, write, read_encrypt, "
                    + "write_encrypt, read_authen, write_authen, read_secure, write_secure"
            ),
            (
                RawServiceTests.service(declaration + RawServiceTests.attribute(2, "2800", "0118")),
                "4: services[0].attributes[1].type: declares a service; open another one in \"services\""
            ),
            (
                RawServiceTests.service(declaration + RawServiceTests.attribute(2, "2902", "0000")),
                "4: services[0].attributes[1].type: is a client characteristic configuration without a "
                    + "characteristic's value before it"
            ),
            (
                RawServiceTests.service(declaration + RawServiceTests.attribute(2, "2803", "1003")),
                "4: services[0].attributes[1].value: has 2 octets; a characteristic's declaration has 5 or 19"
            ),
        ]
        for (json, expected) in cases { #expect(fault(json) == expected) }
    }

    @Test func servicesStandInOrder() {
        let one =
            #"{"uuid": "1801", "start": 5, "end": 7, "attributes": [{"handle": 5, "type": "2800", "permissions": ["read"], "value": "0118"}]}"#
        #expect(
            fault(#"{"name": "x", "services": [\#(one), \#(one)]}"#)
                == "1: services[1].start: is 5, and the service before ends at 7; give services in order")
    }
}
