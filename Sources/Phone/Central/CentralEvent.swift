public import Peripheral

/// What a central tells the phone that runs on it.
public enum CentralEvent: Equatable, Sendable {
    /// The controller has been started; this is the address that the central uses.
    case ready(BluetoothAddress)
    /// The controller failed; every link is gone (each has had its `disconnected`). `start(at:)` begins anew.
    case failed(ControllerFault)
    /// A scan command was refused, and the scan does not run as asked.
    case scanRefused(HCIStatus)
    /// An advertiser was heard.
    case report(AdvertisementReport)
    /// A link came up, with this peer and this connection interval.
    case connected(LinkID, BluetoothAddress, interval: Duration)
    /// The connection that was asked for did not come about: refused, cancelled, or out of time.
    case connectionFailed(BluetoothAddress, HCIStatus)
    /// The link is gone; its identifier will not be seen again. 0x3E says that it never carried a packet.
    case disconnected(LinkID, reason: HCIStatus)
    /// The connection interval was changed.
    case intervalChanged(LinkID, Duration)
    /// The controller now sends packets of up to this many octets over the air.
    case dataLengthChanged(LinkID, Int)
    /// A whole ATT PDU came in (Core 5.4, Vol 3, Part F, 3.3).
    case attribute(LinkID, [UInt8])
}

/// One advertising report, with what is known of the same advertiser from before.
public struct AdvertisementReport: Equatable, Sendable {
    /// The advertiser's address.
    public var address: BluetoothAddress
    /// The level of this packet in dBm; nil if the controller has none (127).
    public var rssi: Int8?
    /// Whether this report is a scan response rather than an advertisement.
    public var isScanResponse: Bool
    /// Whether the advertiser takes connections; a scan response repeats what its advertisement said.
    public var isConnectable: Bool
    /// The advertising data; empty if only a scan response was heard so far.
    public var data: [UInt8]
    /// The scan response; nil until one was heard.
    public var scanResponse: [UInt8]?

    /// A report with these properties.
    public init(
        address: BluetoothAddress, rssi: Int8?, isScanResponse: Bool, isConnectable: Bool, data: [UInt8],
        scanResponse: [UInt8]?
    ) {
        self.address = address
        self.rssi = rssi
        self.isScanResponse = isScanResponse
        self.isConnectable = isConnectable
        self.data = data
        self.scanResponse = scanResponse
    }
}

/// Why a central does not do what it is asked.
public enum CentralRefusal: Error, Equatable, Sendable {
    /// The controller is not started.
    case notReady
    /// One connection is being made already; cancel it first.
    case connecting
    /// There is no such link.
    case gone
    /// The link's queue is full; try again when the peer has answered.
    case busy
    /// The PDU is longer than an ATT PDU can be.
    case tooLong
}
