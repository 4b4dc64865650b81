// SPDX-License-Identifier: Apache-2.0

public import Peripheral
import Phone
public import Timekeeping
public import VirtualRadio

/// A device and phones on the virtual air. Subclasses provide the device and its connection to `controller`.
open class AirRig<Handset: AirPhone>: AirParty {
    /// The air, whose clock is the rig's.
    public let air: Air
    /// The device's controller.
    public let controller: VirtualController
    /// All phones that were added.
    public private(set) var phones: [Handset] = []

    /// An air with a controller for a device, which is not started.
    public init(seed: UInt64, profile: ControllerProfile = .modern) {
        air = Air(seed: seed)
        controller = air.addController(profile, address: BluetoothAddress(kind: .public, value: 0xD0_0000_0001))
    }

    // MARK: The device

    /// The next time at which `advance` is needed.
    open var nextDeadline: Instant? { nil }

    /// Advances the device to the air's time.
    open func advance(to now: Instant) {}

    /// Exchanges packets between the device and its controller; returns whether there were any.
    open func settle(at now: Instant) -> Bool { false }

    // MARK: Phones

    /// A new phone that has scanned for the given time.
    public func listening(_ duration: Duration = .milliseconds(500)) throws -> Handset {
        let address = BluetoothAddress(kind: .public, value: 0xE0_0000_0001 + UInt64(phones.count))
        let phone = Handset(air.addController(.modern, address: address))
        phones.append(phone)
        phone.central.start(at: air.now)
        run(.milliseconds(20))
        try phone.central.startScanning(at: air.now)
        run(duration)
        phone.central.stopScanning(at: air.now)
        run(.milliseconds(20))
        return phone
    }

    /// The error of a test whose phone gets no link.
    public struct NotConnected: Error {}

    /// Connects a phone to `address`.
    public func connect(_ phone: Handset, to address: BluetoothAddress) throws {
        try phone.central.connect(to: address, at: air.now)
        run(.milliseconds(500))
        guard phone.link != nil else { throw NotConnected() }
    }

    // MARK: Time

    /// Lets time pass.
    public func run(_ duration: Duration) { air.run(duration, [self] + (phones as [any AirParty])) }
}
