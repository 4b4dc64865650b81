// SPDX-License-Identifier: Apache-2.0

import Devices
import Testing
import Timekeeping

@Suite struct ThermostatTests {
    private let start = Instant.origin

    /// The temperatures of each second until the room has its target.
    private func course(_ room: inout Thermostat) -> [Int16] {
        var course: [Int16] = []
        while let due = room.deadline, course.count < 100 {
            if room.advance(to: due) { course.append(room.temperature) }
        }
        return course
    }

    @Test func theRoomReachesItsTarget() {
        var room = Thermostat(temperature: 2075, target: 2100)
        #expect(room.deadline == nil)
        room.start(at: start)
        #expect(room.deadline == start + .seconds(1))
        let isEarly = room.advance(to: start + .milliseconds(999))
        #expect(!isEarly)
        #expect(course(&room) == [2085, 2095, 2100])
        #expect(room.deadline == nil)
    }

    @Test func aLowerTargetCools() throws {
        var room = Thermostat(temperature: 2100, target: 2100)
        room.start(at: start)
        #expect(room.deadline == nil)
        try room.write([0x29, 0x08], at: start)  // 20.89 °C
        #expect(course(&room) == [2090, 2089])
    }

    /// A write does not delay the next change.
    @Test func aWriteKeepsTheSecond() throws {
        var room = Thermostat()
        room.start(at: start)
        try room.write([0xF4, 0x01], at: start + .milliseconds(700))
        #expect(room.deadline == start + .seconds(1))
        // 19.50 °C again.
        try room.write([0x9E, 0x07], at: start + .milliseconds(800))
        #expect(room.deadline == nil)
    }

    @Test(
        arguments: [
            ([0xF3, 0x01], .range(499)), ([0xB9, 0x0B], .range(3001)), ([0xFF, 0xFF], .range(-1)),
            ([0x00, 0x80], .range(.min)), ([0xFF, 0x7F], .range(.max)), ([], .length(0)), ([0xF4], .length(1)),
            ([0xF4, 1, 0], .length(3)),
        ] as [([UInt8], Thermostat.Refusal)])
    func anInvalidTargetIsRefused(octets: [UInt8], refusal: Thermostat.Refusal) {
        var room = Thermostat()
        #expect(throws: refusal) { try room.write(octets, at: start) }
        #expect(room == Thermostat())
    }

    @Test(arguments: [
        (Int16(500), [0xF4, 0x01], "5.00 °C"), (-5, [0xFB, 0xFF], "-0.05 °C"), (.min, [0, 0x80], "-327.68 °C"),
    ])
    func valuesOnTheAirAndAsText(temperature: Int16, octets: [UInt8], text: String) {
        #expect(Thermostat.octets(temperature) == octets)
        #expect(Thermostat.text(temperature) == text)
    }
}
