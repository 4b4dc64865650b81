// SPDX-License-Identifier: Apache-2.0

import TestSupport
import JSON
import Peripheral
import Testing
import Timekeeping

@testable import GATTDevice

/// The device that the text describes.
func device(_ json: String) throws -> DeviceTable { try DeviceTable(json: Array(json.utf8)) }

/// The fault of the text, or nil if it has none.
func fault(_ json: String) -> String? {
    thrown { _ = try device(json) }.map { "\($0)" }
}

/// A server of a device with one link on it: a PDU is sent and its response returned, both in hexadecimal digits.
struct Bearer: ~Copyable {
    var server: GATTServer
    var client = GATTServer.Client()
    var events = GATTEvents()

    init(_ table: DeviceTable) {
        var configuration = GATTServer.Configuration()
        configuration.maximumMTU = table.mtu
        server = GATTServer(database: table.database, configuration: configuration)
        server.open(&client)
    }

    mutating func send(_ pdu: String) -> String {
        var response: [UInt8] = []
        let octets = octets(pdu)
        server.receive(octets.span, from: &client, at: .origin, response: &response, events: &events)
        return hex(response)
    }
}
