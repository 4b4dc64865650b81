// SPDX-License-Identifier: Apache-2.0

import AirRig
import Emulation
import Peripheral
import Phone
import TestSupport
import Testing
import Timekeeping
import VirtualRadio

@testable import GATTDevice

/// Faults and commands of a device from a file, on the virtual air.
@Suite struct DeviceFaultTests {
    private typealias Rig = DeviceRig<EmulatedDevice>
    private let uuid = BluetoothUUID(0x2A38)

    private static let table = """
        {"name": "x", "services": [{"uuid": "180D", "characteristics": [
          {"uuid": "2A38", "properties": ["read", "write", "notify"], "value": "01", "on-write": "notify"},
          {"uuid": "2A37", "properties": ["notify"], "value": "3c", "notify-every": "1 s"},
          {"uuid": "2A39", "properties": ["write"], "max-length": 2}
        ]}]}
        """

    private var steps: [EmulatedStep] { get throws { DeviceStep.steps(of: [try Self.device()]) } }

    private static func device() throws -> DeviceTable {
        try DeviceTable(json: Array(table.utf8), holdsValues: true)
    }

    private func rig(_ scenario: EmulationScenario = EmulationScenario()) throws -> Rig {
        var settings = EmulationSettings()
        settings.host.verificationPeriod = nil
        let played = PlayedDevice(try Self.device(), address: Rig.address)
        return DeviceRig(EmulatedDevice([played], settings: settings, faults: DeviceFaults(scenario)))
    }

    @discardableResult
    private func type(_ line: String, _ rig: Rig) throws -> [String] {
        let command = try DeviceCommand(line: line, steps: try steps)
        return rig.device.execute(
            command, Timeline(start: .origin, expectations: []), try steps, at: rig.air.now)
    }

    private func notices(_ rig: Rig) -> [DeviceNotice] { all { rig.device.nextNotice() } }

