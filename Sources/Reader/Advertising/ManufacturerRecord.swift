// SPDX-License-Identifier: Apache-2.0

import Octets

/// The record of 19 octets in the scan response and in the MF characteristic.
public struct ManufacturerRecord: Equatable, Sendable {
    /// The length of the record in octets.
    public static let encodedCount = 19
    /// The company identifier of the published protocol, assigned to its vendor.
    public static let publishedCompanyIdentifier: UInt16 = 0x0C5E

    /// The company identifier at the front.
    public var companyIdentifier = ManufacturerRecord.publishedCompanyIdentifier
    /// True until the reader has its own keys.
    public var isFactory: Bool
    /// The kind of device; 5 is a wall reader.
    public var hardwareType: UInt8 = 5
    /// The power source; 1 is mains.
    public var batteryLevel: UInt8 = 1
    /// The firmware version.
    public var applicationVersion: UInt16
    /// Seconds since 1970-01-01 UTC at the last local midnight; 0 while the clock is not set.
    public var localMidnight: UInt32

    /// Creates the record of a wall reader on mains power.
    public init(isFactory: Bool, applicationVersion: UInt16, localMidnight: UInt32) {
        self.isFactory = isFactory
        self.applicationVersion = applicationVersion
        self.localMidnight = localMidnight
    }

    /// The octets, company identifier first.
    public var octets: [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(ManufacturerRecord.encodedCount)
        octets.append(littleEndian: companyIdentifier)
        octets.append(isFactory ? 1 : 0)
        octets.append(hardwareType)
        octets.append(batteryLevel)
        octets.append(0)
        octets.append(littleEndian: applicationVersion)
        octets.append(littleEndian: localMidnight)
        octets.append(contentsOf: [UInt8](repeating: 0, count: 7))
        return octets
    }
}
