// SPDX-License-Identifier: Apache-2.0

import SeededNumbers
import Timekeeping

/// The variation of the path between two radios around its mean level: fading of each channel, sway and shadowing of
/// the person, the same in both directions (an antenna sends as it receives), and the receiver's error. Every path has
/// its own random numbers, so that a change of one does not shift the others.
///
/// Standing still, only another channel brings another fade (a coherence bandwidth of about 13 MHz: the three
/// advertising channels and about six groups of data channels fade apart); half a wavelength of movement does too.
struct Fading: Sendable {
    /// A channel that fades apart from others.
    struct Channel: Equatable, Sendable {
        /// The index among the fades: the advertising channels, then the groups of data channels.
        fileprivate let fade: Int

        /// One of the three advertising channels, from 0.
        static func advertising(_ number: Int) -> Channel { Channel(fade: number % Fading.advertisingChannels) }

        /// One of the 37 data channels.
        static func data(_ channel: UInt8) -> Channel {
            Channel(fade: Fading.advertisingChannels + Int(channel % 37) * Fading.dataGroups / 37)
        }
    }

    /// The scattered part of a channel, which is brought up to date when it is asked for.
    private struct Wave {
        var x: Double
        var y: Double
        /// The time in seconds, and the movement in metres, up to which it has come.
        var seconds = 0.0
        var metres = 0.0
    }

    /// The median of the Rice factor, and its spread between places as a factor per standard deviation.
    private static let rice = (median: 4.0, spread: 1.5)
    /// The time after which a standing person's fade has changed.
    private static let standingCoherence = 3.0
    /// Half a wavelength at 2.44 GHz, in metres.
    private static let movingCoherence = 0.062
    /// Sway: the deviation between persons in dB, its time in seconds, and the most that it is: medians of a second are
    /// within 16.9 dB of the mean of their take in all recorded ones.
    private static let sway = (deviation: 5.5, seconds: 2.0, most: 17.0)
    /// The distance over which shadowing changes, in metres.
    private static let shadowDistance = 1.5
    /// The most that sway and shadowing together raise the level above its mean, in dB: to the level of the line of
    /// sight, which is −40 dBm at 1 m for 0 dBm that are sent (Friis). Only fading adds to it.
    private static let lineOfSight = 10.0
    /// The receiver's error of one reading, in dB.
    private static let readingError = 0.5
    static let advertisingChannels = 3
    private static let dataGroups = 6

    private var random: SeededGenerator
    private let shadowing: Double
    /// The amplitudes of the constant and of the scattered part.
    private let constant: Double
    private let scattered: Double
    private let swayDeviation: Double
    private var waves: [Wave]
    private var swayLevel: Double
    private var shadowLevel: Double
    private var last: (time: Instant, metres: Double)?
    /// The time since the first packet in seconds, and the movement since then in metres.
    private var seconds = 0.0
    private var moved = 0.0

    /// The variation of a path with these random numbers.
    init(_ random: SeededGenerator, shadowing: Double) {
        var random = random
        let factor = Fading.rice.median * Fading.power(random.normal() * Fading.rice.spread)
        constant = (factor / (factor + 1)).squareRoot()
        scattered = (1 / (factor + 1) / 2).squareRoot()
        swayDeviation = abs(random.normal()) * Fading.sway.deviation
        waves = (0..<Fading.advertisingChannels + Fading.dataGroups).map { _ in
            Wave(x: random.normal(), y: random.normal())
        }
        swayLevel = Fading.bounded(random.normal() * swayDeviation)
        shadowLevel = random.normal() * shadowing
        self.shadowing = shadowing
        self.random = random
    }

    /// The deviation from the mean level of a packet in dB.
    ///
    /// - Parameter metres: the distance, whose changes count as movement.
    mutating func deviation(on channel: Channel, metres: Double, at now: Instant) -> Double {
        move(to: metres, at: now)
        let wave = broughtUp(waves[channel.fade])
        waves[channel.fade] = wave
        let (real, imaginary) = (constant + scattered * wave.x, scattered * wave.y)
        let fade = Decibel.of(power: max(real * real + imaginary * imaginary, 1e-6))
        return fade + min(swayLevel + shadowLevel, Fading.lineOfSight) + random.normal() * Fading.readingError
    }

    private mutating func move(to metres: Double, at now: Instant) {
        defer { last = (now, metres) }
        guard let last else { return }
        let seconds = Double((now - last.time).wholeNanoseconds) / 1e9
        let moved = abs(metres - last.metres)
        guard seconds > 0 || moved > 0 else { return }
        self.seconds += seconds
        self.moved += moved
        let kept = Decibel.decay(seconds / Fading.sway.seconds)
        swayLevel = Fading.bounded(random.next(after: swayLevel, keeping: kept, deviation: swayDeviation))
        let shadowKept = Decibel.decay(moved / Fading.shadowDistance)
        shadowLevel = random.next(after: shadowLevel, keeping: shadowKept, deviation: shadowing)
    }

    /// A person's sway, no further from 0 than was recorded.
    private static func bounded(_ level: Double) -> Double { max(-sway.most, min(level, sway.most)) }

    /// A wave as the time and the movement since it was asked for last have changed it.
    private mutating func broughtUp(_ wave: Wave) -> Wave {
        let (seconds, moved) = (self.seconds - wave.seconds, self.moved - wave.metres)
        guard seconds > 0 || moved > 0 else { return wave }
        let coherence = Decibel.decay(seconds / Fading.standingCoherence + moved / Fading.movingCoherence)
        return Wave(
            x: random.next(after: wave.x, keeping: coherence, deviation: 1),
            y: random.next(after: wave.y, keeping: coherence, deviation: 1), seconds: self.seconds, metres: self.moved)
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
