// SPDX-License-Identifier: Apache-2.0

import Emulation
import JSON
import Peripheral
import Testing
import Timekeeping

@testable import Console
@testable import SharedAir

/// Effects of orders on the air, and the texts of answers and notices.
@Suite struct AirOrdersTests {
    /// The RSSI that a host reads of its link (Core 5.4, Vol 4, Part E, 7.5.4).
    private func readRSSI(_ rig: AirSessionRig, _ place: Int) -> Int8? {
        rig.taken[place] = []
        rig.send([0x01, 0x05, 0x14, 0x02, 0x40, 0x00], from: place)
        return rig.taken[place].last.map { Int8(bitPattern: $0) }
    }

    @Test func levelsHoldInBothDirections() throws {
        let rig = AirSessionRig()
        rig.connect()
        #expect(try rig.order("rssi phone reader -63") == ["phone and reader: -63 dBm"])
        rig.run(.milliseconds(60))
        #expect([0, 1].map { readRSSI(rig, $0) } == [-63, -63])
        #expect(try rig.order("wall reader phone 12") == ["reader and phone: -75 dBm behind a wall of 12 dB"])
        rig.run(.milliseconds(60))
        #expect([0, 1].map { readRSSI(rig, $0) } == [-75, -75])
        #expect(try rig.order("wall phone reader 0") == ["phone and reader: -63 dBm"])
    }

    @Test func aWalkTakesItsTime() throws {
        let rig = AirSessionRig()
        rig.connect()
        #expect(
            try rig.order("walk phone reader -85 -45 2s")
                == ["phone and reader: -85 dBm, to -45 dBm within 2000 ms"])
        var heard: [Int8?] = []
        for _ in 0..<5 {
            rig.run(.milliseconds(500))
            heard.append(readRSSI(rig, 0))
        }
        let whole = heard.compactMap { $0 }
        for (level, expected) in zip(whole, [-75, -65, -55, -45, -45] as [Int8]) { #expect(abs(level - expected) <= 1) }
        #expect(whole.count == 5)
    }

