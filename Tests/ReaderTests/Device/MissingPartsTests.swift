// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Reader

@Suite struct MissingPartsTests {
    @Test func aCompleteBoardHasNoSign() {
        #expect(MissingParts().flashes == 0)
        #expect(MissingParts().name == nil)
    }

    @Test func theLightTellsTheFirst() {
        #expect(MissingParts.identity.flashes == 1)
        #expect(MissingParts.lock.flashes == 2)
        #expect(MissingParts.controller.flashes == 3)
        #expect(MissingParts.network.flashes == 4)
        #expect(([.network, .lock] as MissingParts).flashes == 2)
    }

    @Test func theNameTellsAllOfThem() {
        #expect(MissingParts.identity.name == "NEED I")
        #expect(([.lock, .network] as MissingParts).name == "NEED LN")
        #expect(([.identity, .lock, .controller, .network] as MissingParts).name == "NEED ILN")
    }

    /// Without a controller nobody sees a name.
    @Test func aMissingControllerIsNotInTheName() {
        #expect(MissingParts.controller.name == nil)
    }

    /// It stands where the device identifier does, and is no longer.
    @Test func everyNameFitsIntoThePackets() {
        for rawValue in UInt8(0)..<16 {
            let name = MissingParts(rawValue: rawValue).name ?? ""
            #expect(name.utf8.count <= AdvertisingPackets.deviceIdentifierCount)
        }
    }

    /// The name alone changes: major and minor of the iBeacon form stay those of the device identifier.
    @Test func thePacketsHaveIt() {
        var packets = AdvertisingPackets(deviceIdentifier: Array("Door0001".utf8))
        let before = [AdvertisingMode.classic, .onTouch, .access, .accessIBeacon].map { packets.advertisingData($0) }
        packets.rename(Array("NEED L".utf8))
        // 07 09 “NEED L” (Core Specification Supplement, Part A, 1.2).
        let name: [UInt8] = [0x07, 0x09, 0x4E, 0x45, 0x45, 0x44, 0x20, 0x4C]
        #expect(packets.advertisingData(.classic).suffix(name.count) == name[...])
        #expect(
            packets.scanResponse(ManufacturerRecord(isFactory: true, applicationVersion: 1, localMidnight: 0)).suffix(
                name.count) == name[...])
        #expect(packets.advertisingData(.accessIBeacon) == before[3])
        packets.rename(nil)
        #expect(
            [AdvertisingMode.classic, .onTouch, .access, .accessIBeacon].map { packets.advertisingData($0) } == before)
    }

    @Test func aLongerNameIsCut() {
        var packets = AdvertisingPackets(deviceIdentifier: Array("Door0001".utf8))
        packets.rename(Array("123456789".utf8))
        #expect(
            packets.advertisingData(.classic).suffix(10) == [
                0x09, 0x09, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38,
            ])
    }
}
