// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// The program readerlab, which wires all families; and the fuzz targets, which reach into all of them.

/// Settings of every target: Swift 6 mode, warnings as errors, explicit access levels of imports.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Products of the repository's packages, and targets of this one.
func dependencies(
    firmware: [String] = [], matter: [String] = [], fleet: [String] = [], lab: [String] = [],
    emulators: [String] = [], _ own: [Target.Dependency] = []
) -> [Target.Dependency] {
    let packages = [
        ("readerd", firmware), ("matter", matter), ("fleet", fleet), ("lab", lab), ("emulators", emulators),
    ]
    return packages.flatMap { package, names in names.map { .product(name: $0, package: package) } } + own
}

/// The layers, lower ones first: a target uses its own layer and those below it (script/house).
enum Layer { case console, parts, views, program }

/// A library target. Its files are part of the program.
func library(
    _ layer: Layer, _ name: String, _ purpose: String, files: String? = nil, _ dependencies: [Target.Dependency]
) -> Target {
    .target(
        name: name, dependencies: dependencies, resources: files.map { [.embedInCode($0)] }, swiftSettings: strict)
}

/// A program.
func program(_ name: String, _ purpose: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// Support for the tests of several targets.
func support(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/Support/\(name)", swiftSettings: strict)
}

/// The tests of one target.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

/// A product available only with the trait NetworkDevices.
func network(_ name: String, _ package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["NetworkDevices"]))
}

