// swift-tools-version: 6.2
import PackageDescription

// Apart from the main package: a plain build cannot link a libFuzzer program, and the code under test has to be built
// with instrumentation, which is a matter of the whole build. script/fuzz does both.
let package = Package(
    name: "Fuzz",
    dependencies: [.package(name: "readerd", path: "..")],
    targets: [
        .executableTarget(
            name: "fuzz",
            dependencies: [
                .product(name: "AccessProtocol", package: "readerd"),
                .product(name: "CTOML", package: "readerd"),
                .product(name: "JSON", package: "readerd"),
                .product(name: "Peripheral", package: "readerd"),
                .product(name: "Phone", package: "readerd"),
                .product(name: "Protobuf", package: "readerd"),
                .product(name: "Provisioning", package: "readerd"),
                .product(name: "Reader", package: "readerd"),
            ],
            swiftSettings: [
                .swiftLanguageMode(.v6), .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny"),
            ],
            linkerSettings: [.unsafeFlags(["-use-ld=lld"])])
    ],
    cxxLanguageStandard: .cxx17
)
