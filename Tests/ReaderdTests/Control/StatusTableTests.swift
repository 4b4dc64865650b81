// SPDX-License-Identifier: Apache-2.0

import JSON
import Testing

@testable import readerd

/// The status as a person reads it.
@Suite struct StatusTableTests {
    private func lines(_ more: String, clock: String = "") throws -> [String] {
        StatusTable.lines(
            try JSONParser.parse(
                Array(
                    """
                    {"ok":true,"version":"0.1.0","device":"012345678A","demo-identity":true,"uptime-s":93784,\
                    "door":{"state":"secured","openings":17,"sign":"fault",\
                    "lights":{"led-granted":true,"led-denied":true,"buzzer":false},"simulated-lock":true},"links":{"served":1,"max":3},\
                    "controller":{"name":"hci-socket:0","ready":true,"advertising":true,"failures":0},\
                    "events":{"state":"ok","waiting":0,"last":1204,"records":1204},\
                    "clock":{"time":"2026-11-21T13:00:00+01:00","quality":"synchronised"\(clock)}\(more),"faults":[]}
                    """.utf8)))
    }

    @Test func eachPartHasALine() throws {
        #expect(
            try lines("") == [
                "door        secured, sign fault, simulated lock, opened 17 times",
                "links       1 of 3",
                "controller  hci-socket:0, ready, advertising",
                "events      ok, 1204 records, newest 1204",
                "clock       2026-11-21T13:00:00+01:00, synchronised",
                "reader      012345678A, demo identity, readerd 0.1.0, up 1 d 02:03:04",
            ])
    }

    @Test func theHolidayIsNextToTheTime() throws {
        let lines = try lines("", clock: ",\"holiday\":\"Good Friday\"")
        #expect(lines.contains("clock       2026-11-21T13:00:00+01:00, synchronised, holiday: Good Friday"))
    }

    @Test func anUpdateThatWaitsHasALine() throws {
        let member = ",\"restart\":{\"waits-s\":130,\"disturbs\":[\"unlocked\",\"open\"]}"
        #expect(
            try lines(member).contains("update      waits to restart for 00:02:10, because of: unlocked, open"))
    }

    /// The chip has one where there is a chip.
    @Test func theChipHasALine() throws {
        let member = ",\"nfc\":{\"connection\":\"pn532_uart:/dev/ttyS1\",\"state\":\"failed\",\"failures\":2}"
        #expect(try lines(member).contains("nfc         pn532_uart:/dev/ttyS1, failed"))
    }
}
