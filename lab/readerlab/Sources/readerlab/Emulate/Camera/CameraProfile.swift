// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Devices

/// The configurable properties of an emulated camera. The real UUIDs are not public, so the defaults are the
/// project's own.
struct CameraProfile {
    /// The service.
    var service = BluetoothUUID(high: 0x7A3C_0001_52D1_4E8B, low: 0x9C46_1F0B_6D2E_8A10)
    /// The characteristic to subscribe to; also used for credentials if there is no separate one.
    var characteristic = BluetoothUUID(high: 0x7A3C_0002_52D1_4E8B, low: 0x9C46_1F0B_6D2E_8A10)
    /// The characteristic for credentials; nil for the same one.
    var write: BluetoothUUID?
    /// True if values are indicated instead of notified.
    var isIndicated = false
    /// The name, which contains "Smarter AI" (published).
    var name = "Smarter AI camera"
    /// The error for a write at the wrong time; nil for Procedure Already in Progress while busy, and Write Request
    /// Rejected otherwise (Core Specification Supplement, Part B, 1.2).
    var refusal: ATTErrorCode?
    /// All other unpublished properties.
    var settings = CameraSettings()

    /// The error for a write at the wrong time.
    func error(_ why: CameraRefusal) -> ATTErrorCode {
        refusal ?? ATTErrorCode(rawValue: why == .busy ? 0xFE : 0xFC)
    }
}
