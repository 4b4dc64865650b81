extension SettingKey {
    /// All keys of the configuration, in the order of the reference file.
    public static let all: [SettingKey] =
        root + reader + credentials + advertising + links + proximity + proximityOfModes + door + gpio + nfc + events
        + updater + provisioning

    private static let root: [SettingKey] = [
        text(
            "hci", \.hci,
            takes: "text: hci-socket:N, serial:DEVICE,BAUD[,rtscts], tcp-client:HOST:PORT or unix:PATH",
            "The Bluetooth controller. --hci on the command line comes before it.",
            check: SettingChecks.notEmpty),
        boolean(
            "hci-take", \.takesAdapter,
            "Whether hci-socket takes an adapter that is up: it is brought down, and is lost to the system."),
        boolean(
            "allow-demo-identity", \.allowsDemoIdentity,
            "Whether gpio.lock may be driven with the demo identity, whose keys everybody has. Only for a bench."),
        choice(
            "log-level", \.logLevel,
            "From where on the log tells what happens. --log-level on the command line comes before it."),
        text(
            "control", \.control, takes: "text: a path",
            "The control socket, for readerd status, unlock, lockdown and metrics; --control on the command line "
                + "comes before it. Absent: the one of the example, if its directory is there.",
            example: "/run/readerd/control.sock", check: SettingChecks.socketPath),
    ]

    private static let reader: [SettingKey] = [
        integer("reader.site-id", \.reader.siteID, 1...65_535, "The site's number in credentials."),
        integer("reader.door-id", \.reader.doorID, 1...65_535, "The door's number in credentials."),
        integer(
            "reader.utc-offset-minutes", \.reader.utcOffsetMinutes, -840...840,
            "How far the local time that credentials are checked against is ahead of UTC."),
        text(
            "reader.time-zone", \.reader.timeZone, takes: "text: the name of a time zone",
            "The zone of the local time, with its daylight saving, instead of utc-offset-minutes.",
            example: "Europe/Berlin", check: SettingChecks.timeZone),
        choices(
            "reader.phones-may-set", \.reader.pushable,
            "What a configuration that phones bring by UPDATE may change; nobody signs it. The rest of it is ignored, and "
                + "that is reported."),
    ]

    private static let advertising: [SettingKey] = [
        choices(
            "advertising.modes", \.advertising.modes,
            "What the reader advertises as: each mode with a packet and an address of its own."),
        integer(
            "advertising.interval-ms", \.advertising.intervalMilliseconds, 20...10_240,
            "Time between two packets of one mode. A controller with one advertiser takes the modes in turn."),
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
            "advertising.ibeacon-uuid", \.advertising.iBeaconUUID, takes: "text: a UUID",
            "The UUID of mode access-ibeacon.", check: SettingChecks.uuid),
    ]

    private static let links: [SettingKey] = [
        integer(
            "links.max", \.links.maximum, 1...64,
            "How many phones are served at once. A controller that has fewer links serves as many as it has."),
        integer(
            "links.max-connection-ms", \.links.maximumConnectionMilliseconds, 500...60_000,
            "How long a phone may stay without an exchange in which it is served; a refusal is none."),
        integer(
            "links.longest-connection-s", \.links.longestConnectionSeconds, 10...3600,
            "How long a phone may stay at all. One that has more to ask connects again."),
    ]

    private static let thresholds = -126 ... -1
    // The window of a gate is at most one second, and so are the times within.
    private static let windows = 50...1000
    private static let intervals = 10...1000
    private static let sampleCounts = 1...15

    private static let proximity: [SettingKey] = [
        integer(
            "proximity.threshold-dbm", \.proximity.common.thresholdDBm, thresholds,
            "The signal strength, as the reader measures it, from which a phone counts as near."),
        integer(
            "proximity.window-ms", \.proximity.common.windowMilliseconds, windows,
            "How long a phone has to prove that it is near. A slow connection is given longer, up to a second."),
        integer(
            "proximity.interval-ms", \.proximity.common.intervalMilliseconds, intervals,
            "Time between two measurements of one link; never shorter than the connection interval."),
        integer(
            "proximity.samples", \.proximity.common.samples, sampleCounts,
            "How many measurements the median is taken of. Fewer never open."),
        choices(
            "proximity.gate", \.proximity.gatedModes,
            "The modes whose links are verified. Links of the others are served at any distance."),
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
        ]
    }

    private static let nfc: [SettingKey] = [
        text(
            "nfc.connection", \.nfc.connection, takes: "text: a libnfc connection string",
            "The NFC front end; there is none where it is absent.", example: "pn532_uart:/dev/ttyS1",
            check: SettingChecks.notEmpty),
        choice("nfc.role", \.nfc.role, "What the front end plays. \"target\": the card."),
        text(
            "nfc.aid", \.nfc.application, takes: "text: 10 to 32 hexadecimal digits",
            "The application identifier by which an app selects the reader. On iOS it also stands in the app's "
                + "Info.plist.",
            check: SettingChecks.applicationID),
        text(
            "nfc.uri", \.nfc.uri, takes: "text: an https address of at most 200 octets",
            "What a phone without the app opens when it touches the reader.", example: "https://example.com/door",
            check: SettingChecks.webAddress),
        text(
            "nfc.package", \.nfc.package, takes: "text: the package name of an Android app",
            "The app that an Android phone opens when it touches the reader, or the store's page of it.",
            example: "com.example.door", check: SettingChecks.androidPackage),
    ]

    private static let events: [SettingKey] = [
        choice(
            "events.audit", \.events.audit,
            "Whether a grant waits until its event is on the disk. Exit and fire never wait."),
        integer("events.capacity", \.events.capacity, 100...1_000_000, "How many events are kept."),
        choice(
            "events.when-full", \.events.whenFull,
            "What happens when as many are there: the oldest goes, or nobody is let in until the log is cleared."),
        integer(
            "events.max-wait-ms", \.events.maximumWaitMilliseconds, 50...2500,
            "How long the disk may take to store an event before that counts as a fault."),
        choice(
            "events.when-failing", \.events.whenFailing,
            "What happens with audit = \"strict\" while events cannot be stored: nobody is let in, or everybody who "
                + "may."),
    ]

    private static func hexadecimal(_ number: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
