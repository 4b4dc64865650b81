// SPDX-License-Identifier: Apache-2.0

/// The published radio behaviour of a kind of phone in a state: a row of the table in docs/emulators/phone.md, which
/// has the sources.
///
/// Values without a source are the defaults of the lab's phones, and marked so in the table.
public struct PhonePreset: Equatable, Sendable {
    /// The name, as it is typed.
    public let name: String
    /// The scan for readers.
    public let scanning: ScanDuty
    /// Connection interval, latency, supervision time-out.
    public let connection: ConnectionSettings
    /// The number of connection events from an update to its instant (Core 5.4, Vol 6, Part B, 5.1.1).
    public let eventsToUpdate: UInt64
    /// The MTU that it asks for.
    public let maximumMTU: Int
    /// True if it keeps the handles of a reader that it has visited.
    public let remembersAttributes: Bool
    /// True for a controller of Bluetooth 4.0: no extended commands, packets of 27 octets.
    public let isLegacy: Bool
    /// The delay before the next try on the same reader after success.
    public let retryAfterSuccess: Duration

    /// The time after which a phone takes another address (Core 5.4, Vol 3, Part C, Appendix A, T_GAP(private_addr_int)
    /// 15 min).
    public static let addressLifetime = Duration.seconds(15 * 60)

    private init(
        _ name: String, scan window: Int, of interval: Int, connects milliseconds: Int, timeout: Duration,
        updates: UInt64 = 6, mtu: Int = 517, remembers: Bool, isLegacy: Bool = false,
        afterSuccess: Duration = .seconds(2)
    ) {
        self.name = name
        scanning = ScanDuty(window: .milliseconds(window), interval: .milliseconds(interval))
        connection = ConnectionSettings(interval: .milliseconds(milliseconds), supervisionTimeout: timeout)
        eventsToUpdate = updates
        maximumMTU = mtu
        remembersAttributes = remembers
        self.isLegacy = isLegacy
        retryAfterSuccess = afterSuccess
    }

    /// All presets.
    public static let all = [
        PhonePreset(
            "iphone-foreground", scan: 40, of: 60, connects: 30, timeout: .milliseconds(720), updates: 13, mtu: 185,
            remembers: false),
        PhonePreset(
            "iphone-locked", scan: 120, of: 3000, connects: 30, timeout: .milliseconds(720), updates: 13, mtu: 185,
            remembers: false),
        PhonePreset(
            "android-foreground", scan: 100, of: 100, connects: 50, timeout: .seconds(5), remembers: true),
        PhonePreset(
            "android-background", scan: 140, of: 1400, connects: 50, timeout: .seconds(5), remembers: true,
            afterSuccess: .seconds(20)),
        PhonePreset(
            "android-screen-off", scan: 512, of: 10_240, connects: 50, timeout: .seconds(5), remembers: true,
            afterSuccess: .seconds(20)),
        PhonePreset(
            "old-android", scan: 100, of: 100, connects: 50, timeout: .seconds(20), remembers: true, isLegacy: true),
    ]

    /// The preset with this name.
    public static func named(_ name: String) -> PhonePreset? { all.first { $0.name == name } }
}

extension AccessPhoneConfiguration {
    /// Takes over what a kind of phone does at the radio.
    public mutating func become(_ preset: PhonePreset) {
        scanning = preset.scanning
        connection = preset.connection
        maximumMTU = preset.maximumMTU
        remembersAttributes = preset.remembersAttributes
        addressLifetime = PhonePreset.addressLifetime
        if retryAfterSuccess != nil { retryAfterSuccess = preset.retryAfterSuccess }
    }
}

extension PhoneVisitPlan {
    /// Takes over what a kind of phone does at the radio: scan, connection, MTU. The time limit of an attempt stays.
    public mutating func become(_ preset: PhonePreset) {
        scanning = preset.scanning
        maximumMTU = preset.maximumMTU
        let limit = connection.timeLimit
        connection = preset.connection
        connection.timeLimit = limit
        pauses.success = preset.retryAfterSuccess
    }
}
