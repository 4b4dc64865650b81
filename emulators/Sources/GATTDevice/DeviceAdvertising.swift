// SPDX-License-Identifier: Apache-2.0

public import Peripheral

/// An advertising set of a device, with legacy PDUs: at most 31 octets in each of its two packets.
public struct DeviceAdvertising: Equatable, Sendable {
    /// The maximum number of sets of a device: enough for a phone and beacons of the common kinds.
    public static let maximumSets = 8
    /// The default advertising interval: short enough for a waiting user, long enough for a board near other radios.
    static let defaultInterval = Duration.milliseconds(100)
    /// The length of the Flags structure in octets.
    static let flagsCount = 3

    /// The type of the advertising events.
    public var kind = AdvertisingSet.Kind.connectable
    /// The advertising data.
    public var data: [UInt8]
    /// The scan response data.
    public var scanResponse: [UInt8] = []
    /// The advertising interval.
    public var interval = DeviceAdvertising.defaultInterval
    /// The requested transmit power in dBm; nil for the controller's choice.
    public var transmitPower: Int8?

    /// A connectable set with this data.
    init(data: [UInt8]) { self.data = data }

    /// The set of a device whose file describes none (Core Specification Supplement, Part A, 1): flags and the first
    /// services that fit in the advertising data, in the scan response the name, cut between two characters to the part
    /// that fits.
    init(name: String, services: [BluetoothUUID]) {
        var data = AdvertisingData()
        try? data.add(flags: .generalDiscoverable)
        try? data.add(services: services)
        var response = AdvertisingData()
        try? response.add(name: name)
        self.data = data.octets
        scanResponse = response.octets
    }

    /// The set as the host advertises it, with this number of the device.
    func set(_ number: Int, ofDevice device: Int, _ address: AdvertisingSet.OwnAddress) -> AdvertisingSet {
        var set = AdvertisingSet(
            id: DeviceAdvertising.identifiers(ofDevice: device)[number], ownAddress: address, data: data,
            scanResponse: scanResponse, interval: interval)
        set.kind = kind
        set.transmitPower = transmitPower
        return set
    }

    /// The identifiers of a device's sets, including the sets of a changed file. 16 devices have 128.
    static func identifiers(ofDevice device: Int) -> [UInt8] {
        (0..<maximumSets).map { UInt8(truncatingIfNeeded: device * maximumSets + $0) }
    }
}
