// SPDX-License-Identifier: Apache-2.0

public import Peripheral

/// A characteristic as the wire names it, by peripheral and UUIDs: of several with the same UUID the first.
public struct SimBLEAttribute: Hashable, Sendable {
    /// The identifier of the peripheral.
    public var peripheral: [UInt8]
    /// The UUID of the service.
    public var service: BluetoothUUID
    /// The UUID of the characteristic.
    public var characteristic: BluetoothUUID

    /// A characteristic with these names.
    public init(peripheral: [UInt8], service: BluetoothUUID, characteristic: BluetoothUUID) {
        self.peripheral = peripheral
        self.service = service
        self.characteristic = characteristic
    }
}

/// The identifier of a peripheral, which CoreBluetooth has as a UUID: here version 8 (RFC 9562, 5.8), which ends with
/// the device's address. So an app's stored identifier remains valid as long as the address.
enum PeripheralIdentifier {
    /// `readrd`, as a mark.
    private static let mark: [UInt8] = [0x72, 0x65, 0x61, 0x64, 0x72, 0x64]
    private static let version: UInt8 = 0x80, variant: UInt8 = 0x80
    private static let count = 16, addressCount = 6

    /// The identifier of the device at this address.
    static func octets(of address: BluetoothAddress) -> [UInt8] {
        let octets = (0..<addressCount).reversed().map { UInt8(truncatingIfNeeded: address.value >> (8 * UInt64($0))) }
        return mark + [version | address.kind.rawValue & 0x0F, 0, variant, 0] + octets
    }

    /// The address in an identifier; nil for an identifier of another origin.
    static func address(_ octets: [UInt8]) -> BluetoothAddress? {
        guard octets.count == count else { return nil }
        let kind = BluetoothAddress.Kind(rawValue: octets[mark.count] & 0x0F)
        let value = octets.suffix(addressCount).reduce(0) { $0 << 8 | UInt64($1) }
        let address = BluetoothAddress(kind: kind, value: value)
        return self.octets(of: address) == octets ? address : nil
    }
}
