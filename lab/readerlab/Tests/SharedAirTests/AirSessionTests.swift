// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Testing
import Timekeeping
import VirtualRadio

@testable import SharedAir

/// Places, hosts and orders of the air, on a virtual clock.
@Suite struct AirSessionTests {
    private let reader = AirSessionRig.reader
    private let phone = AirSessionRig.phone
    /// Command Complete of Reset (Core 5.4, Vol 4, Part E, 7.3.2).
    private let resetAnswer: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]
    private let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]

    @Test func aHostComesAndLeaves() {
        let rig = AirSessionRig()
        #expect(rig.session.enter(reader, at: rig.now))
        rig.send(reset, from: reader)
        #expect(rig.taken[reader] == resetAnswer && rig.taken[phone].isEmpty)
        rig.session.leave(reader, at: rig.now)
        #expect(rig.lines() == ["reader: connected", "reader: left; its controller is reset"])
        rig.session.leave(reader, at: rig.now)
        #expect(rig.lines() == [])
        #expect(rig.session.enter(reader, at: rig.now))
        rig.send(reset, from: reader)
        #expect(rig.taken[reader] == resetAnswer + resetAnswer)
    }

    @Test func packetsComeInAnyPieces() {
        let rig = AirSessionRig()
        _ = rig.session.enter(reader, at: rig.now)
        for octet in reset + reset { rig.send([octet], from: reader) }
        rig.send(reset + reset + reset[..<2], from: reader)
        #expect(rig.taken[reader] == resetAnswer + resetAnswer + resetAnswer + resetAnswer)
        // Half a packet is not left to the next host.
        rig.session.leave(reader, at: rig.now)
        _ = rig.session.enter(reader, at: rig.now)
        rig.send(reset, from: reader)
        #expect(rig.taken[reader].count == 5 * resetAnswer.count)
    }

    @Test func aSecondHostIsRefusedAndToldOnceASecond() {
        let rig = AirSessionRig()
        #expect(rig.session.enter(reader, at: rig.now))
        for _ in 0..<5 { #expect(!rig.session.enter(reader, at: rig.now)) }
        rig.run(.seconds(1))
        #expect(!rig.session.enter(reader, at: rig.now))
        let refused = "reader: another host was refused: the place is taken"
        #expect(rig.lines() == ["reader: connected", refused, refused])
        #expect(rig.session.enter(phone, at: rig.now))
    }

    @Test(
        arguments: [
            ([0x7F], "unknown HCI packet type 0x7F"),
            ([0x04, 0x0E, 0x00], "HCI packet of type 0x04 in the wrong direction"),
            ([0x02, 0x40, 0x00, 0xFF, 0xFF], "HCI packet of type 0x02 with 65535 octets, more than 4096"),
        ] as [([UInt8], String)])
    func garbageIsCutOff(octets: [UInt8], why: String) {
        let rig = AirSessionRig()
        rig.connect()
        #expect(rig.session.fault(at: phone) == nil)
        rig.send(octets, from: phone)
        #expect(rig.session.fault(at: phone) == why)
        // Nothing is heard of it any more.
        rig.taken[phone] = []
        rig.send(reset, from: phone)
        #expect(rig.taken[phone].isEmpty)
        _ = rig.lines()
        rig.session.leave(phone, at: rig.now)
        rig.run(.milliseconds(100))
        #expect(
            rig.lines() == [
                "phone: link 1 ended by a reset", "phone: cut off: \(why)",
                "reader: link 1 ended, reason 0x15 (the other controller was reset)",
            ])
        #expect(rig.session.fault(at: phone) == nil && rig.session.enter(phone, at: rig.now))
        rig.send(reset, from: phone)
        #expect(rig.taken[phone] == resetAnswer)
    }

    /// The answers to its commands fill the memory of a host that takes none, and that of nobody else.
    @Test func aHostThatTakesNothingIsCutOff() {
        let rig = AirSessionRig()
        rig.connect()
        var sent = 0
        while rig.session.fault(at: phone) == nil, sent < 100_000 {
            rig.send(reset, from: phone, takes: false)
            sent += 1
        }
        #expect(sent == AirSession.maximumWaiting + 1)
        #expect(rig.session.fault(at: phone) == "8193 packets wait for it, and it takes none")
        #expect(rig.session.fault(at: reader) == nil)
    }

    /// Data of the peer that a host does not take.
    @Test func dataForAHostThatTakesNothing() {
        let rig = AirSessionRig()
        rig.connect()
        var octets: [UInt8] = []
        for _ in 0..<200_000 where rig.session.fault(at: phone) == nil {
            rig.send([0x02, 0x40, 0x00, 0x05, 0x00, 0x01, 0x00, 0x04, 0x00, 0x00], from: reader)
            guard let next = rig.session.nextDeadline else { break }
            rig.session.advance(to: next)
            rig.drain(reader)
        }
        #expect(rig.session.fault(at: phone) == "8193 packets wait for it, and it takes none")
        rig.session.takePackets(from: phone, room: 1, into: &octets)
        #expect(octets == [0x02, 0x40, 0x20, 0x05, 0x00, 0x01, 0x00, 0x04, 0x00, 0x00])
    }

    @Test func linksAreToldFromBothEnds() {
        let rig = AirSessionRig()
        rig.connect()
        rig.send([0x01, 0x06, 0x04, 0x03, 0x40, 0x00, 0x13], from: phone)
        rig.run(.milliseconds(100))
        #expect(
            rig.lines() == [
                "reader: connected", "phone: connected", "phone: link 1 to reader, interval 30 ms",
                "phone: link 1 ended, reason 0x16 (ended by its host)",
                "reader: link 1 ended, reason 0x13 (ended by the other host)",
            ])
    }

    @Test func violationsAreToldAndBounded() {
        let rig = AirSessionRig()
        _ = rig.session.enter(reader, at: rig.now)
        for _ in 0..<150 { rig.send([0x01, 0x06, 0x04, 0x03, 0x40, 0x00, 0x13], from: reader) }
        let lines = rig.lines()
        #expect(lines.count == 102)
        #expect(lines[1] == "reader: broke a rule: disconnect: no link 64")
        #expect(lines[101] == "reader: broke 100 rules; others are not reported until another host comes")
        #expect(rig.session.places[reader].violations == 150)
        rig.session.leave(reader, at: rig.now)
        _ = rig.session.enter(reader, at: rig.now)
        rig.send([0x01, 0x06, 0x04, 0x03, 0x40, 0x00, 0x13], from: reader)
        #expect(rig.lines().last == "reader: broke a rule: disconnect: no link 64")
    }

    @Test func aLegacyPlaceHasALegacyController() throws {
        let plans = try PlacePlan.all(listen: ["a=unix:/a,legacy", "b=unix:/b"], legacy: [])
        let rig = AirSessionRig(plans)
        for place in [0, 1] {
            _ = rig.session.enter(place, at: rig.now)
            // Read Local Version Information (7.4.1): 4.0 and 5.4.
            rig.send([0x01, 0x01, 0x10, 0x00], from: place)
        }
        #expect(rig.taken.map { $0[7] } == [0x06, 0x0D])
    }

    @Test func onlyAsMuchIsTakenAsThereIsRoom() {
        let rig = AirSessionRig()
        _ = rig.session.enter(reader, at: rig.now)
        rig.send(reset + reset + reset, from: reader, takes: false)
        var octets: [UInt8] = []
        rig.session.takePackets(from: reader, room: 0, into: &octets)
        #expect(octets.isEmpty)
        rig.session.takePackets(from: reader, room: 8, into: &octets)
        #expect(octets == resetAnswer + resetAnswer)
    }
}
