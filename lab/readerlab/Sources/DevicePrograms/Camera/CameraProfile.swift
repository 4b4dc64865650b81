// SPDX-License-Identifier: Apache-2.0

package import Peripheral
package import Devices

/// The configurable properties of an emulated camera. Its real UUIDs are not public, so the project defines the
/// defaults.
package struct CameraProfile {
    /// The service.
    package var service = BluetoothUUID(high: 0x7A3C_0001_52D1_4E8B, low: 0x9C46_1F0B_6D2E_8A10)
    /// The characteristic to subscribe to; it also receives credentials unless another one is set.
    package var characteristic = BluetoothUUID(high: 0x7A3C_0002_52D1_4E8B, low: 0x9C46_1F0B_6D2E_8A10)
    /// The characteristic for credentials; nil for the same one.
    package var write: BluetoothUUID?
    /// True if values are indicated instead of notified.
    package var isIndicated = false
    /// The name, which contains "Smarter AI" (published).
    package var name = "Smarter AI camera"
    /// The error for a write at the wrong time; nil for Procedure Already in Progress while busy, and Write Request
    /// Rejected otherwise (Core Specification Supplement, Part B, 1.2).
    package var refusal: ATTErrorCode?
    /// All other unpublished properties.
    package var settings = CameraSettings()

    package init() {}

    /// The error for a write at the wrong time.
    package func error(_ why: CameraRefusal) -> ATTErrorCode {
        refusal ?? ATTErrorCode(rawValue: why == .busy ? 0xFE : 0xFC)
    }
}
