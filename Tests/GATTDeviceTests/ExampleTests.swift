import Foundation
import Peripheral
import Testing

@testable import GATTDevice

/// The files in `Examples` are taken.
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
        #expect(table.remarks == [])
    }

    @Test func thermometer() throws {
        let table = try load("thermometer-raw.json")
        #expect(table.database.count == 13 && table.mtu == 512)
        var bearer = Bearer(table)
        #expect(bearer.send("10 0100 ffff 0028") == "1106" + "010005000018" + "10001f000918")
    }
}
