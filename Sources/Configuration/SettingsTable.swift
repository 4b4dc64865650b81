// SPDX-License-Identifier: Apache-2.0

import Reader

extension SettingKey {
    /// All keys of the configuration, in the order of the reference file.
    public static let all: [SettingKey] =
        root + reader + credentials + desfire + aliro + advertising + links + proximity + proximityOfModes + door
        + gpio + lights + nfc + events + updater + provisioning + osdp + wiegand + matter + link

    private static let root: [SettingKey] = [
        text(
            "hci", \.hci,
            takes:
                "text: hci-socket:N, hci-socket:ADDRESS, hci-socket:usb-PORT, serial:DEVICE,BAUD[,rtscts], tcp-client:HOST:PORT, unix:PATH or netsim[:INSTANCE]",
            "The Bluetooth controller. --hci has precedence.",
            check: SettingChecks.notEmpty),
        boolean(
            "hci-take", \.takesAdapter,
            "Lets hci-socket take an adapter that is up, which is then brought down and lost to the system."),
        boolean(
            "allow-demo-identity", \.allowsDemoIdentity,
            "Lets the demo identity, whose keys are public, drive gpio.lock. For a bench only."),
        choice(
            "log-level", \.logLevel,
            "The minimum level of log lines. --log-level has precedence."),
        text(
            "control", \.control, takes: "text: a path",
            "The control socket, for readerd status, unlock, lockdown and metrics. --control has precedence. Absent: "
                + "that of the example, if its directory exists.",
            example: "/run/readerd/control.sock", check: SettingChecks.socketPath),
    ]

    private static let reader: [SettingKey] = [
        integer("reader.site-id", \.reader.siteID, 1...65_535, "The site's number in credentials."),
        integer("reader.door-id", \.reader.doorID, 1...65_535, "The door's number in credentials."),
        integer(
            "reader.utc-offset-minutes", \.reader.utcOffsetMinutes, -840...840,
            "The offset from UTC of the local time by which credentials are checked."),
        text(
            "reader.time-zone", \.reader.timeZone, takes: "text: the name of a time zone",
            "The zone of the local time, with daylight saving, instead of utc-offset-minutes.",
            example: "Europe/Berlin", check: SettingChecks.timeZone),
        list(
            "reader.holidays", \.reader.holidays,
            takes: "a list of texts: a name and days \"Labour Day: 05-01\", \"Good Friday: easter-2\", "
                + "\"Thanksgiving: 4th thu 11\", \"Works holidays: 12-24..01-01 until 2030\", \"2026-12-24\"",
            "The local days on which periods of door.schedules and schedules of credentials.groups hold only with "
                + "\"hol\" among their weekdays.",
            write: \.text, read: { HolidayLine($0) }, problem: HolidayLine.problem),
        choices(
            "reader.phones-may-set", \.reader.pushable, of: PushedSetting.allCases.filter(\.isCarriedByPhones),
            "The settings that a configuration pushed by phones (UPDATE) may change; it is not signed. Others are "
                + "ignored and reported."),
    ]

    private static let advertising: [SettingKey] = [
        choices(
            "advertising.modes", \.advertising.modes,
            "The advertised modes, each with its own packet and address."),
        integer(
            "advertising.interval-ms", \.advertising.intervalMilliseconds, 20...10_240,
            "The time between two packets of one mode. A controller with one advertiser alternates between the modes."),
        integer(
            "advertising.company-id", \.advertising.companyID, 0...0xFFFF,
            "The company identifier in manufacturer data.", write: hexadecimal),
        integer(
            "advertising.access-service", \.advertising.accessService, 0...0xFFFF,
            "The 16-bit UUID of the access service.", write: hexadecimal),
        text(
            "advertising.classic-service", \.advertising.classicService, takes: "text: a UUID",
            "The service that mode classic advertises.", check: SettingChecks.uuid),
        text(
            "advertising.on-touch-service", \.advertising.onTouchService, takes: "text: a UUID",
            "The service that mode on-touch advertises.", check: SettingChecks.uuid),
        text(
            "advertising.pkoc-service", \.advertising.pkocService, takes: "text: a UUID",
            "The service that mode pkoc advertises. Earlier phones look for 41fb60a1-d4d0-4ae9-8cbb-b62b5ae81810.",
            check: SettingChecks.uuid),
        boolean(
            "advertising.pkoc-fragments", \.advertising.hasPKOCFragments,
            "The messages of PKOC over Bluetooth LE are in the fragments of profile 2.0.1. Apps speak one or the "
                + "other."),
        text(
            "advertising.ibeacon-uuid", \.advertising.iBeaconUUID, takes: "text: a UUID",
            "The UUID of mode access-ibeacon.", check: SettingChecks.uuid),
    ]

    private static let links: [SettingKey] = [
        integer(
            "links.max", \.links.maximum, 1...64,
            "The maximum number of links, also limited by the controller."),
        integer(
            "links.max-connection-ms", \.links.maximumConnectionMilliseconds, 500...60_000,
            "The maximum time of a link without a successful exchange."),
        integer(
            "links.longest-connection-s", \.links.longestConnectionSeconds, 10...3600,
            "The maximum duration of a link. A phone may connect again."),
    ]

