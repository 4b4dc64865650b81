// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import VirtualRadio

/// Link layer procedures: Core 5.4, Vol 6, Part B, 5.1; their events: Vol 4, Part E, 7.7.
@Suite struct LinkControlTests {
    @Test func featuresAndVersions() {
        let pair = Linked(reader: .modern, phone: .legacy)
        let phone = pair.phoneHandle.octets
        let reader = pair.readerHandle.octets
        #expect(pair.phone.send(0x2016, phone) == [0x04, 0x0F, 0x04, 0x00, 0x01, 0x16, 0x20])
        #expect(pair.reader.status(0x041D, reader) == 0)
        pair.run(.milliseconds(200))
        #expect(
            pair.phone.remove(subevent: 0x04).map(\.packet) == [
                [0x04, 0x3E, 0x0C, 0x04, 0x00] + phone + [0x2F, 0x50, 0, 0, 0, 0, 0, 0]
            ])
        let version: [UInt8] = [0x04, 0x0C, 0x08, 0x00] + reader + [0x06, 0xFF, 0xFF, 0x01, 0x00]
        #expect(pair.reader.remove([0x04, 0x0C]).map(\.packet) == [version])
        // The second time the features are known, and the event follows the status at once.
        #expect(pair.reader.status(0x041D, reader) == 0)
        #expect(pair.reader.remove([0x04, 0x0C]).map(\.packet) == [version])
        #expect(pair.phone.status(0x041D, phone) == 0)
        #expect(pair.phone.remove([0x04, 0x0C]).map { $0.packet[6] } == [0x0D])
        #expect(pair.violations == [])
        // A 4.0 peripheral cannot request features.
        let old = Linked(reader: .legacy)
        #expect(old.reader.status(0x2016, old.readerHandle.octets) == 0x0C)
    }

    /// 4.5.10: both lengths change to those that both sides support; a controller without the extension changes
    /// nothing.
    @Test func dataLengths() {
        let pair = Linked()
        #expect(
            pair.reader.send(0x2022, pair.readerHandle.octets + [0x64, 0x00, 0x48, 0x08])
                == [0x04, 0x0E, 0x06, 0x01, 0x22, 0x20, 0x00] + pair.readerHandle.octets)
        pair.run(.milliseconds(100))
        #expect(
            pair.reader.remove(subevent: 0x07).map(\.packet) == [
                [0x04, 0x3E, 0x0B, 0x07] + pair.readerHandle.octets + [0x64, 0, 0x90, 0x03, 0x1B, 0, 0x48, 0x01]
            ])
        #expect(
            pair.phone.remove(subevent: 0x07).map(\.packet) == [
                [0x04, 0x3E, 0x0B, 0x07] + pair.phoneHandle.octets + [0x1B, 0, 0x48, 0x01, 0x64, 0, 0x90, 0x03]
            ])
        #expect(pair.reader.status(0x2022, pair.readerHandle.octets + [0x1A, 0x00, 0x48, 0x08]) == 0x12)
        #expect(pair.reader.status(0x2022, pair.readerHandle.octets + [0xFC, 0x00, 0x48, 0x08]) == 0x12)
        let old = Linked(phone: .legacy)
        #expect(old.reader.status(0x2022, old.readerHandle.octets + [0xFB, 0x00, 0x48, 0x08]) == 0)
        old.run(.milliseconds(200))
        #expect(old.reader.remove(subevent: 0x07).isEmpty)
        #expect(old.reader.status(0x2024, [0xFB, 0x00, 0x48, 0x08]) == 0)
        #expect(old.reader.send(0x2023).suffix(4) == [0xFB, 0x00, 0x48, 0x08])
    }

    /// 4.5.10: a length that is wanted already, as by the suggested default, is asked for once.
    @Test func anEqualDataLengthIsNoChange() {
        let pair = Linked()
        let request = pair.readerHandle.octets + [0x64, 0x00, 0x48, 0x08]
        var requests = 0
        for _ in 0..<3 {
            #expect(pair.reader.status(0x2022, request) == 0)
            requests += pair.reader.controller.state.links[0].control.count { pdu in
                if case .lengthRequest = pdu { true } else { false }
            }
            pair.run(.milliseconds(100))
        }
        #expect(requests == 1)
        #expect(pair.reader.remove(subevent: 0x07).count == 1)
        #expect(pair.reader.status(0x2022, pair.readerHandle.octets + [0x1A, 0x00, 0x48, 0x08]) == 0x12)
    }

    /// 5.1.1: new parameters take effect at the same event on both sides.
    @Test func connectionUpdate() {
        let pair = Linked()
        let parameters: [UInt8] = [12, 0, 12, 0, 0, 0, 200, 0, 0, 0, 0, 0]
        #expect(
            pair.phone.send(0x2013, pair.phoneHandle.octets + parameters)
                == [0x04, 0x0F, 0x04, 0x00, 0x01, 0x13, 0x20])
        pair.run(.milliseconds(400))
        let phone = pair.phone.remove(subevent: 0x03)
        let reader = pair.reader.remove(subevent: 0x03)
        #expect(
            phone.map(\.packet) == [[0x04, 0x3E, 0x0A, 0x03, 0x00] + pair.phoneHandle.octets + [12, 0, 0, 0, 200, 0]])
        #expect(reader.map(\.at) == phone.map(\.at))
        var times: [Instant] = []
        while times.count < 4, let next = pair.air.nextDeadline {
            times.append(next)
            pair.air.advance(to: next)
        }
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == .milliseconds(15) })
        #expect(pair.phone.status(0x2013, pair.phoneHandle.octets + [12, 0, 11, 0, 0, 0, 200, 0, 0, 0, 0, 0]) == 0x12)
    }

    /// 5.1.1: the instant is the central's choice, 6 events ahead at least; iPhones take 13.
    @Test(arguments: [6, 13] as [UInt64])
    func theInstantIsTheCentrals(_ events: UInt64) {
        var profile = ControllerProfile.modern
        profile.eventsToUpdate = events
        let pair = Linked(phone: profile)
        let begin = pair.air.now
        #expect(pair.phone.status(0x2013, pair.phoneHandle.octets + [12, 0, 12, 0, 0, 0, 200, 0, 0, 0, 0, 0]) == 0)
        pair.run(.seconds(1))
        let at = pair.reader.remove(subevent: 0x03).map(\.at)
        // The PDU is sent in the first of these events, up to one interval of 30 ms from now.
        let waited = at.map { Int(($0 - begin) / .milliseconds(30)) }
        #expect(waited.count == 1 && (Int(events) - 1...Int(events)).contains(waited[0]))
    }

    /// 5.1.7: the peripheral requests, and the central's host decides.
    @Test func aPeripheralAsksForParameters() {
        let pair = Linked()
        let asked: [UInt8] = [12, 0, 24, 0, 0, 0, 200, 0, 0, 0, 0, 0]
        let request = pair.readerHandle.octets + asked
        #expect(pair.reader.status(0x2013, request) == 0)
        pair.run(.milliseconds(60))
        #expect(
            pair.phone.remove(subevent: 0x06).map(\.packet) == [
                [0x04, 0x3E, 0x0B, 0x06] + pair.phoneHandle.octets + [12, 0, 24, 0, 0, 0, 200, 0]
            ])
        #expect(
            pair.phone.send(0x2021, pair.phoneHandle.octets + [0x3B])
                == [0x04, 0x0E, 0x06, 0x01, 0x21, 0x20, 0x00] + pair.phoneHandle.octets)
        pair.run(.milliseconds(60))
        #expect(pair.reader.remove(subevent: 0x03).map { $0.packet[4] } == [0x3B])
        #expect(pair.reader.status(0x2013, request) == 0)
        pair.run(.milliseconds(60))
        #expect(pair.phone.status(0x2020, pair.phoneHandle.octets + asked) == 0)
        pair.run(.milliseconds(400))
        #expect(pair.reader.remove(subevent: 0x03).map { $0.packet[4] } == [0x00])
        #expect(pair.violations == [])
        // Event masked, or no support in the controller: refused with 0x1A, or disallowed.
        #expect(pair.phone.status(0x2001, [0x1F, 0, 0, 0, 0, 0, 0, 0]) == 0)
        #expect(pair.reader.status(0x2013, request) == 0)
        pair.run(.milliseconds(100))
        #expect(pair.reader.remove(subevent: 0x03).map { $0.packet[4] } == [0x1A])
        let old = Linked(reader: .legacy)
        #expect(old.reader.status(0x2013, old.readerHandle.octets + asked) == 0x0C)
    }
}
