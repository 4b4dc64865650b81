// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Phone
import TestSupport
import Testing

/// The packets of docs/protocol/access-profile.md, 1, as literal octets, and those of others.
@Suite struct ReaderSightingTests {
    private static let id: [UInt8] = Array("wa0y1YwS".utf8)
    private static let response: [UInt8] =
        [0x14, 0xFF, 0x5E, 0x0C, 1, 5, 1, 0, 1, 0] + [UInt8](repeating: 0, count: 11) + [0x09, 0x09] + id

    private static func sighting(_ data: [UInt8], _ response: [UInt8]? = nil) -> ReaderSighting {
        ReaderSighting(
            AdvertisementReport(
                address: .randomStatic(from: 1), rssi: -50, isScanResponse: false, isConnectable: true, data: data,
                scanResponse: response))
    }

    private static func older(_ mode: UInt8) -> [UInt8] {
        [0x02, 0x01, 0x06, 0x11, 0x07]
            + [0x00, 0x2A, 0x44, 0x49, 0x65, 0x75, 0x6C, 0x42, 0x2A, 0x00, mode, 0x00, 0x01, 0x53, 0x00, 0x00]
            + [0x09, 0x09] + id
    }

    @Test func thePacketsOfEachMode() {
        let access: [UInt8] =
            [0x03, 0x03, 0xBA, 0xFC, 0x0D, 0xFF, 0x5E, 0x0C] + [UInt8](repeating: 0, count: 10) + [0x09, 0x09]
            + Self.id + [0x02, 0x0A, 0xB3]
        let beacon: [UInt8] = [
            0x03, 0x03, 0xBA, 0xFC, 0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15, 0x3A, 0xBE, 0x66, 0x01, 0xD9, 0x0D, 0x49, 0x75,
            0x88, 0xB7, 0x8E, 0x3F, 0xE8, 0x3A, 0x68, 0x7A, 0x77, 0x61, 0x30, 0x79, 0xB3,
        ]
        for (data, mode) in [
            (access, ReaderMode.access), (beacon, .accessIBeacon), (Self.older(0x10), .onTouch),
            (Self.older(0x00), .classic),
        ] {
            #expect(data.count == 31)
            let sighting = Self.sighting(data, Self.response)
            #expect(sighting.mode == mode)
            #expect(sighting.name == "wa0y1YwS" && sighting.isFactory == true && sighting.rssi == -50)
        }
        #expect(Self.sighting(beacon).name == nil)
        #expect(Self.sighting(access).isFactory == nil)
    }

    @Test func otherDevicesAreNoReaders() {
        #expect(Self.sighting([0x02, 0x01, 0x06, 0x03, 0x03, 0x0D, 0x18]).mode == nil)
        #expect(Self.sighting([]).mode == nil)
        // A beacon of anybody's, without the service.
        #expect(Self.sighting([0x05, 0xFF, 0x4C, 0x00, 0x02, 0x15]).mode == nil)
    }

    /// A name comes from anybody, and goes to a terminal.
    @Test func namesCannotCommandATerminal() {
        let hostile: [UInt8] = [0x07, 0x09, 0x1B, 0x5B, 0x32, 0x4A, 0x07, 0x0A]
        #expect(Self.sighting(hostile).name == #"\u{1b}[2J\u{7}\u{a}"#)
        let long = [0x41, 0x09] + [UInt8](repeating: 0x41, count: 64)
        #expect(Self.sighting(long).name?.count == 29)
    }

    /// Octets of anybody, cut anywhere.
    @Test func anythingIsReadOrPassedOver() {
        var random = SplitMix64(seed: 5)
        let whole = Self.older(0x10)
        for count in 0..<whole.count { _ = Self.sighting(Array(whole.prefix(count))) }
        for _ in 0..<2000 { _ = Self.sighting(random.octets(Int(random.next() % 40)), random.octets(31)) }
    }
}
