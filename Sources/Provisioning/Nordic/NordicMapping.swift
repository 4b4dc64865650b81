import Protobuf

/// What the protocol's numbers are in a station's terms, and the other way round.
extension WiFiSecurity {
    /// What the firmware joins with: of all numbers it knows three, and everything else is open to it. Without a
    /// passphrase field the number is not looked at.
    public init(exact security: NordicSecurity?, hasPassphrase: Bool) {
        self =
            switch security {
            case _ where !hasPassphrase: .open
            case .wpaWpa2Personal: .wpaWPA2PSK
            case .wpa2Personal: .wpa2PSK
            case .wpa3Personal: .wpa3PSK
            default: .open
            }
    }

    /// What a client means; nil if the device cannot do it.
    public init?(_ security: NordicSecurity?, hasPassphrase: Bool) {
        switch security {
        case nil: self = hasPassphrase ? .wpaWPA2PSK : .open
        case .open, .unprotected: self = .open
        case .wep: self = .wep
        case .wpaPersonal: self = .wpaPSK
        case .wpa2Personal, .passphraseSha256: self = .wpa2PSK
        case .wpaWpa2Personal, .passphrase: self = .wpaWPA2PSK
        case .wpa3Personal, .sae: self = .wpa3PSK
        default: return nil
        }
    }

    /// How the firmware names it in a scan: what it has no name for is WPA/WPA2.
    public var exactScanned: NordicSecurity {
        switch self {
        case .open: .open
        case .wpa2PSK: .wpa2Personal
        case .wpa3PSK: .wpa3Personal
        case .wpaWPA2PSK, .wpaPSK, .wep, .wpa2Enterprise: .wpaWpa2Personal
        }
    }

    /// How the firmware names it in a status: by Zephyr's number, which means something else in the protocol.
    public var exactStored: NordicSecurity {
        switch self {
        case .open: .open
        case .wpa2PSK: .wpaPersonal
        case .wpa3PSK: .wpa2Personal
        case .wpaWPA2PSK, .wpaPSK, .wep, .wpa2Enterprise: .wep
        }
    }

    /// How it is named, 0 to 6.
    public var named: NordicSecurity {
        switch self {
        case .open: .open
        case .wep: .wep
        case .wpaPSK: .wpaPersonal
        case .wpa2PSK: .wpa2Personal
        case .wpaWPA2PSK: .wpaWpa2Personal
        case .wpa2Enterprise: .wpa2Enterprise
        case .wpa3PSK: .wpa3Personal
        }
    }
}

extension WiFiBand {
    /// The band of a number; nil for any, and for one that is not known.
    public init?(_ band: NordicBand?) {
        switch band {
        case .ghz2: self = .band2GHz
        case .ghz5: self = .band5GHz
        default: return nil
        }
    }

    /// How it is named; 6 GHz has no name.
    public var named: NordicBand? {
        switch self {
        case .band2GHz: .ghz2
        case .band5GHz: .ghz5
        case .band6GHz: nil
        }
    }
}

extension WiFiJoinFailure {
    /// How it is told.
    public var reason: NordicFailureReason {
        switch self {
        case .authentication: .authentication
        case .networkNotFound: .networkNotFound
        case .timeout: .timeout
        case .address: .noAddress
        case .other: .connection
        }
    }
}

extension WiFiJoinStep {
    /// How it is told.
    public var state: NordicConnectionState {
        switch self {
        case .authentication: .authentication
        case .association: .association
        case .obtainingAddress: .obtainingAddress
        }
    }
}

extension NordicConnectionState {
    /// The name of the value that tells of it.
    var step: NordicStep {
        switch self {
        case .authentication: .authentication
        case .association: .association
        case .obtainingAddress: .obtainingAddress
        case .connected: .connected
        case .connectionFailed: .connectionFailed
        default: .disconnected
        }
    }
}

extension NordicNetwork {
    /// Its name.
    public var wifiName: WiFiName? { WiFiName(name.array) }
    /// The access point's address; nil if it has not six octets.
    public var wifiAddress: WiFiAddress? { WiFiAddress(address.array) }
}

extension NordicScanRecord {
    /// An access point as the firmware tells of it: in 6 GHz it says "any band".
    public init(exact network: WiFiNetwork) {
        self.init(network, band: network.band.named ?? .any, security: network.security.exactScanned)
    }

    /// An access point as apps can take it; nil for a name that is not UTF-8, which crashes the stock app for iOS. Of a
    /// band without a number nothing is said: "any" crashes it too.
    public init?(_ network: WiFiNetwork) {
        guard network.name.text != nil else { return nil }
        self.init(network, band: network.band.named, security: network.security.named)
    }

    private init(_ network: WiFiNetwork, band: NordicBand?, security: NordicSecurity) {
        self.init(
            network: NordicNetwork(
                name: BoundedBytes(held: network.name.octets), address: BoundedBytes(held: network.address.octets),
                band: band, channel: network.channel, security: security),
            rssi: Int32(network.rssi))
    }
}

extension BoundedBytes {
    /// As many of the octets as there is room for.
    init(held octets: [UInt8]) {
        self = BoundedBytes(copying: octets.span.extracting(first: capacity)) ?? BoundedBytes()
    }

    /// A copy of the octets.
    var array: [UInt8] {
        var octets: [UInt8] = []
        append(to: &octets)
        return octets
    }
}