let package = Package(
    name: "readerlab",
    products: [
        .executable(name: "readerlab", targets: ["readerlab"]),
        // For script/fuzz.
        .library(name: "FuzzTargets", targets: ["FuzzTargets"]),
    ],
    traits: [
        .trait(
            name: "NetworkDevices",
            description: "HTTP, TLS and JPEG in readerlab, for `readerlab emulate nordic-softap` and `bandit`."),
        .default(enabledTraits: ["NetworkDevices"]),
    ],
    dependencies: [
        .package(name: "readerd", path: "../.."),
        .package(path: "../../matter"),
        .package(path: "../../fleet"),
        .package(path: ".."),
        .package(path: "../../emulators"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
    ],
    targets: [
        library(
            .console, "Console", "lines, errors, files and child processes of a command",
            dependencies(
                firmware: ["CLinux", "Commands", "HostLoop", "JSON", "Octets", "System", "Timekeeping"],
                lab: ["Statistics"],
                emulators: ["Emulation"], [network("NIOCore", "swift-nio"), network("NIOPosix", "swift-nio")])),

        library(
            .parts, "ContactlessAir", "NFC fields that cards of other processes enter",
            dependencies(
                firmware: ["CLinux", "Commands", "Contactless", "JSON", "Octets", "System", "Timekeeping"],
                emulators: ["Emulation"], ["Console"])),
        library(
            .parts, "SharedAir", "an air that hosts of other processes connect to",
            dependencies(
                firmware: ["CLinux", "Commands", "JSON", "Octets", "Peripheral", "Reader", "System", "Timekeeping"],
                lab: ["VirtualRadio"], emulators: ["Emulation"], ["Console", "ContactlessAir"])),
        library(
            .parts, "VirtualPins", "buttons and lights of a board on GPIO lines",
            dependencies(
                firmware: ["Commands", "GPIO", "JSON", "System", "Timekeeping"], emulators: ["Emulation"], ["Console"])),
        library(
            .parts, "OSDPTools", "an OSDP device to play, and an observer of a line",
            dependencies(
                firmware: [
                    "CLinux", "CardFormats", "Commands", "Crypto", "JSON", "OSDP", "Octets", "PanelLine", "System",
                    "Timekeeping",
                ],
                emulators: ["Emulation"], ["Console"])),
        library(
            .parts, "DevicePrograms", "emulated devices on a radio: files, sessions, commands, the timeline",
            dependencies(
                firmware: [
                    "AccessProtocol", "Commands", "Credentials", "Crypto", "HostLoop", "JSON", "NordicProvisioning",
                    "Octets", "Peripheral", "Reader", "System", "Timekeeping", "WiFi", "WiFiStation",
                ],
                matter: [
                    "MatterCredentials", "MatterFaults", "MatterHost", "MatterNode", "MatterSession", "MatterTLV",
                    "MulticastDNS",
                ],
                lab: ["Demo", "LabReport"],
                emulators: ["ActionCamera", "Devices", "Emulation", "GATTDevice", "ReaderEmulation"],
                ["Console", "ContactlessAir", argumentParser])),

        library(
            .views, "PhoneTool", "a phone's credentials, and visits and events as text",
            dependencies(
                firmware: [
                    "AccessProtocol", "CBOR", "CLinux", "Commands", "Contactless", "Crypto", "HostLoop", "JSON",
                    "Octets",
                    "Peripheral", "Protobuf", "Reader", "System", "Timekeeping",
                ],
                fleet: ["BackEnd"], lab: ["CNFCInitiator", "Phone", "SimBLE", "Statistics"],
                emulators: ["Emulation"],
                ["Console", "ContactlessAir"])),
        library(
            .views, "CardPrograms", "contactless cards and Aliro phones as programs",
            dependencies(
                firmware: [
                    "Commands", "Contactless", "Credentials", "Crypto", "JSON", "Octets", "System", "Timekeeping",
                ],
                fleet: ["BackEnd"],
                emulators: ["Emulation"],
                ["Console", "ContactlessAir", "PhoneTool", argumentParser])),
        library(
            .views, "NetworkDevices", "emulated devices on a network: SoftAP and the action camera",
            dependencies(
                firmware: [
                    "Commands", "Crypto", "JSON", "NordicProvisioning", "Octets", "System", "Timekeeping", "WiFi",
                    "WiFiStation",
                ],
                matter: ["MatterHost", "MulticastDNS"], emulators: ["ActionCamera", "Devices", "Emulation"],
                [
                    "Console", "DevicePrograms", network("CTurboJPEG", "emulators"), network("NIOCore", "swift-nio"),
                    network("NIOHTTP1", "swift-nio"), network("NIOPosix", "swift-nio"), network("NIOTLS", "swift-nio"),
                    network("NIOSSL", "swift-nio-ssl"),
                ])),
        library(
            .views, "DevicePage", "the web page of emulated devices and pins", files: "Client",
            dependencies(
                firmware: ["Commands", "Crypto", "JSON", "Octets"], emulators: ["Emulation"],
                [
                    "Console", "DevicePrograms", "VirtualPins", network("NIOCore", "swift-nio"),
                    network("NIOHTTP1", "swift-nio"), network("NIOPosix", "swift-nio"),
                ])),
        library(
            .views, "LabRuns", "runs of scenarios, benches and the gate, and their tables",
            dependencies(
                firmware: [
                    "CLinux", "Commands", "EventStore", "Fleet", "GateTrial", "JSON", "Octets", "Peripheral",
                    "Proximity", "Reader", "System", "Timekeeping",
                ],
                fleet: ["MQTT"],
                lab: [
                    "Demo", "GateReport", "LabReport", "LoadGenerator", "Phone", "Scenario", "SeededNumbers",
                    "Statistics", "TapBench", "VirtualRadio",
                ],
                emulators: ["Emulation"], ["Console"])),

        program(
            "readerlab", "the commands: air, phone, scenarios, emulated devices, benches, credentials, a fleet",
            dependencies(
                firmware: [
                    "AccessProtocol", "Commands", "Configuration", "Credentials", "Crypto", "Fleet", "GateTrial",
                    "HostLoop", "JSON", "OSDP", "Octets", "Peripheral", "Proximity", "Reader", "System", "Timekeeping",
                    "WiFi",
                ],
                matter: ["MatterCredentials", "MatterNode", "MatterTLV"],
                fleet: ["BackEnd", "MQTT"],
                lab: [
                    "Demo", "GateReport", "LabReport", "LoadGenerator", "Phone", "Scenario", "SimBLE", "Statistics",
                    "TapBench", "VirtualRadio",
                ],
                emulators: ["ActionCamera", "Devices", "Emulation", "GATTDevice", "ReaderEmulation"],
                [
                    "CardPrograms", "Console", "ContactlessAir", "DevicePage", "DevicePrograms", "LabRuns",
                    "NetworkDevices", "OSDPTools", "PhoneTool", "SharedAir", "VirtualPins", argumentParser,
                ])),

        support("BuiltPrograms"),
        // The targets of script/fuzz.
        support(
            "FuzzTargets",
            dependencies(
                firmware: [
                    "AccessProtocol", "CBOR", "CTOML", "Configuration", "Contactless", "Credentials",
                    "Crypto", "Fleet", "GateTrial", "JSON", "LockChannel", "NordicProvisioning", "OSDP", "Octets",
                    "Peripheral", "Protobuf", "Proximity", "Reader", "Remote", "System", "TestSupport", "Timekeeping",
                    "WiFi", "WiFiStation",
                ],
                matter: [
                    "MatterCredentials", "MatterFaults", "MatterHost", "MatterInteraction", "MatterNode",
                    "MatterSession", "MatterTLV", "MulticastDNS",
                ],
                fleet: ["MQTT"], lab: ["PacketStreamer", "Phone", "SimBLE"], emulators: ["Devices", "GATTDevice"],
                ["ContactlessAir"])),
        tests("FuzzTargetsTests", dependencies(firmware: ["TestSupport"], ["FuzzTargets"])),
        tests(
            "ConsoleTests",
            dependencies(firmware: ["TestSupport", "Timekeeping"], emulators: ["Emulation"], ["Console"])),
        tests(
            "ContactlessAirTests",
            dependencies(
                firmware: ["Contactless", "TestSupport", "Timekeeping"], emulators: ["Emulation"],
                ["ContactlessAir"])),
        tests(
            "SharedAirTests",
            dependencies(
                firmware: ["TestSupport", "VirtualTime", "JSON", "Peripheral", "Timekeeping"], lab: ["VirtualRadio"],
                emulators: ["Emulation"], ["Console", "SharedAir"])),
        tests(
            "VirtualPinsTests",
            dependencies(
                firmware: ["TestSupport", "JSON", "Timekeeping"], emulators: ["Emulation"],
                ["Console", "VirtualPins"])),
        tests(
            "OSDPToolsTests",
            dependencies(
                firmware: ["TestSupport", "OSDP", "Timekeeping"], emulators: ["Emulation"], ["Console", "OSDPTools"])),
        tests(
            "DeviceProgramsTests",
            dependencies(
                firmware: [
                    "Commands", "Crypto", "HostLoop", "NordicProvisioning", "Peripheral", "TestSupport", "Timekeeping",
                    "WiFi", "WiFiStation",
                ],
                matter: ["MatterTLV"],
                lab: ["AirRig", "Demo", "Phone", "VirtualRadio"], emulators: ["Devices", "Emulation", "GATTDevice"],
                ["Console", "DevicePrograms", argumentParser])),
        tests(
            "PhoneToolTests",
            dependencies(
                firmware: ["AccessProtocol", "Commands", "Crypto", "TestSupport", "Timekeeping"], fleet: ["BackEnd"],
                lab: ["Phone"],
                ["Console", "PhoneTool"])),
        tests("NetworkDevicesTests", dependencies(firmware: ["Commands", "WiFi"], ["Console", "NetworkDevices"])),
        tests(
            "DevicePageTests",
            dependencies(
                firmware: ["JSON", "Timekeeping"], emulators: ["Emulation"],
                ["DevicePage", "DevicePrograms", "VirtualPins"])),
        tests("LabRunsTests", dependencies(lab: ["Scenario"], ["LabRuns"])),
        tests(
            "ReaderlabTests",
            dependencies(
                firmware: [
                    "TestSupport", "VirtualTime", "readerd", "AccessProtocol", "CBOR", "Commands", "Configuration",
                    "Crypto", "Fleet", "HostLoop", "JSON", "NordicProvisioning", "OSDP", "Peripheral", "Protobuf",
                    "Proximity", "Reader", "Timekeeping", "WiFi", "WiFiStation",
                ],
                matter: ["MatterNode", "MatterTLV"],
                fleet: ["BackEnd"],
                lab: [
                    "AirRig", "AllocationCounter", "LabReport", "LoadGenerator", "Phone", "Scenario", "Statistics",
                    "VirtualRadio", "bench-host",
                ],
                emulators: ["ActionCamera", "Devices", "Emulation", "GATTDevice"],
                [
                    "BuiltPrograms", "Console", "DevicePrograms", "LabRuns", "NetworkDevices", "PhoneTool",
                    "readerlab", argumentParser,
                ])),
    ]
)
