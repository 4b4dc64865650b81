// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSON
import Peripheral
import TestSupport
import Testing

@testable import GATTDevice

/// The files in `Examples` are accepted.
@Suite struct ExampleTests {
    static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Examples")

    private func load(_ name: String) throws -> DeviceTable {
        try DeviceTable(
            json: [UInt8](Data(contentsOf: ExampleTests.directory.appendingPathComponent(name))))
    }

    @Test func heartRate() throws {
        let table = try load("heart-rate.json")
        #expect(table.name == "heart" && table.services.count == 3 && table.rhythms.count == 1)
    }

    @Test func thermometer() throws {
        let table = try load("thermometer-raw.json")
        #expect(table.database.count == 13 && table.mtu == 512)
        var bearer = Bearer(table)
        #expect(bearer.send("10 0100 ffff 0028") == "1106" + "010005000018" + "10001f000918")
    }

    /// Any change to them yields a device, or a fault with a line within the file.
    @Test(arguments: ["heart-rate.json", "thermometer-raw.json"])
    func changedFilesAreTakenOrRefused(_ name: String) throws {
        let whole = [UInt8](try Data(contentsOf: ExampleTests.directory.appendingPathComponent(name)))
        let lines = whole.count { $0 == 0x0A } + 1
        let pieces: [UInt8] = Array("{}[]\",:\\u0159-.eE \n".utf8) + [0x00, 0x7F, 0xC3, 0xFF]
        var random = SplitMix64(seed: 7)
        func next(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
        var (taken, refused) = (0, 0)
        for _ in 0..<600 {
            var octets = whole
            for _ in 0...next(3) {
                let position = next(octets.count)
                switch next(3) {
                case 0: octets[position] = pieces[next(pieces.count)]
                case 1: octets.remove(at: position)
                default: octets.insert(pieces[next(pieces.count)], at: position)
                }
            }
            do throws(DeviceFault) {
                _ = try DeviceTable(json: octets)
                taken += 1
            } catch {
                // At most two more lines for each change.
                #expect((1...lines + 4).contains(error.line))
                refused += 1
            }
        }
        #expect(taken > 0 && refused > 0)
    }
}
