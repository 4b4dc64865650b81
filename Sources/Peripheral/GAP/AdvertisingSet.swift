import Timekeeping

/// One way in which a device makes itself known: a packet, its answer to scanners, and an address of its own.
///
/// A controller with extended advertising runs sets at once, with legacy PDUs; where it has too few, and on one
/// without, the host takes them in turn. Which set a phone connected to comes with the link.
public struct AdvertisingSet: Equatable, Sendable {
    /// The octets that an advertising or scan response PDU with legacy form carries (Core 5.4, Vol 6, Part B, 2.3.1).
    public static let maximumDataCount = 31

    /// Whose address the packets carry (Core 5.4, Vol 6, Part B, 1.3).
    public enum OwnAddress: Equatable, Sendable {
        /// This random address: static, or one that the device makes itself.
        case fixed(BluetoothAddress)
        /// A resolvable private address, made with the key of the host's identity and made anew each
        /// `HostConfiguration.addressRotation`: bonded peers know the device, others cannot follow it. Sets may share
        /// an identity; each has an address of its own.
        case resolvable
        /// A non-resolvable private address, made anew as often: nobody can follow the device.
        case nonResolvable
    }

    /// What phones may do with the set (Core 5.4, Vol 6, Part B, 2.3.1).
    public enum Kind: Equatable, Sendable {
        /// Connect and scan: ADV_IND.
        case connectable
        /// Scan: ADV_SCAN_IND.
        case scannable
        /// Listen, as to a beacon: ADV_NONCONN_IND. There is no scan response.
        case nonConnectable
    }

    /// Identifies the set towards the device; 0 to 239, becomes the Advertising_Handle.
    public var id: UInt8
    /// The address that the set advertises with.
    public var ownAddress: OwnAddress
    /// What phones may do. Sets that cannot be connected to run on when no more links are wanted.
    public var kind = Kind.connectable
    /// Advertising data, at most 31 octets, sent as they are: nothing is added.
    public var data: [UInt8]
    /// Scan response data, at most 31 octets.
    public var scanResponse: [UInt8]
    /// Time between two advertising events, 20 ms to 10.24 s.
    public var interval: Duration
    /// The power to send with, −127 to 20 dBm; the controller takes the nearest it can. Nil leaves it the choice, and
    /// so does a controller without extended advertising. `Host.transmitPower(ofSet:)` tells what it has chosen.
    public var transmitPower: Int8?
    /// Whether the host puts the power that the controller has chosen into the TX Power Level structures that `data`
    /// and `scanResponse` have (Core Specification Supplement, Part A, 1.5). They stay as they are while it is unknown.
    public var fillsTransmitPower = false

    /// A connectable, scannable, undirected set with an address that stays.
    public init(id: UInt8, address: BluetoothAddress, data: [UInt8], scanResponse: [UInt8], interval: Duration) {
        self.init(id: id, ownAddress: .fixed(address), data: data, scanResponse: scanResponse, interval: interval)
    }

    /// A connectable, scannable, undirected set.
    public init(id: UInt8, ownAddress: OwnAddress, data: [UInt8], scanResponse: [UInt8], interval: Duration) {
        self.id = id
        self.ownAddress = ownAddress
        self.data = data
        self.scanResponse = scanResponse
        self.interval = interval
    }

    /// Why no controller can take the set; nil if one can.
    public var fault: AdvertisingSetFault? {
        if id > AdvertisingSet.highestIdentifier { return .identifier(id) }
        if data.count > AdvertisingSet.maximumDataCount { return .dataCount(data.count) }
        if scanResponse.count > AdvertisingSet.maximumDataCount { return .scanResponseCount(scanResponse.count) }
        if kind == .nonConnectable, !scanResponse.isEmpty { return .scanResponseOfBeacon }
        if !(AdvertisingSet.shortestInterval...AdvertisingSet.longestInterval).contains(interval) {
            return .interval(interval)
        }
        if case .fixed(let address) = ownAddress, address.kind != .random { return .address(address) }
        if let transmitPower, !AdvertisingSet.transmitPowers.contains(transmitPower) {
            return .transmitPower(transmitPower)
        }
        return nil
    }
}

