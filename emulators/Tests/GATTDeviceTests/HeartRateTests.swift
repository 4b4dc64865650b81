// SPDX-License-Identifier: Apache-2.0

import AirRig
import Crypto
import HostLoop
import Peripheral
import Phone
import Testing
import Timekeeping
import VirtualRadio

@testable import HeartRate

/// The example, on the virtual air (Heart Rate Service 1.0).
@Suite struct HeartRateTests {
    private typealias Rig = DeviceRig<DeviceProgram<HeartRateSensor>>

    private func rig(pairs: Bool = false) throws -> Rig {
        var random: any RandomSource = SystemRandomSource()
        let identity = SecurityIdentity(address: Rig.address, resolvingKey: Value128(from: &random))
        let keys = DeviceKeys(identity: identity, store: TransientBondStore(), random: random)
        return Rig(
            try DeviceProgram(HeartRateSensor(), devices: [HeartRateSensor.device(pairs: pairs)], keys: keys))
    }

    @Test func isMeasuredEachSecond() throws {
        let rig = try rig()
        let phone = try rig.connected()
        #expect(phone.found.contains { $0.data == [2, 1, 6, 3, 3, 0x0D, 0x18, 6, 9, 0x68, 0x65, 0x61, 0x72, 0x74] })
        let location = try rig.value(BluetoothUUID(0x2A38), phone)
        #expect(try rig.perform(.read(location.value), phone) == .value([0x01]))
        _ = try rig.subscribe(BluetoothUUID(0x2A37), phone)
        rig.run(.milliseconds(3100))
        #expect(phone.values.map(\.octets) == [[0, 61], [0, 62], [0, 63]])
        rig.run(.seconds(7))
        #expect(phone.values.last?.octets == [0x08, 70, 10, 0])
        #expect(rig.controller.violations == [])
    }

    /// Heart Rate Service 1.0, 3.3.
    @Test func energyIsSetBack() throws {
        let rig = try rig()
        let phone = try rig.connected()
        let control = try rig.value(BluetoothUUID(0x2A39), phone)
        _ = try rig.subscribe(BluetoothUUID(0x2A37), phone)
        rig.run(.milliseconds(5500))
        #expect(try rig.perform(.write(control.value, [0x01]), phone) == .written)
        rig.run(.milliseconds(5000))
        #expect(phone.values.last?.octets == [0x08, 70, 5, 0])
        #expect(throws: GATTClientError.refused(handle: control.value, code: 0x80)) {
            try rig.perform(.write(control.value, [0x02]), phone)
        }
    }

    /// Insufficient Authentication: the phone has to pair (Core 5.4, Vol 3, Part C, 10.3.1).
    @Test func onlyWhoHasPairedSetsItBack() throws {
        let rig = try rig(pairs: true)
        let phone = try rig.connected()
        let control = try rig.value(BluetoothUUID(0x2A39), phone)
        #expect(throws: GATTClientError.refused(handle: control.value, code: 0x05)) {
            try rig.perform(.write(control.value, [0x01]), phone)
        }
    }

    /// The heart rate is not advanced while no client is subscribed.
    @Test func notMeasuredForNobody() throws {
        let rig = try rig()
        let phone = try rig.connected()
        _ = try rig.subscribe(BluetoothUUID(0x2A37), phone)
        rig.run(.milliseconds(2500))
        let link = try #require(phone.link)
        phone.central.disconnect(link, at: rig.air.now)
        rig.run(.seconds(5))
        #expect(rig.device.state.rate == 62)
    }

    @Test func aPhoneWalksUp() throws {
        var lines: [String] = []
        let program = try DeviceProgram(HeartRateSensor(), devices: [HeartRateSensor.device(pairs: false)])
        WalkingPhone.visit(program, for: .seconds(15)) { lines.append($0) }
        #expect(lines.contains { $0.hasSuffix("phone: ATT_MTU 517") })
        #expect(lines.contains { $0.hasSuffix("phone: body sensor location [1]") })
        #expect(lines.contains { $0.hasSuffix("phone: 61 beats per minute") })
        #expect(lines.contains { $0.hasSuffix("phone: 70 beats per minute, 10 kJ") })
        #expect(!lines.contains { $0.contains("rule") })
    }

    @Test func optionsSayWhatIsMissing() throws {
        let helped = try Options(["--hci", "virtual", "--help"])
        #expect(helped == nil)
        let options = try #require(try Options(["--bonds", "bonds", "--hci", "hci-socket:0"]))
        #expect(options.hci == "hci-socket:0" && options.bonds == "bonds")
        for wrong in [[], ["--hci"], ["--hci", ""], ["hci-socket:0"], ["--bonds", "bonds"]] {
            #expect(throws: HostLoopError.self) { try Options(wrong) }
        }
    }
}
