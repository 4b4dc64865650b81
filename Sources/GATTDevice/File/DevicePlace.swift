import JSON
import Peripheral

/// A node of a device file with the way to it.
typealias DevicePlace = JSONPlace
/// The members of an object in a device file.
typealias DeviceMembers = JSONMembers

extension JSONPlace {
    /// An attribute's handle.
    func handle() throws(DeviceFault) -> UInt16 {
        // The range leaves nothing to be cut off.
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

    /// Octets of an attribute's value, two hexadecimal digits each, as they go over the air.
    func octets() throws(DeviceFault) -> [UInt8] { try octets(maximum: AttributeDatabase.maximumValueCount) }
}
