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
        program(
            "readerlab", "air, phone, scenarios, emulated devices, benches, credentials, a fleet's desk",
            dependencies(
                firmware: [
                    "AccessProtocol", "CBOR", "CLinux", "CardFormats", "Crypto", "EventStore", "Fleet", "GPIO",
                    "GateTrial", "HostLoop", "JSON", "NordicProvisioning", "OSDP", "Octets", "PanelLine", "Peripheral",
                    "Protobuf", "Reader", "System", "Timekeeping", "WiFiStation",
                ],
                matter: [
                    "MatterCredentials", "MatterHost", "MatterNode", "MatterSession", "MatterTLV", "MulticastDNS",
                ],
                fleet: ["CPostgreSQL", "MQTT"],
                lab: [
                    "CNFCInitiator", "Demo", "GateReport", "LabReport", "LoadGenerator", "Phone", "Scenario",
                    "SeededNumbers", "Statistics", "VirtualRadio",
                ],
                emulators: ["ActionCamera", "Devices", "Emulation", "GATTDevice", "ReaderEmulation"],
                [
                    argumentParser, network("CTurboJPEG", "emulators"), network("NIOCore", "swift-nio"),
                    network("NIOPosix", "swift-nio"), network("NIOHTTP1", "swift-nio"), network("NIOTLS", "swift-nio"),
                    network("NIOSSL", "swift-nio-ssl"),
                ])),

        support("BuiltPrograms"),
        // The targets of script/fuzz.
        support(
            "FuzzTargets",
            dependencies(
                firmware: [
                    "AccessProtocol", "CBOR", "CTOML", "Crypto", "Fleet", "GateTrial", "JSON", "LockChannel",
                    "NordicProvisioning", "OSDP", "Octets", "Peripheral", "Protobuf", "Reader", "TestSupport",
                    "Timekeeping", "WiFiStation",
                ],
                matter: [
                    "MatterCredentials", "MatterHost", "MatterInteraction", "MatterNode", "MatterSession", "MatterTLV",
                    "MulticastDNS",
                ],
                fleet: ["MQTT"], lab: ["Phone"], emulators: ["Devices"])),
        tests("FuzzTargetsTests", dependencies(firmware: ["TestSupport"], ["FuzzTargets"])),
        tests(
            "ReaderlabTests",
            dependencies(
                firmware: [
                    "TestSupport", "VirtualTime", "readerd", "AccessProtocol", "CBOR", "Crypto", "Fleet", "HostLoop",
                    "JSON", "NordicProvisioning", "OSDP", "Peripheral", "Protobuf", "Reader", "Timekeeping",
                    "WiFiStation",
                ],
                lab: [
                    "AirRig", "AllocationCounter", "LoadGenerator", "Phone", "Scenario", "VirtualRadio", "bench-host",
                ],
                emulators: ["Devices", "Emulation", "GATTDevice"], ["BuiltPrograms", "readerlab", argumentParser])),
    ]
)
