// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Peripheral
import Testing

@testable import GATTDevice

/// Core Specification Supplement, Part A: 1.1 services, 1.2 name, 1.3 flags.
@Suite struct DeviceAdvertisingTests {
    private let short = [0x180D, 0x180A, 0x180F].map { BluetoothUUID($0) }
    private let long = BluetoothUUID(high: 0x6E40_0001_B5A3_F393, low: 0xE0A9_E50E_24DC_CA9E)
    private let longOctets = octets("9ecadc240ee5a9e093f3a3b50100406e")

    private func data(_ services: [BluetoothUUID]) -> [UInt8] {
        DeviceAdvertising(name: "x", services: services).data
    }

    @Test func flagsAlone() { #expect(data([]) == [2, 0x01, 0x06]) }

    @Test func shortServicesAreComplete() {
        #expect(data(short) == [2, 0x01, 0x06, 7, 0x03, 0x0D, 0x18, 0x0A, 0x18, 0x0F, 0x18])
    }

    @Test func kindOfTheFirstServiceComesFirst() {
        let shortOctets: [UInt8] = [5, 0x03, 0x0D, 0x18, 0x0A, 0x18]
        #expect(data([short[0], long, short[1]]) == [2, 0x01, 0x06] + shortOctets + [17, 0x07] + longOctets)
        #expect(data([long, short[0], short[1]]) == [2, 0x01, 0x06, 17, 0x07] + longOctets + shortOctets)
    }

    @Test func whatDoesNotFitIsSaidToBeMissing() {
        let many = (0..<20).map { BluetoothUUID(0x1810 + $0) }
        let packet = data(many)
        #expect(packet.count == 31)
        #expect(packet[3...6] == [27, 0x02, 0x10, 0x18])
        let two = data([long, BluetoothUUID(high: 1, low: 2)])
        #expect(two == [2, 0x01, 0x06, 17, 0x06] + longOctets)
        // 13 short ones leave no room for a long one.
        #expect(data(many + [long]).count == 31)
    }

    @Test func nameIsCutBetweenCharacters() {
        func response(_ name: String) -> [UInt8] { DeviceAdvertising(name: name, services: []).scanResponse }
        #expect(response("ab") == [3, 0x09, 0x61, 0x62])
        let fits = String(repeating: "a", count: 29)
        #expect(response(fits) == [30, 0x09] + Array(fits.utf8))
        #expect(response(fits + "a") == [30, 0x08] + Array(fits.utf8))
        #expect(response(String(fits.dropLast()) + "é") == [29, 0x08] + Array(fits.dropLast().utf8))
    }
}
