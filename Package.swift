// swift-tools-version: 6.2
import PackageDescription

/// Each function in a section of its own, so that the linker can order it and leave it out: otherwise most functions of a
/// file are one piece. SwiftPM refuses such flags from a package that another one takes by its version.
let isTakenByVersion = ["/checkouts/", "/registry/"].contains { Context.packageDirectory.contains($0) }
let separateFunctions: [SwiftSetting] =
    isTakenByVersion
    ? []
    : [.unsafeFlags(["-Xfrontend", "-function-sections"], .when(platforms: [.linux], configuration: .release))]

// Every target: Swift 6 mode, warnings are errors, imports say who may see them.
let language: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
let strict = language + separateFunctions
let strictC: [CSetting] = [.treatAllWarnings(as: .error)]

/// How the firmware is linked: nothing looks for its functions by name, so none is exported; what the dynamic linker has
/// to add up is packed (glibc 2.36 and later); calls into libraries are bound at the start, and their table is read-only
/// after that; functions that serving needs stand next to each other, so that they take few pages
/// (`script/bench --order`); and constants may not be written. LLVM's linker, which is a part of the toolchain, can do all
/// of it.
let linking = Context.packageDirectory + "/Sources/readerd/Linking"
let firmwareLinking: [LinkerSetting] = [
    .unsafeFlags(
        ["-use-ld=lld"]
            + [
                "--no-export-dynamic", "-z", "pack-relative-relocs", "-z", "now", "-T", "\(linking)/sections.ld",
                "--symbol-ordering-file=\(linking)/functions.order", "--no-warn-symbol-ordering",
            ].flatMap { ["-Xlinker", $0] },
        .when(platforms: [.linux], configuration: .release))
]

/// A library target, lower layers first in `dependencies`.
func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// The tests of one target.
func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

/// A library product of one target, which has its name.
func product(_ name: String) -> Product {
    .library(name: name, targets: [name])
}

