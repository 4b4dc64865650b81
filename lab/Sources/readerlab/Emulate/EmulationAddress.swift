import Peripheral

/// Random static addresses in options.
enum EmulationAddress {
    /// Parses `C0:11:22:33:44:55`; nil unless it is a random static address (Core 5.4, Vol 6, Part B, 1.3.2.1).
    static func parse(_ text: String) -> BluetoothAddress? {
        let octets = text.split(separator: ":", omittingEmptySubsequences: false)
        guard octets.count == 6 else { return nil }
        var value: UInt64 = 0
        for octet in octets {
            guard octet.utf8.count == 2, octet.allSatisfy(\.isHexDigit), let number = UInt64(octet, radix: 16) else {
                return nil
            }
            value = value << 8 | number
        }
        let address = BluetoothAddress.randomStatic(from: value)
        return address.value == value ? address : nil
    }

    /// The address `count` after `first`.
    static func next(after first: BluetoothAddress, _ count: Int) -> BluetoothAddress {
        count == 0 ? first : .randomStatic(from: first.value &+ UInt64(truncatingIfNeeded: count))
    }
}
