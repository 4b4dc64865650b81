// SPDX-License-Identifier: Apache-2.0

/// The share of independent trials that came out one way.
public struct Share: Equatable, Sendable {
    /// The trials that did.
    public let hits: Int
    /// All trials.
    public let count: Int

    /// A share; nil without trials.
    public init?(_ hits: Int, of count: Int) {
        guard count > 0, (0...count).contains(hits) else { return nil }
        (self.hits, self.count) = (hits, count)
    }

    /// The estimate, 0 to 1.
    public var value: Double { Double(hits) / Double(count) }

    /// The quantile 0.975 of the normal distribution.
    private static let z = 1.959_963_984_540_054

    /// The interval of 95 % by Wilson's score.
    public var interval: ClosedRange<Double> {
        let (number, square) = (Double(count), Share.z * Share.z)
        let middle = (value + square / (2 * number)) / (1 + square / number)
        let half =
            Share.z * (value * (1 - value) / number + square / (4 * number * number)).squareRoot()
            / (1 + square / number)
        // At either end the bound is exact, whatever the rounding.
        return (hits == 0 ? 0 : middle - half)...(hits == count ? 1 : middle + half)
    }
}
