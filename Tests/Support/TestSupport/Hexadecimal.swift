// SPDX-License-Identifier: Apache-2.0

/// The octets of the hexadecimal digits in `text`; all other characters are ignored.
public func octets(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// The octets of an inline array.
public func octets<let count: Int>(_ array: [count of UInt8]) -> [UInt8] {
    (0..<count).map { array[$0] }
}

/// The hexadecimal digits of the octets, in lower case and without spaces.
public func hex(_ octets: some Sequence<UInt8>) -> String {
    octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
