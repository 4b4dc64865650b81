// SPDX-License-Identifier: Apache-2.0

public import JSON
import Octets
import Peripheral

extension DeviceTable {
    /// Reads a device from a JSON text; `docs/emulators/gatt-device.md` specifies the format.
    ///
    /// - Parameters:
    ///   - json: the content of the file, UTF-8.
    ///   - name: a name that overrides the file's.
    ///   - holdsValues: true if the device answers reads and writes itself instead of the server, so that reads are
    ///     reported as `DeviceNotice.read` and faults can be injected. An answer takes slightly longer then.
    ///   - tellsOfChanges: true to add the Generic Attribute service, with Service Changed, to a file of
    ///     characteristics that has none: bonded clients keep a copy of the attributes, and a file changes.
    /// - Throws: `DeviceFault` for the first error, with its location.
    public init(
        json: [UInt8], name: String? = nil, holdsValues: Bool = false, tellsOfChanges: Bool = false
    ) throws(DeviceFault) {
        guard json.count <= DeviceTable.maximumFileCount else {
            throw DeviceFault(
                line: 1, path: "", "has \(json.count) octets, and \(DeviceTable.maximumFileCount) are the most")
        }
        let root = try DevicePlace(file: json)
        let members = try root.members([
            "$schema", "name", "appearance", "mtu", "echo-channel", "advertising", "services",
        ])
        _ = try members["$schema"]?.text()
        let ownName = try DeviceTable.checkedName(members.required("name"))
        let appearance = try members["appearance"]?.number(0...0xFFFF) ?? 0
        let services = try members.required("services").elements()
        guard !services.isEmpty else { throw try members.required("services").fault("is empty; give one service") }

        var reader = DeviceFileReader(holdsValues: holdsValues)
        let addsGAP = DeviceTable.lacks(.genericAccess, services)
        if addsGAP {
            reader.builder.addGAPService(name: name ?? ownName, appearance: UInt16(truncatingIfNeeded: appearance))
        } else if let place = members["appearance"] {
            throw place.fault("means nothing here: the file has its own Generic Access service, or the raw form")
        }
        // Before the file's services: its handle must not change with them (Core 5.4, Vol 3, Part G, 7.1).
        if tellsOfChanges, DeviceTable.lacks(.genericAttribute, services) { reader.builder.addGATTService() }
        for service in services { try reader.addService(service) }
        if let place = members["mtu"] {
            reader.mtu = try place.number(GATTServer.defaultMTU...DeviceTable.maximumMTU)
        }
        echoChannel = try members["echo-channel"].map { place throws(DeviceFault) in
            UInt16(truncatingIfNeeded: try place.number(DeviceTable.channelNumbers))
        }
        do throws(DatabaseError) {
            database = try reader.builder.build()
        } catch {
            throw try members.required("services").fault("\(error)")
        }
        self.name = name ?? ownName
        mtu = reader.mtu
        self.services = reader.services
        let own = try members["advertising"].map { place throws(DeviceFault) in try AdvertisingReader.sets(place) }
        advertising = own ?? [DeviceAdvertising(name: self.name, services: reader.services)]
        hasOwnAdvertising = own != nil
        types = reader.types
        reactions = reader.reactions
        answers = reader.answers
        rhythms = reader.rhythms
        dynamicValues = reader.dynamicValues
        accesses = reader.accesses
    }

    private static func checkedName(_ place: DevicePlace) throws(DeviceFault) -> String {
        let name = try place.text()
        guard (1...maximumNameCount).contains(name.utf8.count) else {
            throw place.fault("has \(name.utf8.count) octets as UTF-8; 1 to \(maximumNameCount) are possible")
        }
        return name
    }

    /// True if a service of the device itself has to be added, such as Generic Access, of which a device has exactly
    /// one (Core 5.4, Vol 3, Part C, 12). A raw table is not changed.
    private static func lacks(_ service: BluetoothUUID, _ services: [DevicePlace]) -> Bool {
        services.allSatisfy { place in
            guard !place.has("attributes"), case .object(let members) = place.node.content,
                let uuid = members.first(where: { $0.name == "uuid" }), case .string(let text) = uuid.value.content
            else { return false }
            return BluetoothUUID(text) != service
        }
    }
}

/// The result of reading the services of a file one after the other.
struct DeviceFileReader {
    var builder = DatabaseBuilder()
    var mtu = DeviceTable.maximumMTU
    var services: [BluetoothUUID] = []
    var types: [AttributeHandle: BluetoothUUID] = [:]
    var reactions: [AttributeHandle: DeviceTable.Reaction] = [:]
    var answers: [AttributeHandle: [[UInt8]: [UInt8]]] = [:]
    var rhythms: [DeviceTable.Rhythm] = []
    var dynamicValues: [AttributeHandle: DeviceTable.DynamicValue] = [:]
    var accesses: [AttributeHandle: CharacteristicProperties] = [:]
    /// True if values are held by the device, which then answers reads and writes.
    let holdsValues: Bool
    /// The last handle used by the file's services so far; 0 at first. The Generic Access service that is added
    /// automatically does not count: the builder assigns all handles of a file that needs it.
    var lastHandle = 0

    init(holdsValues: Bool) { self.holdsValues = holdsValues }

    /// The value of a characteristic. Clients' writes are reported, and reads if `holdsValues`.
    mutating func value(
        _ octets: [UInt8], maximumCount: Int, permissions: AttributePermissions, at handle: AttributeHandle
    ) -> AttributeValue {
        let writing: AttributePermissions = [.write, .writeEncrypted, .writeAuthenticated, .writeSecureConnections]
        let reading: AttributePermissions = [.read, .readEncrypted, .readAuthenticated, .readSecureConnections]
        accesses[handle] = []
        if !permissions.isDisjoint(with: reading) { accesses[handle]?.insert(.read) }
        if !permissions.isDisjoint(with: writing) { accesses[handle]?.insert(.write) }
        guard holdsValues, !permissions.isDisjoint(with: reading.union(writing)) else {
            return .static(octets, maximumCount: maximumCount, reportsWrites: !permissions.isDisjoint(with: writing))
        }
        dynamicValues[handle] = DeviceTable.DynamicValue(octets: octets, maximumCount: maximumCount)
        return .dynamic
    }

    /// Adds a service in the raw or the friendly form.
    mutating func addService(_ place: DevicePlace) throws(DeviceFault) {
        if place.has("attributes") {
            try addRawService(place)
        } else if place.has("characteristics") {
            try addFriendlyService(place)
        } else {
            _ = try place.members(["uuid", "primary", "start", "end", "attributes", "characteristics"])
            throw place.fault("has neither \"characteristics\" nor \"attributes\"; give one of them")
        }
    }

    /// Adds a primary service to the advertised ones.
    mutating func advertise(_ uuid: BluetoothUUID) {
        guard uuid != .genericAccess, uuid != .genericAttribute, !services.contains(uuid) else { return }
        services.append(uuid)
    }
}
