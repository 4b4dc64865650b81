// SPDX-License-Identifier: Apache-2.0

/// A device of a host.
///
/// The advertising set that a central connects to selects the device. Devices differ in name, address and data by their
/// sets, and in attributes and limits by this structure.
public struct ServedDevice: Sendable {
    /// The device's attributes, including its name.
    public var database: AttributeDatabase
    /// The identifiers of the device's advertising sets. Sets of no device, and links without a known set, belong to
    /// the first device. Make the device that discloses least the first.
    public var advertisingSets: [UInt8]
    /// The configuration of the GATT server, such as the maximum ATT_MTU.
    public var server: GATTServer.Configuration
    /// The pairing policy; nil if the device does not pair.
    public var security: SecurityPolicy?

    /// A device with these attributes.
    public init(
        database: AttributeDatabase, advertisingSets: [UInt8] = [], server: GATTServer.Configuration = .init(),
        security: SecurityPolicy? = nil
    ) {
        self.database = database
        self.advertisingSets = advertisingSets
        self.server = server
        self.security = security
    }
}
