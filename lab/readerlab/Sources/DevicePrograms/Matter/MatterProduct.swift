// SPDX-License-Identifier: Apache-2.0

package import Devices
package import MatterNode
package import MatterTLV

/// An emulated Matter product: its kind, its label, and its behaviour.
package struct MatterProduct {
    /// The kind of the device, and a lock's equipment.
    package var device = MatterDeviceKind.lock
    package var traits = LockTraits()
    /// The product's name; nil for the device's.
    package var givenName: String?
    package var vendor: VendorID = 0xFFF1
    package var product: ProductID = 0x8001
    package var discriminator: UInt16 = 3840
    package var passcode: UInt32 = 20_202_021
    package var attestation = AttestationSet.good
    /// The fail-safe that PASE arms and apps read, in seconds.
    package var failSafeSeconds: UInt16 = 60
    package var hasBattery = false

    /// A lock without equipment.
    package init() {}

    /// The product's name.
    package var name: String { givenName ?? "Matter \(device.rawValue)" }
}
