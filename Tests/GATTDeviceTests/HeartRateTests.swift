import Peripheral
import Phone
import Testing
import Timekeeping
import VirtualRadio

@testable import HeartRate

/// The example of one file, on the virtual air (Heart Rate Service 1.0).
@Suite struct HeartRateTests {
    @Test func isMeasuredEachSecond() throws {
        let rig = DeviceRig(try HeartRateSensor(address: DeviceRig<HeartRateSensor>.address))
        let phone = try rig.connected()
        #expect(phone.found.contains { $0.data == [2, 1, 6, 3, 3, 0x0D, 0x18, 6, 9, 0x68, 0x65, 0x61, 0x72, 0x74] })
        let location = try rig.value(BluetoothUUID(0x2A38), phone)
        #expect(try rig.perform(.read(location.value), phone) == .value([0x01]))
        _ = try rig.subscribe(BluetoothUUID(0x2A37), phone)
        rig.run(.milliseconds(3100))
        #expect(phone.values.map(\.octets) == [[0, 61], [0, 62], [0, 63]])
        let control = try rig.value(BluetoothUUID(0x2A39), phone)
        #expect(try rig.perform(.write(control.value, [0x01]), phone) == .written)
        let before = phone.values.count
        rig.run(.seconds(1))
        #expect(phone.values.dropFirst(before).map(\.octets) == [[0, 61]])
        #expect(rig.controller.violations == [])
    }
}
