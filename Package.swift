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

/// A library target of the house, lower layers first in `dependencies`.
func house(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// The tests of one target.
func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

/// A product that is only there with the trait SoftAP.
func softAP(_ name: String, _ package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["SoftAP"]))
}

let package = Package(
    name: "readerd",
    products: [
        .library(name: "Peripheral", targets: ["Peripheral"]),
        .library(name: "HostLoop", targets: ["HostLoop"]),
        .library(name: "GATTDevice", targets: ["GATTDevice"]),
        .library(name: "AccessProtocol", targets: ["AccessProtocol"]),
        .library(name: "Protobuf", targets: ["Protobuf"]),
        .library(name: "Reader", targets: ["Reader"]),
        .library(name: "Provisioning", targets: ["Provisioning"]),
        .library(name: "VirtualRadio", targets: ["VirtualRadio"]),
        .library(name: "Phone", targets: ["Phone"]),
        // For Fuzz, which is a package of its own.
        .library(name: "CTOML", targets: ["CTOML"]),
        .library(name: "JSON", targets: ["JSON"]),
        .executable(name: "readerd", targets: ["readerd"]),
        .executable(name: "readerlab", targets: ["readerlab"]),
        .executable(name: "heart-rate", targets: ["HeartRate"]),
        .executable(name: "bench-host", targets: ["bench-host"]),
        .library(name: "AllocationCounter", type: .dynamic, targets: ["CAllocationCounter"]),
        .library(name: "LineClock", type: .dynamic, targets: ["CLineClock"]),
    ],
    // What a build of readerd alone needs not even fetch: `--disable-default-traits` leaves it out.
    traits: [
        .trait(name: "SoftAP", description: "HTTPS in readerlab, for `readerlab emulate nordic-softap`."),
        .default(enabledTraits: ["SoftAP"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
    ],
    targets: [
        // C faces: what the Glibc overlay lacks, and the system libraries.
        .target(name: "CLinux", cSettings: strictC),
        .target(name: "CHCI", cSettings: strictC),
        .target(name: "CGPIO", cSettings: strictC, linkerSettings: [.linkedLibrary("gpiod")]),
        .target(name: "CNFC", cSettings: strictC, linkerSettings: [.linkedLibrary("nfc")]),
        .target(name: "CCrypto", cSettings: strictC, linkerSettings: [.linkedLibrary("crypto")]),
        .target(name: "CSQLite", cSettings: strictC, linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(name: "CAllocationCounter", cSettings: strictC),
        .target(name: "CLineClock", cSettings: strictC),
        .target(name: "CTOML", cxxSettings: [.treatAllWarnings(as: .error)]),

        // Values every layer speaks.
        house("Octets"),
        house("Timekeeping"),
        house("JSON"),

        // The machine: files, one thread, descriptors, lines, primitives.
        house("DurableFile"),
        house("Handover", ["CLinux"]),
        house("Reactor", ["CLinux", "Timekeeping"]),
        house("GPIO", ["CGPIO"]),
        house("NFCTarget", ["CNFC", "Handover"]),
        house("Crypto", ["CCrypto"]),
        house("Protobuf", ["Octets"]),

        // The BLE peripheral host.
        house("Peripheral", ["CHCI", "CLinux", "Crypto", "Octets", "Timekeeping"]),

        // Devices on the host: a program's loop for one, and one that is described by a file.
        house("HostLoop", ["Crypto", "DurableFile", "Peripheral", "Reactor", "Timekeeping"]),
        house("GATTDevice", ["JSON", "Octets", "Peripheral", "Timekeeping"]),

        // The access protocol both sides share, and the reader.
        house("AccessProtocol", ["Crypto", "Octets", "Protobuf", "Timekeeping"]),
        house("Reader", ["AccessProtocol", "Crypto", "Octets", "Peripheral", "Protobuf", "Timekeeping"]),

        // Devices that are brought into a network: Wi-Fi behind one seam, and the services that phones do it by.
        house("Provisioning", ["Crypto", "JSON", "Octets", "Peripheral", "Protobuf", "Timekeeping"]),

        // What emulated devices for app developers share: faults on command, a timeline, what the app got wrong.
        house("Emulation", ["JSON", "Timekeeping"]),

        // What outlives the reader: events, blacklist, pushed settings.
        house("EventStore", ["CSQLite", "Crypto", "DurableFile", "Handover", "Octets", "Reader", "Timekeeping"]),

        // The other side, and the air between.
        house("VirtualRadio", ["Octets", "Peripheral", "Timekeeping"]),
        house("Phone", ["AccessProtocol", "Crypto", "Octets", "Peripheral", "Protobuf", "Timekeeping"]),

        house(
            "Scenario",
            ["AccessProtocol", "Crypto", "Octets", "Peripheral", "Phone", "Reader", "Timekeeping", "VirtualRadio"]),

        // What measures a host, any host, and a reader's door.
        house(
            "LoadGenerator",
            ["AccessProtocol", "CLinux", "Crypto", "Octets", "Peripheral", "Phone", "Timekeeping"]),

        // Programs.
        .executableTarget(
            name: "readerd",
            dependencies: [
                "AccessProtocol", "CLinux", "CTOML", "Crypto", "DurableFile", "EventStore", "GPIO", "JSON",
                "NFCTarget", "Octets", "Peripheral", "Provisioning", "Reactor", "Reader", "Timekeeping",
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["Linking"], swiftSettings: strict, linkerSettings: firmwareLinking),
        .executableTarget(
            name: "readerlab",
            dependencies: [
                "AccessProtocol", "Crypto", "DurableFile", "Emulation", "GATTDevice", "HostLoop", "JSON",
                "LoadGenerator", "Octets", "Peripheral", "Phone", "Provisioning", "Reader", "Scenario", "Timekeeping",
                "VirtualRadio",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                softAP("NIOCore", "swift-nio"), softAP("NIOPosix", "swift-nio"), softAP("NIOHTTP1", "swift-nio"),
                softAP("NIOTLS", "swift-nio"), softAP("NIOSSL", "swift-nio-ssl"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "bench-host",
            dependencies: ["LoadGenerator", "Octets", "Peripheral", "Reactor", "Timekeeping"], swiftSettings: strict),

        .executableTarget(
            name: "HeartRate", dependencies: ["HostLoop", "Peripheral", "Phone", "Timekeeping", "VirtualRadio"],
            path: "Examples/HeartRate", swiftSettings: strict),

        // What the tests of several targets use.
        .target(
            name: "TestSupport", dependencies: ["Crypto"], path: "Tests/Support/TestSupport", swiftSettings: strict),
        .target(
            name: "AirRig", dependencies: ["Peripheral", "Phone", "Timekeeping", "VirtualRadio"],
            path: "Tests/Support/AirRig", swiftSettings: strict),
        // libbluetooth's headers (GPL) beside CHCI's declarations, for CHCITests alone. Nothing links the library.
        .target(
            name: "BluetoothHeaders", dependencies: ["CHCI"], path: "Tests/Support/BluetoothHeaders",
            cSettings: strictC),
        tests("CHCITests", ["BluetoothHeaders", "CHCI"]),
        tests("OctetsTests", ["Octets"]),
        tests("TimekeepingTests", ["Timekeeping"]),
        tests("JSONTests", ["JSON"]),
        tests("ReactorTests", ["TestSupport", "Reactor", "Timekeeping", "CLinux"]),
        tests("GPIOTests", ["GPIO", "CGPIO"]),
        tests("HandoverTests", ["TestSupport", "Handover"]),
        tests("NFCTargetTests", ["TestSupport", "NFCTarget", "CNFC"]),
        tests("CryptoTests", ["TestSupport", "Crypto"]),
        tests("ProtobufTests", ["Protobuf", "Octets"]),
        tests(
            "PeripheralTests", ["TestSupport", "Peripheral", "Crypto", "Octets", "Timekeeping"], exclude: ["Vectors"]),
        tests(
            "GATTDeviceTests",
            [
                "TestSupport", "AirRig",
                "GATTDevice", "HeartRate", "Crypto", "HostLoop", "JSON", "Octets", "Peripheral", "Phone", "Timekeeping",
                "VirtualRadio",
            ]),
        tests(
            "HostLoopTests",
            ["TestSupport", "AirRig", "HostLoop", "Crypto", "Peripheral", "Phone", "Timekeeping", "VirtualRadio"]),
        tests(
            "ReaderlabTests",
            [
                "TestSupport",
                "readerlab", "readerd", "AccessProtocol", "Crypto", "Emulation", "GATTDevice", "HostLoop", "JSON",
                "Peripheral", "Phone",
                "Protobuf",
                "Provisioning", "Reader", "Scenario", "Timekeeping", "VirtualRadio",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        tests("AccessProtocolTests", ["TestSupport", "AccessProtocol", "Crypto", "Octets", "Protobuf", "Timekeeping"]),
        tests(
            "ReaderTests",
            [
                "TestSupport",
                "Reader", "AccessProtocol", "Crypto", "Octets", "Peripheral", "Phone", "Protobuf", "Timekeeping",
                "VirtualRadio",
            ]),
        tests(
            "ProvisioningTests",
            [
                "TestSupport", "AirRig", "Provisioning", "Crypto", "JSON", "Octets", "Peripheral", "Phone", "Protobuf",
                "Timekeeping", "VirtualRadio",
            ]),
        tests("EmulationTests", ["Emulation", "JSON", "Timekeeping"]),
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
        tests("VirtualRadioTests", ["VirtualRadio", "Octets", "Peripheral", "Timekeeping"]),
        tests(
            "PhoneTests",
            [
                "TestSupport", "Phone", "AccessProtocol", "Crypto", "Octets", "Peripheral", "Protobuf", "Timekeeping",
                "VirtualRadio",
            ]),
        tests(
            "ScenarioTests",
            ["Scenario", "AccessProtocol", "Crypto", "Peripheral", "Phone", "Reader", "Timekeeping", "VirtualRadio"]),
        tests(
            "ReaderdTests",
            [
                "TestSupport",
                "readerd", "AccessProtocol", "CLinux", "CTOML", "Crypto", "EventStore", "GPIO", "JSON", "Peripheral",
                "NFCTarget", "Protobuf", "Reactor",
                "Reader", "Timekeeping",
                .product(name: "Logging", package: "swift-log"),
            ]),
        tests(
            "LoadGeneratorTests",
            [
                "LoadGenerator", "bench-host", "readerd", "readerlab", "AccessProtocol", "Octets", "Peripheral",
                "Timekeeping",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
    ],
    cxxLanguageStandard: .cxx17
)
