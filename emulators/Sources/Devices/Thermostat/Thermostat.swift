// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// A room and its heating, in hundredths of a degree Celsius as on the air (Environmental Sensing Service 1.0,
/// Temperature).
public struct Thermostat: Equatable, Sendable {
    /// The reason why a target is refused.
    public enum Refusal: Error, Equatable, Sendable {
        /// The value has another length than two octets.
        case length(Int)
        /// The target is outside `targets`.
        case range(Int16)
    }

    /// The valid targets: 5 °C protects against frost, and no dwelling is heated above 30 °C.
    public static let targets: ClosedRange<Int16> = 500...3000
    /// The change of the temperature in a second: 0.1 °C.
    private static let step: Int16 = 10

    /// The temperature of the room.
    public private(set) var temperature: Int16
    /// The temperature that the heating aims at.
    public private(set) var target: Int16
    /// The time of the next call of `advance`; nil while the room has its target.
    public private(set) var deadline: Instant?

    /// A room; the heating starts with `start`.
    public init(temperature: Int16 = 1950, target: Int16 = 2100) {
        self.temperature = temperature
        self.target = target
    }

    /// Starts the heating.
    public mutating func start(at now: Instant) { schedule(now) }

    /// Changes the temperature if that is due; true if it has changed.
    public mutating func advance(to now: Instant) -> Bool {
        guard let due = deadline, due <= now else { return false }
        let missing = Int(target) - Int(temperature)
        temperature += Int16(min(max(missing, -Int(Thermostat.step)), Int(Thermostat.step)))
        deadline = nil
        schedule(now)
        return true
    }

    /// Sets the target from a written value.
    public mutating func write(_ octets: [UInt8], at now: Instant) throws(Refusal) {
        guard octets.count == 2 else { throw .length(octets.count) }
        let target = Int16(octets[0]) | Int16(bitPattern: UInt16(octets[1]) << 8)
        guard Thermostat.targets.contains(target) else { throw .range(target) }
        self.target = target
        schedule(now)
    }

    private mutating func schedule(_ now: Instant) {
        deadline = temperature == target ? nil : deadline ?? now + .seconds(1)
    }

    /// A temperature as on the air: two octets, little endian.
    public static func octets(_ temperature: Int16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: temperature), UInt8(truncatingIfNeeded: temperature >> 8)]
    }

    /// A temperature as text: `19.50 °C`.
    public static func text(_ temperature: Int16) -> String {
        let hundredths = abs(Int(temperature))
        let fraction = hundredths % 100
        return "\(temperature < 0 ? "-" : "")\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) °C"
    }
}
