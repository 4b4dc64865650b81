// SPDX-License-Identifier: Apache-2.0

import Octets
public import Peripheral
public import Timekeeping

/// A known advertiser, with its advertisement and scan response, which come in separate reports.
struct KnownAdvertiser: Sendable {
    /// The maximum number of advertisers; the oldest is removed.
    static let maximum = 128

    var address: BluetoothAddress
    var isConnectable = false
    var data: [UInt8] = []
    var scanResponse: [UInt8]?
}

extension Central {
    /// Starts active scanning without a duplicate filter: every received packet gives a `report`.
    public mutating func startScanning(at now: Instant) throws(CentralRefusal) {
        guard isReady else { throw .notReady }
        guard !isScanning else { return }
        isScanning = true
        advertisers.removeAll(keepingCapacity: true)
        let parameters =
            controller.isExtended ? CentralCommand.setExtendedScanParameters : CentralCommand.setScanParameters
        command(parameters(ownKind, scanning), at: now)
        enableScan(true, at: now)
    }

    /// Stops scanning. Reports already in transit still arrive.
    public mutating func stopScanning(at now: Instant) {
        guard isReady, isScanning else { return }
        isScanning = false
        enableScan(false, at: now)
    }

    /// Takes another random address starting now. To be called without a scan and an attempt, in which a controller
    /// refuses it (Core 5.4, Vol 4, Part E, 7.8.4); open links keep theirs.
    public mutating func changeAddress(to address: BluetoothAddress, at now: Instant) {
        guard isReady, !isScanning, attempt == nil, randomAddress != nil else { return }
        randomAddress = address
        command(HostCommand.leSetRandomAddress(address), at: now)
    }

    private mutating func enableScan(_ enabled: Bool, at now: Instant) {
        command(
            controller.isExtended ? CentralCommand.setExtendedScanEnable(enabled) : .setScanEnable(enabled), at: now)
    }

    /// LE Advertising Report (Core 5.4, Vol 4, Part E, 7.7.65.2).
    mutating func legacyReports(_ bytes: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) {
        for _ in 0..<(try cursor.u8(bytes)) {
            let type = try cursor.u8(bytes)
            let kind = BluetoothAddress.Kind(rawValue: try cursor.u8(bytes))
            let address = try BluetoothAddress(kind: kind, bytes, &cursor)
            let data = try cursor.consume(Int(try cursor.u8(bytes)), of: bytes)
            let rssi = try cursor.i8(bytes)
            let isResponse = type == 0x04
            report(
                address, rssi, isConnectable: isResponse ? nil : type <= 0x01, isScanResponse: isResponse,
                bytes.extracting(data))
        }
        try cursor.finish()
    }

    /// LE Extended Advertising Report (7.7.65.13).
    mutating func extendedReports(_ bytes: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) {
        for _ in 0..<(try cursor.u8(bytes)) {
            let type = try cursor.u16(bytes)
            let kind = BluetoothAddress.Kind(rawValue: try cursor.u8(bytes))
            let address = try BluetoothAddress(kind: kind, bytes, &cursor)
            // PHYs, SID, transmit power.
            _ = try cursor.consume(4, of: bytes)
            let rssi = try cursor.i8(bytes)
            // Periodic advertising interval, direct address.
            _ = try cursor.consume(9, of: bytes)
            let data = try cursor.consume(Int(try cursor.u8(bytes)), of: bytes)
            let isResponse = type & 0x08 != 0
            report(
                address, rssi, isConnectable: isResponse ? nil : type & 0x01 != 0, isScanResponse: isResponse,
                bytes.extracting(data))
        }
        try cursor.finish()
    }

    /// Merges a report with the known data of its advertiser, and emits it.
    private mutating func report(
        _ address: BluetoothAddress, _ rssi: Int8, isConnectable: Bool?, isScanResponse: Bool, _ data: Span<UInt8>
    ) {
        var octets: [UInt8] = []
        octets.append(data)
        let index: Int
        if let known = advertisers.firstIndex(where: { $0.address == address }) {
            index = known
        } else {
            if advertisers.count >= KnownAdvertiser.maximum { advertisers.removeFirst() }
            advertisers.append(KnownAdvertiser(address: address))
            index = advertisers.count - 1
        }
        if isScanResponse { advertisers[index].scanResponse = octets } else { advertisers[index].data = octets }
        if let isConnectable { advertisers[index].isConnectable = isConnectable }
        let known = advertisers[index]
        events.append(
            .report(
                AdvertisementReport(
                    address: address, rssi: rssi == AdvertisementReport.noRSSI ? nil : rssi,
                    isScanResponse: isScanResponse,
                    isConnectable: known.isConnectable, data: known.data, scanResponse: known.scanResponse)))
    }
}
