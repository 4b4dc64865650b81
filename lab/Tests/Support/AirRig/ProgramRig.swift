// SPDX-License-Identifier: Apache-2.0

import Crypto
public import HostLoop
import Peripheral
import Phone
public import VirtualRadio

/// A program of devices and phones on the virtual air. Phones send ATT PDUs as octets.
///
/// In a device's database Generic Access has the handles 1 to 5 and Generic Attribute 6 to 15; its first own service is
/// declared at 16, the first characteristic at 17, its value is 18, and its configuration, if it has one, 19.
open class ProgramRig<State>: HostedRig<DeviceProgram<State>, RecordingPhone> {
    /// The identity and the bonds of the devices.
    public let keys: DeviceKeys

    /// A started program, to which `prepare` adds handlers first.
    public init(
        _ state: State, _ devices: [DeviceDefinition<State>], seed: UInt64 = 5, profile: ControllerProfile = .modern,
        settings: ProgramSettings = ProgramSettings(), prepare: (inout DeviceProgram<State>) -> Void = { _ in }
    ) throws {
        keys = ProgramRig.keys()
        var program = try DeviceProgram(state, devices: devices, keys: keys, settings: settings)
        prepare(&program)
        super.init(program, seed: seed, profile: profile)
    }

    /// Keys of a fixed identity, with bonds in memory.
    public static func keys() -> DeviceKeys {
        let identity = SecurityIdentity(
            address: .randomStatic(from: 0x1234), resolvingKey: Value128(InlineArray(repeating: 7)))
        return DeviceKeys(identity: identity, store: TransientBondStore(), random: SystemRandomSource())
    }

    /// A phone that is connected to a device.
    public func connected(to device: Int = 0) throws -> RecordingPhone {
        let phone = try listening()
        try connect(phone, to: keys.address(ofDevice: device))
        return phone
    }

    /// Ends the link from the phone's side.
    public func disconnect(_ phone: RecordingPhone) throws {
        guard let link = phone.link else { throw NotConnected() }
        phone.central.disconnect(link, at: air.now)
        run(.milliseconds(200))
        guard phone.link == nil else { throw StillConnected() }
    }

    /// The error of a test whose link does not end.
    public struct StillConnected: Error {}
}
