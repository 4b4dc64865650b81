// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

/// The choice of a device of a capture, and its description.
extension CaptureRecording {
    func description(of peer: BluetoothAddress?) throws(DeviceImportFault) -> DeviceDescription {
        let id = try chosen(peer)
        guard let device = devices[id] else { throw DeviceImportFault(.file, "shows no device") }
        var remarks: [String] = []
        if unreadable > 0 { remarks.append("\(unreadable) packets of the capture could not be read") }
        let services = try device.table.completed().services(&remarks)
        let named = device.table.deviceName
        var text = DescriptionText(name: DescriptionText.name(named ?? device.advertising.name), services: services)
        if named == nil, device.advertising.name == nil {
            remarks.append("the capture shows no name: it is \"\(text.name)\"")
        }
        text.mtu = device.table.servedMTU(&remarks)
        text.advertising = device.advertising.served(&remarks)
        if case .peer(let address) = id { remarks.append("it had the address \(address)") }
        return try DeviceDescription(text, remarks: remarks)
    }

    /// The device with this address, or the only one whose services the capture shows.
    private func chosen(_ peer: BluetoothAddress?) throws(DeviceImportFault) -> RecordedDeviceID {
        let shown = devices.filter { !$0.value.table.services.isEmpty }.keys
        if let peer {
            let found = shown.first { if case .peer(let address) = $0 { address.value == peer.value } else { false } }
            guard let found else {
                throw DeviceImportFault(.file, "shows no services of \(peer), but of \(names(shown))")
            }
            return found
        }
        guard let only = shown.first else {
            let isUsed = devices.values.contains { !$0.table.values.isEmpty }
            throw DeviceImportFault(
                .file,
                isUsed
                    ? "shows values and no services: the client had them in its cache; let it forget the device, and "
                        + "capture again"
                    : "shows no services of a device: capture a connection from its start, with discovery")
        }
        guard shown.count == 1 else {
            throw DeviceImportFault(.file, "shows the services of \(names(shown)): choose by --peer")
        }
        return only
    }

    private func names(_ devices: some Collection<RecordedDeviceID>) -> String {
        let names = devices.map { device in
            switch device {
            case .local: "the captured host"
            case .peer(let address): "\(address)"
            case .unknown(_, let handle): "a peer on connection \(handle), whose address is not shown"
            }
        }
        return names.isEmpty ? "no device" : names.sorted().joined(separator: ", ")
    }
}

extension RecordedAdvertising {
    /// The packets to play; empty for packets with the services and the name.
    fileprivate func served(_ remarks: inout [String]) -> [Packet] {
        if hasOthers {
            remarks.append("it also advertised directed packets, or longer ones of extended advertising: left out")
        }
        if left > 0 {
            remarks.append("it advertised \(left) more different packets than the \(packets.count) that are played")
        }
        guard packets.contains(where: { $0.kind == .connectable }) else {
            remarks.append(
                "the capture shows no connectable advertisement of it: it advertises its services and its name")
            return []
        }
        if packets.contains(where: { $0.interval == nil }) {
            remarks.append("a scanner's capture does not show the advertising interval: it is 100 ms")
        }
        for (number, packet) in packets.enumerated() where packet.kind == .connectable && packet.scanResponse.isEmpty {
            remarks.append("the capture shows no scan response to advertisement \(number + 1): it has none")
        }
        if packets.count > 1 {
            remarks.append("its \(packets.count) different advertisements are played at the same time")
        }
        return packets
    }
}

extension RecordedTable {
    /// The value of Device Name (Core 5.4, Vol 3, Part C, 12.1).
    fileprivate var deviceName: String? {
        let named = declarations.values.compactMap { CharacteristicDeclaration($0) }.first { $0.uuid == .deviceName }
        guard
            let handle = named?.value
                ?? types.first(where: { $0.value == .deviceName })
                .map({ AttributeHandle(rawValue: $0.key) })
        else { return nil }
        guard let octets = values[handle.rawValue]?.reads.first, !octets.isEmpty else { return nil }
        return String(validating: octets, as: UTF8.self)
    }

    fileprivate func servedMTU(_ remarks: inout [String]) -> Int? {
        guard let mtu else {
            remarks.append("no client asked for its ATT_MTU: it offers \(DeviceTable.maximumMTU)")
            return nil
        }
        let served = min(max(mtu, GATTServer.defaultMTU), DeviceTable.maximumMTU)
        if served != mtu { remarks.append("it offered an ATT_MTU of \(mtu): it offers \(served)") }
        return served
    }
}

extension CharacteristicDeclaration {
    /// Reads the value of a declaration; nil for other octets.
    init?(_ octets: [UInt8]) {
        var cursor = OctetCursor(octets.span)
        do throws(OctetError) { self = try CharacteristicDeclaration(octets.span, &cursor) } catch { return nil }
    }
}
