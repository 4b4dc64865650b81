// SPDX-License-Identifier: Apache-2.0

import NordicProvisioning
internal import Protobuf
import WiFi
import WiFiStation

/// The reason why a configuration is refused.
public enum SoftAPRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    /// The body is malformed, or a field is too long or missing.
    case undecodable(ProtobufRefusal)
    /// The body exceeds the buffer.
    case tooLong(maximum: Int)
    /// The name is missing or empty.
    case noName
    /// The access point's address does not have six octets.
    case address(count: Int)
    /// The network requires a passphrase, and none is given.
    case noPassphrase
    /// The security type is not supported.
    case security
    /// The station refuses to join.
    case station

    /// A description for the developer of the app.
    public var description: String {
        switch self {
        case .undecodable(let why): "the body is no WifiConfig: \(why)"
        case .tooLong(let maximum): "the body has more than \(maximum) octets"
        case .noName: "the body names no network: wifi.ssid is missing or empty"
        case .address(let count): "wifi.bssid has \(count) octets and not 6"
        case .noPassphrase: "the network wants a passphrase, and there is none"
        case .security: "a network with this wifi.auth cannot be joined"
        case .station: "the device cannot try this network"
        }
    }
}

/// A description of a malformed message.
public struct ProtobufRefusal: Equatable, Sendable, CustomStringConvertible {
    /// The text.
    public let description: String

    init(_ error: ProtobufError) { description = "\(error)" }
}

/// Parses the body of `POST /prov/configure`.
enum SoftAPConfiguration {
    /// The interpretation of the firmware, which supports three security types, and treats all others as open.
    static func exact(_ body: [UInt8]) throws(SoftAPRefusal) -> WiFiJoin {
        let (network, name, passphrase) = try decoded(body)
        guard network.address.count == WiFiAddress.count else { throw .address(count: network.address.count) }
        let security = WiFiSecurity(exact: network.security, hasPassphrase: true)
        guard !security.wantsPassphrase || passphrase != nil else { throw .noPassphrase }
        // The access point's address and its channel are stored, but not used for the join.
        return WiFiJoin(name: name, security: security, passphrase: security == .open ? nil : passphrase)
    }

    /// The interpretation that the client intends.
    static func helpful(_ body: [UInt8]) throws(SoftAPRefusal) -> WiFiJoin {
        let (network, name, passphrase) = try decoded(body)
        let count = network.address.count
        guard count == WiFiAddress.count || count == 0 else { throw .address(count: count) }
        guard let security = WiFiSecurity(network.security, hasPassphrase: passphrase != nil) else {
            throw .security
        }
        guard !security.wantsPassphrase || passphrase != nil else { throw .noPassphrase }
        guard security != .wpa2Enterprise else { throw .security }
        return WiFiJoin(
            name: name, band: WiFiBand(network.band), security: security,
            passphrase: security == .open ? nil : passphrase)
    }

    /// Decodes the body. An empty passphrase, as the app for iOS sends for open networks, counts as none.
    private static func decoded(
        _ body: [UInt8]
    ) throws(SoftAPRefusal) -> (NordicSoftAPNetwork, WiFiName, WiFiPassphrase?) {
        let message: NordicSoftAPConfiguration
        do throws(ProtobufError) {
            message = try NordicSoftAPConfiguration(decoding: body.span)
        } catch {
            throw .undecodable(ProtobufRefusal(error))
        }
        guard let network = message.network, !network.name.isEmpty, let name = WiFiName(network.name.array) else {
            throw .noName
        }
        let passphrase = message.passphrase.flatMap { $0.isEmpty ? nil : WiFiPassphrase($0.array) }
        return (network, name, passphrase)
    }
}

/// The response to `GET /prov/networks`.
enum SoftAPNetworks {
    /// The limit of the firmware. Five records have at most 335 octets, so its buffer of 512 is never full.
    static let exactLimit = 5
    /// The limit of `gateway`: a page of a list, and at most 2144 octets.
    static let helpfulLimit = 32

    /// The first five networks, in the order of the scan.
    static func exact(_ networks: [WiFiNetwork]) -> [UInt8] {
        message(
            networks.prefix(exactLimit).map { record($0, band: $0.band.named ?? .any, $0.security.exactScanned) })
    }

    /// The strongest networks, without those whose names crash the app for iOS.
    static func helpful(_ networks: [WiFiNetwork]) -> [UInt8] {
        let wanted = networks.filter { $0.name.text != nil && !$0.name.octets.isEmpty }
        // A stable sort by strength.
        let sorted = wanted.enumerated().sorted {
            ($1.element.rssi, $0.offset) < ($0.element.rssi, $1.offset)
        }
        return message(
            sorted.prefix(helpfulLimit).map {
                record($0.element, band: $0.element.band.named, $0.element.security.named)
            })
    }

    private static func record(
        _ network: WiFiNetwork, band: NordicBand?, _ security: NordicSecurity
    ) -> NordicSoftAPScanRecord {
        NordicSoftAPScanRecord(
            network: NordicSoftAPNetwork(
                name: BoundedBytes(held: network.name.octets), address: BoundedBytes(held: network.address.octets),
                band: band, channel: network.channel, security: security),
            rssi: Int32(network.rssi))
    }

    /// `ScanResults`: records in the repeated field 1.
    private static func message(_ records: [NordicSoftAPScanRecord]) -> [UInt8] {
        var octets: [UInt8] = []
        ProtobufWriter.append(to: &octets) { writer in
            for record in records { writer.put(record, field: 1) }
        }
        return octets
    }
}
