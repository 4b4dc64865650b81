// SPDX-License-Identifier: Apache-2.0

import Octets
public import Peripheral

/// A packet by which a reader shows itself (docs/protocol/access-profile.md, 1).
public enum ReaderMode: String, CaseIterable, Hashable, Sendable {
    /// The older generation's packet, manual operation.
    case classic
    /// The older generation's packet, hands-free operation.
    case onTouch = "on-touch"
    /// The newer generation's packet.
    case access
    /// The newer generation's packet in iBeacon form.
    case accessIBeacon = "access-ibeacon"

    /// The service that the packet names, which serves the session.
    public var service: BluetoothUUID {
        switch self {
        case .classic: BluetoothUUID(high: 0x0000_5301_0000_002A, low: 0x426C_7565_4944_2A00)
        case .onTouch: BluetoothUUID(high: 0x0000_5301_0010_002A, low: 0x426C_7565_4944_2A00)
        case .access, .accessIBeacon: BluetoothUUID(0xFCBA)
        }
    }
}

/// An advertiser as a phone sees it: the decoded packets of a reader, or the packets of any other device.
public struct ReaderSighting: Equatable, Sendable {
    /// The advertiser's address; a reader has a separate address for each mode.
    public var address: BluetoothAddress
    /// The mode of a reader's packet; nil for another device.
    public var mode: ReaderMode?
    /// The local name, which is the device id of a reader; nil if it is not known yet.
    public var name: String?
    /// True if the reader has only the published demo identity; nil if it is not known yet.
    public var isFactory: Bool?
    /// The strength of the latest packet in dBm; nil if the controller did not report it.
    public var rssi: Int8?
    /// True if a phone may connect.
    public var isConnectable: Bool

    /// A sighting with these properties.
    public init(
        address: BluetoothAddress, mode: ReaderMode?, name: String?, isFactory: Bool? = nil, rssi: Int8? = nil,
        isConnectable: Bool = true
    ) {
        self.address = address
        self.mode = mode
        self.name = name
        self.isFactory = isFactory
        self.rssi = rssi
        self.isConnectable = isConnectable
    }

    /// The maximum number of characters of a name that is shown: a device id has 8, and a name comes from anyone.
    static let nameLimit = 29

    /// The sighting in a report, with the data received from the advertiser earlier.
    public init(_ report: AdvertisementReport) {
        let response = report.scanResponse ?? []
        self.init(
            address: report.address, mode: ReaderSighting.mode(in: report.data),
            name: ReaderSighting.name(in: report.data) ?? ReaderSighting.name(in: response),
            isFactory: ReaderSighting.isFactory(response), rssi: report.rssi, isConnectable: report.isConnectable)
    }

    private static func mode(in data: [UInt8]) -> ReaderMode? {
        if AdvertisedServices.contains(ReaderMode.access.service, in: data) {
            return isBeacon(data) ? .accessIBeacon : .access
        }
        return [ReaderMode.onTouch, .classic].first { AdvertisedServices.contains($0.service, in: data) }
    }

    /// True if manufacturer data are an iBeacon's: Apple's company identifier, type 2, 21 octets.
    private static func isBeacon(_ data: [UInt8]) -> Bool {
        AdvertisingStructures.first(in: data) { type, content in
            type == 0xFF && content.count >= 4 && content[0] == 0x4C && content[1] == 0x00 && content[2] == 0x02
                && content[3] == 0x15 ? true : nil
        } ?? false
    }

    /// The local name, complete or shortened, as a terminal may have it.
    private static func name(in data: [UInt8]) -> String? {
        AdvertisingStructures.first(in: data) { type, content in
            guard type == 0x08 || type == 0x09, !content.isEmpty else { return nil }
            var octets: [UInt8] = []
            octets.append(content)
            return String(String(decoding: octets, as: UTF8.self).unicodeScalars.prefix(nameLimit)).printable
        }
    }

    /// The flag in the manufacturer record of a scan response: its company identifier is a setting of the reader.
    private static func isFactory(_ response: [UInt8]) -> Bool? {
        AdvertisingStructures.first(in: response) { type, content in
            type == 0xFF && content.count == 19 ? content[2] == 1 : nil
        }
    }
}
