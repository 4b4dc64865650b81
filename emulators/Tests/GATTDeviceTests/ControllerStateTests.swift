// SPDX-License-Identifier: Apache-2.0

import AirRig
import Peripheral
import Phone
import TestSupport
import Testing
import Timekeeping
import VirtualRadio

@testable import GATTDevice

/// A device from a file on a controller that loses its state, or refuses to advertise.
@Suite struct ControllerStateTests {
    private let uuid = BluetoothUUID(0x2A38)

    private func emulated() throws -> EmulatedDevice {
        let table = try device(
            """
            {"name": "x", "services": [{"uuid": "180D", "characteristics": [
                {"uuid": "2A38", "properties": ["read"], "value": "01"}]}]}
            """)
        return EmulatedDevice(table, address: DeviceRig<EmulatedDevice>.address)
    }

    /// Found again within 30 s, by a phone that comes then.
    @Test(arguments: [ControllerProfile.modern, .legacy, .minimal])
    func aSilentRestart(_ profile: ControllerProfile) throws {
        let rig = DeviceRig(try emulated(), profile: profile)
        for milliseconds in [200, 5000, 12_000] {
            rig.run(.milliseconds(milliseconds))
            rig.controller.restart()
            rig.run(.seconds(30))
            let phone = try rig.connected()
            #expect(try rig.perform(.read(try rig.value(uuid, phone).value), phone) == .value([0x01]))
            phone.central.disconnect(try #require(phone.link), at: rig.air.now)
            rig.run(.seconds(1))
        }
        // The question about a set that is gone is the one rule that is broken.
        #expect(rig.controller.violations.allSatisfy { $0.hasSuffix("no advertising set 0") })
    }

    /// With a link that the controller has lost as well.
    @Test(arguments: [ControllerProfile.modern, .legacy, .minimal])
    func aSilentRestartWithALink(_ profile: ControllerProfile) throws {
        let rig = DeviceRig(try emulated(), profile: profile)
        _ = try rig.connected()
        rig.run(.seconds(3))
        _ = all { rig.device.nextNotice() }
        rig.controller.restart()
        rig.run(.seconds(30))
        let notices = all { rig.device.nextNotice() }
        #expect(notices.contains { if case .disconnected = $0 { true } else { false } })
        let phone = try rig.connected()
        #expect(try rig.perform(.read(try rig.value(uuid, phone).value), phone) == .value([0x01]))
    }

    /// The device is ready once the controller has confirmed it; refusals are reported.
    @Test(
        arguments: [(ControllerProfile.legacy, 0x2006), (.legacy, 0x200A), (.modern, 0x2036), (.modern, 0x2037)]
            as [(ControllerProfile, UInt16)])
    func advertisingThatIsRefused(_ profile: ControllerProfile, _ opcode: UInt16) throws {
        let rig = DeviceRig(try emulated(), profile: profile, refusals: [opcode: .invalidParameters])
        rig.run(.seconds(5))
        let refusal = AdvertisingRefusal(set: 0, opcode: opcode, status: .invalidParameters, isRepeated: true)
        #expect(all { rig.device.nextNotice() } == [.advertisingRefused(device: 0, refusal)])
        rig.controller.refusals = [:]
        rig.run(.seconds(10))
        let notices = all { rig.device.nextNotice() }
        #expect(notices.count == 2 && notices.last == .advertisingResumed(device: 0))
        guard case .ready? = notices.first else {
            Issue.record("not ready: \(notices)")
            return
        }
    }
}
