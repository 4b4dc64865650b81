// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LoadGenerator

/// A controller, and the packets that it has sent since they were last taken.
private struct Bench {
    var controller: LoadController

    init(phones: Int = 1, packetLength: Int = 251, extended: Bool = true) {
        var plan = LoadPlan()
        plan.phones = phones
        plan.packetLength = packetLength
        plan.extendedAdvertising = extended
        controller = LoadController(plan: plan)
    }

    mutating func host(_ octets: [UInt8]) -> [[UInt8]] {
        controller.receive(octets.span)
        return sent()
    }

    mutating func settle() -> [[UInt8]] {
        controller.settle()
        return sent()
    }

    mutating func sent() -> [[UInt8]] {
        var start = 0
        let packets = controller.burst.marks.map { mark in
            defer { start = mark.end }
            return Array(controller.burst.octets[start..<mark.end])
        }
        controller.burst.removeAll()
        return packets
    }

    /// Enables advertising until every link of the controller is connected.
    mutating func connectAll() {
        while controller.linkCount < controller.links.count {
            _ = host([0x01, 0x0A, 0x20, 0x01, 0x01])
            _ = settle()
        }
    }
}

/// Core 5.4, Vol 4, Part E, 7.3.2, 7.4.2, 7.8.2.
@Test func commandsOfBringUpAreAnswered() {
    var bench = Bench()
    #expect(bench.host([0x01, 0x03, 0x0C, 0x00]) == [[0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]])
    #expect(bench.host([0x01, 0x02, 0x20, 0x00]) == [[0x04, 0x0E, 0x07, 0x01, 0x02, 0x20, 0x00, 251, 0x00, 15]])
    #expect(bench.host([0x01, 0x02, 0x10, 0x00])[0].count == 3 + 4 + 64)
    // An unknown command succeeds.
    #expect(bench.host([0x01, 0x77, 0xFC, 0x00]) == [[0x04, 0x0E, 0x04, 0x01, 0x77, 0xFC, 0x00]])
    #expect(bench.controller.commands == 4)
}

/// 7.4.2 and 6.27: octet 36 lists the commands of extended advertising.
@Test func aLegacyControllerListsNoExtendedAdvertising() {
    for extended in [true, false] {
        var bench = Bench(extended: extended)
        let commands = bench.host([0x01, 0x02, 0x10, 0x00])[0]
        #expect(commands[7 + 36] == (extended ? 0xFF : 0x00))
        let features = bench.host([0x01, 0x03, 0x20, 0x00])[0]
        #expect(features[8] == (extended ? 0x59 : 0x01))
    }
}

/// 7.7.65.1, 7.8.9: a phone connects when the host advertises, and that ends the advertising.
@Test func legacyAdvertisingBringsOnePhone() {
    var bench = Bench(phones: 2)
    #expect(bench.settle().isEmpty)
    _ = bench.host([0x01, 0x0A, 0x20, 0x01, 0x01])
    let events = bench.settle()
    #expect(events.count == 1)
    #expect(Array(events[0].prefix(9)) == [0x04, 0x3E, 0x13, 0x01, 0x00, 0x40, 0x00, 0x01, 0x01])
    #expect(events[0][14] == 0xC0)
    #expect(Array(events[0].suffix(7)) == [24, 0, 0, 0, 0xF4, 0x01, 0x01])
    #expect(bench.settle().isEmpty)
    _ = bench.host([0x01, 0x0A, 0x20, 0x01, 0x01])
    #expect(bench.settle()[0][5] == 0x41)
    // All phones are connected: advertising continues.
    _ = bench.host([0x01, 0x0A, 0x20, 0x01, 0x01])
    #expect(bench.settle().isEmpty)
}

/// 7.7.65.18: with advertising sets, the event names the set that ended.
@Test func anAdvertisingSetThatWasConnectedToIsNamed() {
    var bench = Bench()
    _ = bench.host([0x01, 0x39, 0x20, 0x0A, 0x01, 0x02, 7, 0, 0, 0, 9, 0, 0, 0])
    let events = bench.settle()
    #expect(events.count == 2)
    #expect(events[1] == [0x04, 0x3E, 0x06, 0x12, 0x00, 7, 0x40, 0x00, 0x00])
    #expect(bench.controller.sets == [9])
    // Disabled without a handle, all sets end.
    _ = bench.host([0x01, 0x39, 0x20, 0x02, 0x00, 0x00])
    #expect(bench.controller.sets.isEmpty)
}

