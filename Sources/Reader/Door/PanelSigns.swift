// SPDX-License-Identifier: Apache-2.0

/// The signs of an access panel on lights and buzzer at a moment; nil leaves a part to the reader.
///
/// The light is both indicators together: it is the reader's or the panel's, never a mix. No rank goes before the
/// reader's lasting signs: an alarm, the warning before one, a lockdown, a tamper block.
public struct PanelSigns: Equatable, Sendable {
    /// The precedence of a sign relative to the reader's signs.
    public enum Rank: Equatable, Sendable {
        /// Behind them: grants, refusals, and the indicator of a released lock.
        case last
        /// Before the indicator of a released lock, and behind grants and refusals.
        case middle
        /// Before all of these.
        case first
    }

    /// The levels of the indicators.
    public struct Light: Equatable, Sendable {
        /// True if the green light is on.
        public var granted: Bool
        /// True if the red light is on.
        public var denied: Bool
        /// Its place.
        public var rank: Rank

        /// A sign on the light.
        public init(granted: Bool, denied: Bool, _ rank: Rank) {
            (self.granted, self.denied, self.rank) = (granted, denied, rank)
        }
    }

    /// The level of the buzzer.
    public struct Sound: Equatable, Sendable {
        /// True if it sounds.
        public var isOn: Bool
        /// Its place.
        public var rank: Rank

        /// A sign on the buzzer.
        public init(isOn: Bool, _ rank: Rank) { (self.isOn, self.rank) = (isOn, rank) }
    }

    /// The sign on the light.
    public var light: Light?
    /// The sign on the buzzer.
    public var sound: Sound?

    /// Signs of a panel.
    public init(light: Light? = nil, sound: Sound? = nil) { (self.light, self.sound) = (light, sound) }
}
