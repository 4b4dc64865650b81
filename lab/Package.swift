// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A virtual radio, phones, and benches for the firmware. This package depends on the firmware, never the reverse.

/// Settings of every target: Swift 6 mode, warnings as errors, explicit access levels of imports.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
let strictC: [CSetting] = [.treatAllWarnings(as: .error)]

/// The layers, lower ones first: a target uses its own layer and those below it (script/house).
enum Layer { case system, values, air, people, program }

/// A C target: a library of the system, or C of ours.
func face(_ name: String, _ purpose: String, links libraries: String...) -> Target {
    .target(name: name, cSettings: strictC, linkerSettings: libraries.map { .linkedLibrary($0) })
}

/// Products of the firmware, and targets of this package.
func dependencies(firmware: [String], _ own: [Target.Dependency]) -> [Target.Dependency] {
    firmware.map { .product(name: $0, package: "readerd") } + own
}

/// A library target.
func library(
    _ layer: Layer, _ name: String, _ purpose: String, firmware: [String], _ own: [Target.Dependency] = []
) -> Target {
    .target(name: name, dependencies: dependencies(firmware: firmware, own), swiftSettings: strict)
}

/// A program.
func program(_ name: String, _ purpose: String, firmware: [String], _ own: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies(firmware: firmware, own), swiftSettings: strict)
}

/// Support for the tests of several targets, here and of the emulators.
func support(_ name: String, firmware: [String], _ own: [Target.Dependency]) -> Target {
    .target(
        name: name, dependencies: dependencies(firmware: firmware, own), path: "Tests/Support/\(name)",
        swiftSettings: strict)
}

/// The tests of one target.
func tests(_ name: String, firmware: [String], _ own: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies(firmware: firmware, own), swiftSettings: strict)
}

