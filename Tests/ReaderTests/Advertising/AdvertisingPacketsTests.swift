// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Peripheral
import Reader
import Testing

/// The samples that were verified by running the vendor's encoder, and the older generation's packet.
@Suite struct AdvertisingPacketsTests {
    let packets = AdvertisingPackets(deviceIdentifier: Array("wa0y1YwS".utf8))

    @Test func access() {
        #expect(
            hex(packets.advertisingData(.access)) == "0303bafc0dff5e0c0000000000000000000009097761307931597753020ab3")
    }

    @Test func accessIBeacon() {
        #expect(
            hex(packets.advertisingData(.accessIBeacon))
                == "0303bafc1aff4c0002153abe6601d90d497588b78e3fe83a687a77613079b3")
    }

    @Test func scanResponse() {
        let record = ManufacturerRecord(isFactory: false, applicationVersion: 0x1234, localMidnight: 0x65A1_B2C3)
        #expect(hex(packets.scanResponse(record)) == "14ff5e0c000501003412c3b2a1650000000000000009097761307931597753")
        #expect(record.octets.count == ManufacturerRecord.encodedCount)
    }

    @Test func aFactoryReaderSaysSo() {
        let record = ManufacturerRecord(isFactory: true, applicationVersion: 0, localMidnight: 0)
        #expect(hex(record.octets) == "5e0c0105010000000000000000000000000000")
    }

    @Test func classicAndOnTouchDifferInTheService() {
        #expect(
            hex(packets.advertisingData(.classic)) == "0201061107002a444965756c422a000000"
                + "0153000009097761307931597753")
        #expect(
            hex(packets.advertisingData(.onTouch)) == "0201061107002a444965756c422a001000"
                + "0153000009097761307931597753")
    }

    /// The fields say 128 bits; a UUID on the Bluetooth base would otherwise shrink to 16 (Core 5.4, Vol 3, Part B,
    /// 2.5.1).
    @Test func aConfiguredUUIDOnTheBluetoothBaseKeepsIts128Bits() {
        var identifiers = AdvertisingPackets.Identifiers()
        identifiers.onTouchService = BluetoothUUID(0x1234)
        identifiers.iBeacon = BluetoothUUID(0x1234)
        let packets = AdvertisingPackets(deviceIdentifier: Array("wa0y1YwS".utf8), identifiers: identifiers)
        #expect(
            hex(packets.advertisingData(.onTouch)) == "0201061107fb349b5f80000080001000003412"
                + "000009097761307931597753")
        #expect(
            hex(packets.advertisingData(.accessIBeacon))
                == "0303bafc1aff4c0002150000123400001000800000805f9b34fb77613079b3")
    }

    /// With the service of 16 bits, and with the one of 128 that earlier phones look for, which fills the packet.
    @Test func pkoc() {
        #expect(hex(packets.advertisingData(.pkoc)) == "0201060303f0ff09097761307931597753")
        var identifiers = AdvertisingPackets.Identifiers()
        identifiers.pkocService = BluetoothUUID(high: 0x41FB_60A1_D4D0_4AE9, low: 0x8CBB_B62B_5AE8_1810)
        let legacy = AdvertisingPackets(deviceIdentifier: Array("wa0y1YwS".utf8), identifiers: identifiers)
        #expect(
            hex(legacy.advertisingData(.pkoc)) == "02010611071018e85a2bb6bb8ce94ad0d4a160fb41"
                + "09097761307931597753")
    }

    @Test func everyPacketOfTheAccessProfileIsFull() {
        for mode in AdvertisingMode.ofAccessProfile {
            #expect(packets.advertisingData(mode).count == 31)
        }
    }

    @Test func theTransmitPowerIsSigned() {
        let strong = AdvertisingPackets(deviceIdentifier: Array("wa0y1YwS".utf8), txPowerAtOneMetre: 4)
        #expect(strong.advertisingData(.access).last == 0x04)
    }
}