let package = Package(
    name: "readerd",
    products: [
        // A Bluetooth LE device of one's own.
        product("Peripheral"), product("HostLoop"),
        // The access reader, its protocol, and a gateway's Wi-Fi.
        product("AccessProtocol"), product("Reader"), product("EventStore"), product("WiFiProvisioning"),
        .executable(name: "readerd", targets: ["readerd"]),
        // Values and primitives that lab and Fuzz, packages of their own, share with them.
        product("CLinux"), product("CTOML"), product("Crypto"), product("JSON"), product("Octets"),
        product("Protobuf"), product("System"), product("Timekeeping"),
        // For the tests of the lab.
        product("TestSupport"), product("ReaderTestSupport"), product("WiFiTestSupport"),
        .executable(name: "event-writer", targets: ["event-writer"]),
    ],
    dependencies: [.package(url: "https://github.com/apple/swift-log", exact: "1.16.2")],
    targets: [
        // C faces: what the Glibc overlay lacks, and the system libraries.
        .target(name: "CLinux", cSettings: strictC),
        .target(name: "CHCI", cSettings: strictC),
        .target(name: "CGPIO", cSettings: strictC, linkerSettings: [.linkedLibrary("gpiod")]),
        .target(name: "CNFC", cSettings: strictC, linkerSettings: [.linkedLibrary("nfc")]),
        .target(name: "CCrypto", cSettings: strictC, linkerSettings: [.linkedLibrary("crypto")]),
        .target(name: "CSQLite", cSettings: strictC, linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(name: "CTOML", cxxSettings: [.treatAllWarnings(as: .error)]),

        // Values every layer speaks.
        library("Octets"),
        library("Timekeeping"),
        library("JSON"),

        // The machine: one thread and its neighbours, files, lines, primitives.
        library("System", ["CLinux", "Timekeeping"]),
        library("GPIO", ["CGPIO"]),
        library("NFCTarget", ["CNFC", "System"]),
        library("Crypto", ["CCrypto"]),
        library("Protobuf", ["Octets"]),

        // The BLE peripheral host.
        library("Peripheral", ["CHCI", "CLinux", "Crypto", "Octets", "Timekeeping"]),

        // A program's loop for devices on the host.
        library("HostLoop", ["Crypto", "Peripheral", "System", "Timekeeping"]),

        // The access protocol both sides share, and the reader.
        library("AccessProtocol", ["Crypto", "Octets", "Protobuf", "Timekeeping"]),
        library("Reader", ["AccessProtocol", "Crypto", "Octets", "Peripheral", "Protobuf", "Timekeeping"]),

        // A gateway is brought into a network: Wi-Fi behind one seam, and the service that phones do it by.
        library("WiFiProvisioning", ["Crypto", "JSON", "Octets", "Peripheral", "Protobuf", "Timekeeping"]),

        // What outlives the reader: events, blacklist, pushed settings.
        library("EventStore", ["CSQLite", "Crypto", "Octets", "Reader", "System", "Timekeeping"]),

        // The program.
        .executableTarget(
            name: "readerd",
            dependencies: [
                "AccessProtocol", "CLinux", "CTOML", "Crypto", "EventStore", "GPIO", "JSON", "NFCTarget", "Octets",
                "Peripheral", "Reader", "System", "Timekeeping", "WiFiProvisioning",
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["Linking"], swiftSettings: strict, linkerSettings: firmwareLinking),

        // What the tests of several targets use.
        .target(
            name: "TestSupport", dependencies: ["Crypto", "System"], path: "Tests/Support/TestSupport",
            swiftSettings: strict),
        .target(
            name: "ReaderTestSupport",
            dependencies: [
                "AccessProtocol", "Crypto", "Octets", "Peripheral", "Protobuf", "Reader", "TestSupport", "Timekeeping",
            ],
            path: "Tests/Support/ReaderTestSupport", swiftSettings: strict),
        .target(
            name: "WiFiTestSupport", dependencies: ["WiFiProvisioning"], path: "Tests/Support/WiFiTestSupport",
            swiftSettings: strict),
        // libbluetooth's headers (GPL) beside CHCI's declarations, for CHCITests alone. Nothing links the library.
        .target(
            name: "BluetoothHeaders", dependencies: ["CHCI"], path: "Tests/Support/BluetoothHeaders",
            cSettings: strictC),
        tests("CHCITests", ["BluetoothHeaders", "CHCI"]),
        tests("OctetsTests", ["Octets"]),
        tests("TimekeepingTests", ["Timekeeping"]),
        tests("JSONTests", ["JSON"]),
        tests("SystemTests", ["TestSupport", "CLinux", "System", "Timekeeping"]),
        tests("GPIOTests", ["GPIO", "CGPIO"]),
        tests("NFCTargetTests", ["TestSupport", "NFCTarget", "CNFC"]),
        tests("CryptoTests", ["TestSupport", "Crypto"]),
        tests("ProtobufTests", ["Protobuf", "Octets"]),
        tests(
            "PeripheralTests", ["TestSupport", "Peripheral", "Crypto", "Octets", "Timekeeping"], exclude: ["Vectors"]),
        tests("HostLoopTests", ["TestSupport", "HostLoop", "Peripheral"]),
        tests("AccessProtocolTests", ["TestSupport", "AccessProtocol", "Crypto", "Octets", "Protobuf", "Timekeeping"]),
        tests(
            "ReaderTests",
            [
                "TestSupport", "ReaderTestSupport",
                "Reader", "AccessProtocol", "Crypto", "Octets", "Peripheral", "Protobuf", "Timekeeping",
            ]),
        tests(
            "WiFiProvisioningTests",
            ["TestSupport", "WiFiTestSupport", "WiFiProvisioning", "JSON", "Peripheral", "Protobuf", "Timekeeping"]),
        tests(
            "EventStoreTests",
            [
                "TestSupport", "EventStore", "AccessProtocol", "CSQLite", "Crypto", "Octets", "Reader", "Timekeeping",
                "event-writer",
            ]),
        // A program that a test kills while it writes the log.
        .executableTarget(
            name: "event-writer", dependencies: ["EventStore", "Reader", "Timekeeping"],
            path: "Tests/Support/event-writer", swiftSettings: strict),
        tests(
            "ReaderdTests",
            [
                "TestSupport",
                "readerd", "AccessProtocol", "CLinux", "CTOML", "Crypto", "EventStore", "GPIO", "JSON", "Peripheral",
                "NFCTarget", "Protobuf", "Reader", "System", "Timekeeping",
                .product(name: "Logging", package: "swift-log"),
            ]),
    ],
    cxxLanguageStandard: .cxx17
)
