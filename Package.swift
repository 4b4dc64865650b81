// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// One section per function, so that the linker can order and remove functions; otherwise most functions of a file
/// share one section. SwiftPM rejects unsafe flags in a dependency with a version requirement.
let isTakenByVersion = ["/checkouts/", "/registry/"].contains { Context.packageDirectory.contains($0) }
let separateFunctions: [SwiftSetting] =
    isTakenByVersion
    ? []
    : [.unsafeFlags(["-Xfrontend", "-function-sections"], .when(platforms: [.linux], configuration: .release))]

// Settings of every target: Swift 6 mode, warnings as errors, explicit access levels of imports.
let language: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
let strict = language + separateFunctions
let strictC: [CSetting] = [.treatAllWarnings(as: .error)]

/// Linker settings of the firmware: no exported symbols, because functions are never looked up by name; packed relative
/// relocations (glibc 2.36 and later); library calls bound at the start, with a table that is read-only afterwards;
/// read-only constants; where there is an order (`script/bench --order`), the functions used in service next to each
/// other, so that they occupy few pages. LLVM's linker, part of the toolchain, supports all of these.
let order = Context.environment["READERD_FUNCTION_ORDER"].map { file in
    ["--symbol-ordering-file=\(file)", "--no-warn-symbol-ordering"]
}
let sections = ["-T", "\(Context.packageDirectory)/Sources/readerd/Linking/sections.ld"]
let firmwareLinking: [LinkerSetting] = [
    .unsafeFlags(
        ["-use-ld=lld"]
            + (["--no-export-dynamic", "-z", "pack-relative-relocs", "-z", "now"] + sections + (order ?? []))
            .flatMap { ["-Xlinker", $0] },
        .when(platforms: [.linux], configuration: .release))
]

/// The layers, lower ones first: a target uses its own layer and those below it. C targets are the lowest layer, and
/// programs the highest. script/house checks it, and draws the targets from layer, name and purpose in the manifests.
enum Layer { case system, values, machine, host, protocols, reader, program }

/// A C target: the kernel's interfaces, or a library of the system.
func face(_ name: String, _ purpose: String, links libraries: String...) -> Target {
    .target(
        name: name, cSettings: strictC, cxxSettings: [.treatAllWarnings(as: .error)],
        linkerSettings: libraries.map { .linkedLibrary($0) })
}

/// A library target.
func library(
    _ layer: Layer, _ name: String, _ purpose: String, _ dependencies: [Target.Dependency] = []
) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// A program.
func program(
    _ name: String, _ purpose: String, _ dependencies: [Target.Dependency], exclude: [String],
    linking: [LinkerSetting]
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict, linkerSettings: linking)
}

/// Support for the tests of several targets, here and in other packages.
func support(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/Support/\(name)", swiftSettings: strict)
}

/// The tests of one target.
func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

