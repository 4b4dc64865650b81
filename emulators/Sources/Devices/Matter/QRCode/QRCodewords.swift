// SPDX-License-Identifier: Apache-2.0

/// The codewords of a text in alphanumeric mode (ISO/IEC 18004, 7.4.4): bits, padding, error correction, interleaving.
enum QRCodewords {
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:")
    /// Mode indicator, and the count of characters in versions 1 to 9.
    private static let headBits = 4 + 9

    /// The values of the characters; nil if one is outside of the mode's alphabet.
    static func values(of text: String) -> [Int]? {
        let values = text.compactMap { alphabet.firstIndex(of: $0) }
        return values.count == text.count ? values : nil
    }

    /// The number of data bits of a number of characters.
    static func bitCount(_ characters: Int) -> Int { headBits + characters / 2 * 11 + characters % 2 * 6 }

    /// The data codewords, filled up to the capacity.
    static func data(_ values: [Int], _ capacity: QRCapacity) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, _ width: Int) {
            for bit in (0..<width).reversed() { bits.append(value >> bit & 1 == 1) }
        }
        append(0b0010, 4)
        append(values.count, 9)
        for start in stride(from: 0, to: values.count, by: 2) {
            if start + 1 < values.count {
                append(values[start] * 45 + values[start + 1], 11)
            } else {
                append(values[start], 6)
            }
        }
        append(0, min(4, capacity.dataCount * 8 - bits.count))  // terminator
        while bits.count % 8 != 0 { bits.append(false) }
        var octets = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        var pad: UInt8 = 0xEC
        while octets.count < capacity.dataCount {
            octets.append(pad)
            pad ^= 0xEC ^ 0x11
        }
        return octets
    }

    /// Data and error correction of all blocks, column by column.
    static func interleaved(_ data: [UInt8], _ capacity: QRCapacity) -> [UInt8] {
        let blockLength = capacity.dataCount / capacity.blockCount
        let blocks = stride(from: 0, to: data.count, by: blockLength).map { Array(data[$0..<$0 + blockLength]) }
        let corrections = blocks.map { ReedSolomon.remainder(of: $0, count: capacity.correctionCount) }
        return (0..<blockLength).flatMap { column in blocks.map { $0[column] } }
            + (0..<capacity.correctionCount).flatMap { column in corrections.map { $0[column] } }
    }
}

/// Reed-Solomon codes over the field of 256 elements with the polynomial 0x11D (ISO/IEC 18004, 7.5.2).
enum ReedSolomon {
    /// The error correction codewords of `data`: the remainder by the product of (x − 2^i) for i below `count`.
    static func remainder(of data: [UInt8], count: Int) -> [UInt8] {
        let divisor = divisor(count)
        var remainder = [UInt8](repeating: 0, count: count)
        for octet in data {
            let factor = octet ^ remainder.removeFirst()
            remainder.append(0)
            for index in remainder.indices { remainder[index] ^= product(divisor[index], factor) }
        }
        return remainder
    }

    /// The coefficients of the generator below the highest, which is 1.
    private static func divisor(_ degree: Int) -> [UInt8] {
        var coefficients = [UInt8](repeating: 0, count: degree - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<degree {
            for index in coefficients.indices {
                coefficients[index] = product(coefficients[index], root)
                if index + 1 < degree { coefficients[index] ^= coefficients[index + 1] }
            }
            root = product(root, 2)
        }
        return coefficients
    }

    /// The product of two elements.
    static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var product: UInt8 = 0
        for bit in (0..<8).reversed() {
            product = product << 1 ^ (product & 0x80 != 0 ? 0x1D : 0)
            if right >> UInt8(bit) & 1 == 1 { product ^= left }
        }
        return product
    }
}
