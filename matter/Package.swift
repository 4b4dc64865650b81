// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A Matter device as values, its sockets and discovery, and the process of a reader's Matter lock.

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

/// Linker settings as in the firmware's manifest, without an order of functions: start-up time does not matter here.
let companionLinking: [LinkerSetting] = [
    .unsafeFlags(
        ["-use-ld=lld"]
            + ["--no-export-dynamic", "-z", "pack-relative-relocs", "-z", "now"].flatMap { ["-Xlinker", $0] },
        .when(platforms: [.linux], configuration: .release))
]

/// The layers, lower ones first: a target uses its own layer and those below it (script/house).
enum Layer { case encoding, credentials, protocols, node, host, program }

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

/// Support for the tests of several targets.
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

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let package = Package(
    name: "matter",
    products: [
        product("MatterTLV"), product("MatterCredentials"), product("MatterSession"), product("MatterInteraction"),
        product("MatterNode"), product("MatterFaults"), product("MatterHost"), product("MulticastDNS"),
        .executable(name: "readerd-matter", targets: ["readerd-matter"]),
    ],
    dependencies: [
        .package(name: "readerd", path: ".."),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    ],
    targets: [
        library(.encoding, "MatterTLV", "octets and tags", firmware: ["Octets"]),
        library(
            .credentials, "MatterCredentials", "onboarding codes, certificates", firmware: ["Crypto", "Octets"],
            ["MatterTLV"]),
        library(
            .protocols, "MatterSession", "PASE, CASE, messages, BTP", firmware: ["Crypto", "Octets", "Timekeeping"],
            ["MatterCredentials", "MatterTLV"]),
        library(
            .protocols, "MatterInteraction", "reads, writes, commands, subscriptions",
            firmware: ["Octets", "Timekeeping"], ["MatterTLV"]),
        library(
            .protocols, "MulticastDNS", "the responder of service discovery",
            firmware: ["Crypto", "Octets", "Timekeeping"]),
        library(
            .node, "MatterNode", "fabrics, clusters, commissioning",
            firmware: ["Crypto", "Octets", "Timekeeping", "WiFi"],
            ["MatterCredentials", "MatterInteraction", "MatterSession", "MatterTLV"]),
        library(
            .node, "MatterFaults", "faults of a node, for testers of apps", firmware: ["Timekeeping"],
            ["MatterInteraction", "MatterNode", "MatterTLV"]),
        library(
            .host, "MatterHost", "a node's UDP sockets, discovery on interfaces, BTP",
            firmware: ["CLinux", "Crypto", "Octets", "Timekeeping"],
            ["MatterNode", "MatterSession", "MulticastDNS"]),
        program(
            "readerd-matter", "the process of the reader's Matter lock",
            firmware: [
                "CLinux", "Crypto", "JSON", "Journal", "LockChannel", "Octets", "System", "Timekeeping", "WiFi",
            ],
            [
                "MatterCredentials", "MatterHost", "MatterNode", "MatterSession", "MatterTLV", "MulticastDNS", logging,
            ]),

        support(
            "MatterTestSupport", firmware: ["Crypto", "TestSupport", "Timekeeping", "VirtualTime"],
            ["MatterCredentials", "MatterSession", "MatterTLV"]),
        tests("MatterTLVTests", firmware: [], ["MatterTLV"]),
        tests(
            "MatterCredentialsTests", firmware: ["Crypto", "TestSupport"],
            ["MatterCredentials", "MatterTLV", "MatterTestSupport"]),
        tests(
            "MatterSessionTests", firmware: ["Crypto", "TestSupport", "Timekeeping", "VirtualTime"],
            ["MatterCredentials", "MatterSession", "MatterTLV", "MatterTestSupport"]),
        tests(
            "MatterInteractionTests", firmware: ["TestSupport", "Timekeeping", "VirtualTime"],
            ["MatterInteraction", "MatterTLV", "MatterTestSupport"]),
        tests(
            "MatterNodeTests",
            firmware: ["Crypto", "TestSupport", "Timekeeping", "VirtualTime", "WiFi", "WiFiTestSupport"],
            [
                "MatterCredentials", "MatterFaults", "MatterInteraction", "MatterNode", "MatterSession", "MatterTLV",
                "MatterTestSupport",
            ]),
        tests("MatterHostTests", firmware: ["TestSupport"], ["MatterHost", "MulticastDNS"]),
        tests("MulticastDNSTests", firmware: ["TestSupport", "Timekeeping", "VirtualTime"], ["MulticastDNS"]),
        tests(
            "ReaderdMatterTests",
            firmware: ["CLinux", "Crypto", "LockChannel", "System", "TestSupport", "Timekeeping"],
            ["MatterCredentials", "MatterNode", "MatterTLV", "readerd-matter", logging]),
    ],
    cxxLanguageStandard: .cxx17
)
