// SPDX-License-Identifier: Apache-2.0

/// The state of the reader's advertising, as the controller's answers show it.
public enum AdvertisingState: Equatable, Sendable {
    /// The controller has confirmed at least one mode.
    case on
    /// All slots are taken; the controller has confirmed the end.
    case slotsTaken
    /// The controller has confirmed no mode.
    case off
}

/// The service of a mode to phones, as confirmed by the controller.
public enum ModeState: String, Equatable, Sendable, CaseIterable {
    /// On the air.
    case onAir = "on-air"
    /// Off the air: all slots are taken, or the controller is not ready.
    case offAir = "off-air"
    /// The controller refuses its advertising.
    case refused
    /// No controller can advertise it as it is configured.
    case unserved
    /// On the air, but its gate refuses all phones, since it has no RSSI.
    case withoutRSSI = "without-rssi"
    /// On the air, but its gate refuses all phones, since it has no transmit power.
    case withoutPower = "without-power"

    /// True if phones are served in the mode, or will be once a slot is free.
    public var isServed: Bool {
        switch self {
        case .onAir, .offAir: true
        case .refused, .unserved, .withoutRSSI, .withoutPower: false
        }
    }
}
