// SPDX-License-Identifier: Apache-2.0

/// The surroundings of the camera, which change without it.
public struct Surroundings: Equatable, Sendable {
    /// The battery in per cent.
    public var battery = 87
    /// True if it is charging.
    public var isCharging = false
    /// True if satellites give a position.
    public var hasFix = true
    /// The strength of satellites in per cent.
    public var strength = 72
    /// The position where recordings begin.
    public var position = CardPosition(latitude: 52.3766, longitude: 4.9083)
    /// The heart rate; nil without a sensor.
    public var heartRate: Int?
    /// The cadence; nil without a sensor.
    public var cadence: Int?
    /// The temperature inside, in thousandths of a degree Celsius.
    public var temperature = 31_500
}
