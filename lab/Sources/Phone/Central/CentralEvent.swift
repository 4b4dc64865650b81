// SPDX-License-Identifier: Apache-2.0

public import Peripheral

/// An event of a central.
public enum CentralEvent: Equatable, Sendable {
    /// The controller is initialized; the address that the central uses.
    case ready(BluetoothAddress)
    /// The controller failed; every link has ended, each with its `disconnected`. `start(at:)` restarts it.
    case failed(ControllerFault)
    /// A scan command was refused; the scan does not run as requested.
    case scanRefused(HCIStatus)
    /// An advertising report.
    case report(AdvertisementReport)
    /// A link was established, with this peer and this connection interval.
    case connected(LinkID, BluetoothAddress, interval: Duration)
    /// A connection attempt failed: refused, cancelled or timed out.
    case connectionFailed(BluetoothAddress, HCIStatus)
    /// A link has ended; its identifier is not reused. 0x3E (connection failed to be established) means that no
    /// packet was received.
    case disconnected(LinkID, reason: HCIStatus)
    /// The connection interval has changed.
    case intervalChanged(LinkID, Duration)
    /// The maximum number of octets that the controller sends in a packet over the air has changed.
    case dataLengthChanged(LinkID, Int)
    /// The answer to `readRSSI`: the RSSI of the link in dBm; nil if the controller has none.
    case rssi(LinkID, Int8?)
    /// A complete ATT PDU was received (Core 5.4, Vol 3, Part F, 3.3).
    case attribute(LinkID, [UInt8])
}

/// One advertising report, merged with earlier data of the same advertiser.
public struct AdvertisementReport: Equatable, Sendable {
    /// The advertiser's address.
    public var address: BluetoothAddress
    /// The RSSI of this packet in dBm; nil if not available (127).
    public var rssi: Int8?
    /// True if this report is a scan response rather than an advertisement.
    public var isScanResponse: Bool
    /// True if the advertiser is connectable; a scan response repeats the state of its advertisement.
    public var isConnectable: Bool
    /// The advertising data; empty if only a scan response has been received.
    public var data: [UInt8]
    /// The scan response data; nil until received.
    public var scanResponse: [UInt8]?

    /// The RSSI of a controller that has none (Core 5.4, Vol 4, Part E, 7.5.4, 7.7.65.2).
    static let noRSSI: Int8 = 127

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

/// The reason why a central refuses a request.
public enum CentralRefusal: Error, Equatable, Sendable {
    /// The controller is not initialized.
    case notReady
    /// Another connection attempt is in progress; cancel it first.
    case connecting
    /// The link does not exist.
    case gone
    /// The link's queue is full; retry after the peer's answer.
    case busy
    /// The PDU exceeds the maximum length of an ATT PDU.
    case tooLong
}