/// Why a set cannot be advertised by any controller.
public enum AdvertisingSetFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The identifier is above 239.
    case identifier(UInt8)
    /// The data has this many octets.
    case dataCount(Int)
    /// The scan response has this many octets.
    case scanResponseCount(Int)
    /// A set that nobody can scan has a scan response.
    case scanResponseOfBeacon
    /// The interval is not between 20 ms and 10.24 s.
    case interval(Duration)
    /// The address is not a random one.
    case address(BluetoothAddress)
    /// The power is not between −127 and 20 dBm.
    case transmitPower(Int8)

    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .identifier(let id): "advertising set \(id): use an identifier from 0 to 239"
        case .dataCount(let count): "advertising data of \(count) octets: shorten it to 31"
        case .scanResponseCount(let count): "scan response of \(count) octets: shorten it to 31"
        case .scanResponseOfBeacon:
            "a set that is not scannable has a scan response: drop it, or make the set scannable"
        case .interval(let interval): "advertising interval \(interval): use 20 ms to 10.24 s"
        case .address(let address): "advertising address \(address) is not random: use a random static one"
        case .transmitPower(let power): "transmit power \(power) dBm: use −127 to 20"
        }
    }
}

extension AdvertisingSet {
    /// The highest Advertising_Handle (Core 5.4, Vol 4, Part E, 7.8.53).
    static let highestIdentifier: UInt8 = 0xEF
    /// What Advertising_TX_Power and Selected_TX_Power can say (7.8.53).
    static let transmitPowers: ClosedRange<Int8> = -127...20
    /// The shortest interval that an advertiser may have (Core 5.4, Vol 6, Part B, 4.4.2.2).
    static let shortestInterval = Duration.milliseconds(20)
    /// The longest that the legacy commands can say.
    static let longestInterval = Duration.milliseconds(10_240)
    /// The type of the TX Power Level structure (Assigned Numbers, 2.3).
    private static let transmitPowerType: UInt8 = 0x0A

    /// The interval when `sets` share one advertiser: their part of the set's own, never too short.
    func sharedInterval(sets: Int) -> Duration {
        min(max(interval / max(sets, 1), AdvertisingSet.shortestInterval), AdvertisingSet.longestInterval)
    }

    /// The number by which the commands say an interval: units of 0.625 ms, rounded down.
    static func units(_ interval: Duration) -> UInt16 {
        let units = interval.wholeNanoseconds / 625_000
        return UInt16(clamping: min(max(units, 0x0020), 0x4000))
    }

    /// `octets` as they go on the air when the controller sends with `power`.
    func filled(_ octets: [UInt8], power: Int8?) -> [UInt8] {
        guard fillsTransmitPower, let power else { return octets }
        var filled = octets
        var start = 0
        // A length of 0 ends the significant part (Vol 3, Part C, 11).
        while start < octets.count, octets[start] > 0 {
            let end = start + 1 + Int(octets[start])
            if octets[start] == 2, end <= octets.count, octets[start + 1] == AdvertisingSet.transmitPowerType {
                filled[start + 2] = UInt8(bitPattern: power)
            }
            start = end
        }
        return filled
    }
}

/// A set, and the address that it has at present.
struct AdvertisedSet: Equatable {
    var set: AdvertisingSet
    var address: BluetoothAddress

    var id: UInt8 { self.set.id }
    var isConnectable: Bool { self.set.kind == .connectable }

    /// The parameters on an advertiser that `sharing` sets have in turn.
    func parameters(sharing: Int) -> AdvertisingParameters {
        AdvertisingParameters(
            kind: set.kind, interval: AdvertisingSet.units(set.sharedInterval(sets: sharing)),
            power: set.transmitPower)
    }
}

/// What the parameter commands say of a set.
struct AdvertisingParameters: Equatable {
    var kind: AdvertisingSet.Kind
    /// Units of 0.625 ms.
    var interval: UInt16
    /// dBm; nil for no preference.
    var power: Int8?
}
