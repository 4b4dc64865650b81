// SPDX-License-Identifier: Apache-2.0

import JSON
import Peripheral

/// A node of a device file with its path.
typealias DevicePlace = JSONPlace
/// The members of an object in a device file.
typealias DeviceMembers = JSONMembers

extension JSONPlace {
    /// An attribute's handle.
    func handle() throws(DeviceFault) -> UInt16 {
        // The range excludes truncation.
        UInt16(truncatingIfNeeded: try number(1...0xFFFF))
    }

    /// A UUID of 16 or 128 bits.
    func uuid() throws(DeviceFault) -> BluetoothUUID {
        let text = try text()
        guard let uuid = BluetoothUUID(text) else {
            throw fault(
                "\(text.debugDescription) is no UUID; write four hexadecimal digits, or 36 characters with hyphens")
        }
        return uuid
    }

    /// The octets of an attribute's value in over-the-air order, two hexadecimal digits each.
    func octets() throws(DeviceFault) -> [UInt8] { try octets(maximum: AttributeDatabase.maximumValueCount) }
}
