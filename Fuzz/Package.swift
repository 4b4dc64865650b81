// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A separate package: a plain build cannot link a libFuzzer program, and the code under test must be instrumented,
// which applies to the complete build. script/fuzz does both.
let package = Package(
    name: "Fuzz",
    // The lab without its HTTPS trait, which is not fuzzed.
    dependencies: [.package(name: "readerd", path: ".."), .package(name: "readerlab", path: "../lab", traits: [])],
    targets: [
        .executableTarget(
            name: "fuzz",
            dependencies: [
                .product(name: "AccessProtocol", package: "readerd"),
                .product(name: "CTOML", package: "readerd"),
                .product(name: "Crypto", package: "readerd"),
                .product(name: "Devices", package: "readerlab"),
                .product(name: "GateTrial", package: "readerd"),
                .product(name: "JSON", package: "readerd"),
                .product(name: "MatterCredentials", package: "readerd"),
                .product(name: "MatterInteraction", package: "readerd"),
                .product(name: "MatterNode", package: "readerd"),
                .product(name: "MatterSession", package: "readerd"),
                .product(name: "MatterTLV", package: "readerd"),
                .product(name: "MulticastDNS", package: "readerd"),
                .product(name: "Fleet", package: "readerd"),
                .product(name: "LockChannel", package: "readerd"),
                .product(name: "OSDP", package: "readerd"),
                .product(name: "Octets", package: "readerd"),
                .product(name: "Peripheral", package: "readerd"),
                .product(name: "Phone", package: "readerlab"),
                .product(name: "Protobuf", package: "readerd"),
                .product(name: "Reader", package: "readerd"),
                .product(name: "TestSupport", package: "readerd"),
                .product(name: "WiFiProvisioning", package: "readerd"),
            ],
            swiftSettings: [
                .swiftLanguageMode(.v6), .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny"),
            ],
            linkerSettings: [.unsafeFlags(["-use-ld=lld"])])
    ],
    cxxLanguageStandard: .cxx17
)
