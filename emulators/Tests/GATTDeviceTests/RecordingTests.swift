// SPDX-License-Identifier: Apache-2.0

import AirRig
import Peripheral
import Phone
import TestSupport
import Testing
import Timekeeping

@testable import GATTDevice

/// The recordings of raw attributes: later values of reads, values that are sent at their times, answers to writes.
@Suite struct RecordingTests {
    private static let level = AttributeHandle(rawValue: 3)
    private static let configuration = AttributeHandle(rawValue: 4)

    private static func table(_ more: String, permissions: String = #""read", "write""#) -> String {
        """
        {"name": "raw", "services": [{"uuid": "180F", "start": 1, "end": 4, "attributes": [
        {"handle": 1, "type": "2800", "permissions": ["read"], "value": "0f18"},
        {"handle": 2, "type": "2803", "permissions": ["read"], "value": "1a0300192a"},
        {"handle": 3, "type": "2A19", "permissions": [\(permissions)], "value": "64"\(more)},
        {"handle": 4, "type": "2902", "permissions": ["read", "write"], "value": "0000"}
        ]}]}
        """
    }

    private func rig(_ more: String) throws -> DeviceRig<EmulatedDevice> {
        let table = try DeviceTable(json: Array(RecordingTests.table(more).utf8), holdsValues: true)
        return DeviceRig(EmulatedDevice(table, address: DeviceRig<EmulatedDevice>.address))
    }

    private func read(_ rig: DeviceRig<EmulatedDevice>, _ phone: ClientPhone) throws -> String {
        guard case .value(let octets) = try rig.perform(.read(RecordingTests.level), phone) else { return "no value" }
        return hex(octets)
    }

    @Test func readsOfALinkGiveTheLaterValues() throws {
        let rig = try rig(#", "later-values": ["63", "62"]"#)
        let first = try rig.connected()
        #expect(try (0..<4).map { _ in try read(rig, first) } == ["64", "63", "62", "62"])
        let second = try rig.connected()
        #expect(try read(rig, second) == "64")
        // A written value replaces the recorded ones, for all.
        #expect(try rig.perform(.write(RecordingTests.level, [0x05]), second) == .written)
        #expect(try read(rig, second) == "05" && read(rig, first) == "05")
    }

    @Test func valuesAreSentAtTheirTimesFromTheSubscription() throws {
        let rig = try rig(#", "sends": [{"after": "400 ms", "value": "01"}, {"after": "1 s", "value": "02"}]"#)
        let phone = try rig.connected()
        rig.run(.seconds(2))
        #expect(phone.values.isEmpty)
        #expect(try rig.perform(.subscribe(descriptor: RecordingTests.configuration, .notification), phone) == .written)
        rig.run(.seconds(3))
        #expect(phone.values.map { hex($0.octets) }.prefix(4) == ["01", "02", "01", "02"])
        let gaps = zip(phone.values, phone.values.dropFirst()).map { $1.at - $0.at }
        // Within two connection intervals.
        for (gap, expected) in zip(gaps, [1000, 400, 1000].map { Duration.milliseconds($0) }) {
            #expect((expected - .milliseconds(60)...expected + .milliseconds(60)).contains(gap))
        }
        // The value that is read is not the sent one; a new subscription begins with the first.
        #expect(try read(rig, phone) == "64")
        #expect(try rig.perform(.subscribe(descriptor: RecordingTests.configuration, []), phone) == .written)
        phone.values.removeAll()
        #expect(try rig.perform(.subscribe(descriptor: RecordingTests.configuration, .notification), phone) == .written)
        rig.run(.milliseconds(600))
        #expect(phone.values.map { hex($0.octets) } == ["01"])
    }

    @Test func writtenOctetsAreAnswered() throws {
        let rig = try rig(#", "answers": [{"to": "0401", "value": "050003"}]"#)
        let phone = try rig.connected()
        #expect(try rig.perform(.subscribe(descriptor: RecordingTests.configuration, .notification), phone) == .written)
        #expect(try rig.perform(.write(RecordingTests.level, [4, 1]), phone) == .written)
        #expect(try rig.perform(.write(RecordingTests.level, [4, 2]), phone) == .written)
        rig.run(.milliseconds(200))
        #expect(phone.values.map { hex($0.octets) } == ["050003"])
    }

    @Test(arguments: [
        (#", "later-values": ["01"]"#, #""write""#, "later-values: means nothing: it is not read"),
        (#", "answers": [{"to": "01", "value": "02"}]"#, #""read""#, "answers: means nothing: it is not written"),
        (#", "sends": []"#, #""read""#, "sends: is empty; give one value"),
        (
            #", "sends": [{"after": "0 ms", "value": "01"}]"#, #""read""#,
            "sends[0].after: 0 ms is out of range: 1 ms to 86400 s"
        ),
    ])
    func faultsOfARecording(_ more: String, _ permissions: String, _ expected: String) {
        #expect(
            fault(RecordingTests.table(more, permissions: permissions)) == "4: services[0].attributes[2].\(expected)")
    }
}
