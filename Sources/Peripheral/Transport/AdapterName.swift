// SPDX-License-Identifier: Apache-2.0

/// The name of a Bluetooth adapter of Linux.
///
/// The number depends on the order in which adapters appear: after a restart or a replug it may be another adapter's.
/// The address goes with the adapter, the USB path with the port that it is plugged into.
public enum AdapterName: Hashable, Sendable, CustomStringConvertible, ExpressibleByIntegerLiteral {
    /// The N of hciN, 0 to 65534.
    case number(UInt16)
    /// The public address, 48 bits; the most significant octet, written first, is in bits 40 to 47.
    case address(UInt64)
    /// The bus and the ports of an adapter on USB as the kernel writes them, such as `1-1.4`.
    case usb(String)

    /// The adapter with this number.
    public init(integerLiteral value: UInt16) { self = .number(value) }

    /// Parses `N`, `00:1A:7D:DA:71:13` or `usb-1-1.4`. Nil for anything else.
    init?(_ text: Substring) {
        if text.hasPrefix("usb-") {
            let path = text.dropFirst(4)
            guard AdapterName.isUSBPath(path) else { return nil }
            self = .usb(String(path))
        } else if text.contains(":") {
            guard let address = AdapterName.address(text) else { return nil }
            self = .address(address)
        } else {
            // 65535 means "no adapter" to the kernel.
            guard let number: UInt16 = AdapterName.number(text), number < .max else { return nil }
            self = .number(number)
        }
    }

    /// The name in the format of `init`.
    public var description: String {
        switch self {
        case .number(let number): "\(number)"
        case .address(let address):
            stride(from: 40, through: 0, by: -8)
                .map { shift in
                    let digits = String(address >> UInt64(shift) & 0xFF, radix: 16, uppercase: true)
                    return digits.count == 1 ? "0" + digits : digits
                }
                .joined(separator: ":")
        case .usb(let path): "usb-\(path)"
        }
    }

    private static func address(_ text: Substring) -> UInt64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6 else { return nil }
        var address: UInt64 = 0
        for part in parts {
            guard part.utf8.count == 2, part.allSatisfy(\.isHexDigit), let octet = UInt8(part, radix: 16) else {
                return nil
            }
            address = address << 8 | UInt64(octet)
        }
        return address
    }

    /// True for a bus number, a hyphen, and 1 to 7 port numbers separated by points: USB has at most seven tiers.
    private static func isUSBPath(_ text: Substring) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return false }
        let ports = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        let numbers = ([parts[0]] + ports).map { AdapterName.number($0) as UInt8? }
        return ports.count <= 7 && numbers.allSatisfy { $0 ?? 0 > 0 }
    }

    /// Decimal digits only: the initializer alone would accept a sign.
    static func number<Number: FixedWidthInteger>(_ text: Substring) -> Number? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Number(text, radix: 10)
    }
}

/// An adapter that is present.
struct PresentAdapter: Equatable {
    /// The N of hciN.
    var number: UInt16
    /// The public address as in `AdapterName.address`; 0 for an adapter that has none or is not set up.
    var address: UInt64
    /// The path of its device below /sys/devices; it includes the path of its USB port.
    var devicePath: String

    /// True if this is the adapter of that name.
    func matches(_ name: AdapterName) -> Bool {
        switch name {
        case .number(let number): number == self.number
        case .address(let address): address == self.address && address != 0
        // The interface is named after the port: `1-1.4:1.0`.
        case .usb(let path): devicePath.split(separator: "/").contains { $0.hasPrefix(path + ":") }
        }
    }
}

extension AdapterName {
    /// The number of the adapter of this name.
    ///
    /// - Throws: `noSuchAdapter`, or `ambiguousAdapter` if several have the address: cheap adapters share one.
    func number(among present: [PresentAdapter]) throws(TransportFault) -> UInt16 {
        let matching = present.filter { $0.matches(self) }
        guard let first = matching.first else { throw .noSuchAdapter }
        guard matching.count == 1 else { throw .ambiguousAdapter(matching.map(\.number)) }
        return first.number
    }
}
