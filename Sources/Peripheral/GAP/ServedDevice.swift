/// One of the devices that a host plays on its radio: what a phone sees once it has connected.
///
/// The advertising set that a phone connected to tells which device it meant. So devices differ in name, address and
/// packet by their sets, and here in their attributes and limits.
public struct ServedDevice: Sendable {
    /// The device's attributes, its name among them.
    public var database: AttributeDatabase
    /// Identifiers of the advertising sets that lead to this device. A set that no device names, and a link whose set
    /// the controller did not tell, lead to the first device: let that be the one that gives away least.
    public var advertisingSets: [UInt8]
    /// The ATT_MTU that is offered, and what may be prepared.
    public var server: GATTServer.Configuration
    /// What is demanded of pairings and keys; nil if the device does not pair.
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
