import Octets

/// What the reader tells about itself in its scan response and in the MF characteristic: 19 octets.
public struct ManufacturerRecord: Equatable, Sendable {
    /// How many octets the record has.
    public static let encodedCount = 19
    /// The company identifier that the published protocol uses; assigned to its vendor.
    public static let publishedCompanyIdentifier: UInt16 = 0x0C5E

    /// The company identifier at the front.
    public var companyIdentifier = ManufacturerRecord.publishedCompanyIdentifier
    /// Whether the reader has no keys of its own yet.
    public var isFactory: Bool
    /// The kind of device; 5 is a wall reader.
    public var hardwareType: UInt8 = 5
    /// Where its power comes from; 1 is mains.
    public var batteryLevel: UInt8 = 1
    /// The firmware's version.
    public var applicationVersion: UInt16
    /// Seconds since 1970-01-01 UTC at the last local midnight; 0 if the clock is not set.
    public var localMidnight: UInt32

    /// A wall reader on mains power.
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
