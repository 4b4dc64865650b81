// SPDX-License-Identifier: Apache-2.0

import Credentials
import Crypto
import Peripheral
import Timekeeping

/// PKOC over Bluetooth LE: messages are values of two characteristics.
enum PKOCLinkService: LinkServiceKind {
    static let mode = AdvertisingMode.pkoc
    static let credential = CardKind.pkoc

    /// Phone to device; Write and Write Without Response.
    static let writtenUUID = BluetoothUUID(high: 0xFE27_8A85_89AE_191F, low: 0x5DDE_8412_0269_3835)
    /// Device to phone; Notify.
    static let notifiedUUID = BluetoothUUID(high: 0xE5B1_B3B5_3CCA_3F76, low: 0xCD86_A884_CC23_9692)

    static func addAttributes(
        _ identifiers: AdvertisingPackets.Identifiers, to builder: inout DatabaseBuilder
    ) -> LinkService.Attributes {
        builder.addService(identifiers.pkocService)
        let written = builder.addCharacteristic(
            writtenUUID, properties: [.write, .writeWithoutResponse], value: .writeOnly)
        let notified = builder.addCharacteristic(notifiedUUID, properties: .notify, value: .writeOnly)
        return .messages(written: written, notified: notified)
    }

    /// No certificate comes over Bluetooth LE, so trusted issuers cannot be asked for here.
    static func transaction(
        _ keys: LinkKeys, random: inout some RandomSource, at moment: Moment
    ) -> (any LinkTransaction)? {
        guard keys.cards.pkocIssuers.isEmpty else { return nil }
        let whole = try? PKOCLinkTransaction(reader: keys.cards.pkocReader, site: keys.pkocSite)
        return keys.cards.hasPKOCFragments ? whole.map(PKOCFragmentedTransaction.init) : whole
    }
}