    private static let thresholds = -126 ... -1
    // The window of a gate is at most one second, and so are the times within.
    private static let windows = 50...1000
    private static let intervals = 10...1000
    private static let sampleCounts = 1...15
    // From a phone in the hand to the highest power and the lowest RSSI that there are.
    private static let pathLosses = 20...146

    private static let proximity: [SettingKey] = [
        integer(
            "proximity.threshold-dbm", \.proximity.common.thresholdDBm, thresholds,
            "The minimum RSSI, measured by the reader, of a near phone."),
        integer(
            "proximity.window-ms", \.proximity.common.windowMilliseconds, windows,
            "The time for the measurements of a link. Slow connections get more, up to a second."),
        integer(
            "proximity.interval-ms", \.proximity.common.intervalMilliseconds, intervals,
            "The time between two measurements of one link; at least the connection interval."),
        integer(
            "proximity.samples", \.proximity.common.samples, sampleCounts,
            "The number of measurements of the median; fewer grant nothing."),
        integer(
            "proximity.max-path-loss-db", \.proximity.common.maximumPathLossDB, pathLosses,
            "The maximum path loss of a near phone, in addition to the threshold: the transmit power that the phone "
                + "reports, less the RSSI. Needs LE Power Control in controller and phone: docs/operate/gate.md. "
                + "Absent: not considered.",
            example: 50),
        choices(
            "proximity.gate", \.proximity.gatedModes,
            "The modes with a proximity gate. Links of other modes are served at any distance."),
    ]

    private static let proximityOfModes: [SettingKey] = ReaderSettings.Mode.allCases.flatMap { mode in
        let table = "proximity.\(mode.rawValue)"
        let instead = "for mode \(mode.rawValue) instead of the common one."
        return [
            integer(
                "\(table).threshold-dbm", \.proximity[mode].thresholdDBm, thresholds, "The threshold \(instead)",
                example: -60),
            integer(
                "\(table).window-ms", \.proximity[mode].windowMilliseconds, windows, "The window \(instead)",
                example: 400),
            integer(
                "\(table).interval-ms", \.proximity[mode].intervalMilliseconds, intervals, "The interval \(instead)",
                example: 25),
            integer(
                "\(table).samples", \.proximity[mode].samples, sampleCounts, "The number of measurements \(instead)",
                example: 3),
            integer(
                "\(table).max-path-loss-db", \.proximity[mode].maximumPathLossDB, pathLosses,
                "The maximum path loss \(instead)", example: 50),
        ]
    }

    private static let nfc: [SettingKey] = [
        text(
            "nfc.connection", \.nfc.connection, takes: "text: a libnfc connection string",
            "The NFC front end. Absent: none.", example: "pn532_uart:/dev/ttyS1",
            check: SettingChecks.notEmpty),
        choice(
            "nfc.role", \.nfc.role,
            "The role of the front end. \"target\": it plays a card for phones. \"poll\": it reads cards, and phones "
                + "that play one. \"both\": in turns."),
        text(
            "nfc.ecp", \.nfc.pollingFrame, takes: "text: the hexadecimal digits of a frame without its CRC",
            "The frame of enhanced contactless polling that each round sends after the request of type A: phones "
                + "choose their card by it. Absent: none.", example: "6A02CB02042042200102030405060708",
            check: SettingChecks.pollingFrame),
        integer(
            "nfc.round-ms", \.nfc.roundMilliseconds, 50...1000,
            "The time from one round of polling to the next, while the field is empty."),
        integer(
            "nfc.poll-ms", \.nfc.pollMilliseconds, 100...5000,
            "With the role \"both\", the duration of polling before the front end listens."),
        integer(
            "nfc.listen-ms", \.nfc.listenMilliseconds, 100...5000,
            "With the role \"both\", the duration of listening before the front end polls. A phone that reads sends "
                + "its request every 350 ms or so."),
        text(
            "nfc.aid", \.nfc.application, takes: "text: 10 to 32 hexadecimal digits",
            "The application identifier by which an app selects the reader. iOS needs it in the app's Info.plist.",
            check: SettingChecks.applicationID),
        text(
            "nfc.uri", \.nfc.uri, takes: "text: an https address of at most 200 octets",
            "The address that a phone without the app opens at the reader.", example: "https://example.com/door",
            check: SettingChecks.webAddress),
        text(
            "nfc.package", \.nfc.package, takes: "text: the package name of an Android app",
            "The app that an Android phone opens at the reader, or its page in the store.",
            example: "com.example.door", check: SettingChecks.androidPackage),
    ]

    private static let events: [SettingKey] = [
        choice(
            "events.audit", \.events.audit,
            "Strict: a grant waits until its event is on the disk. Exit and fire never wait."),
        integer("events.capacity", \.events.capacity, 100...1_000_000, "The number of events that are kept."),
        choice(
            "events.when-full", \.events.whenFull,
            "The behaviour of a full log: the oldest event is dropped, or access is refused until the log is cleared."),
        integer(
            "events.max-wait-ms", \.events.maximumWaitMilliseconds, 50...2500,
            "The maximum time to store an event, after which the disk is faulty."),
        choice(
            "events.when-failing", \.events.whenFailing,
            "The behaviour with audit = \"strict\" while events cannot be stored: all access is refused, or grants go "
                + "unrecorded."),
    ]

    private static func hexadecimal(_ number: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
