/// What a run of the generator does. The same plan sends the same octets.
public struct LoadPlan: Equatable, Sendable {
    /// The most phones: a host's table of links rarely has more places.
    public static let maximumPhones = 64
    /// The most operations of one test: their latencies are kept.
    public static let maximumOperations = 10_000_000
    /// The most octets of an ACL packet, and of one that carries 247 octets of ATT in one piece.
    public static let maximumPacketLength = 251
    /// The least that a controller may have (Core 5.4, Vol 4, Part E, 7.8.2).
    public static let minimumPacketLength = 27

    /// Where the generator waits for the host.
    public enum Listening: Equatable, Sendable {
        /// A Unix socket in a new folder.
        case unix
        /// A free port of 127.0.0.1.
        case tcp
    }

    /// Phones, 1 to 64, each on a link of its own.
    public var phones = 1
    /// Operations of each test, 1 to 10 million; of discovery and reconnects, see there.
    public var operations = 20_000
    /// Reconnects, at most as many as operations.
    public var reconnects = 300
    /// The tests, in order.
    public var tests = LoadTest.allCases
    /// Where the generator waits for the host.
    public var listening = Listening.unix
    /// Whether the controller knows extended advertising.
    public var extendedAdvertising = true
    /// Octets of an ACL packet, 27 to 251, in both directions.
    public var packetLength = LoadPlan.maximumPacketLength
    /// ACL packets that the controller takes before it has told that some are sent, 1 to 255.
    public var packetCount = 15
    /// Whether all packets of a turn are sent with one write, which leaves the generator little to do. Otherwise each is
    /// a write of its own.
    public var joinsPackets = true
    /// The seed of everything random: addresses, written values.
    public var seed: UInt64 = 1
    /// How long one test may take, in seconds; one that is not through by then is cut short.
    public var secondsPerTest = 20

    /// The defaults.
    public init() {}

    /// How many discoveries count as a test: one is a few dozen requests.
    public var discoveries: Int { max(phones, min(operations / 40, 1000)) }

    /// Throws the first value that is out of range.
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

/// A plan that cannot be carried out; the description says what to write instead.
public enum LoadPlanFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// No test is called this.
    case unknownTest(String)
    /// A number outside its range.
    case outOfRange(String, Int, ClosedRange<Int>)
    /// There is no command to start.
    case noCommand
    /// No argument of the command says where the controller is.
    case noPlaceForTransport

    /// One line: what is wrong, and what to write.
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
