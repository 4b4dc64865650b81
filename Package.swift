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
let firmwareLinking = linked(
    by: ["-T", "\(Context.packageDirectory)/Sources/readerd/Linking/sections.ld"] + (order ?? []))
/// Those of the companion processes, whose start and pages nobody waits for.
let companionLinking = linked(by: [])

func linked(by more: [String]) -> [LinkerSetting] {
    let options = ["--no-export-dynamic", "-z", "pack-relative-relocs", "-z", "now"] + more
    return [
        .unsafeFlags(
            ["-use-ld=lld"] + options.flatMap { ["-Xlinker", $0] },
            .when(platforms: [.linux], configuration: .release))
    ]
}

/// A library target, lower layers first in `dependencies`.
func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// The tests of one target.
func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

/// A library product of one target with the same name.
func product(_ name: String) -> Product {
    .library(name: name, targets: [name])
}

let package = Package(
    name: "readerd",
    products: [
        // Libraries for a Bluetooth LE device.
        product("Peripheral"), product("HostLoop"),
        // The access reader, its protocol, and a gateway's Wi-Fi.
        product("AccessProtocol"), product("Reader"), product("EventStore"), product("WiFiProvisioning"),
        // A Matter node, and its discovery.
        product("MatterTLV"), product("MatterCredentials"), product("MatterSession"), product("MatterInteraction"),
        product("MatterNode"), product("MatterHost"), product("MulticastDNS"),
        // The wire to an access panel.
        product("OSDP"), product("PanelLine"), product("CardFormats"),
        // The channel to the process of the reader's Matter lock.
        product("LockChannel"),
        // The link of readers to a fleet.
        product("Fleet"), product("MQTT"),
        .executable(name: "readerd", targets: ["readerd"]),
        .executable(name: "readerd-link", targets: ["readerd-link"]),
        .executable(name: "readerd-matter", targets: ["readerd-matter"]),
        // Values and primitives shared with the packages lab and Fuzz.
        product("CBOR"), product("CLinux"), product("CTOML"), product("Crypto"), product("JSON"), product("Octets"),
        product("GPIO"), product("Protobuf"), product("System"), product("Timekeeping"),
        // For the tests of the lab.
        product("GateTrial"),
        product("TestSupport"), product("VirtualTime"), product("ReaderTestSupport"), product("WiFiTestSupport"),
        .executable(name: "event-writer", targets: ["event-writer"]),
        .executable(name: "decision-probe", targets: ["decision-probe"]),
    ],
    dependencies: [.package(url: "https://github.com/apple/swift-log", exact: "1.16.2")],
    targets: [
        // C targets: functions missing from the Glibc overlay, and the system libraries.
        .target(name: "CLinux", cSettings: strictC),
        .target(name: "CHCI", cSettings: strictC),
        .target(name: "CGPIO", cSettings: strictC, linkerSettings: [.linkedLibrary("gpiod")]),
        .target(name: "CNFC", cSettings: strictC, linkerSettings: [.linkedLibrary("nfc")]),
        .target(name: "CCrypto", cSettings: strictC, linkerSettings: [.linkedLibrary("crypto")]),
        .target(
            name: "CTLS", cSettings: strictC,
            linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        .target(name: "CSQLite", cSettings: strictC, linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(name: "CTOML", cxxSettings: [.treatAllWarnings(as: .error)]),

        // Log output of the programs.
        .target(
            name: "Journal",
            dependencies: ["Octets", "System", "Timekeeping", .product(name: "Logging", package: "swift-log")],
            swiftSettings: strict),

        // Values used by all layers.
        library("Octets"),
        library("Timekeeping", ["Octets"]),
        library("JSON"),
        library("CBOR", ["Octets"]),
        library("CardFormats"),

        // The machine: event loop and threads, files, GPIO lines, NFC, cryptography, protobuf.
        library("System", ["CLinux", "Octets", "Timekeeping"]),
        library("GPIO", ["CGPIO"]),
        library("NFCTarget", ["CNFC", "System"]),
        library("Crypto", ["CCrypto"]),
        library("Protobuf", ["Octets"]),

        // The BLE peripheral host.
        library("Peripheral", ["CHCI", "CLinux", "Crypto", "Octets", "Timekeeping"]),

        // The event loop of a program with devices on the host.
        library("HostLoop", ["Crypto", "Peripheral", "System", "Timekeeping"]),

        // The access protocol, common to both sides, and the reader.
        library("AccessProtocol", ["Crypto", "Octets", "Protobuf", "Timekeeping"]),
        library(
            "Reader",
            [
                "AccessProtocol", "CBOR", "CardFormats", "Crypto", "Fleet", "Octets", "Peripheral", "Protobuf",
                "Timekeeping",
            ]),
        // The proximity gate on recorded signal strengths, and the threshold for a site.
        library("GateTrial", ["Reader", "Timekeeping"]),

        // Wi-Fi provisioning of a gateway: the interface to Wi-Fi, and the GATT service for phones.
        library("WiFiProvisioning", ["Crypto", "JSON", "Octets", "Peripheral", "Protobuf", "Timekeeping"]),

        // A Matter node: TLV, certificates and codes, secure sessions, the interaction model, the node's clusters.
        library("MatterTLV", ["Octets"]),
        library("MatterCredentials", ["Crypto", "MatterTLV", "Octets"]),
        library("MatterSession", ["Crypto", "MatterCredentials", "MatterTLV", "Octets", "Timekeeping"]),
        library("MatterInteraction", ["MatterTLV", "Octets", "Timekeeping"]),
        library(
            "MatterNode",
            [
                "Crypto", "MatterCredentials", "MatterInteraction", "MatterSession", "MatterTLV", "Octets",
                "Timekeeping", "WiFiProvisioning",
            ]),
        // Multicast DNS service discovery, the responder.
        library("MulticastDNS", ["Crypto", "Octets", "Timekeeping"]),

        // The surroundings of a node: UDP sockets, discovery on interfaces, BTP sessions.
        library(
            "MatterHost",
            ["CLinux", "Crypto", "MatterNode", "MatterSession", "MulticastDNS", "Octets", "Timekeeping"]),

        // The wire to an access panel: a peripheral device of OSDP 2.2.
        library("OSDP", ["CardFormats", "Crypto", "Octets", "Timekeeping"]),
        // Its serial line, the files of its key and address, and the lines to a panel that takes cards by Wiegand.
        library("PanelLine", ["CLinux", "Crypto", "GPIO", "OSDP", "Octets", "System", "Timekeeping"]),

        // The messages between the reader and the process that is its Matter lock.
        library("LockChannel", ["JSON", "Octets", "WiFiProvisioning"]),

        // The link of a reader to a fleet: its messages, the delivery of events, and when to connect: values.
        library("Fleet", ["CBOR", "JSON", "Octets", "Timekeeping"]),
        // A client of a broker, and its connection.
        library("MQTT", ["CLinux", "CTLS", "Crypto", "Fleet", "Octets", "System", "Timekeeping"]),

        // Persistent data: events, blacklist, pushed settings.
        library("EventStore", ["CSQLite", "Crypto", "Octets", "Reader", "System", "Timekeeping"]),

        // The program.
        .executableTarget(
            name: "readerd",
            dependencies: [
                "AccessProtocol", "CLinux", "CTOML", "Crypto", "EventStore", "Fleet", "GPIO", "GateTrial", "JSON",
                "CardFormats", "Journal", "LockChannel", "NFCTarget", "OSDP", "Octets", "PanelLine", "Peripheral",
                "Reader", "System",
                "Timekeeping",
                "WiFiProvisioning",
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["Linking"], swiftSettings: strict, linkerSettings: firmwareLinking),

        // The process of the reader's Matter lock.
        .executableTarget(
            name: "readerd-matter",
            dependencies: [
                "CLinux", "Crypto", "JSON", "Journal", "LockChannel", "MatterCredentials", "MatterHost", "MatterNode",
                "MatterSession", "MatterTLV", "MulticastDNS", "Octets", "System", "Timekeeping", "WiFiProvisioning",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict, linkerSettings: companionLinking),

        // The process of the reader's link to a fleet.
        .executableTarget(
            name: "readerd-link",
            dependencies: [
                "CLinux", "Crypto", "Fleet", "JSON", "Journal", "MQTT", "System", "Timekeeping",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict, linkerSettings: companionLinking),

        // Support for the tests of several targets.
        .target(
            name: "TestSupport", dependencies: ["Crypto", "System"], path: "Tests/Support/TestSupport",
            swiftSettings: strict),
        .target(
            name: "VirtualTime", dependencies: ["Timekeeping"], path: "Tests/Support/VirtualTime",
            swiftSettings: strict),
        .target(
            name: "ReaderTestSupport",
            dependencies: [
                "AccessProtocol", "Crypto", "Octets", "Peripheral", "Protobuf", "Reader", "TestSupport", "Timekeeping",
            ],
            path: "Tests/Support/ReaderTestSupport", swiftSettings: strict),
        .target(
            name: "WiFiTestSupport", dependencies: ["WiFiProvisioning"], path: "Tests/Support/WiFiTestSupport",
            swiftSettings: strict),
        .target(
            name: "MatterTestSupport",
            dependencies: [
                "Crypto", "MatterCredentials", "MatterSession", "MatterTLV", "TestSupport", "Timekeeping",
                "VirtualTime",
            ],
            path: "Tests/Support/MatterTestSupport", swiftSettings: strict),
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
            ["CLinux", "Journal", "TestSupport", .product(name: "Logging", package: "swift-log")]),
        tests("GPIOTests", ["GPIO", "CGPIO"]),
        tests("NFCTargetTests", ["TestSupport", "NFCTarget", "CNFC"]),
        tests("CryptoTests", ["MatterTestSupport", "TestSupport", "Crypto"]),
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
                "TestSupport", "VirtualTime", "ReaderTestSupport",
                "Reader", "AccessProtocol", "CBOR", "Crypto", "Fleet", "Octets", "Peripheral", "Protobuf",
                "Timekeeping",
            ]),
        tests("GateTrialTests", ["GateTrial", "Reader", "Timekeeping"]),
        tests(
            "WiFiProvisioningTests",
            [
                "TestSupport", "VirtualTime", "WiFiTestSupport", "WiFiProvisioning", "JSON", "Peripheral", "Protobuf",
                "Timekeeping",
            ]),
        tests("MatterTLVTests", ["MatterTLV"]),
        tests(
            "MatterCredentialsTests", ["MatterTestSupport", "TestSupport", "Crypto", "MatterCredentials", "MatterTLV"]),
        tests(
            "MatterSessionTests",
            [
                "MatterTestSupport", "TestSupport", "VirtualTime", "Crypto", "MatterCredentials", "MatterSession",
                "MatterTLV", "Timekeeping",
            ]),
        tests(
            "MatterInteractionTests",
            ["MatterTestSupport", "TestSupport", "VirtualTime", "MatterInteraction", "MatterTLV", "Timekeeping"]),
        tests(
            "MatterNodeTests",
            [
                "MatterTestSupport", "TestSupport", "VirtualTime", "WiFiTestSupport", "Crypto", "MatterCredentials",
                "MatterInteraction", "MatterNode",
                "MatterSession", "MatterTLV", "Timekeeping", "WiFiProvisioning",
            ]),
        tests(
            "ReaderdMatterTests",
            [
                "readerd-matter", "CLinux", "System", "Timekeeping", "Crypto", "LockChannel", "MatterCredentials",
                "MatterNode", "MatterTLV",
                "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ]),
        tests("OSDPTests", ["TestSupport", "VirtualTime", "CardFormats", "Crypto", "OSDP", "Timekeeping"]),
        tests("CardFormatsTests", ["CardFormats"]),
        tests("PanelLineTests", ["TestSupport", "GPIO", "OSDP", "PanelLine", "System", "Timekeeping"]),
        tests("FleetTests", ["TestSupport", "CBOR", "Fleet", "JSON", "Octets", "Timekeeping"]),
        tests("MQTTTests", ["TestSupport", "Fleet", "MQTT", "Octets", "Timekeeping"]),
        tests("LockChannelTests", ["JSON", "LockChannel", "WiFiProvisioning", "WiFiTestSupport"]),
        tests("MatterHostTests", ["TestSupport", "MatterHost", "MulticastDNS"]),
        tests("MulticastDNSTests", ["TestSupport", "VirtualTime", "MulticastDNS", "Timekeeping"]),
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
            name: "decision-probe", dependencies: ["AccessProtocol", "Protobuf", "Reader", "Timekeeping"],
            path: "Tests/Support/decision-probe", swiftSettings: strict),
        tests(
            "ReaderdTests",
            [
                "TestSupport", "ReaderTestSupport",
                "readerd", "AccessProtocol", "CLinux", "CTOML", "Crypto", "EventStore", "Fleet", "GPIO", "GateTrial",
                "JSON",
                "Journal", "Peripheral", "NFCTarget", "OSDP", "Protobuf", "Reader", "System", "Timekeeping",
                .product(name: "Logging", package: "swift-log"),
            ]),
    ],
    cxxLanguageStandard: .cxx17
)
