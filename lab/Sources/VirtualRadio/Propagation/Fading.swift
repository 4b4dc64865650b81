// SPDX-License-Identifier: Apache-2.0

import SeededNumbers
import Timekeeping

/// The variation of one path around its mean level: fading of each channel, sway and shadowing of the person, and the
/// receiver's error. Every path has random numbers of its own, so that a change of one does not shift the others.
///
/// Standing still, only another channel brings another fade (a coherence bandwidth of about 13 MHz: the three
/// advertising channels and about six groups of data channels fade apart); half a wavelength of movement does too.
struct Fading: Sendable {
    /// The kind of channel of a packet.
    enum Channel: Sendable {
        /// One of the three advertising channels.
        case advertising
        /// One of the 37 data channels.
        case data
    }

    /// The median of the Rice factor, and its spread between places as a factor per standard deviation.
    private static let rice = (median: 4.0, spread: 1.5)
    /// The time after which a standing person's fade has changed.
    private static let standingCoherence = 3.0
    /// Half a wavelength at 2.44 GHz, in metres.
    private static let movingCoherence = 0.062
    /// Sway: the deviation between persons in dB, and its time in seconds.
    private static let sway = (deviation: 4.5, seconds: 2.0)
    /// The distance over which shadowing changes, in metres.
    private static let shadowDistance = 1.5
    /// The receiver's error of one reading, in dB.
    private static let readingError = 0.5
    private static let advertisingChannels = 3
    private static let dataGroups = 6

    private var random: SeededGenerator
    private let shadowing: Double
    /// The amplitudes of the constant and of the scattered part.
    private let constant: Double
    private let scattered: Double
    private let swayDeviation: Double
    private var waves: [(x: Double, y: Double)]
    private var swayLevel: Double
    private var shadowLevel: Double
    private var last: (time: Instant, metres: Double)?

    /// The variation of a path with these random numbers.
    init(_ random: SeededGenerator, shadowing: Double) {
        var random = random
        let factor = Fading.rice.median * Fading.power(random.normal() * Fading.rice.spread)
        constant = (factor / (factor + 1)).squareRoot()
        scattered = (1 / (factor + 1) / 2).squareRoot()
        swayDeviation = abs(random.normal()) * Fading.sway.deviation
        waves = (0..<Fading.advertisingChannels + Fading.dataGroups).map { _ in (random.normal(), random.normal()) }
        swayLevel = random.normal() * swayDeviation
        shadowLevel = random.normal() * shadowing
        self.shadowing = shadowing
        self.random = random
    }

    /// The deviation from the mean level of a packet in dB.
    ///
    /// - Parameter metres: the distance, whose changes count as movement.
    mutating func deviation(on channel: Channel, metres: Double, at now: Instant) -> Double {
        move(to: metres, at: now)
        let wave =
            switch channel {
            case .advertising: waves[Int(random.below(UInt64(Fading.advertisingChannels)))]
            case .data: waves[Fading.advertisingChannels + Int(random.below(UInt64(Fading.dataGroups)))]
            }
        let (real, imaginary) = (constant + scattered * wave.x, scattered * wave.y)
        let fade = Decibel.of(power: max(real * real + imaginary * imaginary, 1e-6))
        return fade + swayLevel + shadowLevel + random.normal() * Fading.readingError
    }

    private mutating func move(to metres: Double, at now: Instant) {
        defer { last = (now, metres) }
        guard let last else { return }
        let seconds = Double((now - last.time).wholeNanoseconds) / 1e9
        let moved = abs(metres - last.metres)
        guard seconds > 0 || moved > 0 else { return }
        let coherence = Decibel.decay(seconds / Fading.standingCoherence + moved / Fading.movingCoherence)
        for index in waves.indices {
            waves[index].x = random.next(after: waves[index].x, keeping: coherence, deviation: 1)
            waves[index].y = random.next(after: waves[index].y, keeping: coherence, deviation: 1)
        }
        let kept = Decibel.decay(seconds / Fading.sway.seconds)
        swayLevel = random.next(after: swayLevel, keeping: kept, deviation: swayDeviation)
        let shadowKept = Decibel.decay(moved / Fading.shadowDistance)
        shadowLevel = random.next(after: shadowLevel, keeping: shadowKept, deviation: shadowing)
    }

    /// e to the power of `exponent`, of either sign.
    private static func power(_ exponent: Double) -> Double {
        exponent < 0 ? Decibel.decay(-exponent) : 1 / Decibel.decay(exponent)
    }
}

extension SeededGenerator {
    /// A number with mean 0 and deviation 1, by the sum of twelve uniform ones; none is beyond 6.
    fileprivate mutating func normal() -> Double {
        (0..<12).reduce(-6.0) { sum, _ in sum + Double(next() >> 11) * 0x1p-53 }
    }

    /// The next value of a first-order autoregression.
    fileprivate mutating func next(after value: Double, keeping share: Double, deviation: Double) -> Double {
        share * value + (1 - share * share).squareRoot() * deviation * normal()
    }
}
