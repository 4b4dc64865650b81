// SPDX-License-Identifier: Apache-2.0

/// The share of time in which a scanner listens (Core 5.4, Vol 4, Part E, 7.8.10): for `window` in each `interval`.
public struct ScanDuty: Equatable, Sendable {
    /// The time for which it listens, 2.5 ms to 10.24 s.
    public var window: Duration
    /// The time between the starts of two successive windows, at least `window`.
    public var interval: Duration

    /// A duty of these times.
    public init(window: Duration, interval: Duration) {
        self.window = window
        self.interval = interval
    }

    /// Listening all the time.
    public static let always = ScanDuty(window: .milliseconds(30), interval: .milliseconds(30))

    /// Interval and window in units of 0.625 ms, as in HCI. Values outside its ranges become the nearest valid ones.
    var octets: [UInt8] {
        let units = [interval, window].map { UInt16(max(0x0004, min(0x4000, $0 / .microseconds(625))).rounded()) }
        return [units[0], min(units[0], units[1])].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }
}
