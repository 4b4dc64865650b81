// SPDX-License-Identifier: Apache-2.0

/// The check digit of Verhoeff: it finds every wrong digit, and every exchange of two neighbours.
enum Verhoeff {
    /// The permutations by position from the right, modulo 8.
    private static let permutations: [[Int]] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 5, 7, 6, 2, 8, 3, 0, 9, 4], [5, 8, 0, 3, 7, 9, 6, 1, 4, 2],
        [8, 9, 1, 6, 0, 4, 3, 5, 2, 7], [9, 4, 5, 3, 1, 2, 6, 8, 7, 0], [4, 2, 8, 6, 5, 7, 3, 9, 0, 1],
        [2, 7, 9, 3, 8, 0, 6, 4, 1, 5], [7, 0, 4, 6, 9, 1, 3, 2, 5, 8],
    ]

    /// The digit to append to `digits`.
    static func checkDigit(of digits: [Int]) -> Int {
        let sum = digits.reversed().enumerated().reduce(0) { sum, digit in
            product(sum, permutations[(digit.offset + 1) % 8][digit.element])
        }
        return (0...9).first { product(sum, $0) == 0 } ?? 0
    }

    /// The product in the group of the symmetries of a pentagon: turns 0 to 4, reflections 5 to 9.
    private static func product(_ left: Int, _ right: Int) -> Int {
        switch (left < 5, right < 5) {
        case (true, true): (left + right) % 5
        case (true, false): 5 + (left + right - 5) % 5
        case (false, true): 5 + (left - 5 - right + 5) % 5
        case (false, false): (left - right + 5) % 5
        }
    }
}
