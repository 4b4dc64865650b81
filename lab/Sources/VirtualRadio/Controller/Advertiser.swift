// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Timekeeping

/// The simulated kinds of advertising with legacy PDUs (Core 5.4, Vol 6, Part B, 2.3.1).
enum AdvertisingKind {
    /// ADV_IND.
    case undirected
    /// ADV_DIRECT_IND, low duty cycle.
    case directed
    /// ADV_SCAN_IND.
    case scannable
    /// ADV_NONCONN_IND.
    case nonConnectable

    var isConnectable: Bool { self == .undirected || self == .directed }
    var isScannable: Bool { self == .undirected || self == .scannable }
    var carriesData: Bool { self != .directed }

    /// Event_Type of the LE Advertising Report event (Core 5.4, Vol 4, Part E, 7.7.65.2).
    var reportType: UInt8 {
        switch self {
        case .undirected: 0x00
        case .directed: 0x01
        case .scannable: 0x02
        case .nonConnectable: 0x03
        }
    }

    /// Event_Type of the LE Extended Advertising Report event, with the legacy bit (7.7.65.13).
    var extendedReportType: UInt16 {
        switch self {
        case .undirected: 0x13
        case .directed: 0x15
        case .scannable: 0x12
        case .nonConnectable: 0x10
        }
    }
}

/// An advertiser of a controller: an advertising set, or the single advertiser of the legacy commands.
struct Advertiser {
    /// The maximum length of a legacy PDU's data in octets.
    static let maximumDataCount = 31

    /// The advertising handle; nil for the legacy advertiser.
    let handle: UInt8?
    var kind = AdvertisingKind.undirected
    /// 1.28 s is the default of the legacy parameters (Core 5.4, Vol 4, Part E, 7.8.5).
    var interval = Duration.microseconds(1_280_000)
    var ownAddressType: UInt8 = 0
    /// The set's own random address; the legacy advertiser uses the controller's.
    var randomAddress: UInt64?
    var target = BluetoothAddress(kind: .public, value: 0)
    var channelMap: UInt8 = 0b111
    /// Bit 0: scan requests, bit 1: connection requests, only from the filter accept list.
    var filterPolicy: UInt8 = 0
    var sid: UInt8 = 0
    var data: [UInt8] = []
    var scanResponse: [UInt8] = []
    /// The current run; nil while disabled.
    var run: Run?

    /// The state of one enabled period.
    struct Run {
        let number: UInt64
        /// The advertising address, determined when enabled, and a private one of the resolving list with each event.
        var address: BluetoothAddress
        /// The private address of the target of directed advertising; nil if it has none.
        var target: BluetoothAddress?
        var nextEvent: Instant
        var ends: Instant?
        /// 0 for no limit.
        var maximumEvents: UInt8 = 0
        var events: UInt8 = 0
    }

    init(handle: UInt8?) {
        self.handle = handle
    }

    /// The target in the packets of directed advertising.
    var targetOnAir: BluetoothAddress { run?.target ?? target }

    /// True if a scan request from this device is answered.
    func answersScan(from peer: AirPeer, acceptList: [BluetoothAddress]) -> Bool {
        kind.isScannable && (filterPolicy & 1 == 0 || acceptList.contains(peer.address))
    }

    /// True if a connection request from this device is accepted.
    func accepts(_ peer: AirPeer, acceptList: [BluetoothAddress]) -> Bool {
        switch kind {
        case .undirected: filterPolicy & 2 == 0 || acceptList.contains(peer.address)
        case .directed: peer.address == target
        case .scannable, .nonConnectable: false
        }
    }
}
