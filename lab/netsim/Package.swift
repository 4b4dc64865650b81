// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// PacketStreamer, the radio of the Android Emulator, for the places of `readerlab air`: a separate package, since no
// other program needs HTTP/2.

/// Settings of every target: Swift 6 mode, warnings as errors, explicit access levels of imports.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Products of the repository's packages, and of others.
func dependencies(
    firmware: [String], lab: [String], _ others: [Target.Dependency]
) -> [Target.Dependency] {
    [("readerd", firmware), ("lab", lab)].flatMap { package, names in
        names.map { .product(name: $0, package: package) }
    } + others
}

/// A program.
func program(_ name: String, _ purpose: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

let package = Package(
    name: "netsim",
    products: [.executable(name: "readerlab-netsim", targets: ["readerlab-netsim"])],
    dependencies: [
        .package(name: "readerd", path: "../.."),
        .package(path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", exact: "1.46.0"),
    ],
    targets: [
        program(
            "readerlab-netsim", "PacketStreamer over HTTP/2, each Bluetooth chip at a place of an air",
            dependencies(
                firmware: ["Commands", "Peripheral", "System", "Timekeeping"], lab: ["PacketStreamer"],
                [
                    .product(name: "ArgumentParser", package: "swift-argument-parser"),
                    .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                    .product(name: "NIOHPACK", package: "swift-nio-http2"),
                    .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                ]))
    ]
)
