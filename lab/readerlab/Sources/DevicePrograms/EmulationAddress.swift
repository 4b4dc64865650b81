// SPDX-License-Identifier: Apache-2.0

import Octets
package import Peripheral

/// Parses random static addresses of options, and derives further ones.
package enum EmulationAddress {
    /// Parses `C0:11:22:33:44:55`; nil unless it is a random static address (Core 5.4, Vol 6, Part B, 1.3.2.1).
    package static func parse(_ text: String) -> BluetoothAddress? {
        guard let octets = Hexadecimal.octets(text, separator: UInt8(ascii: ":")), octets.count == 6 else { return nil }
        let value = octets.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let address = BluetoothAddress.randomStatic(from: value)
        return address.value == value ? address : nil
    }

    /// The address `count` after `first`.
    package static func next(after first: BluetoothAddress, _ count: Int) -> BluetoothAddress {
        count == 0 ? first : .randomStatic(from: first.value &+ UInt64(truncatingIfNeeded: count))
    }
}
