// SPDX-License-Identifier: Apache-2.0

/// The signals of lights and buzzer. The `granted` indicator is lit while the lock is released, the `denied` indicator
/// during a lockdown or tamper block.
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

    /// Creates signals with these patterns.
    public init(
        grantedBeeps: SignalPattern = SignalPattern(on: .milliseconds(100), off: .zero, count: 1),
        deniedFlashes: SignalPattern = SignalPattern(on: .milliseconds(200), off: .milliseconds(200), count: 3),
        deniedBeeps: SignalPattern = SignalPattern(on: .milliseconds(100), off: .milliseconds(100), count: 3)
    ) {
        self.grantedBeeps = grantedBeeps
        self.deniedFlashes = deniedFlashes
        self.deniedBeeps = deniedBeeps
    }
}