    @Test func eachValueHasItsSteps() throws {
        #expect(
            try steps.map(\.name) == [
                "connect", "subscribe", "read", "write", "value", "read-2A38", "write-2A38", "value-2A38", "value-2A37",
                "write-2A39",
            ])
    }

    @Test func aReadIsRefusedOnceWithTheFaultsError() throws {
        let rig = try rig()
        let phone = try rig.connected()
        let found = try rig.value(uuid, phone)
        #expect(try type("fault error read 0x05", rig) == ["error 0x05 at read, the next time"])
        #expect(throws: GATTClientError.self) { _ = try rig.perform(.read(found.value), phone) }
        #expect(try rig.perform(.read(found.value), phone) == .value([0x01]))
        let refused = notices(rig).compactMap { notice in
            if case .failed(_, let request, uuid) = notice { request.error.rawValue } else { nil }
        }
        #expect(refused == [0x05])
    }

    /// A write that a fault refuses is not stored, and one at another value's step does not count.
    @Test func aRefusedWriteChangesNothing() throws {
        let rig = try rig()
        let phone = try rig.connected()
        let found = try rig.value(uuid, phone)
        try type("fault error write-2A38 0x80", rig)
        try type("fault error write-2A39 0x81", rig)
        #expect(throws: GATTClientError.self) { _ = try rig.perform(.write(found.value, [9]), phone) }
        #expect(try rig.perform(.read(found.value), phone) == .value([0x01]))
        #expect(try rig.perform(.write(found.value, [9]), phone) == .written)
        #expect(try rig.perform(.read(found.value), phone) == .value([9]))
        #expect(rig.device.faults.plan.rules.map(\.step) == ["write-2A39"])
    }

    @Test func aSlowAnswerComesInItsOrder() throws {
        let rig = try rig()
        let phone = try rig.connected()
        let found = try rig.value(uuid, phone)
        try type("fault delay read 2000", rig)
        let begin = rig.air.now
        #expect(try rig.perform(.read(found.value), phone) == .value([0x01]))
        #expect(rig.air.now - begin >= .seconds(2) && rig.air.now - begin < .milliseconds(2500))
    }

    @Test func theLinkEndsInsteadOfAnAnswerOrAfterIt() throws {
        let rig = try rig()
        var phone = try rig.connected()
        var found = try rig.value(uuid, phone)
        try type("fault disconnect-before read", rig)
        #expect(throws: (any Error).self) { _ = try rig.perform(.read(found.value), phone) }
        #expect(phone.link == nil)
        phone = try rig.connected()
        found = try rig.value(uuid, phone)
        try type("fault disconnect-after read", rig)
        #expect(try rig.perform(.read(found.value), phone) == .value([0x01]))
        rig.run(.milliseconds(500))
        #expect(phone.link == nil)
    }

    @Test func valuesAreDroppedDoubledAndChanged() throws {
        let rig = try rig()
        let phone = try rig.connected()
        _ = try rig.subscribe(BluetoothUUID(0x2A37), phone)
        for line in [
            "fault drop value", "fault duplicate value-2A37 2", "fault replace value a1b2 3",
            "fault truncate value 0 4",
        ] {
            try type(line, rig)
        }
        rig.run(.milliseconds(5500))
        #expect(phone.values.map(\.octets) == [[0x3C], [0x3C], [0xA1, 0xB2], [], [0x3C]])
        #expect(notices(rig).contains { if case .dropped = $0 { true } else { false } })
    }

    @Test func aStormAndSilence() throws {
        let rig = try rig()
        let phone = try rig.connected()
        _ = try rig.subscribe(uuid, phone)
        #expect(try type("values storm", rig) == ["each subscribed value is sent every 10 ms"])
        rig.run(.seconds(1))
        #expect((80...101).contains(phone.values.count) && phone.values.last?.octets == [0x01])
        try type("values none", rig)
        rig.run(.milliseconds(100))
        phone.values.removeAll()
        try type("send 2A38 07", rig)
        rig.run(.seconds(3))
        #expect(phone.values.isEmpty)
        try type("values normal", rig)
        #expect(try type("send 2A38 08", rig) == ["2A38 has changed"])
        #expect(try type("send 2A3A 08", rig) == ["there is no value 2A3A that can be changed"])
        rig.run(.milliseconds(200))
        #expect(phone.values.map(\.octets) == [[8]])
        #expect(rig.device.observed.switches.map(\.value) == ["normal", "off"])
    }

    @Test func aConnectionIsRefusedAndALinkEndsOnCommand() throws {
        let rig = try rig()
        try type("fault refuse connect", rig)
        _ = try? rig.connected()
        rig.run(.milliseconds(500))
        let reasons = notices(rig).compactMap { notice in
            if case .disconnected(_, let reason) = notice { reason } else { nil }
        }
        #expect(reasons == [.localHostTerminated])
        let phone = try rig.connected()
        #expect(try type("disconnect 77", rig) == ["there is no link 77"])
        #expect(try type("disconnect power-off", rig) == ["1 link ends"])
        rig.run(.milliseconds(500))
        #expect(phone.link == nil)
    }

    @Test func theScenarioBeginsWhenTheDeviceIsReady() throws {
        let json = """
            {"faults": [{"at": "read", "do": {"error": 14}}], "events": [{"after-ms": 60000, "quit": true}]}
            """
        let rig = try rig(try EmulationScenario(json: Array(json.utf8), steps: try steps))
        let phone = try rig.connected()
        let found = try rig.value(uuid, phone)
        #expect(throws: GATTClientError.self) { _ = try rig.perform(.read(found.value), phone) }
        rig.run(.seconds(61))
        #expect(notices(rig).contains(.executed(.quit, ["the end"])))
    }

    @Test(arguments: [
        ("values loud", "write values normal, values none or values storm"),
        ("send 2A38 0", "write send UUID HEX, as send 2A37 003c; at most 512 octets"),
        ("wifi down", "the device has no Wi-Fi; help lists the commands"),
        (
            "fault error value 5",
            "error does not suit value, a plain value; what does is drop, duplicate, "
                + "disconnect-before, disconnect-after, delay, truncate, replace, extend"
        ),
    ])
    func wrongLinesHaveARemedy(_ line: String, _ words: String) throws {
        let fault = #expect(throws: CommandFault.self) { _ = try DeviceCommand(line: line, steps: DeviceStep.common) }
        #expect(fault?.description == words)
    }
}
