// SPDX-License-Identifier: Apache-2.0

public import HostLoop
public import Peripheral
public import Timekeeping
public import VirtualRadio

/// A device that is a value, and phones on the virtual air.
open class HostedRig<Device: HostedDevice & ~Copyable, Phone: AirPhone>: AirRig<Phone> {
    /// The device.
    public var device: Device

    /// Starts a device on a controller that refuses these commands.
    public init(
        _ device: consuming Device, seed: UInt64, profile: ControllerProfile = .modern,
        refusals: [UInt16: HCIStatus] = [:]
    ) {
        self.device = device
        super.init(seed: seed, profile: profile)
        controller.refusals = refusals
        self.device.start(at: air.now)
        run(.milliseconds(50))
    }

    open override var nextDeadline: Instant? { device.nextDeadline }

    open override func advance(to now: Instant) {
        if let due = device.nextDeadline, due <= air.now { device.advance(to: air.now) }
    }

    open override func settle(at now: Instant) -> Bool {
        controller.exchange(pop: { device.popPacket(into: &$0) }, receive: { device.receive($0, at: air.now) })
    }
}
