// SPDX-License-Identifier: Apache-2.0

import Peripheral

/// The attributes and the sending policies of a device's characteristics, by their index.
struct CharacteristicTable {
    var handles: [AttributeHandle] = []
    var policies: [SendingPolicy] = []
    var maximumCounts: [Int] = []
    /// Values that the program holds, because reads or writes of them are handled; nil for values held by the server.
    var values: [[UInt8]?] = []

    /// The index of the characteristic whose value has this handle.
    func index(of handle: AttributeHandle) -> Int? { handles.firstIndex(of: handle) }
}

extension DeviceDefinition {
    /// Builds the attribute database that a host serves in the advertising set of this number.
    func served(set: UInt8) throws(DeviceProgramError) -> (ServedDevice, CharacteristicTable) {
        var builder = DatabaseBuilder()
        builder.addGAPService(name: name, appearance: appearance, preferredParameters: preferredParameters)
        builder.addGATTService()
        var table = CharacteristicTable()
        var isInService = false
        for item in items {
            switch item {
            case .service(let uuid, let isPrimary):
                builder.addService(uuid, primary: isPrimary)
                isInService = true
            case .characteristic(let index):
                guard isInService else { throw .outsideService(device: name, characteristics[index].uuid) }
                try add(characteristics[index], to: &builder, &table)
            case .descriptor(let uuid, let permissions, let value):
                guard isInService else { throw .outsideService(device: name, uuid) }
                builder.addDescriptor(uuid, permissions: permissions, value: value)
            }
        }
        do throws(DatabaseError) {
            let served = ServedDevice(
                database: try builder.build(), advertisingSets: [set], server: server, security: pairing)
            return (served, table)
        } catch {
            throw .database(device: name, error)
        }
    }

    private func add(
        _ characteristic: Characteristic, to builder: inout DatabaseBuilder, _ table: inout CharacteristicTable
    ) throws(DeviceProgramError) {
        let isWritable = !characteristic.properties.isDisjoint(with: [.write, .writeWithoutResponse])
        let isReadable = characteristic.properties.contains(.read)
        if isWritable, characteristic.onRead != nil, characteristic.onWrite == nil {
            throw .unhandledWrites(device: name, characteristic.uuid)
        }
        guard characteristic.value.count <= characteristic.maximumCount else {
            throw .valueTooLong(device: name, characteristic.uuid)
        }
        let isHandled = characteristic.onRead != nil || characteristic.onWrite != nil
        let value: AttributeValue =
            if isHandled { .dynamic } else if isReadable || isWritable {
                .static(characteristic.value, maximumCount: characteristic.maximumCount)
            } else { .writeOnly }
        table.handles.append(
            builder.addCharacteristic(
                characteristic.uuid, properties: characteristic.properties, security: characteristic.security,
                configuration: characteristic.configuration, value: value))
        table.policies.append(characteristic.policy)
        table.maximumCounts.append(characteristic.maximumCount)
        table.values.append(isHandled ? characteristic.value : nil)
    }

    /// The advertising set: flags, services and name; the name goes to the scan response if it does not fit as a
    /// whole.
    func advertisingSet(
        _ id: UInt8, address: AdvertisingSet.OwnAddress
    ) throws(DeviceProgramError) -> AdvertisingSet {
        var data = AdvertisingData()
        var response = AdvertisingData()
        do throws(AdvertisingDataError) {
            try data.add(flags: .generalDiscoverable)
            let services = advertisedServices ?? primaryServices
            if !services.isEmpty { try data.add(services: services) }
            let isInData = name.utf8.count + 2 <= data.room
            if isInData, !name.isEmpty { try data.add(name: name) }
            if !isInData { try response.add(name: name) }
        } catch {
            // Advertising data given by the author replaces the generated data.
            guard advertisingData != nil else { throw .advertising(device: name, error) }
        }
        let set = AdvertisingSet(
            id: id, ownAddress: self.address ?? address, data: (advertisingData ?? data).octets,
            scanResponse: (scanResponse ?? response).octets, interval: advertisingInterval)
        if let fault = set.fault { throw .advertisingSet(device: name, fault) }
        return set
    }

    private var primaryServices: [BluetoothUUID] {
        items.compactMap { if case .service(let uuid, true) = $0 { uuid } else { nil } }
    }
}
