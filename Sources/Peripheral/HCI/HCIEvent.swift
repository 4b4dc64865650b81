// SPDX-License-Identifier: Apache-2.0

public import Octets
import Timekeeping

/// An HCI event (Core 5.4, Vol 4, Part E, 7.7), limited to the events and fields that the hosts of this project use.
/// The numbers are sections of that part.
///
/// Fields that are not copied are ranges: of the packet that was read, or of the octets that are passed to write it.
/// A missing field is an error. Octets after the last known field are ignored: newer versions of an event append
/// fields, for example of Encryption Change and LE Enhanced Connection Complete (7.7.8, 7.7.65.10).
public enum HCIEvent: Equatable, Sendable {
    /// Command Complete (7.7.14): the number of commands that may be sent, the opcode, 0 for none, and the return
    /// parameters.
    case commandComplete(credits: UInt8, opcode: UInt16, returned: Range<Int>)
    /// Command Status (7.7.15).
    case commandStatus(HCIStatus, credits: UInt8, opcode: UInt16)
    /// Disconnection Complete (7.7.5).
    case disconnectionComplete(HCIStatus, handle: UInt16, reason: HCIStatus)
    /// Number Of Completed Packets (7.7.19): pairs of handle and count, four octets each.
    case completedPackets(Range<Int>)
    /// Hardware Error (7.7.16).
    case hardwareError(code: UInt8)
    /// LE Connection Complete or LE Enhanced Connection Complete (7.7.65.1, 7.7.65.10).
    case connectionComplete(HCIStatus, NewConnection)
    /// LE Connection Update Complete (7.7.65.3).
    case connectionUpdated(HCIStatus, handle: UInt16, interval: Duration, supervisionTimeout: Duration)
    /// Encryption Change, versions 1 and 2 (7.7.8). The key size of version 2 is not read: the host knows its keys.
    case encryptionChanged(HCIStatus, handle: UInt16, enabled: UInt8)
    /// Encryption Key Refresh Complete (7.7.39).
    case keyRefreshed(HCIStatus, handle: UInt16)
    /// LE Long Term Key Request (7.7.65.5).
    case longTermKeyRequest(handle: UInt16, LTKIdentifier)
    /// LE Advertising Set Terminated (7.7.65.18).
    case advertisingSetTerminated(HCIStatus, set: UInt8, handle: UInt16)
    /// LE PHY Update Complete (7.7.65.12); the PHY on which the peer transmits.
    case phyUpdated(HCIStatus, handle: UInt16, receiver: UInt8)
    /// LE Transmit Power Reporting (7.7.65.33).
    case transmitPower(HCIStatus, TransmitPowerReport)
    /// An event of the vendor (5.4.4), with the range of its parameters.
    case vendor(Range<Int>)
    /// Another LE Meta event, with the range of the parameters after the subevent code.
    case otherLE(LECode?, Range<Int>)
    /// Another event.
    case other

    /// An event code (7.7).
    public enum Code: UInt8, Sendable {
        case disconnectionComplete = 0x05
        case encryptionChange = 0x08
        case readRemoteVersionComplete = 0x0C
        case commandComplete = 0x0E
        case commandStatus = 0x0F
        case hardwareError = 0x10
        case numberOfCompletedPackets = 0x13
        case encryptionKeyRefreshComplete = 0x30
        case leMeta = 0x3E
        case encryptionChangeV2 = 0x59
        case vendor = 0xFF
    }

    /// A subevent code of LE Meta (7.7.65).
    public enum LECode: UInt8, Sendable {
        case connectionComplete = 0x01
        case advertisingReport = 0x02
        case connectionUpdateComplete = 0x03
        case readRemoteFeaturesComplete = 0x04
        case longTermKeyRequest = 0x05
        case remoteConnectionParameterRequest = 0x06
        case dataLengthChange = 0x07
        case enhancedConnectionComplete = 0x0A
        case phyUpdateComplete = 0x0C
        case extendedAdvertisingReport = 0x0D
        case advertisingSetTerminated = 0x12
        case transmitPowerReporting = 0x21
        case enhancedConnectionCompleteV2 = 0x29
    }

