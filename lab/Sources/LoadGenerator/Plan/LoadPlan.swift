// SPDX-License-Identifier: Apache-2.0

/// The plan of a run of the generator. Equal plans send equal octets.
public struct LoadPlan: Equatable, Sendable {
    /// The maximum number of phones: hosts rarely support more links.
    public static let maximumPhones = 64
    /// The maximum number of operations of a test: their latencies are stored.
    public static let maximumOperations = 10_000_000
    /// The maximum length of an ACL packet in octets, which carries 247 octets of ATT unfragmented.
    public static let maximumPacketLength = 251
    /// The minimum length of an ACL packet (Core 5.4, Vol 4, Part E, 7.8.2).
    public static let minimumPacketLength = 27

    /// The socket on which the generator waits for the host.
    public enum Listening: Equatable, Sendable {
        /// A Unix socket in a new directory.
        case unix
        /// A free port of 127.0.0.1.
        case tcp
    }

    /// The number of phones, 1 to 64, each on its own link.
    public var phones = 1
    /// The number of operations of each test, 1 to 10 million, except discoveries and reconnects.
    public var operations = 20_000
    /// The number of reconnects, at most the number of operations.
    public var reconnects = 300
    /// The tests, in order.
    public var tests = LoadTest.allCases
    /// The socket on which the generator waits for the host.
    public var listening = Listening.unix
    /// True if the controller supports extended advertising.
    public var extendedAdvertising = true
    /// The length of an ACL packet in octets, 27 to 251, in both directions.
    public var packetLength = LoadPlan.maximumPacketLength
    /// The number of ACL packet buffers of the controller, 1 to 255.
    public var packetCount = 15
    /// True if all packets of a turn are sent in one write, which reduces the generator's work. Otherwise each is
    /// written separately.
    public var joinsPackets = true
    /// The seed of all random values: addresses, written values.
    public var seed: UInt64 = 1
    /// The maximum duration of a test in seconds; a longer one is cut short.
    public var secondsPerTest = 20

    /// The defaults.
    public init() {}

    /// The number of discoveries in a test: one consists of a few dozen requests.
    public var discoveries: Int { max(phones, min(operations / 40, 1000)) }

    /// Verifies the ranges of all values.
    ///
    /// - Throws: `LoadPlanFault` for the first value out of range.
    public func validate() throws(LoadPlanFault) {
        func check(_ name: String, _ value: Int, _ range: ClosedRange<Int>) throws(LoadPlanFault) {
            guard range.contains(value) else { throw .outOfRange(name, value, range) }
        }
        try check("phones", phones, 1...LoadPlan.maximumPhones)
        try check("operations", operations, 1...LoadPlan.maximumOperations)
        try check("reconnects", reconnects, 1...LoadPlan.maximumOperations)
        try check("packet-length", packetLength, LoadPlan.minimumPacketLength...LoadPlan.maximumPacketLength)
        try check("packets", packetCount, 1...255)
        try check("seconds", secondsPerTest, 1...3600)
        guard !tests.isEmpty else { throw .unknownTest("") }
    }
}

/// An invalid plan.
public enum LoadPlanFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// There is no test with this name.
    case unknownTest(String)
    /// A number is out of range.
    case outOfRange(String, Int, ClosedRange<Int>)
    /// There is no command to start.
    case noCommand
    /// No argument of the command contains the placeholder of the transport's name.
    case noPlaceForTransport

    /// One line: the fault and the remedy.
    public var description: String {
        switch self {
        case .unknownTest(let name):
            "no test is called \(name.debugDescription); choose of "
                + LoadTest.allCases.map(\.rawValue).joined(separator: ",")
        case .outOfRange(let name, let value, let range):
            "\(name) is \(value); give a number from \(range.lowerBound) to \(range.upperBound)"
        case .noCommand:
            "there is no host to start; write its command after --, as in: -- bench-host {hci}"
        case .noPlaceForTransport:
            "the command does not say where the controller is; write {hci} where the host takes the transport's name"
        }
    }
}
