public import Peripheral

/// A device as a file describes it: its attributes, how it makes itself known, and what it does by itself.
public struct DeviceTable: Sendable {
    /// What a device does when a client writes a value that it does not store.
    struct Reaction: Equatable, Sendable {
        /// Who is notified.
        enum Audience: String, Equatable, Sendable, CaseIterable {
            /// The client that wrote.
            case echo
            /// Every client that has subscribed.
            case notify
        }

        var audience: Audience
        /// The value that is notified: the written one itself, or another of the same service.
        var target: AttributeHandle
        /// Whether the target is another value, which is to be changed as well.
        var changesTarget: Bool
    }

    /// A value that is notified or indicated again and again.
    struct Rhythm: Equatable, Sendable {
        var value: AttributeHandle
        var every: Duration
        /// Sent one after the other, and then from the first again; never empty.
        var values: [[UInt8]]
    }

    /// A value that the device handles itself, so that it sees reads.
    struct HandledValue: Equatable, Sendable {
        var octets: [UInt8]
        var maximumCount: Int

        /// Takes a new value; of a longer one, as much as there is room for.
        mutating func take(_ octets: [UInt8]) { self.octets = Array(octets.prefix(maximumCount)) }
    }

    /// The shortest time between two notifications of a value: the shortest connection interval is 7.5 ms.
    static let shortestRhythm = Duration.milliseconds(10)
    /// The longest file that is taken, in octets: a server with as many attributes as there are handles is longer, but
    /// the largest device known has a few hundred.
    public static let maximumFileCount = 1_048_576
    /// The numbers of channels that a device may choose itself (Core 5.4, Vol 3, Part A, 4.22).
    public static let channelNumbers: ClosedRange<Int> = 0x80...0xFF
    /// The longest name: that of the Device Name characteristic (Core 5.4, Vol 3, Part C, 12.1).
    public static let maximumNameCount = DatabaseBuilder.maximumNameCount
    /// The longest ATT_MTU that can be asked for; a longer one carries nothing more.
    public static let maximumMTU = 517

    /// By what it is found, and its Device Name if the file has no Generic Access service of its own.
    public internal(set) var name: String
    /// The ATT_MTU that the device is to offer, 23 to 517.
    public internal(set) var mtu: Int
    /// The number of a channel that sends back what comes on it; nil for none.
    public internal(set) var echoChannel: UInt16?
    /// Its attributes.
    public internal(set) var database: AttributeDatabase
    /// Its primary services in their order, without Generic Access and Generic Attribute, each once.
    public internal(set) var services: [BluetoothUUID]
    /// The types of the attributes that are written, subscribed to or notified, by handle.
    var types: [AttributeHandle: BluetoothUUID]
    var reactions: [AttributeHandle: Reaction]
    var rhythms: [Rhythm]
    /// What is read and is not in the database.
    var handled: [AttributeHandle: HandledValue]
}
