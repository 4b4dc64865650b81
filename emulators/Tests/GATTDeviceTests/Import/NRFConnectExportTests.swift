// SPDX-License-Identifier: Apache-2.0

import Peripheral
import TestSupport
import Testing

@testable import GATTDevice

/// Exports of nRF Connect for Mobile as descriptions.
@Suite struct NRFConnectExportTests {
    /// The elements and attributes of a published export, with other contents.
    private static let export = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- a lamp -->
        <server-configuration name="Lamp &amp; more">
            <service name="Lamp" uuid="7e2f5a00-4d1c-4b57-9c39-6f1f6d0c1a00">
                <characteristic name="Level" uuid="7e2f5a01-4d1c-4b57-9c39-6f1f6d0c1a00" value="2A">
                    <descriptor name="CCCD" uuid="00002902-0000-1000-8000-00805f9b34fb" value="0000">
                        <permission name="READ"/>
                        <permission name="WRITE"/>
                    </descriptor>
                    <descriptor name="Text" uuid="00002901-0000-1000-8000-00805f9b34fb" value="4c76">
                        <permission name="READ"/>
                    </descriptor>
                    <permission name="READ_ENCRYPTED"/>
                    <permission name="WRITE"/>
                    <property name="READ"/>
                    <property name="WRITE_WITHOUT_RESPONSE"/>
                    <property name="NOTIFY"/>
                </characteristic>
            </service>
        </server-configuration>

        """

    private func made(_ text: String) throws -> DeviceDescription {
        try DeviceDescription(importing: Array(text.utf8))
    }

    private func fault(_ text: String) -> String? { thrown { _ = try made(text) }.map { "\($0)" } }

    @Test func exportIsServed() throws {
        let made = try made(NRFConnectExportTests.export)
        let table = try DeviceTable(json: made.json)
        #expect(table.name == "Lamp & more")
        #expect(table.services == [BluetoothUUID("7E2F5A00-4D1C-4B57-9C39-6F1F6D0C1A00")])
        var bearer = Bearer(table)
        #expect(bearer.send("0a 0300") == "0b" + hex(Array("Lamp & more".utf8)))
        #expect(bearer.send("10 0600 ffff 0028") == "111406000a00001a0c6d1f6f399c574b1c4d005a2f7e")
        #expect(bearer.send("08 0600 ffff 0328") == "0915" + "0700" + "160800" + "001a0c6d1f6f399c574b1c4d015a2f7e")
        #expect(bearer.send("04 0900 0a00") == "050109000229" + "0a000129")
        #expect(bearer.send("0a 0800") == "010a080005" && bearer.send("0a 0a00") == "0b4c76")
        #expect(
            made.remarks == [
                "an export of nRF Connect has no handles: they are given in its order, from 1",
                "it has no advertisement: the services and the name are advertised",
                "it has no Generic Access service: it is added, with the name",
            ])
    }

    private static let start = "<server-configuration name=\"x\">"

    @Test(arguments: [
        (
            "<resources/>",
            "line 1: <resources> is no server configuration of nRF Connect: use Configure GATT server, Export"
        ),
        (
            "\(start)\n<service uuid=\"zz\"/></server-configuration>",
            "line 2: <service> has no UUID of four or 36 characters"
        ),
        ("\(start)<macro/></server-configuration>", "line 1: <macro> stands where a service is expected"),
        (
            "\(start)<service uuid=\"180F\" secret=\"1\"/></server-configuration>",
            "line 1: secret of <service> is not known; here are name, uuid"
        ),
        (
            "\(start)<service uuid=\"180F\"><characteristic uuid=\"2A19\" value=\"6\"/></service></server-configuration>",
            "line 1: value is no octets in hexadecimal digits"
        ),
        ("\(start)\n</service>", "line 2: </service> ends <server-configuration> of line 1"),
        ("\(start)text</server-configuration>", "line 1: an element is expected"),
        ("\(start)</server-configuration><x/>", "line 1: more follows the element <server-configuration>"),
        ("<server-configuration name='1' name='2'/>", "line 1: name is given twice; keep one"),
        (
            "<server-configuration name=\"&lol;\"/>",
            "line 1: &lol; is not known; write &lt; &gt; &amp; &quot; &apos; or a number"
        ),
        ("<!DOCTYPE x>\(start)</server-configuration>", "line 1: a name is expected"),
        ("\n<!-- ", "line 2: --> is missing: the text ends within a comment or an instruction"),
        (
            String(repeating: "<a>", count: 17),
            "line 1: elements lie more than 16 deep in each other"
        ),
    ])
    func faultsAreNamed(_ text: String, _ expected: String) { #expect(fault(text) == expected) }

    @Test func cutAtEveryOctet() {
        let octets = Array(NRFConnectExportTests.export.utf8)
        // The last line end may be missing.
        for count in 0..<(octets.count - 2) {
            #expect(throws: DeviceImportFault.self) { try DeviceDescription(importing: Array(octets.prefix(count))) }
        }
    }

    @Test func signedWritesAndAMissingConfigurationAreRemarked() throws {
        let made = try made(
            """
            \(NRFConnectExportTests.start)<service uuid="180F"><characteristic uuid="2A19" value="64">
            <permission name="WRITE_SIGNED"/><property name="INDICATE"/></characteristic></service></server-configuration>
            """)
        #expect(made.remarks.contains("WRITE_SIGNED of 2A19: signed writes are not played"))
        #expect(made.remarks.contains("2A19 is sent, and has no descriptor 2902: clients cannot subscribe to it"))
    }
}