    @Test func aPersonApproaches() throws {
        let rig = AirSessionRig()
        rig.connect()
        #expect(
            try rig.order("approach phone reader 4 0.5 2s pocket")
                == ["phone and reader: 4.0 m, to 0.5 m within 2000 ms, pocket"])
        func mean() -> Double {
            let heard = (0..<10).compactMap { _ -> Int8? in
                rig.run(.milliseconds(60))
                return readRSSI(rig, 0)
            }
            return heard.reduce(0) { $0 + Double($1) } / Double(heard.count)
        }
        let far = mean()
        rig.run(.milliseconds(1500))
        #expect(mean() > far + 6)
        #expect(try rig.order("distance phone reader 1") == ["phone and reader: -50 dBm on average at 1.0 m"])
        #expect(try rig.order("rssi phone reader -63") == ["phone and reader: -63 dBm"])
        rig.run(.milliseconds(60))
        #expect(readRSSI(rig, 0) == -63)
    }

    /// The supervision time-out of 1 s (Vol 6, Part B, 4.5.2).
    @Test(arguments: [("loss phone reader 1", ", 1.0 of the packets lost"), ("rssi phone reader -101", "too weak")])
    func aLinkWithoutPacketsEnds(line: String, answer: String) throws {
        let rig = AirSessionRig()
        rig.connect()
        _ = rig.lines()
        #expect(try rig.order(line)[0].contains(answer))
        rig.run(.milliseconds(1100))
        #expect(
            rig.lines().sorted() == [
                "phone: link 1 ended, reason 0x08 (nothing was received for too long)",
                "reader: link 1 ended, reason 0x08 (nothing was received for too long)",
            ])
    }

    @Test func theListShowsPlacesLinksAndLevels() throws {
        let rig = AirSessionRig()
        #expect(
            try rig.order("list") == [
                "reader  00:00:5E:00:53:01  free", "phone   00:00:5E:00:53:02  free", "reader and phone: -50 dBm",
            ])
        rig.connect()
        rig.send([0x01, 0x06, 0x04, 0x03, 0x77, 0x00, 0x13], from: AirSessionRig.phone)
        _ = try rig.order("wall phone reader 12")
        _ = try rig.order("loss phone reader 0.25")
        #expect(
            try rig.order("list") == [
                "reader  00:00:5E:00:53:01  taken", "phone   00:00:5E:00:53:02  taken, broke 1 rules",
                "link 1 from phone to reader, interval 30 ms",
                "reader and phone: -62 dBm behind a wall of 12 dB, 0.25 of the packets lost",
            ])
        let answer = rig.session.execute(.list, at: rig.now)
        #expect(
            answer.members.text == #"{"places":["#
                + #"{"place":"reader","address":"00:00:5E:00:53:01","legacy":false,"taken":true,"violations":0},"#
                + #"{"place":"phone","address":"00:00:5E:00:53:02","legacy":false,"taken":true,"violations":1}],"#
                + #""links":[{"link":1,"central":"phone","peripheral":"reader","interval-ms":30,"encrypted":false}],"#
                + #""paths":[{"one":"reader","other":"phone","dbm":-62,"wall-db":12,"loss":0.25}]}"#)
    }

    @Test func linesAreAligned() {
        let view = AirView(json: false, places: ["reader", "p"])
        func notice(_ milliseconds: Int, _ place: String?, _ event: AirNotice.Event) -> AirNotice {
            AirNotice(at: .milliseconds(milliseconds), place: place, event: event)
        }
        #expect(view.line(notice(3913, "p", .connected)) == "    3.913  p       connected")
        #expect(view.line(notice(123_456_789, "reader", .left)) == "123456.789  reader  left; its controller is reset")
        #expect(view.line(notice(0, nil, .next("this"))) == "    0.000  air     this")
        #expect(
            view.line(notice(7, "p", .linkMade(2, to: "reader", interval: .microseconds(11_250))))
                == "    0.007  p       link 2 to reader, interval 11.25 ms")
        #expect(
            view.lines(TypedAnswer(lines: ["a", "b"]), at: .zero)
                == ["    0.000  air     ok: a", "    0.000  air     ok: b"])
        #expect(
            view.lines(TypedAnswer.of { () throws(CommandFault) in throw CommandFault("no") }, at: .zero) == [
                "    0.000  air     error: no"
            ])
    }

    @Test func linesAreObjects() {
        let view = AirView(json: true, places: [])
        func json(_ event: AirNotice.Event, place: String? = "phone") -> String {
            view.line(AirNotice(at: .milliseconds(12), place: place, event: event))
        }
        let address = BluetoothAddress(kind: .public, value: 0x0000_5E00_5301)
        #expect(
            json(.open(hci: "unix:/a\"b", address: address, isLegacy: true))
                == #"{"at-ms":12,"event":"open","place":"phone","hci":"unix:/a\"b","#
                + #""address":"00:00:5E:00:53:01","legacy":true}"#)
        #expect(json(.next("x"), place: nil) == #"{"at-ms":12,"event":"next","text":"x"}"#)
        #expect(
            json(.linkMade(1, to: "reader", interval: .microseconds(7500)))
                == #"{"at-ms":12,"event":"link-made","place":"phone","link":1,"peripheral":"reader","interval-ms":7.5}"#
        )
        #expect(
            json(.linkMade(1, to: nil, interval: .milliseconds(30)))
                == #"{"at-ms":12,"event":"link-made","place":"phone","link":1,"interval-ms":30}"#)
        #expect(
            json(.linkEnded(1, reason: .connectionTimeout))
                == #"{"at-ms":12,"event":"link-ended","place":"phone","link":1,"reason":8}"#)
        #expect(
            json(.linkEnded(1, reason: nil)) == #"{"at-ms":12,"event":"link-ended","place":"phone","link":1}"#)
        #expect(json(.cutOff(why: "w")) == #"{"at-ms":12,"event":"cut-off","place":"phone","why":"w"}"#)
        #expect(
            view.lines(TypedAnswer(lines: ["a", "b"]), at: .milliseconds(3))
                == [#"{"at-ms":3,"event":"answer","ok":true,"lines":["a","b"]}"#])
        #expect(
            view.lines(TypedAnswer.of { () throws(CommandFault) in throw CommandFault("no") }, at: .zero)
                == [#"{"at-ms":0,"event":"answer","ok":false,"lines":["no"]}"#])
    }
}
