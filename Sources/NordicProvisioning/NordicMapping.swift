// SPDX-License-Identifier: Apache-2.0

public import Protobuf
public import WiFi

/// Conversions between the protocol's numbers and the types of a station.
extension WiFiSecurity {
    /// The security that the firmware uses: it supports three of the numbers, and treats all others as open. Without a
    /// passphrase field the number is ignored.
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

    /// The security that a client requests; nil if the device does not support it.
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

    /// The number of the firmware in scan records; unknown types are WPA/WPA2.
    public var exactScanned: NordicSecurity {
        switch self {
        case .open: .open
        case .wpa2PSK: .wpa2Personal
        case .wpa3PSK: .wpa3Personal
        default: .wpaWpa2Personal
        }
    }

    /// The number of the firmware in a status: Zephyr's number, which has another meaning in the protocol.
    public var exactStored: NordicSecurity {
        switch self {
        case .open: .open
        case .wpa2PSK: .wpaPersonal
        case .wpa3PSK: .wpa2Personal
        default: .wep
        }
    }

    /// The protocol's number, 0 to 6. It has none for WPA2 and WPA3 together: WPA2, which every station has.
    public var named: NordicSecurity {
        if contains(.wpaWPA2PSK) { return .wpaWpa2Personal }
        if contains(.wpa2PSK) { return .wpa2Personal }
        if contains(.wpaPSK) { return .wpaPersonal }
        if contains(.wpa3PSK) { return .wpa3Personal }
        if contains(.wpa2Enterprise) { return .wpa2Enterprise }
        return contains(.wep) ? .wep : .open
    }
}

extension WiFiBand {
    /// The band with this number; nil for any band and for unknown numbers.
    public init?(_ band: NordicBand?) {
        switch band {
        case .ghz2: self = .band2GHz
        case .ghz5: self = .band5GHz
        default: return nil
        }
    }

    /// The protocol's number; 6 GHz has none.
    public var named: NordicBand? {
        switch self {
        case .band2GHz: .ghz2
        case .band5GHz: .ghz5
        case .band6GHz: nil
        }
    }
}

extension WiFiJoinFailure {
    /// The protocol's failure reason.
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
    /// The protocol's connection state.
    public var state: NordicConnectionState {
        switch self {
        case .authentication: .authentication
        case .association: .association
        case .obtainingAddress: .obtainingAddress
        }
    }
}

extension NordicConnectionState {
    /// The name of the message that reports the state.
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
    /// The network name.
    public var wifiName: WiFiName? { WiFiName(name.array) }
    /// The access point's address; nil unless it has six octets.
    public var wifiAddress: WiFiAddress? { WiFiAddress(address.array) }
}

extension NordicScanRecord {
    /// A record as the firmware sends it: 6 GHz becomes "any band".
    public init(exact network: WiFiNetwork) {
        self.init(network, band: network.band.named ?? .any, security: network.security.exactScanned)
    }

    /// A record that apps can process; nil for a name that is not UTF-8, which crashes the stock app for iOS. A band
    /// without a number is omitted: "any" crashes it too.
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
    /// As many of the octets as fit.
    public init(held octets: [UInt8]) {
        self = BoundedBytes(copying: octets.span.extracting(first: capacity)) ?? BoundedBytes()
    }

    /// A copy of the octets.
    public var array: [UInt8] {
        var octets: [UInt8] = []
        append(to: &octets)
        return octets
    }
}
