// SPDX-License-Identifier: Apache-2.0

/// The signals of lights and buzzer: the continuous signs of the door's state, and those of a moment, which are shown
/// over them.
public struct DoorSignals: Equatable, Sendable {
    /// The buzzer on a grant: one short beep.
    public var grantedBeeps: SignalPattern
    /// The `denied` indicator on a refusal: three flashes.
    public var deniedFlashes: SignalPattern
    /// The buzzer on a refusal: three short beeps.
    public var deniedBeeps: SignalPattern
    /// The buzzer before the alarm of a door held open: a short beep each second.
    public var warningBeeps = SignalPattern(on: .milliseconds(100), off: .milliseconds(900), count: .max)
    /// The buzzer while an alarm lasts: half a second on, half off.
    public var alarmBeeps = SignalPattern(on: .milliseconds(500), off: .milliseconds(500), count: .max)
    /// The `denied` indicator while an alarm lasts.
    public var alarmFlashes = SignalPattern(on: .milliseconds(250), off: .milliseconds(250), count: .max)
    /// The lights of the continuous signs; none for a sign that is not listed.
    public var signs: [DoorSign: SignLight]

    /// Creates signals with these patterns and signs. Without signs, those of a reader whose lights a panel drives.
    public init(
        signs: [DoorSign: SignLight] = DoorSignals.signs(\.lightWithPanel),
        grantedBeeps: SignalPattern = SignalPattern(on: .milliseconds(100), off: .zero, count: 1),
        deniedFlashes: SignalPattern = SignalPattern(on: .milliseconds(200), off: .milliseconds(200), count: 3),
        deniedBeeps: SignalPattern = SignalPattern(on: .milliseconds(100), off: .milliseconds(100), count: 3)
    ) {
        self.signs = signs
        self.grantedBeeps = grantedBeeps
        self.deniedFlashes = deniedFlashes
        self.deniedBeeps = deniedBeeps
    }

    /// The lights of all signs.
    public static func signs(_ light: (DoorSign) -> SignLight) -> [DoorSign: SignLight] {
        Dictionary(uniqueKeysWithValues: DoorSign.allCases.map { ($0, light($0)) })
    }
}
