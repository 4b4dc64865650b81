// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Peripheral
import Testing

@testable import GATTDevice

/// The convenient form: a list of characteristics.
@Suite struct FriendlyServiceTests {
    private static func service(_ characteristics: String, more: String = "") -> String {
        """
        {"name": "x"\(more), "services": [{"uuid": "180D", "characteristics": [
        \(characteristics)
        ]}]}
        """
    }

    @Test func handlesAndDeclarationsComeByThemselves() throws {
        let table = try device(
            FriendlyServiceTests.service(
                """
                {"uuid": "2A37", "properties": ["notify"], "value": "0048",
                 "descriptors": [{"uuid": "2901", "text": "bpm"}]},
                {"uuid": "6E400002-B5A3-F393-E0A9-E50E24DCCA9E", "properties": ["read", "write"], "text": "hi"}
                """, more: #", "appearance": 833"#))
        var bearer = Bearer(table)
        // Generic Access takes 1 to 5: name, appearance.
        #expect(bearer.send("0a 0300") == "0b78")
        #expect(bearer.send("0a 0500") == "0b4103")
        #expect(bearer.send("10 0100 ffff 0028") == "1106" + "010005000018" + "06000c000d18")
        #expect(bearer.send("0a 0700") == "0b" + "10" + "0800" + "372a")
        #expect(bearer.send("0a 0900") == "0b0000")
        #expect(bearer.send("0a 0a00") == "0b62706d")
        #expect(
            bearer.send("0a 0b00") == "0b" + "0a" + "0c00"
                + "9eca dc24 0ee5 a9e0 93f3 a3b5 0200 406e".filter { $0 != " " })
        #expect(bearer.send("0a 0c00") == "0b6869")
        #expect(bearer.send("12 0c00 aabb") == "13")
        #expect(bearer.send("0a 0c00") == "0baabb")
        #expect(bearer.send("0a 0800") == "010a080002")
        #expect(table.services == [BluetoothUUID(0x180D)])
    }

    /// Service Changed stands before what changes: its handle stays the same (Core 5.4, Vol 3, Part G, 7.1).
    @Test func serviceChangedComesByItselfWhereItIsOfUse() throws {
        let own = #"{"uuid": "2A38", "properties": ["read"], "value": "01"}"#
        func json(_ uuid: String) -> [UInt8] {
            Array(FriendlyServiceTests.service(own).replacing("180D", with: uuid).utf8)
        }
        var bearer = Bearer(try DeviceTable(json: json("180D"), tellsOfChanges: true))
        #expect(bearer.send("10 0100 ffff 0028") == "1106" + "010005000018" + "06000f000118" + "100012000d18")
        #expect(bearer.send("0a 0700") == "0b" + "20" + "0800" + "052a")
        // A file that has the service keeps its own.
        var other = Bearer(try DeviceTable(json: json("1801"), tellsOfChanges: true))
        #expect(other.send("10 0100 ffff 0028") == "1106" + "010005000018" + "060008000118")
    }

    @Test func friendlyServiceFollowsARawOne() throws {
        let table = try device(
            """
            {"name": "x", "services": [
             {"uuid": "1801", "start": 1, "end": 16, "attributes": [
              {"handle": 1, "type": "2800", "permissions": ["read"], "value": "0118"}]},
             {"uuid": "180D", "characteristics": [{"uuid": "2A38", "properties": ["read"], "value": "01"}]}]}
            """)
        var bearer = Bearer(table)
        #expect(bearer.send("10 0100 ffff 0028") == "1106" + "010010000118" + "110013000d18")
    }

    @Test func securityIsHeldOnALinkThatIsNotEncrypted() throws {
        for level in ["encrypted", "authenticated", "secure-connections"] {
            let table = try device(
                FriendlyServiceTests.service(
                    """
                    {"uuid": "2A38", "properties": ["read", "write", "write-without-response", "notify"],
                     "security": "\(level)", "value": "01"}
                    """))
            var bearer = Bearer(table)
            // Insufficient Authentication (Core 5.4, Vol 3, Part C, 10.3.1): reading, writing, subscribing.
            #expect(bearer.send("0a 0800") == "010a080005")
            #expect(bearer.send("12 0800 02") == "0112080005")
            #expect(bearer.send("12 0900 0100") == "0112090005")
        }
    }

    @Test func subscribingToAProtectedValueThatIsOnlyNotifiedIsRefused() throws {
        let table = try device(
            FriendlyServiceTests.service(
                #"{"uuid": "2A37", "properties": ["notify"], "security": "encrypted", "value": "01"}"#))
        var bearer = Bearer(table)
        #expect(bearer.send("12 0900 0100") == "0112090005")
    }

    @Test func lengthOfAWrittenValueIsBounded() throws {
        var bearer = Bearer(
            try device(
                FriendlyServiceTests.service(#"{"uuid": "2A39", "properties": ["write"], "max-length": 1}"#)))
        #expect(bearer.send("12 0800 01") == "13")
        #expect(bearer.send("12 0800 0102") == "011208000d")
    }

    @Test func mtuAndEchoChannelAreTheFiles() throws {
        let table = try device(
            FriendlyServiceTests.service(
                #"{"uuid": "2A37", "properties": ["indicate"]}"#, more: #", "mtu": 100, "echo-channel": 128"#))
        #expect(table.mtu == 100)
        #expect(table.echoChannel == 0x80)
    }

    @Test func writtenValuesAreToldAndReadsWhereThatIsAskedFor() throws {
        let json = FriendlyServiceTests.service(
            #"{"uuid": "2A38", "properties": ["read", "write"], "value": "01", "max-length": 2}"#)
        var bearer = Bearer(try device(json))
        #expect(bearer.send("12 0800 02") == "13")
        #expect(
            bearer.events.events == [
                .written(AttributeHandle(rawValue: 8), value: 0..<1, withResponse: true)
            ])
        #expect(bearer.send("0a 0800") == "0b02")
        let shown = try DeviceTable(json: Array(json.utf8), holdsValues: true)
        #expect(shown.dynamicValues == [AttributeHandle(rawValue: 8): .init(octets: [1], maximumCount: 2)])
        var asked = Bearer(shown)
        // The device answers; the server sends nothing of its own accord.
        #expect(asked.send("0a 0800") == "")
    }

    @Test func nameOfTheCommandLineComesFirst() throws {
        let json = FriendlyServiceTests.service(#"{"uuid": "2A38", "properties": ["read"]}"#)
        let table = try DeviceTable(json: Array(json.utf8), name: "other")
        #expect(table.name == "other")
        var bearer = Bearer(table)
        #expect(bearer.send("0a 0300") == "0b" + hex(Array("other".utf8)))
    }

    @Test func faultsOfTheWholeFile() {
        let one = #"{"uuid": "180D", "characteristics": []}"#
        let cases = [
            ("[]", "1: is a list, and must be an object"),
            ("{}", "1: lacks \"name\""),
            (#"{"name": "x"}"#, "1: lacks \"services\""),
            (#"{"name": "x", "services": []}"#, "1: services: is empty; give one service"),
            (#"{"name": "", "services": [\#(one)]}"#, "1: name: has 0 octets as UTF-8; 1 to 248 are possible"),
            (#"{"name": 1, "services": [\#(one)]}"#, "1: name: is a number, and must be text"),
            (
                #"{"name": "x", "titel": 1, "services": [\#(one)]}"#,
                "1: titel: unknown key; here are $schema, name, appearance, mtu, echo-channel, "
                    + "advertising, services"
            ),
            (
                #"{"name": "x", "mtu": 22, "services": [\#(one)]}"#,
                "1: mtu: 22 is not a whole number from 23 to 517"
            ),
            (
                #"{"name": "x", "mtu": 1e2, "services": [\#(one)]}"#,
                "1: mtu: 1e2 is not a whole number from 23 to 517"
            ),
            (
                #"{"name": "x", "echo-channel": 127, "services": [\#(one)]}"#,
                "1: echo-channel: 127 is not a whole number from 128 to 255"
            ),
            (
                #"{"name": "x", "services": [{"uuid": "180D"}]}"#,
                "1: services[0]: has neither \"characteristics\" nor \"attributes\"; give one of them"
            ),
            (
                #"{"name": "x", "appearance": 1, "services": [{"uuid": "1800", "characteristics": []}]}"#,
                "1: appearance: means nothing here: the file has its own Generic Access service, or the raw form"
            ),
        ]
        for (json, expected) in cases { #expect(fault(json) == expected) }
    }

    @Test func faultsOfCharacteristics() {
        let place = "2: services[0].characteristics[0]"
        let cases = [
            (#"{"properties": ["read"]}"#, "\(place): lacks \"uuid\""),
            (#"{"uuid": "2A38", "properties": []}"#, "\(place).properties: is empty; give one property"),
            (
                #"{"uuid": "2A38", "properties": ["reed"]}"#,
                "\(place).properties[0]: \"reed\" is not known; write read, write, write-without-response, notify, "
                    + "indicate"
            ),
            (
                #"{"uuid": "2A38", "properties": ["read"], "security": "high"}"#,
                "\(place).security: \"high\" is not known; write none, encrypted, authenticated, "
                    + "secure-connections"
            ),
            (
                #"{"uuid": "2A38", "properties": ["read"], "on-write": "store"}"#,
                "\(place).on-write: means nothing: the characteristic is not written"
            ),
            (
                #"{"uuid": "2A38", "properties": ["write"], "on-write": "echo"}"#,
                "\(place).on-write: leads to a characteristic without the property \"notify\" or \"indicate\""
            ),
            (
                #"{"uuid": "2A38", "properties": ["write"], "on-write": "echo", "on-write-to": "2A39"}"#,
                "\(place).on-write-to: names 0 characteristics of this service; one is needed"
            ),
            (
                #"{"uuid": "2A38", "properties": ["write"], "on-write-to": "2A38"}"#,
                "\(place).on-write-to: needs \"on-write\" as echo or notify"
            ),
            (
                #"{"uuid": "2A38", "properties": ["read"], "notify-every": "1 s", "value": "00"}"#,
                "\(place).notify-every: needs the property \"notify\" or \"indicate\""
            ),
            (
                #"{"uuid": "2A38", "properties": ["notify"], "notify-every": "1 s"}"#,
                "\(place).notify-every: needs \"value\", \"text\" or \"values\": what to notify"
            ),
            (
                #"{"uuid": "2A38", "properties": ["notify"], "notify-every": "5 ms", "value": "00"}"#,
                "\(place).notify-every: 5 ms is out of range: 10 ms to 86400 s"
            ),
            (
                #"{"uuid": "2A38", "properties": ["notify"], "notify-every": "1 h", "value": "00"}"#,
                "\(place).notify-every: \"1 h\" is no time; write it as \"250 ms\" or \"1 s\""
            ),
            (
                #"{"uuid": "2A38", "properties": ["notify", "write"], "notify-every": "1 s", "value": "00"}"#,
                "\(place).notify-every: would undo what is written and stored; use another characteristic for one of "
                    + "the two"
            ),
            (
                #"{"uuid": "2A38", "properties": ["read"], "values": ["00"]}"#,
                "\(place).values: means nothing without \"notify-every\""
            ),
            (
                #"{"uuid": "2A38", "properties": ["notify"], "notify-every": "1 s", "values": []}"#,
                "\(place).values: is empty; give one value"
            ),
            (
                #"{"uuid": "2A38", "properties": ["read"], "value": "00", "text": "a"}"#,
                "\(place).text: is given beside \"value\"; keep one"
            ),
            (
                #"{"uuid": "2A38", "properties": ["read"], "max-length": 1}"#,
                "\(place).max-length: means nothing: the characteristic is not written"
            ),
            (
                #"{"uuid": "2A38", "properties": ["write"], "max-length": 1, "value": "0000"}"#,
                "\(place).max-length: is 1, and a value has 2 octets"
            ),
            (
                #"{"uuid": "2A38", "properties": ["notify"], "descriptors": [{"uuid": "2902", "value": "0000"}]}"#,
                "\(place).descriptors[0].uuid: 2902 is no descriptor to add: it comes by itself"
            ),
        ]
        for (json, expected) in cases { #expect(fault(FriendlyServiceTests.service(json)) == expected) }
    }

    @Test func handlesRunOut() {
        let json = """
            {"name": "x", "services": [
             {"uuid": "1801", "start": 65533, "end": 65533, "attributes": [
              {"handle": 65533, "type": "2800", "permissions": ["read"], "value": "0118"}]},
             {"uuid": "180D", "characteristics": [{"uuid": "2A38", "properties": ["read"]}]}]}
            """
        #expect(fault(json) == "4: services[1].characteristics[0]: has no handle left: 65535 are the most")
        #expect(
            fault(json.replacing("65533", with: "65535"))
                == "4: services[1]: has no handle left: 65535 are the most")
    }
}
