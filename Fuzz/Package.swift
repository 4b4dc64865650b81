// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A separate package: a plain build cannot link a libFuzzer program, and the code under test must be instrumented,
// which applies to the complete build. script/fuzz does both.
let package = Package(
    name: "Fuzz",
    // The lab without its HTTPS trait, which is not fuzzed.
    dependencies: [.package(name: "readerlab", path: "../lab/readerlab", traits: [])],
    targets: [
        .executableTarget(
            name: "fuzz",
            dependencies: [.product(name: "FuzzTargets", package: "readerlab")],
            swiftSettings: [
                .swiftLanguageMode(.v6), .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny"),
            ],
            linkerSettings: [.unsafeFlags(["-use-ld=lld"])])
    ],
    cxxLanguageStandard: .cxx17
)
