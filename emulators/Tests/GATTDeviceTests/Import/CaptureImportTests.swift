// SPDX-License-Identifier: Apache-2.0

import Peripheral
import TestSupport
import Testing

@testable import GATTDevice

/// Captures of HCI traffic as descriptions.
@Suite struct CaptureImportTests {
    private func made(_ maker: CaptureMaker, peer: BluetoothAddress? = nil) throws -> DeviceDescription {
        try DeviceDescription(importing: maker.octets, peer: peer)
    }

    private func fault(_ octets: [UInt8], peer: BluetoothAddress? = nil) -> String? {
        thrown { _ = try DeviceDescription(importing: octets, peer: peer) }.map { "\($0)" }
    }

    private static let sensor = """
        {
          "name": "sensor",
          "mtu": 185,
          "advertising": [
            {"packet": "02010603030f18", "scan-response": "070973656e736f72"}
          ],
          "services": [
            {"uuid": "1800", "primary": true, "start": 1, "end": 3, "attributes": [
              {"handle": 1, "type": "2800", "permissions": ["read"], "value": "0018"},
              {"handle": 2, "type": "2803", "permissions": ["read"], "value": "020300002a"},
              {"handle": 3, "type": "2A00", "permissions": ["read"], "value": "73656e736f72"}
            ]},
            {"uuid": "180F", "primary": true, "start": 4, "end": 8, "attributes": [
              {"handle": 4, "type": "2800", "permissions": ["read"], "value": "0f18"},
              {"handle": 5, "type": "2803", "permissions": ["read"], "value": "120600192a"},
              {"handle": 6, "type": "2A19", "permissions": ["read"], "value": "64", "later-values": ["62"], \
        "sends": [{"after": "500 ms", "value": "63"}, {"after": "1000 ms", "value": "62"}]},
              {"handle": 7, "type": "2902", "permissions": ["read", "write"], "value": "0000"},
              {"handle": 8, "type": "2901", "permissions": ["read"], "value": "6c6576656c"}
            ]}
          ]
        }

        """

