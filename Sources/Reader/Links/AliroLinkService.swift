// SPDX-License-Identifier: Apache-2.0

import Credentials
import Crypto
import Peripheral
import Timekeeping

/// Aliro over Bluetooth LE: a phone reads the channel's SPSM, writes its version, and opens the channel.
enum AliroLinkService: LinkServiceKind {
    static let mode = AdvertisingMode.aliro
    static let credential = CardKind.aliro

    /// The SPSM, the first that a device may assign (Core 5.4, Vol 3, Part A, 4.22).
    static let spsm: UInt16 = 0x0080
    static let channel: ChannelService? = ChannelService(
        spsm: spsm, modes: .creditBased, mtu: AliroLinkTransaction.maximumUnit, minimumPeerMTU: minimumPeerMTU)
    /// Room for the longest block of a command with its headers.
    private static let minimumPeerMTU = 267

    /// The SPSM and the versions of the reader; Read.
    static let readUUID = BluetoothUUID(high: 0xD3B5_A130_9E23_4B3A, low: 0x8BE4_6B1E_E5F9_80A3)
    /// The version of the phone; Write.
    static let writtenUUID = BluetoothUUID(high: 0xBD4B_9502_3F54_11EC, low: 0xB919_0242_AC12_0005)
    /// No features: neither the phone's time nor the coded PHY is used.
    private static let features: [UInt8] = [0x01, 0x00]

    static func addAttributes(
        _ identifiers: AdvertisingPackets.Identifiers, to builder: inout DatabaseBuilder
    ) -> LinkService.Attributes {
        builder.addService(identifiers.service(of: .aliro))
        let versions = [UInt8(AliroLinkTransaction.version.count)] + AliroLinkTransaction.version
        let value = [UInt8(spsm >> 8), UInt8(spsm & 0xFF)] + versions + features
        builder.addCharacteristic(readUUID, properties: .read, value: .static(value, maximumCount: value.count))
        return .opening(
            written: builder.addCharacteristic(writtenUUID, properties: .write, value: .writeOnly))
    }

    static func accepts(_ opening: Span<UInt8>) -> Bool { AliroLinkTransaction.accepts(version: opening) }

    static func transaction(
        _ keys: LinkKeys, random: inout some RandomSource, at moment: Moment
    ) -> (any LinkTransaction)? {
        guard let aliro = keys.aliro else { return nil }
        return try? AliroLinkTransaction(
            reader: aliro.reader, store: aliro.store, at: moment, in: keys.zone, random: &random)
    }
}