    /// A new connection.
    public struct NewConnection: Equatable, Sendable {
        /// The Connection_Handle.
        public var handle: UInt16
        /// True if the local role is peripheral.
        public var isPeripheral: Bool
        /// The peer's address; its identity address if the controller has resolved it.
        public var peer: BluetoothAddress
        /// The private address used by the peer, if the controller has resolved it into `peer`.
        public var peerPrivate: BluetoothAddress?
        /// The connection interval.
        public var interval: Duration
        /// The supervision time-out.
        public var supervisionTimeout: Duration

        /// A connection with these properties.
        public init(
            handle: UInt16, isPeripheral: Bool, peer: BluetoothAddress, peerPrivate: BluetoothAddress? = nil,
            interval: Duration, supervisionTimeout: Duration
        ) {
            self.handle = handle
            self.isPeripheral = isPeripheral
            self.peer = peer
            self.peerPrivate = peerPrivate
            self.interval = interval
            self.supervisionTimeout = supervisionTimeout
        }
    }

    /// A transmit power that a controller reports (7.7.65.33).
    public struct TransmitPowerReport: Equatable, Sendable {
        /// The reason of a report: the local power has changed.
        public static let localChanged: UInt8 = 0x00
        /// The reason of a report: the peer's power has changed.
        public static let remoteChanged: UInt8 = 0x01
        /// The reason of a report: LE Read Remote Transmit Power Level is complete.
        public static let remoteRead: UInt8 = 0x02

        /// The Connection_Handle.
        public var handle: UInt16
        /// The reason.
        public var reason: UInt8
        /// The PHY: 1 for 1M, 2 for 2M, 3 and 4 for the codings of the Coded PHY.
        public var phy: UInt8
        /// TX_Power_Level, of which 126 and 127 are no power.
        public var level: Int8

        /// The power, −127 to 20 dBm; nil if the peer does not manage it, if it is not available, and for a value that
        /// is reserved.
        public var dBm: Int8? { (-127...20).contains(level) ? level : nil }

        /// A report with these values.
        public init(handle: UInt16, reason: UInt8, phy: UInt8, level: Int8) {
            (self.handle, self.reason, self.phy, self.level) = (handle, reason, phy, level)
        }
    }

    /// The range of the status in a Command Status packet, which is read like a status in a Command Complete.
    static let statusRange = 3..<4

    /// Reads an event packet, type octet included.
    public static func parse(_ packet: Span<UInt8>) throws(OctetError) -> HCIEvent {
        var cursor = OctetCursor(packet)
        _ = try cursor.u8(packet)
        let code = Code(rawValue: try cursor.u8(packet))
        let count = Int(try cursor.u8(packet))
        let parameters = try cursor.consume(count, of: packet)
        try cursor.finish()
        cursor = OctetCursor(packet, in: parameters)
        switch code {
        case .disconnectionComplete:
            return .disconnectionComplete(
                try cursor.status(packet), handle: try cursor.connectionHandle(packet),
                reason: try cursor.status(packet))
        case .encryptionChange, .encryptionChangeV2:
            let event = HCIEvent.encryptionChanged(
                try cursor.status(packet), handle: try cursor.connectionHandle(packet), enabled: try cursor.u8(packet))
            if code == .encryptionChangeV2 { _ = try cursor.u8(packet) }  // Encryption_Key_Size
            return event
        case .commandComplete:
            return .commandComplete(
                credits: try cursor.u8(packet), opcode: try cursor.u16(packet), returned: cursor.rest())
        case .commandStatus:
            return .commandStatus(
                try cursor.status(packet), credits: try cursor.u8(packet), opcode: try cursor.u16(packet))
        case .hardwareError: return .hardwareError(code: try cursor.u8(packet))
        case .numberOfCompletedPackets:
            let pairs = Int(try cursor.u8(packet))
            return .completedPackets(try cursor.consume(pairs * 4, of: packet))
        case .encryptionKeyRefreshComplete:
            return .keyRefreshed(try cursor.status(packet), handle: try cursor.connectionHandle(packet))
        case .leMeta: return try parseLE(packet, &cursor)
        case .vendor: return .vendor(parameters)
        case .readRemoteVersionComplete, nil: return .other
        }
    }

