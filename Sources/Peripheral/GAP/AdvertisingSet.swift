/// One way in which a device makes itself known: a packet, its answer to scanners, and an address of its own.
///
/// A controller with extended advertising runs all sets at once with legacy PDUs; on one without, the host takes
/// them in turn on the one advertiser. Which set a phone connected to comes with the link.
public struct AdvertisingSet: Equatable, Sendable {
    /// The octets that an advertising or scan response PDU with legacy form carries (Core 5.4, Vol 6, Part B, 2.3.1).
    public static let maximumDataCount = 31

    /// Identifies the set towards the device; 0 to 239, becomes the Advertising_Handle.
    public var id: UInt8
    /// The random address that this set advertises with.
    public var address: BluetoothAddress
    /// Advertising data, at most 31 octets, sent as they are: nothing is added.
    public var data: [UInt8]
    /// Scan response data, at most 31 octets.
    public var scanResponse: [UInt8]
    /// Time between two advertising events, 20 ms to 10.24 s.
    public var interval: Duration

    /// A connectable, scannable, undirected set.
    public init(id: UInt8, address: BluetoothAddress, data: [UInt8], scanResponse: [UInt8], interval: Duration) {
        self.id = id
        self.address = address
        self.data = data
        self.scanResponse = scanResponse
        self.interval = interval
    }
}