/// 7.7.19: completed packets are reported once, each link with its own count; 64 links do not fit one event.
@Test func completedPacketsAreTold() {
    var bench = Bench(phones: 64)
    bench.connectAll()
    for link in UInt8(0)..<64 { _ = bench.host([0x02, 0x40 + link, 0x20, 0x05, 0x00, 0x01, 0x00, 0x04, 0x00, 0x13]) }
    _ = bench.host([0x02, 0x7F, 0x20, 0x05, 0x00, 0x01, 0x00, 0x04, 0x00, 0x13])
    let events = bench.settle()
    #expect(events.count == 2)
    #expect(Array(events[0].prefix(8)) == [0x04, 0x13, 253, 63, 0x40, 0x00, 0x01, 0x00])
    #expect(events[1] == [0x04, 0x13, 5, 1, 0x7F, 0x00, 0x02, 0x00])
    #expect(bench.settle().isEmpty)
}

/// Vol 3, Part A, 7.2.1: a frame longer than the controller's packets is fragmented, the first with PB 0b10.
@Test func aLongPDUIsCut() {
    var bench = Bench(packetLength: 27)
    bench.connectAll()
    bench.controller.send(Array(0..<30), on: 0, awaitsAnswer: true)
    let marks = bench.controller.burst.marks
    #expect(marks.map(\.link) == [-1, 0])
    let packets = bench.sent()
    #expect(packets[0] == [0x02, 0x40, 0x20, 27, 0, 30, 0, 0x04, 0] + (0..<23))
    #expect(packets[1] == [0x02, 0x40, 0x10, 7, 0] + (23..<30))
}

/// 7.1.6, 7.7.5.
@Test func aLinkEndsFromEitherSide() {
    var bench = Bench(phones: 2)
    bench.connectAll()
    #expect(
        bench.host([0x01, 0x06, 0x04, 0x03, 0x41, 0x00, 0x13])
            == [[0x04, 0x0F, 0x04, 0x00, 0x01, 0x06, 0x04], [0x04, 0x05, 0x04, 0x00, 0x41, 0x00, 0x16]])
    bench.controller.disconnect(0)
    #expect(bench.sent() == [[0x04, 0x05, 0x04, 0x00, 0x40, 0x00, 0x13]])
    #expect(bench.controller.linkCount == 0)
}

/// Vol 3, Part F, 3.4.7: a PDU that was not requested is not a response.
@Test func notificationsAreCountedAndNoAnswers() {
    var bench = Bench()
    bench.connectAll()
    _ = bench.host([0x02, 0x40, 0x20, 12, 0, 8, 0, 0x04, 0, 0x1B, 0x10, 0x00, 0x78, 0x56, 0x34, 0x12, 0xFF])
    #expect(bench.controller.links[0].notifications == 1)
    #expect(bench.controller.links[0].notifiedOctets == 5)
    #expect(bench.controller.links[0].mark == 0x1234_5678)
    #expect(!bench.controller.links[0].hasAnswer)
    // An indication is confirmed.
    #expect(
        bench.host([0x02, 0x40, 0x20, 8, 0, 4, 0, 0x04, 0, 0x1D, 0x10, 0x00, 0x01])
            == [[0x02, 0x40, 0x20, 5, 0, 1, 0, 0x04, 0, 0x1E]])
    // A response in two fragments.
    _ = bench.host([0x02, 0x40, 0x20, 5, 0, 2, 0, 0x04, 0, 0x0B])
    #expect(!bench.controller.links[0].hasAnswer)
    _ = bench.host([0x02, 0x40, 0x10, 1, 0, 0x55])
    #expect(bench.controller.links[0].answer == [0x0B, 0x55])
}

/// A faulty host must not end the measurement with a trap: each packet of a session, truncated at every length.
@Test func cutPacketsDoNotTrap() {
    let packets: [[UInt8]] = [
        [0x01, 0x39, 0x20, 0x0A, 0x01, 0x02, 7, 0, 0, 0, 9, 0, 0, 0], [0x01, 0x0A, 0x20, 0x01, 0x01],
        [0x01, 0x06, 0x04, 0x03, 0x41, 0x00, 0x13],
        [0x01, 0x13, 0x20, 14, 0x40, 0, 24, 0, 24, 0, 0, 0, 72, 0, 0, 0, 0, 0],
        [0x02, 0x40, 0x20, 12, 0, 8, 0, 0x04, 0, 0x1B, 0x10, 0x00, 0x78, 0x56, 0x34, 0x12, 0xFF],
        [0x02, 0xFF, 0x2F, 12, 0, 8, 0, 0x04, 0, 0x1B], [0x01, 0x04, 0x10, 0x01, 0x01], [0x04, 0, 0, 0],
    ]
    for packet in packets {
        for count in 0...packet.count {
            var bench = Bench(phones: 2)
            bench.connectAll()
            _ = bench.host(Array(packet.prefix(count)))
            _ = bench.settle()
        }
    }
}
