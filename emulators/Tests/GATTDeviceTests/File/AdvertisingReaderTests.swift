// SPDX-License-Identifier: Apache-2.0

import AirRig
import Peripheral
import Phone
import TestSupport
import Testing
import VirtualRadio

@testable import GATTDevice

/// The packets of a device file, octet for octet (Core Specification Supplement, Part A, 1).
@Suite struct AdvertisingReaderTests {
    private static func file(_ advertising: String) -> String {
        """
        {"name": "x", "services": [{"uuid": "180D", "characteristics": []}],
         "advertising": \(advertising)}
        """
    }

    private func packet(_ structures: String) throws -> String {
        let table = try device(Self.file(#"{"packet": [\#(structures)]}"#))
        return hex(try #require(table.advertising.first).data)
    }

    private func problem(_ advertising: String) -> String? {
        fault(Self.file(advertising))?.replacing("2: advertising", with: "")
    }

    @Test func everyStructureByItsName() throws {
        for (structure, octets) in [
            (#"{"flags": ["general-discoverable", "no-br-edr"]}"#, "020106"),
            (#"{"flags": []}"#, "020100"),
            (#"{"flags": ["limited-discoverable", "simultaneous-br-edr"]}"#, "020109"),
            (#"{"services": ["180D", "FEAA"]}"#, "05030d18aafe"),
            (#"{"incomplete-services": ["180D"]}"#, "03020d18"),
            (#"{"services": ["0001FEAA"]}"#, "0505aafe0100"),
            (#"{"incomplete-services": ["0001FEAA"]}"#, "0504aafe0100"),
            (#"{"services": ["6E400001-B5A3-F393-E0A9-E50E24DCCA9E"]}"#, "11079ecadc240ee5a9e093f3a3b50100406e"),
            (
                #"{"incomplete-services": ["6E400001-B5A3-F393-E0A9-E50E24DCCA9E"]}"#,
                "11069ecadc240ee5a9e093f3a3b50100406e"
            ),
            // As written, though 16 bits would do.
            (#"{"services": ["0000180D-0000-1000-8000-00805F9B34FB"]}"#, "1107fb349b5f80000080001000000d180000"),
            (#"{"solicited-services": ["1812"]}"#, "03141218"),
            (#"{"solicited-services": ["00011812"]}"#, "051f12180100"),
            (#"{"service-data": {"uuid": "FEAA", "value": "2000"}}"#, "0516aafe2000"),
            (#"{"service-data": {"uuid": "0001FEAA", "value": "20"}}"#, "0620aafe010020"),
            (
                #"{"service-data": {"uuid": "6E400001-B5A3-F393-E0A9-E50E24DCCA9E", "value": "01"}}"#,
                "12219ecadc240ee5a9e093f3a3b50100406e01"
            ),
            (#"{"service-data": {"uuid": "FEAA"}}"#, "0316aafe"),
            (#"{"manufacturer-data": {"company": "004C", "value": "0215"}}"#, "05ff4c000215"),
            (#"{"appearance": 833}"#, "03194103"),
            (#"{"tx-power": -12}"#, "020af4"),
            (#"{"name": "heart"}"#, "06096865617274"),
            (#"{"short-name": "he"}"#, "03086865"),
            (#"{"connection-interval-range": {"minimum": 6, "maximum": 3200}}"#, "05120600800c"),
            (#"{"connection-interval-range": {"maximum": 16}}"#, "0512ffff1000"),
            (#"{"uri": "https://a.b"}"#, "0924172f2f612e62"),
            (#"{"uri": "http://a.b"}"#, "0924162f2f612e62"),
            (#"{"uri": "tel:1"}"#, "07240174656c3a31"),
            (#"{"type": "2A", "value": "0102"}"#, "032a0102"),
            (#"{"type": "1B", "value": ""}"#, "011b"),
        ] {
            // Lengths are computed here, not read from the table above.
            let body = octets.dropFirst(2)
            let length = String(UInt16(body.count / 2) | 0x100, radix: 16).dropFirst()
            #expect(try packet(structure) == length + body, "\(structure)")
        }
        #expect(try packet("") == "")
    }

    /// The packets of a beacon as somebody read them out, as octets and by name.
    @Test func publishedDump() throws {
        let data = "0201060303aafe1116aafe20000c1a1a4000000b5600016d47"
        let response = "0b094b6f6e74616b742d30310a160dd0396f6c4e33315d"
        let raw = try device(Self.file(#"{"packet": "\#(data)", "scan-response": "\#(response)"}"#))
        let named = try device(
            Self.file(
                #"""
                {"packet": [
                    {"flags": ["general-discoverable", "no-br-edr"]}, {"services": ["FEAA"]},
                    {"service-data": {"uuid": "FEAA", "value": "20000c1a1a4000000b5600016d47"}}
                 ],
                 "scan-response": [
                    {"name": "Kontakt-01"}, {"service-data": {"uuid": "D00D", "value": "396f6c4e33315d"}}
                 ]}
                """#))
        for table in [raw, named] {
            #expect(table.advertising.map { hex($0.data) } == [data])
            #expect(table.advertising.map { hex($0.scanResponse) } == [response])
        }
    }

    @Test func setsWithTheirKindIntervalAndPower() throws {
        let table = try device(
            Self.file(
                #"""
                [{"packet": "020106", "interval": "20 ms", "transmit-power-dbm": -8},
                 {"packet": "0303aafe", "kind": "non-connectable", "interval": "10240 ms"},
                 {"packet": "020a00", "scan-response": "0209", "kind": "scannable"}]
                """#))
        let sets = table.advertising
        #expect(sets.map(\.kind) == [.connectable, .nonConnectable, .scannable])
        #expect(sets.map(\.interval) == [.milliseconds(20), .milliseconds(10_240), .milliseconds(100)])
        #expect(sets.map(\.transmitPower) == [-8, nil, nil])
        #expect(table.advertisingOmission == nil)
    }

    @Test func whatDoesNotFitIsAnError() {
        let thirtyTwo = String(repeating: "00", count: 32)
        for (advertising, expected) in [
            (#"{"packet": "\#(thirtyTwo)"}"#, ".packet: has 32 octets, and 31 are the most"),
            (
                #"{"packet": [{"flags": []}, {"name": "aaaaaaaaaaaaaaaaaaaaaaaaaaa"}]}"#,
                ".packet[1]: an advertising structure of 29 octets does not fit the 28 that are left of 31: shorten it, "
                    + "or move a structure to the scan response"
            ),
            (
                #"{"packet": "", "scan-response": [{"type": "FF", "value": "\#(thirtyTwo.dropLast(2))"}]}"#,
                ".scan-response[0]: an advertising structure of 33 octets does not fit the 31 that are left of 31: "
                    + "shorten it, or move a structure to the scan response"
            ),
            (
                #"{"packet": "", "interval": "19 ms"}"#, ": advertising interval 0.019 seconds: use 20 ms to 10.24 s"
            ),
            (
                #"{"packet": "", "kind": "non-connectable", "scan-response": "0209"}"#,
                ": a set that is not scannable has a scan response: drop it, or make the set scannable"
            ),
            ("[]", ": has 0 sets; 1 to 8 are possible"),
            ("{}", ": lacks \"packet\""),
            (#"{"packet": [{}]}"#, ".packet[0]: has 0 keys; a structure has one, or \"type\" and \"value\""),
            (
                #"{"packet": [{"name": "a", "appearance": 1}]}"#,
                ".packet[0]: has 2 keys; a structure has one, or \"type\" and \"value\""
            ),
            (#"{"packet": [{"type": "2A"}]}"#, ".packet[0]: has a \"type\", and needs a \"value\" and nothing else"),
            (
                #"{"packet": [{"services": ["180D", "0000180D"]}]}"#,
                ".packet[0].services[1]: has another length than the UUIDs before it; give it a list for itself"
            ),
            (#"{"packet": [{"services": []}]}"#, ".packet[0].services: is empty; give one UUID"),
            (#"{"packet": [{"tx-power": 128}]}"#, ".packet[0].tx-power: 128 is not a whole number from -127 to 127"),
        ] { #expect(problem(advertising) == expected) }
    }

    @Test func whatTheServicesDoNotFitIsTold() throws {
        let services = (0..<20).map { #"{"uuid": "18\#(10 + $0)", "characteristics": []}"# }
        let many = try device(#"{"name": "x", "services": [\#(services.joined(separator: ","))]}"#)
        #expect(
            many.advertisingOmission
                == "not all of its services and name fit its packets, which \"advertising\" can choose")
        let few = try device(#"{"name": "x", "services": [\#(services[0])]}"#)
        #expect(few.advertisingOmission == nil)
    }

    @Test(arguments: [ControllerProfile.modern, .legacy])
    func packetsAreOnTheAirAsWritten(_ profile: ControllerProfile) throws {
        let table = try device(
            Self.file(
                #"""
                [{"packet": "0201060303aafe", "scan-response": "0b094b6f6e74616b742d3031"},
                 {"packet": "0516aafe2000", "kind": "non-connectable"}]
                """#))
        let rig = DeviceRig(EmulatedDevice(table, address: DeviceRig<EmulatedDevice>.address), profile: profile)
        let phone = try rig.listening()
        rig.run(.seconds(2))
        let heard = Set(phone.found.map { hex($0.data) })
        #expect(heard == ["0201060303aafe", "0516aafe2000"])
        #expect(phone.found.contains { $0.scanResponse.map(hex) == "0b094b6f6e74616b742d3031" })
        // A file that changes changes its sets, more or fewer.
        rig.device.replace(0, with: try device(Self.file(#"{"packet": "020a05"}"#)), at: rig.air.now)
        rig.run(.seconds(1))
        let later = try rig.listening()
        rig.run(.seconds(2))
        #expect(Set(later.found.map { hex($0.data) }) == ["020a05"])
        let connected = try rig.connected()
        #expect(connected.link != nil)
    }
}