    private static func parseLE(_ packet: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) -> HCIEvent {
        let code = LECode(rawValue: try cursor.u8(packet))
        switch code {
        case .connectionComplete: return try parseConnection(packet, &cursor, enhanced: false)
        // Version 2 appends two fields of periodic advertising.
        case .enhancedConnectionComplete, .enhancedConnectionCompleteV2:
            return try parseConnection(packet, &cursor, enhanced: true)
        case .connectionUpdateComplete:
            let status = try cursor.status(packet)
            let handle = try cursor.connectionHandle(packet)
            let interval = try cursor.connectionInterval(packet)
            _ = try cursor.u16(packet)  // Peripheral_Latency
            return .connectionUpdated(
                status, handle: handle, interval: interval, supervisionTimeout: try cursor.supervisionTimeout(packet))
        case .longTermKeyRequest:
            let handle = try cursor.connectionHandle(packet)
            let random = try cursor.u64(packet)
            return .longTermKeyRequest(
                handle: handle, LTKIdentifier(diversifier: try cursor.u16(packet), random: random))
        case .advertisingSetTerminated:
            let event = HCIEvent.advertisingSetTerminated(
                try cursor.status(packet), set: try cursor.u8(packet), handle: try cursor.connectionHandle(packet))
            _ = try cursor.u8(packet)  // Num_Completed_Extended_Advertising_Events
            return event
        case .phyUpdateComplete:
            let (status, handle) = (try cursor.status(packet), try cursor.connectionHandle(packet))
            _ = try cursor.u8(packet)  // TX_PHY
            return .phyUpdated(status, handle: handle, receiver: try cursor.u8(packet))
        case .transmitPowerReporting:
            let event = HCIEvent.transmitPower(
                try cursor.status(packet),
                TransmitPowerReport(
                    handle: try cursor.connectionHandle(packet), reason: try cursor.u8(packet),
                    phy: try cursor.u8(packet), level: try cursor.i8(packet)))
            _ = try cursor.consume(2, of: packet)  // TX_Power_Level_Flag, Delta
            return event
        default:
            return .otherLE(code, cursor.rest())
        }
    }

    private static func parseConnection(
        _ packet: Span<UInt8>, _ cursor: inout OctetCursor, enhanced: Bool
    ) throws(OctetError) -> HCIEvent {
        let status = try cursor.status(packet)
        let handle = try cursor.connectionHandle(packet)
        let role = try cursor.u8(packet)
        let kind = BluetoothAddress.Kind(rawValue: try cursor.u8(packet))
        let peer = try BluetoothAddress(kind: kind, packet, &cursor)
        var peerPrivate: BluetoothAddress?
        if enhanced {
            _ = try cursor.consume(6, of: packet)  // Local_Resolvable_Private_Address
            let address = try BluetoothAddress(kind: .random, packet, &cursor)
            if address.value != 0 { peerPrivate = address }
        }
        let interval = try cursor.connectionInterval(packet)
        _ = try cursor.u16(packet)  // Peripheral_Latency
        let timeout = try cursor.supervisionTimeout(packet)
        _ = try cursor.u8(packet)  // Central_Clock_Accuracy
        return .connectionComplete(
            status,
            NewConnection(
                handle: handle, isPeripheral: role == 0x01, peer: peer, peerPrivate: peerPrivate, interval: interval,
                supervisionTimeout: timeout))
    }
}

extension OctetCursor {
    fileprivate mutating func status(_ packet: Span<UInt8>) throws(OctetError) -> HCIStatus {
        HCIStatus(rawValue: try u8(packet))
    }

    /// Reads an interval in units of 1.25 ms.
    fileprivate mutating func connectionInterval(_ packet: Span<UInt8>) throws(OctetError) -> Duration {
        .microseconds(Int(try u16(packet)) * 1250)
    }

    /// Reads a supervision time-out in units of 10 ms.
    fileprivate mutating func supervisionTimeout(_ packet: Span<UInt8>) throws(OctetError) -> Duration {
        .milliseconds(Int(try u16(packet)) * 10)
    }
}
