// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Devices for people who write apps: as the real ones, and misbehaving on command.

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
enum Layer { case system, session, devices, program }

/// A C target: a library of the system, or C of ours.
func face(_ name: String, _ purpose: String, exclude: [String]) -> Target {
    .target(name: name, exclude: exclude, cSettings: strictC)
}

/// A library of the system as its module map, found by pkg-config.
func systemFace(_ name: String, _ purpose: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

/// Products of the repository's packages, and targets of this one.
func dependencies(
    firmware: [String], matter: [String] = [], lab: [String] = [], _ own: [Target.Dependency] = []
) -> [Target.Dependency] {
    let packages = [("readerd", firmware), ("matter", matter), ("lab", lab)]
    return packages.flatMap { package, names in names.map { .product(name: $0, package: package) } } + own
}

/// A library target.
func library(
    _ layer: Layer, _ name: String, _ purpose: String, firmware: [String], matter: [String] = [], lab: [String] = [],
    _ own: [Target.Dependency] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies(firmware: firmware, matter: matter, lab: lab, own),
        swiftSettings: strict)
}

/// A program, an example to start from.
func program(_ name: String, _ purpose: String, firmware: [String], lab: [String] = []) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies(firmware: firmware, lab: lab), path: "Examples/\(name)",
        swiftSettings: strict)
}

/// The tests of one target.
func tests(
    _ name: String, firmware: [String], matter: [String] = [], lab: [String] = [], _ own: [Target.Dependency]
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies(firmware: firmware, matter: matter, lab: lab, own),
        swiftSettings: strict)
}

/// A library product of one target with the same name.
func product(_ name: String) -> Product { .library(name: name, targets: [name]) }

let package = Package(
    name: "emulators",
    products: [
        product("ActionCamera"), product("CTurboJPEG"), product("Devices"), product("Emulation"),
        product("GATTDevice"), product("ReaderEmulation"),
        .executable(name: "heart-rate", targets: ["HeartRate"]),
        .executable(name: "thermostat", targets: ["Thermostat"]),
    ],
    dependencies: [
        .package(name: "readerd", path: ".."),
        .package(path: "../matter"),
        // The air and the phones of the tests.
        .package(path: "../lab"),
    ],
    targets: [
        face("CActionCameraMedia", "prepared frames of the action camera", exclude: ["media"]),
        systemFace("CTurboJPEG", "libjpeg-turbo", pkgConfig: "libturbojpeg", apt: "libturbojpeg0-dev"),

        library(
            .session, "Emulation", "faults on command, the timeline, findings",
            firmware: ["JSON", "Octets", "Timekeeping"]),
        library(
            .devices, "GATTDevice", "a device that a file describes",
            firmware: ["JSON", "Octets", "Peripheral", "Timekeeping"], ["Emulation"]),
        library(
            .devices, "Devices", "devices that apps bring into a network: camera, SoftAP, Nordic Wi-Fi, Matter",
            firmware: [
                "Crypto", "JSON", "NordicProvisioning", "Octets", "Protobuf", "Timekeeping", "WiFi", "WiFiStation",
            ],
            matter: ["MatterCredentials", "MatterFaults", "MatterInteraction", "MatterNode", "MatterTLV"],
            ["Emulation"]),
        library(
            .devices, "ReaderEmulation", "the reader, with injected faults and a review of its apps",
            firmware: [
                "AccessProtocol", "CardPolling", "Contactless", "Credentials", "Crypto", "JSON", "Octets", "Peripheral",
                "Protobuf", "Proximity", "Reader", "Timekeeping",
            ],
            ["Emulation"]),
        library(
            .devices, "ActionCamera", "an action camera on the network: REST, streams, recordings",
            firmware: ["JSON", "Octets", "Timekeeping"], lab: ["SeededNumbers"], ["CActionCameraMedia", "Emulation"]),

        program(
            "HeartRate", "an example: a heart-rate monitor", firmware: ["HostLoop", "Peripheral", "Timekeeping"],
            lab: ["Phone", "VirtualRadio"]),
        program("Thermostat", "an example: a thermostat", firmware: ["HostLoop", "Peripheral"]),

        tests(
            "ActionCameraTests", firmware: ["JSON", "Octets", "Timekeeping"], ["ActionCamera", "Emulation"]),
        tests("EmulationTests", firmware: ["JSON", "Timekeeping"], ["Emulation"]),
        tests(
            "GATTDeviceTests",
            firmware: ["TestSupport", "Crypto", "HostLoop", "JSON", "Octets", "Peripheral", "Timekeeping"],
            lab: ["AirRig", "Phone", "VirtualRadio"], ["Emulation", "GATTDevice", "HeartRate"]),
        tests(
            "DevicesTests",
            firmware: [
                "TestSupport", "VirtualTime", "WiFiTestSupport", "Crypto", "JSON", "NordicProvisioning", "Octets",
                "Peripheral", "Protobuf", "Timekeeping", "WiFi", "WiFiStation",
            ],
            matter: ["MatterCredentials", "MatterFaults", "MatterInteraction", "MatterNode", "MatterTLV"],
            lab: ["AirRig", "Phone", "VirtualRadio"], ["Devices", "Emulation"]),
        tests(
            "ReaderEmulationTests",
            firmware: [
                "AccessProtocol", "Contactless", "Credentials", "Crypto", "HostLoop", "JSON", "Octets", "Peripheral",
                "Reader", "Timekeeping",
            ],
            lab: ["AirRig", "Phone", "VirtualRadio"], ["Emulation", "ReaderEmulation"]),
        tests(
            "ExamplesTests", firmware: ["HostLoop", "Peripheral", "Timekeeping"], lab: ["AirRig", "VirtualRadio"],
            ["Thermostat"]),
    ]
)
