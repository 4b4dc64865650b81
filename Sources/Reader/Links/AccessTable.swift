// SPDX-License-Identifier: Apache-2.0

public import Peripheral

/// The reader's attribute table: GAP, GATT, and the access service under each UUID that it advertises.
///
/// Each service has the same three characteristics, and an answer is sent on the TX of the service that was written,
/// for phones of either generation.
public struct AccessTable: Sendable {
    /// The characteristics of one access service.
    public struct Service: Equatable, Sendable {
        /// The service's UUID.
        public let uuid: BluetoothUUID
        /// The characteristic for frames from the phone.
        public let rx: AttributeHandle
        /// The characteristic for frames to the phone.
        public let tx: AttributeHandle
        /// The manufacturer record.
        public let manufacturer: AttributeHandle
    }

    /// Phone to device; Write and Write Without Response.
    public static let rxUUID = BluetoothUUID(high: 0x5892_0001_0BB5_4F7D, low: 0xADA1_988C_7FEC_44E4)
    /// Device to phone; Notify.
    public static let txUUID = BluetoothUUID(high: 0xA015_0002_4C92_496C, low: 0x9CF1_0073_67D7_E838)
    /// Manufacturer record; Read.
    public static let manufacturerUUID = BluetoothUUID(high: 0xBB65_0003_6479_4BD3, low: 0x9629_F68C_CB39_5D81)

    /// The attributes, for the host.
    public let database: AttributeDatabase
    /// The access services in it.
    public let services: [Service]

    /// The services of other clients, each with its mode.
    let links: [LinkService]

    /// The handle of the GAP device name's value.
    public let deviceName: AttributeHandle

    /// The table of a reader called `deviceName`, which advertises `modes`, with the newer generation's service in any
    /// case. A service that two modes share is added once. Throws if `deviceName` or the record is too long.
    public init(
        deviceName: String, modes: [AdvertisingMode], identifiers: AdvertisingPackets.Identifiers,
        record: ManufacturerRecord
    ) throws(DatabaseError) {
        try self.init(
            deviceName: deviceName, modes: modes, identifiers: identifiers, record: record, kinds: LinkService.kinds)
    }

    /// The table with these kinds of other services.
    init(
        deviceName: String, modes: [AdvertisingMode], identifiers: AdvertisingPackets.Identifiers,
        record: ManufacturerRecord, kinds: [any LinkServiceKind.Type]
    ) throws(DatabaseError) {
        var builder = DatabaseBuilder()
        self.deviceName = builder.addGAPService(name: deviceName, appearance: AccessTable.appearance)
        builder.addGATTService()
        var uuids = [identifiers.accessService]
        for mode in modes where mode.isOfAccessProfile && !uuids.contains(identifiers.service(of: mode)) {
            uuids.append(identifiers.service(of: mode))
        }
        var services: [Service] = []
        for uuid in uuids {
            services.append(AccessTable.addService(uuid, record: record, to: &builder))
        }
        self.services = services
        var links: [LinkService] = []
        for kind in kinds where modes.contains(kind.mode) {
            links.append(LinkService(kind: kind, attributes: kind.addAttributes(identifiers, to: &builder)))
        }
        self.links = links
        database = try builder.build()
    }

    /// Access Control, Access Door (Assigned Numbers, 2.6.3).
    private static let appearance: UInt16 = 0x0704

    private static func addService(
        _ uuid: BluetoothUUID, record: ManufacturerRecord, to builder: inout DatabaseBuilder
    ) -> Service {
        builder.addService(uuid)
        let rx = builder.addCharacteristic(rxUUID, properties: [.write, .writeWithoutResponse], value: .writeOnly)
        let tx = builder.addCharacteristic(txUUID, properties: .notify, value: .writeOnly)
        let manufacturer = builder.addCharacteristic(
            manufacturerUUID, properties: .read,
            value: .static(record.octets, maximumCount: ManufacturerRecord.encodedCount))
        return Service(uuid: uuid, rx: rx, tx: tx, manufacturer: manufacturer)
    }

    /// The service with this handle of RX.
    public func service(rx handle: AttributeHandle) -> Service? {
        services.first { $0.rx == handle }
    }

    /// The characteristics of the other service of a mode: the written one, and the one to subscribe to, which a
    /// service with a channel lacks. nil if the table has no such service.
    public func handles(of mode: AdvertisingMode) -> (written: AttributeHandle, notified: AttributeHandle?)? {
        links.first { $0.kind.mode == mode }.map { ($0.written, $0.notified) }
    }

    /// The channels of the other services.
    var channels: [ChannelService] { links.compactMap { $0.kind.channel } }

    /// The other service whose clients write this characteristic.
    func link(writing handle: AttributeHandle) -> LinkService? { links.first { $0.written == handle } }

    /// The other service whose clients subscribe to this characteristic.
    func link(notifying handle: AttributeHandle) -> LinkService? { links.first { $0.notified == handle } }

    /// The other service with this channel.
    func link(spsm: UInt16) -> LinkService? { links.first { $0.kind.channel?.spsm == spsm } }
}
