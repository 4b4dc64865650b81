// SPDX-License-Identifier: Apache-2.0

/// The inputs of a modelled path: what surrounds the phone, where it is carried, how strongly it sends.
///
/// The defaults describe a small lobby and a phone in the hand. Sources: levels and exponents of BabbleSim's indoor
/// channel and of recorded walks (`lab/Traces`), fading and sway fitted to `mitll-static-nrf52.csv`, carry to the same
/// file's means over all angles.
public struct Propagation: Equatable, Sendable {
    /// The place of the phone on a person.
    public enum Carry: String, CaseIterable, Sendable {
        /// In the hand, or at the ear.
        case hand
        /// In a front or back pocket: the body is next to it or in the way.
        case pocket
        /// In a bag.
        case bag

        /// The mean loss against the hand in dB.
        public var loss: Double {
            switch self {
            case .hand: 0
            case .pocket: 7.5
            case .bag: 3
            }
        }
    }

    /// The mean level at 1 m in dBm. Phones differ: Android asks for a median of −50 ± 15 dB.
    public var levelAtOneMetre: Double
    /// The path loss exponent: 2 in the open, less in corridors, more between rooms.
    public var exponent: Double
    /// The standard deviation of shadowing between places, in dB.
    public var shadowing: Double
    /// The place of the phone.
    public var carry: Carry

    /// These inputs.
    public init(
        levelAtOneMetre: Double = -50, exponent: Double = 2, shadowing: Double = 4.5, carry: Carry = .hand
    ) {
        self.levelAtOneMetre = levelAtOneMetre
        self.exponent = exponent
        self.shadowing = shadowing
        self.carry = carry
    }

    /// The distance in metres below which the path loss is constant: an antenna's near field.
    public static let nearest = 0.1
    /// The greatest distance of the model in metres.
    public static let farthest = 100.0

    /// The mean level in dBm at this distance in metres.
    public func level(at metres: Double) -> Double {
        levelAtOneMetre - carry.loss
            - exponent * Decibel.of(power: max(Propagation.nearest, min(metres, Propagation.farthest)))
    }
}

/// Arithmetic on levels, with the same results on every machine: system libraries differ in their last digits.
enum Decibel {
    /// 10 log₁₀ of a positive power, to 10⁻⁶ dB.
    static func of(power: Double) -> Double {
        let part = (power.significand - 1) / (power.significand + 1)
        let square = part * part
        // The series of the inverse hyperbolic tangent, for a part up to 1/3.
        let series = stride(from: 17.0, through: 1, by: -2).reduce(0) { sum, odd in sum * square + 1 / odd }
        let logarithm = Double(power.exponent) * 0.693_147_180_559_945_3 + 2 * part * series
        return logarithm * 4.342_944_819_032_518
    }

    /// e to the power of −`exponent`, for a number of at least 0.
    static func decay(_ exponent: Double) -> Double {
        guard exponent < 40 else { return 0 }
        let small = -exponent / 1024
        var power = 1 + small * (1 + small / 2 * (1 + small / 3 * (1 + small / 4)))
        for _ in 0..<10 { power *= power }
        return power
    }
}
