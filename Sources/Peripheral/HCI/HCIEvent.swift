import Octets
import Timekeeping

/// What a controller tells, as far as a peripheral needs it (Core 5.4, Vol 4, Part E, 7.7).
///
/// Fields that are not copied are ranges of the packet. Octets behind the last known field of an event are ignored,
/// since later versions have added some; a missing field is an error.
enum HCIEvent: Equatable {
    /// Command Complete (7.7.14): how many commands may be sent now, and the return parameters.
    case commandComplete(credits: UInt8, HCIOpcode, returned: Range<Int>)
    /// Command Status (7.7.15).
    case commandStatus(HCIStatus, credits: UInt8, HCIOpcode)
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
    /// An event that is of no use here.
    case other(code: UInt8)

    /// A connection as the two events of its beginning describe it.
    struct NewConnection: Equatable {
        var handle: UInt16
        var isPeripheral: Bool
        var peer: BluetoothAddress
        /// The private address that the central used, where the controller has resolved it into `peer`.
        var peerPrivate: BluetoothAddress?
        var interval: Duration
        var supervisionTimeout: Duration
    }

    /// Where a Command Status packet has its status; it is read as a Command Complete's would be.
    static let statusRange = 3..<4

    /// Reads an event packet, with the type octet before it.
    static func parse(_ packet: Span<UInt8>) throws(OctetError) -> HCIEvent {
        var cursor = OctetCursor(packet)
        _ = try cursor.u8(packet)
        let code = try cursor.u8(packet)
        let count = Int(try cursor.u8(packet))
        let parameters = try cursor.take(count, of: packet)
        try cursor.finish()
        cursor = OctetCursor(packet, in: parameters)
        switch code {
        case 0x05:
            return .disconnectionComplete(
                HCIStatus(rawValue: try cursor.u8(packet)), handle: try cursor.connectionHandle(packet),
                reason: HCIStatus(rawValue: try cursor.u8(packet)))
        // 0x59 is Encryption Change [v2], with the size of the key behind.
        case 0x08, 0x59:
            let status = HCIStatus(rawValue: try cursor.u8(packet))
            let handle = try cursor.connectionHandle(packet)
            let enabled = try cursor.u8(packet)
            if code == 0x59 { _ = try cursor.u8(packet) }
            return .encryptionChanged(status, handle: handle, enabled: enabled)
        case 0x0E:
            return .commandComplete(
                credits: try cursor.u8(packet), HCIOpcode(rawValue: try cursor.u16(packet)), returned: cursor.rest())
        case 0x0F:
            return .commandStatus(
                HCIStatus(rawValue: try cursor.u8(packet)), credits: try cursor.u8(packet),
                HCIOpcode(rawValue: try cursor.u16(packet)))
        case 0x10:
            return .hardwareError(code: try cursor.u8(packet))
        case 0x13:
            let pairs = Int(try cursor.u8(packet))
            return .completedPackets(try cursor.take(pairs * 4, of: packet))
        case 0x30:
            let status = HCIStatus(rawValue: try cursor.u8(packet))
            return .keyRefreshed(status, handle: try cursor.connectionHandle(packet))
        case 0x3E:
            return try parseLE(packet, &cursor)
        default:
            return .other(code: code)
        }
    }

    private static func parseLE(_ packet: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) -> HCIEvent {
        switch try cursor.u8(packet) {
        case 0x01:
            return try parseConnection(packet, &cursor, enhanced: false)
        case 0x03:
            let status = HCIStatus(rawValue: try cursor.u8(packet))
            let handle = try cursor.connectionHandle(packet)
            let interval = try cursor.connectionInterval(packet)
            _ = try cursor.u16(packet)  // Peripheral_Latency
            return .connectionUpdated(
                status, handle: handle, interval: interval,
                supervisionTimeout: try cursor.supervisionTimeout(packet))
        case 0x05:
            let handle = try cursor.connectionHandle(packet)
            let random = try cursor.u64(packet)
            let name = LTKIdentifier(diversifier: try cursor.u16(packet), random: random)
            return .longTermKeyRequest(handle: handle, name)
        // 0x29 is Enhanced Connection Complete [v2]: the same, with two more fields, of periodic advertising.
        case 0x0A, 0x29:
            return try parseConnection(packet, &cursor, enhanced: true)
        case 0x12:
            let status = HCIStatus(rawValue: try cursor.u8(packet))
            let set = try cursor.u8(packet)
            let handle = try cursor.connectionHandle(packet)
            _ = try cursor.u8(packet)  // Num_Completed_Extended_Advertising_Events
            return .advertisingSetTerminated(status, set: set, handle: handle)
        default:
            return .other(code: 0x3E)
        }
    }

    private static func parseConnection(
        _ packet: Span<UInt8>, _ cursor: inout OctetCursor, enhanced: Bool
    ) throws(OctetError) -> HCIEvent {
        let status = HCIStatus(rawValue: try cursor.u8(packet))
        let handle = try cursor.connectionHandle(packet)
        let role = try cursor.u8(packet)
        let kind = BluetoothAddress.Kind(rawValue: try cursor.u8(packet))
        let peer = BluetoothAddress(kind: kind, value: try cursor.address(packet))
        var peerPrivate: UInt64 = 0
        if enhanced {
            _ = try cursor.take(6, of: packet)  // Local_Resolvable_Private_Address
            peerPrivate = try cursor.address(packet)
        }
        let interval = try cursor.connectionInterval(packet)
        _ = try cursor.u16(packet)  // Peripheral_Latency
        let timeout = try cursor.supervisionTimeout(packet)
        _ = try cursor.u8(packet)  // Central_Clock_Accuracy
        return .connectionComplete(
            status,
            NewConnection(
                handle: handle, isPeripheral: role == 0x01, peer: peer,
                peerPrivate: peerPrivate == 0 ? nil : BluetoothAddress(kind: .random, value: peerPrivate),
                interval: interval, supervisionTimeout: timeout))
    }
}

extension OctetCursor {
    /// Reads a Connection_Handle: twelve bits, the others are reserved.
    fileprivate mutating func connectionHandle(_ packet: Span<UInt8>) throws(OctetError) -> UInt16 {
        try u16(packet) & 0x0FFF
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