    @Test(arguments: CaptureMaker.Format.allCases)
    func sensorIsDescribedFromEachFormat(_ format: CaptureMaker.Format) throws {
        let made = try made(.sensor(format))
        #expect(String(decoding: made.json, as: UTF8.self) == CaptureImportTests.sensor)
        #expect(
            made.remarks == [
                "a scanner's capture does not show the advertising interval: it is 100 ms",
                "it had the address C0:00:00:00:00:01",
            ])
    }

    @Test func descriptionServesTheRecordedOctets() throws {
        let table = try DeviceTable(json: try made(.sensor()).json)
        #expect(table.mtu == 185)
        var bearer = Bearer(table)
        #expect(bearer.send("10 0100 ffff 0028") == "110601000300001804000800" + "0f18")
        #expect(bearer.send("08 0400 0800 0328") == "09070500120600192a")
        #expect(bearer.send("04 0600 0800") == "0501" + "0600192a" + "07000229" + "08000129")
        #expect(bearer.send("0a 0600") == "0b64" && bearer.send("0a 0800") == "0b6c6576656c")
    }

    /// The capture of the device's own host has its advertising commands, and its responses are sent.
    @Test func captureOfTheDeviceItself() throws {
        var maker = CaptureMaker()
        maker.send("01 06 20 0f a000 a000 00 01 00 000000000000 07 00")
        maker.send("01 08 20 20 07 02010603030f18" + String(repeating: "00", count: 24))
        maker.send("01 09 20 20 03 020a04" + String(repeating: "00", count: 28))
        maker.send("01 0a 20 01 01")
        maker.connect(asPeripheral: true)
        maker.data("10 0100 ffff 0028", isReceived: true)
        maker.data("11 06 0100 0300 0f18", isReceived: false)
        maker.data("08 0100 0300 0328", isReceived: true)
        maker.data("09 07 0200 02 0300 192a", isReceived: false)
        maker.data("0a 0300", isReceived: true)
        maker.data("0b 07", isReceived: false)
        let made = try made(maker)
        let table = try DeviceTable(json: made.json)
        #expect(table.advertising.count == 1)
        #expect(
            hex(table.advertising[0].data) == "02010603030f18" && hex(table.advertising[0].scanResponse) == "020a04")
        #expect(table.advertising[0].interval == .milliseconds(100))
        var bearer = Bearer(table)
        #expect(bearer.send("0a 0300") == "0b07")
        #expect(made.remarks.contains("the capture shows no name: it is \"device\""))
        #expect(made.remarks.contains("no client asked for its ATT_MTU: it offers 517"))
    }

    /// A table that the client had in its cache is not invented.
    @Test func valuesWithoutDiscoveryAreAFault() {
        var maker = CaptureMaker()
        maker.connect()
        maker.exchange("0a 0300", "0b 07")
        #expect(
            fault(maker.octets)
                == "shows values and no services: the client had them in its cache; let it forget the device, and "
                + "capture again")
        #expect(
            fault(CaptureMaker().octets)
                == "shows no services of a device: capture a connection from its start, with discovery")
    }

    @Test func unseenContentsAreRemarked() throws {
        var maker = CaptureMaker()
        maker.connect()
        maker.exchange("10 0100 ffff 0028", "11 06 0100 0800 0f18")
        maker.exchange("08 0100 0800 0328", "09 07 0200 12 0300 192a 0400 0a 0500 1a2a")
        maker.exchange("0a 0500", "01 0a 0500 05")
        maker.exchange("0a 0900", "0b 01")
        let made = try made(maker)
        for remark in [
            "2A19 (handle 3) was never read: its value is empty",
            "2A19 (handle 3) is sent, and the capture does not show its configuration (2902): clients cannot subscribe",
            "2A1A (handle 5): a read was refused with 0x05: its value is empty",
            "2A1A (handle 5) asked for a secure link: here an encrypted one, of any pairing",
            "values of handles 9 are in no service that the capture shows: left out",
            "the capture shows no connectable advertisement of it: it advertises its services and its name",
        ] {
            #expect(made.remarks.contains(remark), "\(made.remarks)")
        }
        var bearer = Bearer(try DeviceTable(json: made.json))
        #expect(bearer.send("0a 0500") == "010a050005" && bearer.send("0a 0300") == "0b")
    }

    /// Core 5.4, Vol 3, Part G, 4.8.3: the parts of a long value are joined; the last one may be missing.
    @Test func longValuesAreJoined() throws {
        let first = String(repeating: "ab", count: 22)
        func long(_ rest: (inout CaptureMaker) -> Void) throws -> DeviceDescription {
            var maker = CaptureMaker()
            maker.connect()
            maker.exchange("10 0100 ffff 0028", "11 06 0100 0300 0f18")
            maker.exchange("08 0100 0300 0328", "09 07 0200 02 0300 192a")
            maker.exchange("0a 0300", "0b" + first)
            rest(&maker)
            return try made(maker)
        }
        let isCut = "2A19 (handle 3) may be longer than its 22 octets shown"
        #expect(try long { _ in }.remarks.contains(isCut))
        #expect(try !long { $0.exchange("0c 0300 1600", "01 0c 0300 0b") }.remarks.contains(isCut))
        let joined = try long { $0.exchange("0c 0300 1600", "0d cdef") }
        #expect(!joined.remarks.contains(isCut))
        #expect(String(decoding: joined.json, as: UTF8.self).contains("\"value\": \"\(first)cdef\"}"))
    }

    /// A control point answers by an indication of itself: the answer belongs to the written octets.
    @Test func answersOfAControlPoint() throws {
        var maker = CaptureMaker()
        maker.connect()
        maker.exchange("10 0100 ffff 0028", "11 06 0100 0400 0818")
        maker.exchange("08 0100 0400 0328", "09 07 0200 28 0300 522a")
        maker.exchange("04 0400 0400", "05 01 0400 0229")
        maker.exchange("12 0400 0200", "13")
        maker.exchange("12 0300 0401", "13")
        maker.answer("1d 0300 05000300")
        maker.ask("1e")
        let json = String(decoding: try made(maker).json, as: UTF8.self)
        #expect(json.contains(#""answers": [{"to": "0401", "value": "05000300"}]"#) && !json.contains("sends"))
    }

    @Test func deviceIsChosenByItsAddress() throws {
        var maker = CaptureMaker.sensor()
        maker.receive("04 3e 13 01 00 4100 00 01 0200000000c0 1800 0000 4800 00")
        maker.data("10 0100 ffff 0028", isReceived: false, handle: "4120")
        maker.data("11 06 0100 0100 0a18", isReceived: true, handle: "4120")
        #expect(
            fault(maker.octets)
                == "shows the services of C0:00:00:00:00:01, C0:00:00:00:00:02: choose by --peer")
        let other = try made(maker, peer: BluetoothAddress(kind: .random, value: 0xC000_0000_0002))
        #expect(try DeviceTable(json: other.json).services == [BluetoothUUID(0x180A)])
        #expect(
            fault(maker.octets, peer: BluetoothAddress(kind: .random, value: 3))
                == "shows no services of 00:00:00:00:00:03, but of C0:00:00:00:00:01, C0:00:00:00:00:02")
    }

    /// A connection that began before the capture: the first PDU shows which end is the server.
    @Test func captureThatBeginsWithinAConnection() throws {
        var maker = CaptureMaker()
        maker.exchange("10 0100 ffff 0028", "11 06 0100 0100 0f18")
        #expect(try DeviceTable(json: made(maker).json).services == [BluetoothUUID(0x180F)])
    }

    @Test func extendedReportsOfLegacyPacketsAreRead() throws {
        func report(_ type: String, _ data: String) -> String {
            "04 3e 21 0d 01 \(type) 01 0100000000c0 01 00 ff 7f c4 0000 00 000000000000 07 \(data)"
        }
        var maker = CaptureMaker()
        maker.receive(report("1300", "06095741534541"))
        maker.receive(report("1b00", "06094f54484552"))
        maker.receive(report("0000", "06094f54484552"))
        maker.connect()
        maker.exchange("10 0100 ffff 0028", "11 06 0100 0100 0f18")
        let made = try made(maker)
        let table = try DeviceTable(json: made.json)
        #expect(table.advertising.map { hex($0.data) } == ["06095741534541"])
        #expect(table.advertising.map { hex($0.scanResponse) } == ["06094f54484552"] && table.name == "WASEA")
        #expect(
            made.remarks.contains(
                "it also advertised directed packets, or longer ones of extended advertising: left out"))
    }

    // MARK: - Files that are none

    @Test(arguments: CaptureMaker.Format.allCases)
    func cutAtEveryOctet(_ format: CaptureMaker.Format) throws {
        let whole = CaptureMaker.sensor(format).octets
        for count in 0..<whole.count {
            let cut = Array(whole.prefix(count))
            // Between two records the file is whole, and shows what it shows.
            do throws(DeviceImportFault) { _ = try DeviceDescription(importing: cut) } catch {
                #expect(!error.description.contains("\n") && !error.description.contains("its description"))
            }
        }
        #expect(fault(whole + [0]) != nil)
    }

    @Test func otherFilesAreNamed() {
        #expect(
            fault(Array("hello".utf8))
                == "neither a btsnoop or pcapng capture nor an XML export of nRF Connect")
        #expect(fault([0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0]) == "a pcap file: save it as pcapng, as Wireshark does")
        let other = Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0, 7]
        #expect(fault(other) == "octet 8: datalink 7 is not H4 (1002): use a capture of H4 packets")
        #expect(
            fault(octets("0a0d0d0a 1c000000 4d3c2b1a 01000000 ffffffffffffffff 1d000000"))
                == "octet 0: invalid length, interface or time resolution of a block: truncate the file there")
    }

    /// Two tables at the same handles: the device has changed between the connections.
    @Test func servicesThatOverlapAreAFault() {
        var maker = CaptureMaker()
        maker.connect()
        maker.exchange("10 0100 ffff 0028", "11 06 0100 0800 0f18")
        maker.exchange("10 0100 ffff 0028", "11 06 0500 0900 0a18")
        #expect(fault(maker.octets)?.hasPrefix("shows a service at handles 5 to 9, which another one has too") == true)
    }
}