/// A library product of one target with the same name.
func product(_ name: String) -> Product { .library(name: name, targets: [name]) }

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "lab",
    products: [
        product("AirRig"), product("CNFCInitiator"), product("Demo"), product("GateReport"),
        product("LabReport"), product("LoadGenerator"), product("Phone"), product("Scenario"),
        product("SeededNumbers"), product("PacketStreamer"), product("SimBLE"), product("Statistics"),
        product("TapBench"),
        product("VirtualRadio"),
        .executable(name: "first-door", targets: ["first-door"]),
        .executable(name: "bench-host", targets: ["bench-host"]),
        // Preloaded into a measured program.
        .library(name: "AllocationCounter", type: .dynamic, targets: ["CAllocationCounter"]),
        .library(name: "LineClock", type: .dynamic, targets: ["CLineClock"]),
        .library(name: "PowerCut", type: .dynamic, targets: ["CPowerCut"]),
    ],
    dependencies: [
        .package(name: "readerd", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    ],
    targets: [
        face("CAllocationCounter", "preloaded: counts allocations"),
        face("CLineClock", "preloaded: stands for a GPIO line, times its edges"),
        face("CPowerCut", "preloaded: kills a program in a write of a file"),
        face("CNFCInitiator", "libnfc as a phone's", links: "nfc"),

        library(.values, "SeededNumbers", "the random numbers of a seed", firmware: []),
        library(.values, "Statistics", "quantiles and intervals", firmware: ["Octets"]),
        library(.values, "LabReport", "JUnit, a page, a baseline", firmware: ["JSON"], ["Statistics"]),

        library(
            .air, "VirtualRadio", "strict controllers, air, virtual clock",
            firmware: ["Crypto", "Octets", "Peripheral", "Timekeeping"], ["SeededNumbers"]),
        library(
            .air, "Phone", "a central, and the phone's half of a session",
            firmware: ["AccessProtocol", "CBOR", "Crypto", "Octets", "Peripheral", "Protobuf", "Timekeeping"],
            ["Statistics"]),
        library(
            .air, "PacketStreamer", "a stream of the Android Emulator: gRPC's framing, its messages, its states",
            firmware: ["Octets", "Peripheral", "Protobuf"]),

        library(
            .people, "SimBLE", "the iOS Simulator's Bluetooth, served by a central",
            firmware: ["CBOR", "Crypto", "HostLoop", "Octets", "Peripheral", "Timekeeping"], ["Phone"]),
        library(
            .people, "Scenario", "a site: readers, and phones and cards carried past them",
            firmware: [
                "AccessProtocol", "CardPolling", "Contactless", "Credentials", "Crypto", "JSON", "Octets", "Peripheral",
                "Proximity", "Reader", "Timekeeping",
            ],
            ["Phone", "SeededNumbers", "Statistics", "VirtualRadio"]),
        library(
            .people, "Demo", "the scene of script/run", firmware: ["Octets", "Timekeeping"],
            ["Scenario", "VirtualRadio", argumentParser]),
        library(
            .people, "GateReport", "rates of the gate on recorded RSSI", firmware: ["GateTrial", "Proximity"],
            ["LabReport", "Statistics"]),
        library(
            .people, "LoadGenerator", "load for any BLE host, and for a reader's door",
            firmware: ["AccessProtocol", "CLinux", "Crypto", "Octets", "Peripheral", "Timekeeping"],
            ["Phone", "SeededNumbers", "Statistics"]),
        library(
            .people, "TapBench", "cards and phones at a reader's field, timed by stage",
            firmware: [
                "AccessProtocol", "Contactless", "Credentials", "Crypto", "Peripheral", "Reader", "Timekeeping",
            ],
            ["Phone"]),

        program("first-door", "the demo of script/run", firmware: [], ["Demo", argumentParser]),
        program(
            "bench-host", "the BLE host alone, to be measured",
            firmware: ["Octets", "Peripheral", "System", "Timekeeping"], ["LoadGenerator"]),

        support(
            "AirRig", firmware: ["Crypto", "HostLoop", "Peripheral", "Timekeeping"], ["Phone", "VirtualRadio"]),
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
        tests("PacketStreamerTests", firmware: ["Protobuf"], ["PacketStreamer"]),
        tests(
            "SimBLETests",
            firmware: ["TestSupport", "CBOR", "Crypto", "HostLoop", "Octets", "Peripheral", "Timekeeping"],
            ["AirRig", "Phone", "SimBLE", "VirtualRadio"]),
        tests(
            "ScenarioTests",
            firmware: [
                "TestSupport", "AccessProtocol", "Credentials", "Crypto", "JSON", "Peripheral", "Proximity", "Reader",
                "Timekeeping",
            ],
            ["Phone", "Scenario", "SeededNumbers", "Statistics", "VirtualRadio"]),
        tests("TapBenchTests", firmware: ["Reader"], ["TapBench"]),
        tests("GateReportTests", firmware: ["GateTrial", "Proximity", "Timekeeping"], ["GateReport", "Statistics"]),
        tests(
            "LoadGeneratorTests",
            firmware: ["TestSupport", "AccessProtocol", "Octets", "Peripheral", "Timekeeping"],
            ["LoadGenerator", "bench-host"]),
        // Tests of the firmware with a phone.
        tests(
            "DeviceProgramTests", firmware: ["TestSupport", "Crypto", "HostLoop", "Peripheral", "Timekeeping"],
            ["AirRig", "Phone", "VirtualRadio"]),
        tests(
            "ReaderWithPhoneTests",
            firmware: [
                "TestSupport", "VirtualTime", "ReaderTestSupport",
                "AccessProtocol", "Configuration", "Contactless", "Credentials", "Crypto", "HostLoop", "Octets",
                "Peripheral",
                "Protobuf", "Proximity", "Reader", "Timekeeping",
            ],
            ["AirRig", "Phone", "VirtualRadio"]),
    ],
    cxxLanguageStandard: .cxx17
)
