// SPDX-License-Identifier: Apache-2.0

/// The reported properties of the controller.
public struct ControllerDescription: Equatable, Sendable {
    /// HCI version (Assigned Numbers), 0x0D for 5.4.
    public var hciVersion: UInt8
    /// The assigned company identifier of the manufacturer.
    public var manufacturer: UInt16
    /// True if extended advertising is used.
    public var extendedAdvertising: Bool
    /// The number of concurrent advertising sets; 1 with legacy advertising.
    public var advertisingSets: Int
    /// True if the RSSI of a link can be read.
    public var readsRSSI: Bool
    /// True if the transmit power of a link's central can be read (LE Power Control).
    public var tellsTransmitPower: Bool
    /// The maximum data length of an ACL packet to the controller in octets.
    public var aclDataLength: Int
    /// The number of ACL packets that the controller buffers.
    public var aclPackets: Int

    /// A controller with these properties.
    public init(
        hciVersion: UInt8, manufacturer: UInt16, extendedAdvertising: Bool, advertisingSets: Int, readsRSSI: Bool,
        tellsTransmitPower: Bool = false, aclDataLength: Int, aclPackets: Int
    ) {
        self.hciVersion = hciVersion
        self.manufacturer = manufacturer
        self.extendedAdvertising = extendedAdvertising
        self.advertisingSets = advertisingSets
        self.readsRSSI = readsRSSI
        self.tellsTransmitPower = tellsTransmitPower
        self.aclDataLength = aclDataLength
        self.aclPackets = aclPackets
    }
}