/// A library product of one target with the same name.
func product(_ name: String) -> Product { .library(name: name, targets: [name]) }

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let package = Package(
    name: "readerd",
    products: [
        // Libraries for a Bluetooth LE device.
        product("Peripheral"), product("HostLoop"),
        // The access reader, its protocol, and a gateway's Wi-Fi.
        product("AccessProtocol"), product("Credentials"), product("Proximity"), product("Reader"),
        product("Configuration"), product("Remote"), product("EventStore"), product("WiFi"), product("WiFiStation"),
        product("NordicProvisioning"), product("GateTrial"),
        // The wire to an access panel.
        product("OSDP"), product("PanelLine"), product("CardFormats"),
        // The channels to the processes of the Matter lock and of the link to a fleet.
        product("LockChannel"), product("Fleet"),
        .executable(name: "readerd", targets: ["readerd"]),
        // Values and primitives shared with the other packages.
        product("CBOR"), product("CardPolling"), product("CLinux"), product("CTOML"), product("Commands"),
        product("Crypto"), product("GPIO"),
        product("JSON"),
        product("Journal"), product("Octets"), product("Protobuf"), product("System"), product("Timekeeping"),
        // For tests.
        product("TestSupport"), product("VirtualTime"), product("ReaderTestSupport"), product("WiFiTestSupport"),
        product("Contactless"),
        .executable(name: "event-writer", targets: ["event-writer"]),
        .executable(name: "decision-probe", targets: ["decision-probe"]),
    ],
    dependencies: [.package(url: "https://github.com/apple/swift-log", exact: "1.16.2")],
    targets: [
        face("CLinux", "epoll, signals, sockets"),
        face("CHCI", "the kernel's Bluetooth interface"),
        face("CGPIO", "libgpiod", links: "gpiod"),
        face("CNFC", "libnfc", links: "nfc"),
        face("CCrypto", "OpenSSL 3", links: "crypto"),
        face("CSQLite", "SQLite", links: "sqlite3"),
        face("CTOML", "toml++"),

        library(.values, "Octets", "cursor, typed errors"),
        library(.values, "Timekeeping", "instants, civil time", ["Octets"]),
        library(.values, "JSON", "parser with lines"),
        library(.values, "CBOR", "one encoding", ["Octets"]),
        library(.values, "Protobuf", "bounded codec", ["Octets"]),
        library(.values, "CardFormats", "bits of cards for panels"),
        library(.values, "CardPolling", "an NFC chip that polls cards, as a value"),

        library(.machine, "System", "one thread, mailboxes, files", ["CLinux", "Octets", "Timekeeping"]),
        library(.machine, "Commands", "the error, lines and tables of a command", ["Octets", "System"]),
        library(.machine, "Journal", "log output of the programs", ["Octets", "System", "Timekeeping", logging]),
        library(.machine, "Crypto", "typed primitives", ["CCrypto"]),
        library(.machine, "GPIO", "lines of chips", ["CGPIO"]),
        library(.machine, "NFC", "a chip: card, and reader of cards", ["CNFC", "CardPolling", "System"]),

        library(
            .host, "Peripheral", "the BLE host: GAP, GATT, ATT, SMP, L2CAP, HCI, H4",
            ["CHCI", "CLinux", "Crypto", "Octets", "Timekeeping"]),
        library(
            .host, "HostLoop", "a program of devices on the host", ["Crypto", "Peripheral", "System", "Timekeeping"]),

        library(
            .protocols, "AccessProtocol", "the session that reader and phone share",
            ["Crypto", "Octets", "Protobuf", "Timekeeping"]),
        library(
            .protocols, "Credentials", "contactless credentials as values",
            ["CBOR", "CardFormats", "Crypto", "Octets", "Timekeeping"]),
        library(
            .protocols, "Contactless", "an NFC field: cards, phones that play one, the chip of a reader",
            ["CardPolling", "Credentials", "Crypto", "Octets", "Timekeeping"]),
        library(.protocols, "OSDP", "the wire to a panel", ["CardFormats", "Crypto", "Octets", "Timekeeping"]),
        library(
            .protocols, "PanelLine", "a panel's serial line and Wiegand lines",
            ["CLinux", "Crypto", "GPIO", "OSDP", "Octets", "System", "Timekeeping"]),
        library(
            .protocols, "WiFi", "Wi-Fi networks, their secrets, joins and events",
            ["Crypto", "JSON", "Octets"]),
        library(
            .protocols, "WiFiStation", "a station in a Wi-Fi network",
            ["Crypto", "JSON", "Octets", "Timekeeping", "WiFi"]),
        library(
            .protocols, "NordicProvisioning", "Wi-Fi provisioning by phones",
            ["Crypto", "Octets", "Peripheral", "Protobuf", "Timekeeping", "WiFi", "WiFiStation"]),
        library(.protocols, "LockChannel", "messages to the Matter lock", ["Crypto", "JSON", "Octets", "WiFi"]),
        library(.protocols, "Fleet", "messages of a fleet", ["CBOR", "JSON", "Octets", "Timekeeping"]),

        library(
            .reader, "Proximity", "the gate: from readings of a link to a verdict", ["Timekeeping"]),
        library(
            .reader, "Reader", "links, gate, session, credentials, openings, door, event log",
            [
                "AccessProtocol", "CBOR", "CardPolling", "Credentials", "Crypto", "Octets", "Peripheral", "Protobuf",
                "Proximity", "Timekeeping",
            ]),
        library(
            .reader, "Configuration", "the settings of a reader: one table of keys",
            [
                "AccessProtocol", "CardFormats", "Credentials", "Crypto", "Fleet", "JSON", "Octets", "Reader",
                "Timekeeping",
            ]),
        library(
            .reader, "Remote", "signed orders and the desired state of a back end",
            ["AccessProtocol", "CBOR", "Configuration", "Crypto", "Fleet", "Octets", "Reader", "Timekeeping"]),
        library(.reader, "GateTrial", "the gate on recorded RSSI", ["Proximity", "Timekeeping"]),
        library(
            .reader, "EventStore", "events and policy on SQLite",
            ["CSQLite", "Crypto", "Octets", "Reader", "System", "Timekeeping"]),

        program(
            "readerd", "a reactor, the device, and its services",
            [
                "AccessProtocol", "CLinux", "CTOML", "CardFormats", "CardPolling", "Configuration", "Credentials",
                "Crypto",
                "EventStore", "Fleet", "GPIO", "GateTrial", "JSON", "Journal", "LockChannel", "NFC",
                "NordicProvisioning", "OSDP",
                "Octets", "PanelLine", "Peripheral", "Proximity", "Reader", "Remote", "System", "Timekeeping", "WiFi",
                "WiFiStation",
                logging,
            ],
            exclude: ["Linking"], linking: firmwareLinking),

        // Support for the tests of several targets.
        support("TestSupport", ["Crypto", "System"]),
        support("VirtualTime", ["Timekeeping"]),
        support(
            "ReaderTestSupport",
            [
                "AccessProtocol", "Crypto", "Octets", "Peripheral", "Protobuf", "Reader", "TestSupport", "Timekeeping",
            ]),
        support("WiFiTestSupport", ["Crypto", "WiFi", "WiFiStation"]),
        // libbluetooth's headers (GPL), which CHCITests compares with CHCI's declarations. The library is not linked.
        .target(
            name: "BluetoothHeaders", dependencies: ["CHCI"], path: "Tests/Support/BluetoothHeaders",
            cSettings: strictC),
        tests("CHCITests", ["BluetoothHeaders", "CHCI"]),
        tests("OctetsTests", ["Octets"]),
        tests("TimekeepingTests", ["Timekeeping"]),
        tests("JSONTests", ["JSON"]),
        tests("CBORTests", ["CBOR"]),
        tests("SystemTests", ["TestSupport", "CLinux", "System", "Timekeeping"]),
        tests(
            "JournalTests",
            ["CLinux", "Journal", "TestSupport", logging]),
        tests("GPIOTests", ["GPIO", "CGPIO"]),
        tests("NFCTests", ["TestSupport", "NFC", "CNFC", "CardPolling"]),
        tests("CardPollingTests", ["TestSupport", "CardPolling"]),
        tests("CommandsTests", ["Commands"]),
        tests("CryptoTests", ["TestSupport", "Crypto"]),
        tests("ProtobufTests", ["Protobuf", "Octets"]),
        tests(
            "PeripheralTests", ["TestSupport", "VirtualTime", "Peripheral", "Crypto", "Octets", "Timekeeping"],
            exclude: ["Vectors"]),
        tests("HostLoopTests", ["TestSupport", "HostLoop", "Peripheral"]),
        tests(
            "AccessProtocolTests",
            [
                "TestSupport", "ReaderTestSupport", "AccessProtocol", "Crypto", "JSON", "Octets", "Protobuf",
                "Timekeeping",
            ]),
        tests(
            "ReaderTests",
            [
                "TestSupport", "VirtualTime", "ReaderTestSupport", "Contactless",
                "Reader", "AccessProtocol", "Credentials", "Crypto", "Octets", "Peripheral", "Protobuf", "Proximity",
                "Timekeeping",
            ]),
        tests(
            "CredentialsTests",
            ["TestSupport", "CBOR", "Contactless", "Credentials", "Crypto", "JSON", "Octets", "Timekeeping"]),
        tests("ProximityTests", ["Proximity", "Timekeeping"]),
        tests(
            "ConfigurationTests",
            ["TestSupport", "Configuration", "AccessProtocol", "Credentials", "JSON", "Reader", "Timekeeping"]),
        tests(
            "RemoteTests",
            [
                "TestSupport", "Remote", "AccessProtocol", "CBOR", "Configuration", "Crypto", "Fleet", "Octets",
                "Reader", "Timekeeping",
            ]),
        tests("GateTrialTests", ["GateTrial", "Proximity", "Timekeeping"]),
        tests("WiFiTests", ["WiFi"]),
        tests(
            "WiFiStationTests",
            ["TestSupport", "VirtualTime", "WiFiTestSupport", "WiFi", "WiFiStation", "JSON", "Timekeeping"]),
        tests(
            "NordicProvisioningTests",
            [
                "TestSupport", "VirtualTime", "WiFiTestSupport", "NordicProvisioning", "WiFi", "WiFiStation",
                "Peripheral",
                "Protobuf", "Timekeeping",
            ]),
        tests(
            "ContactlessTests", ["TestSupport", "CardPolling", "Contactless", "Credentials", "Crypto", "Timekeeping"]),
        tests("OSDPTests", ["TestSupport", "VirtualTime", "CardFormats", "Crypto", "OSDP", "Timekeeping"]),
        tests("CardFormatsTests", ["CardFormats"]),
        tests("PanelLineTests", ["TestSupport", "GPIO", "OSDP", "PanelLine", "System", "Timekeeping"]),
        tests("FleetTests", ["TestSupport", "CBOR", "Fleet", "JSON", "Octets", "Timekeeping"]),
        tests("LockChannelTests", ["Crypto", "JSON", "LockChannel", "WiFi", "WiFiTestSupport"]),
        tests(
            "EventStoreTests",
            [
                "TestSupport", "EventStore", "AccessProtocol", "CSQLite", "Crypto", "Octets", "Reader", "Timekeeping",
                "event-writer",
            ]),
        // A program that a test kills during a write to the log.
        .executableTarget(
            name: "event-writer", dependencies: ["EventStore", "Reader", "Timekeeping"],
            path: "Tests/Support/event-writer", swiftSettings: strict),
        // A program that decides for the interop tests, which compare it with a second implementation.
        .executableTarget(
            name: "decision-probe",
            dependencies: ["AccessProtocol", "Configuration", "Protobuf", "Reader", "Timekeeping"],
            path: "Tests/Support/decision-probe", swiftSettings: strict),
        tests(
            "ReaderdTests",
            [
                "TestSupport", "ReaderTestSupport", "Contactless",
                "readerd", "AccessProtocol", "CLinux", "CTOML", "CardPolling", "Configuration", "Credentials", "Crypto",
                "EventStore", "Fleet", "GPIO", "GateTrial", "JSON", "Journal", "Peripheral", "NFC", "OSDP",
                "Protobuf", "Proximity", "Reader", "Remote", "System", "Timekeeping", logging,
            ]),
    ],
    cxxLanguageStandard: .cxx17
)
