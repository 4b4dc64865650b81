// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Tools for tests, measurements and demonstrations of the firmware. This package depends on the firmware, never the
// reverse.

// Settings of every target: Swift 6 mode, warnings as errors, explicit access levels of imports.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
let strictC: [CSetting] = [.treatAllWarnings(as: .error)]

/// Products of the firmware, and targets of this package.
func dependencies(firmware: [String], _ own: [Target.Dependency]) -> [Target.Dependency] {
    firmware.map { .product(name: $0, package: "readerd") } + own
}

/// A library target.
func library(_ name: String, firmware: [String], _ own: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies(firmware: firmware, own), swiftSettings: strict)
}

/// The tests of one target.
func tests(_ name: String, firmware: [String], _ own: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies(firmware: firmware, own), swiftSettings: strict)
}

/// A program.
func program(_ name: String, firmware: [String], _ own: [Target.Dependency], path: String? = nil) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies(firmware: firmware, own), path: path, swiftSettings: strict)
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

/// A product available only with the trait NetworkDevices.
func network(_ name: String, _ package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["NetworkDevices"]))
}

let package = Package(
    name: "readerlab",
    products: [
        .library(name: "VirtualRadio", targets: ["VirtualRadio"]),
        .library(name: "Phone", targets: ["Phone"]),
        .library(name: "GATTDevice", targets: ["GATTDevice"]),
        .library(name: "Devices", targets: ["Devices"]),
        .executable(name: "readerlab", targets: ["readerlab"]),
        .executable(name: "first-door", targets: ["first-door"]),
        .executable(name: "heart-rate", targets: ["HeartRate"]),
        .executable(name: "thermostat", targets: ["Thermostat"]),
        .executable(name: "bench-host", targets: ["bench-host"]),
        .library(name: "AllocationCounter", type: .dynamic, targets: ["CAllocationCounter"]),
        // For script/fuzz.
        .library(name: "FuzzTargets", targets: ["FuzzTargets"]),
        .library(name: "LineClock", type: .dynamic, targets: ["CLineClock"]),
        .library(name: "PowerCut", type: .dynamic, targets: ["CPowerCut"]),
    ],
    traits: [
        .trait(
            name: "NetworkDevices",
            description: "HTTP, TLS and JPEG in readerlab, for `readerlab emulate nordic-softap` and `bandit`."),
        .default(enabledTraits: ["NetworkDevices"]),
    ],
    dependencies: [
        .package(name: "readerd", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
    ],
    targets: [
        // Libraries preloaded into a measured program: counts of allocations, times of edges of the lock's line; and
        // into one whose power is cut while it replaces a file.
        .target(name: "CAllocationCounter", cSettings: strictC),
        .target(name: "CLineClock", cSettings: strictC),
        .target(name: "CPowerCut", cSettings: strictC),
        // The phone's side of an NFC touch.
        .target(name: "CNFCInitiator", cSettings: strictC, linkerSettings: [.linkedLibrary("nfc")]),

        // Quantiles and intervals of measurements.
        library("Statistics", firmware: ["Octets"]),
        // Reports of runs: JUnit, TAP, a page, and the comparison with a former run.
        library("LabReport", firmware: ["JSON"], ["Statistics"]),

        // The phone, the virtual radio, and simulated users.
        library("SeededNumbers", firmware: []),
        library("VirtualRadio", firmware: ["Crypto", "Octets", "Peripheral", "Timekeeping"], ["SeededNumbers"]),
        library(
            "Phone",
            firmware: ["AccessProtocol", "CBOR", "Crypto", "Octets", "Peripheral", "Protobuf", "Timekeeping"],
            ["Statistics"]),
        library(
            "Scenario",
            firmware: ["AccessProtocol", "Crypto", "JSON", "Octets", "Peripheral", "Reader", "Timekeeping"],
            ["Phone", "SeededNumbers", "Statistics", "VirtualRadio"]),
        .target(
            name: "Demo",
            dependencies: dependencies(
                firmware: ["Octets", "Timekeeping"], ["Scenario", "VirtualRadio", argumentParser]),
            swiftSettings: strict),

        // Tables and pictures of the proximity gate on recorded signal strengths.
        library("GateReport", firmware: ["GateTrial", "Reader"], ["LabReport", "Statistics"]),

        // Emulated devices for app developers, with injected faults, a timeline, and diagnostics of the app's errors.
        library("Emulation", firmware: ["JSON", "Octets", "Timekeeping"]),
        library("GATTDevice", firmware: ["JSON", "Octets", "Peripheral", "Timekeeping"]),
        library(
            "Devices",
            firmware: [
                "Crypto", "JSON", "MatterCredentials", "MatterInteraction", "MatterNode", "MatterTLV", "Octets",
                "Protobuf", "Timekeeping", "WiFiProvisioning",
            ], ["Emulation"]),
        // The reader itself, with injected faults and a review of the app.
        library(
            "ReaderEmulation",
            firmware: [
                "AccessProtocol", "Crypto", "JSON", "Octets", "Peripheral", "Protobuf", "Reader", "Timekeeping",
            ],
            ["Emulation"]),
        // The prepared frames of an action camera, and the encoder of its pictures, libjpeg-turbo.
        .target(name: "CActionCameraMedia", exclude: ["media"], cSettings: strictC),
        library(
            "ActionCamera", firmware: ["JSON", "Octets", "Timekeeping"],
            ["CActionCameraMedia", "Emulation", "SeededNumbers"]),
        .systemLibrary(
            name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),

        // The client of PostgreSQL, for the collector of a fleet.
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),

        // Load generators for any BLE host, and for a reader's door.
        library(
            "LoadGenerator",
            firmware: ["AccessProtocol", "CLinux", "Crypto", "Octets", "Peripheral", "Timekeeping"],
            ["Phone", "SeededNumbers", "Statistics"]),

        // Programs.
        program(
            "readerlab",
            firmware: [
                "AccessProtocol", "CBOR", "CLinux", "CardFormats", "Crypto", "EventStore", "Fleet", "GPIO",
                "GateTrial", "HostLoop", "JSON",
                "MQTT",
                "MatterCredentials", "MatterHost", "MatterNode", "MatterSession", "MatterTLV", "MulticastDNS", "OSDP",
                "Octets", "PanelLine",
                "Peripheral", "Protobuf", "Reader", "System", "Timekeeping", "WiFiProvisioning",
            ],
            [
                "ActionCamera", "CNFCInitiator", "CPostgreSQL", "Demo", "Devices", "Emulation", "GATTDevice",
                "GateReport", "LabReport", "LoadGenerator", "Phone", "ReaderEmulation", "Scenario", "SeededNumbers",
                "Statistics",
                "VirtualRadio", argumentParser,
                .target(name: "CTurboJPEG", condition: .when(traits: ["NetworkDevices"])),
                network("NIOCore", "swift-nio"), network("NIOPosix", "swift-nio"), network("NIOHTTP1", "swift-nio"),
                network("NIOTLS", "swift-nio"), network("NIOSSL", "swift-nio-ssl"),
            ]),
        program("first-door", firmware: [], ["Demo", argumentParser]),
        program("bench-host", firmware: ["Octets", "Peripheral", "System", "Timekeeping"], ["LoadGenerator"]),
        program(
            "HeartRate", firmware: ["HostLoop", "Peripheral", "Timekeeping"], ["Phone", "VirtualRadio"],
            path: "Examples/HeartRate"),
        program("Thermostat", firmware: ["HostLoop", "Peripheral"], [], path: "Examples/Thermostat"),

        // Support for the tests of several targets.
        .target(name: "BuiltPrograms", path: "Tests/Support/BuiltPrograms", swiftSettings: strict),
        .target(
            name: "AirRig",
            dependencies: dependencies(
                firmware: ["Crypto", "HostLoop", "Peripheral", "Timekeeping"], ["Phone", "VirtualRadio"]),
            path: "Tests/Support/AirRig", swiftSettings: strict),
        // The targets of script/fuzz.
        .target(
            name: "FuzzTargets",
            dependencies: dependencies(
                firmware: [
                    "AccessProtocol", "CBOR", "CTOML", "Crypto", "Fleet", "GateTrial", "JSON", "LockChannel",
                    "MQTT", "MatterCredentials", "MatterHost", "MatterInteraction", "MatterNode", "MatterSession",
                    "MatterTLV", "MulticastDNS", "OSDP", "Octets", "Peripheral", "Protobuf", "Reader", "TestSupport",
                    "Timekeeping", "WiFiProvisioning",
                ], ["Devices", "Phone"]),
            path: "Tests/Support/FuzzTargets", swiftSettings: strict),
        tests("FuzzTargetsTests", firmware: ["TestSupport"], ["FuzzTargets"]),
        tests("StatisticsTests", firmware: [], ["Statistics"]),
        tests("LabReportTests", firmware: ["JSON"], ["LabReport", "Statistics"]),
        tests(
            "VirtualRadioTests", firmware: ["Octets", "Peripheral", "Timekeeping"], ["SeededNumbers", "VirtualRadio"]),
        tests(
            "PhoneTests",
            firmware: [
                "TestSupport", "AccessProtocol", "Crypto", "Octets", "Peripheral", "Protobuf", "Timekeeping",
            ],
            ["Phone", "VirtualRadio"]),
        tests(
            "ScenarioTests",
            firmware: ["TestSupport", "AccessProtocol", "Crypto", "JSON", "Peripheral", "Reader", "Timekeeping"],
            ["Phone", "Scenario", "SeededNumbers", "Statistics", "VirtualRadio"]),
        tests("GateReportTests", firmware: ["GateTrial", "Reader", "Timekeeping"], ["GateReport", "Statistics"]),
        tests("ActionCameraTests", firmware: ["JSON", "Octets", "Timekeeping"], ["ActionCamera", "Emulation"]),
        tests("EmulationTests", firmware: ["JSON", "Timekeeping"], ["Emulation"]),
        tests(
            "GATTDeviceTests",
            firmware: ["TestSupport", "Crypto", "HostLoop", "JSON", "Octets", "Peripheral", "Timekeeping"],
            ["AirRig", "GATTDevice", "HeartRate", "Phone", "VirtualRadio"]),
        tests(
            "DevicesTests",
            firmware: [
                "TestSupport", "VirtualTime", "WiFiTestSupport", "Crypto", "JSON", "MatterCredentials",
                "MatterInteraction",
                "MatterNode", "MatterTLV", "Octets", "Peripheral", "Protobuf", "Timekeeping", "WiFiProvisioning",
            ],
            ["AirRig", "Devices", "Emulation", "Phone", "VirtualRadio"]),
        tests(
            "ReaderEmulationTests",
            firmware: ["AccessProtocol", "Crypto", "HostLoop", "JSON", "Peripheral", "Reader", "Timekeeping"],
            ["AirRig", "Emulation", "Phone", "ReaderEmulation", "VirtualRadio"]),
        tests(
            "LoadGeneratorTests",
            firmware: ["TestSupport", "readerd", "AccessProtocol", "Octets", "Peripheral", "Timekeeping"],
            ["BuiltPrograms", "LoadGenerator", "bench-host", "readerlab", argumentParser]),
        tests(
            "ReaderlabTests",
            firmware: [
                "TestSupport", "VirtualTime", "readerd", "AccessProtocol", "CBOR", "Crypto", "Fleet", "HostLoop",
                "JSON", "OSDP",
                "Peripheral",
                "Protobuf", "Reader", "Timekeeping", "WiFiProvisioning",
            ],
            [
                "AirRig", "BuiltPrograms", "readerlab", "Devices", "Emulation", "GATTDevice", "Phone", "Scenario",
                "VirtualRadio", argumentParser,
            ]),
        // Tests of the firmware with a phone.
        tests(
            "DeviceProgramTests", firmware: ["TestSupport", "Crypto", "HostLoop", "Peripheral", "Timekeeping"],
            ["AirRig", "Phone", "Thermostat", "VirtualRadio"]),
        tests(
            "ReaderWithPhoneTests",
            firmware: [
                "TestSupport", "VirtualTime", "ReaderTestSupport",
                "AccessProtocol", "Crypto", "HostLoop", "Octets", "Peripheral", "Protobuf", "Reader", "Timekeeping",
            ],
            ["AirRig", "Phone", "VirtualRadio"]),
    ]
)
