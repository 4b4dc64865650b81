// SPDX-License-Identifier: Apache-2.0

/// A number that a camera reports: the last event, the onboarding state, or the connectivity. The numbers are the
/// published ones ("Camera Onboarding and Pairing"); `CameraStatus` assigns them to fields.
public struct CameraSignal: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number.
    public let rawValue: Int32

    /// The signal with this number.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// INDICATE_ONBOARDING_NOT_READY: stored credentials are being tried.
    public static let notReady = CameraSignal(rawValue: 109)
    /// INDICATE_WAITING_FOR_ONBOARDING: it waits for credentials.
    public static let waiting = CameraSignal(rawValue: 111)
    /// INDICATE_DEVICE_ONBOARDED.
    public static let onboarded = CameraSignal(rawValue: 113)
    /// INDICATE_DEVICE_CONNECTIVITY_CHECK_IN_PROGRESS
    public static let connectivityCheckInProgress = CameraSignal(rawValue: 121)
    /// INDICATE_DEVICE_CONNECTIVITY_CHECK_DONE
    public static let connectivityCheckDone = CameraSignal(rawValue: 123)
    /// INDICATE_BUSY_WITH_ONBOARDING: received credentials are being processed.
    public static let busy = CameraSignal(rawValue: 155)
    /// INDICATE_PARSING_SUCCEEDED
    public static let parsingSucceeded = CameraSignal(rawValue: 201)
    /// INDICATE_PARSING_FAILED
    public static let parsingFailed = CameraSignal(rawValue: 203)
    /// INDICATE_WIFI_SET_IN_PROGRESS
    public static let wifiInProgress = CameraSignal(rawValue: 301)
    /// INDICATE_WIFI_SET_SUCCEEDED
    public static let wifiSucceeded = CameraSignal(rawValue: 302)
    /// INDICATE_WIFI_SET_FAILED
    public static let wifiFailed = CameraSignal(rawValue: 303)
    /// INDICATE_PAIRING_IN_PROGRESS
    public static let pairingInProgress = CameraSignal(rawValue: 501)
    /// INDICATE_PAIRING_SUCCEEDED
    public static let pairingSucceeded = CameraSignal(rawValue: 502)
    /// INDICATE_PAIRING_FAILED
    public static let pairingFailed = CameraSignal(rawValue: 503)
    /// INDICATE_SERVER_CLOSING: the GATT server is about to close.
    public static let serverClosing = CameraSignal(rawValue: 1307)
    /// INDICATE_CONNECTIVITY_UP
    public static let connectivityUp = CameraSignal(rawValue: 1501)
    /// INDICATE_CONNECTIVITY_DOWN
    public static let connectivityDown = CameraSignal(rawValue: 1505)

    private static let names: [(signal: CameraSignal, name: String)] = [
        (.notReady, "not-ready"),
        (.waiting, "waiting"),
        (.onboarded, "onboarded"),
        (.connectivityCheckInProgress, "check-in-progress"),
        (.connectivityCheckDone, "check-done"),
        (.busy, "busy"),
        (.parsingSucceeded, "parsing-succeeded"),
        (.parsingFailed, "parsing-failed"),
        (.wifiInProgress, "wifi-in-progress"),
        (.wifiSucceeded, "wifi-succeeded"),
        (.wifiFailed, "wifi-failed"),
        (.pairingInProgress, "pairing-in-progress"),
        (.pairingSucceeded, "pairing-succeeded"),
        (.pairingFailed, "pairing-failed"),
        (.serverClosing, "server-closing"),
        (.connectivityUp, "up"),
        (.connectivityDown, "down"),
    ]

    /// Every published signal, by number.
    public static let all = names.map(\.signal)

    /// The signals that can be the notification state, by number.
    public static let notifications = all.filter { ![.busy, .connectivityUp, .connectivityDown].contains($0) }

    /// True if it ends an onboarding without success: 203, 303 or 503.
    public var isFailure: Bool { [.parsingFailed, .wifiFailed, .pairingFailed].contains(self) }

    /// The name in the timeline and in scenario files; nil for an unpublished number.
    public var name: String? { CameraSignal.names.first { $0.signal == self }?.name }

    /// `303 wifi-failed`
    public var description: String { name.map { "\(rawValue) \($0)" } ?? "\(rawValue)" }
}

/// The three signals in a camera's value.
public struct CameraStatus: Equatable, Sendable, CustomStringConvertible {
    /// The notification state: the last event.
    public var notification: CameraSignal
    /// The onboarding state: 109, 111, 155 or 113.
    public var onboarding: CameraSignal
    /// The connectivity state: 1501 or 1505.
    public var connectivity: CameraSignal

    /// Three signals.
    public init(notification: CameraSignal, onboarding: CameraSignal, connectivity: CameraSignal) {
        self.notification = notification
        self.onboarding = onboarding
        self.connectivity = connectivity
    }

    /// `301 wifi-in-progress, 155 busy, 1505 down`
    public var description: String { "\(notification), \(onboarding), \(connectivity)" }
}
