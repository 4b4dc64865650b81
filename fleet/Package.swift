// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Readers as a fleet: the connection to a broker, the process of a reader's link, and the back end.

/// Settings of every target: Swift 6 mode, warnings as errors, explicit access levels of imports.
let language: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
/// One section per function in a program that is shipped, so that the linker removes unused functions. SwiftPM rejects
/// unsafe flags in a dependency with a version requirement.
let isTakenByVersion = ["/checkouts/", "/registry/"].contains { Context.packageDirectory.contains($0) }
let separateFunctions: [SwiftSetting] =
    isTakenByVersion
    ? []
    : [.unsafeFlags(["-Xfrontend", "-function-sections"], .when(platforms: [.linux], configuration: .release))]
let strict = language + separateFunctions
let strictC: [CSetting] = [.treatAllWarnings(as: .error)]

/// Linker settings as in the firmware's manifest, without an order of functions: start-up time does not matter here.
let companionLinking: [LinkerSetting] = [
    .unsafeFlags(
        ["-use-ld=lld"]
            + ["--no-export-dynamic", "-z", "pack-relative-relocs", "-z", "now"].flatMap { ["-Xlinker", $0] },
        .when(platforms: [.linux], configuration: .release))
]

/// The layers, lower ones first: a target uses its own layer and those below it (script/house).
enum Layer { case system, connection, desk, program }

/// A C target: a library of the system.
func face(_ name: String, _ purpose: String, links libraries: String...) -> Target {
    .target(name: name, cSettings: strictC, linkerSettings: libraries.map { .linkedLibrary($0) })
}

/// A library of the system as its module map, found by pkg-config.
func systemFace(_ name: String, _ purpose: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
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
    .executableTarget(
        name: name, dependencies: dependencies(firmware: firmware, own), swiftSettings: strict,
        linkerSettings: companionLinking)
}

/// The tests of one target.
func tests(_ name: String, firmware: [String], _ own: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies(firmware: firmware, own), swiftSettings: strict)
}

/// A library product of one target with the same name.
func product(_ name: String) -> Product { .library(name: name, targets: [name]) }

let package = Package(
    name: "fleet",
    products: [
        product("MQTT"), product("BackEnd"),
        .executable(name: "readerd-link", targets: ["readerd-link"]),
    ],
    dependencies: [
        .package(name: "readerd", path: ".."),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    ],
    targets: [
        face("CTLS", "TLS of OpenSSL 3", links: "ssl", "crypto"),
        systemFace("CPostgreSQL", "libpq, a client of PostgreSQL", pkgConfig: "libpq", apt: "libpq-dev"),

        library(
            .connection, "MQTT", "a client of MQTT 5, and its connection on a reactor",
            firmware: ["CLinux", "Crypto", "Fleet", "Octets", "System", "Timekeeping"], ["CTLS"]),
        library(
            .desk, "BackEnd", "credentials, signed orders, the collector and its database",
            firmware: [
                "AccessProtocol", "CBOR", "Commands", "Crypto", "EventStore", "Fleet", "JSON", "Octets", "Protobuf",
                "Remote", "System", "Timekeeping",
            ],
            ["CPostgreSQL", "MQTT"]),
        program(
            "readerd-link", "the process of a reader's link to a fleet",
            firmware: ["CLinux", "Crypto", "Fleet", "JSON", "Journal", "System", "Timekeeping"],
            ["MQTT", .product(name: "Logging", package: "swift-log")]),

        tests(
            "MQTTTests", firmware: ["Fleet", "Octets", "System", "TestSupport", "Timekeeping"], ["MQTT"]),
        tests(
            "BackEndTests", firmware: ["CBOR", "Commands", "Crypto", "Fleet", "JSON", "Reader", "TestSupport"],
            ["BackEnd"]),
        tests(
            "ReaderdLinkTests", firmware: ["System"],
            ["MQTT", "readerd-link", .product(name: "Logging", package: "swift-log")]),
    ],
    cxxLanguageStandard: .cxx17
)
