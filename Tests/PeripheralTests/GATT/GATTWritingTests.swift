// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Testing

/// Core 5.4, Vol 3, Part F, 3.4.5; Part G, 3.3.3.3.
@Suite struct GATTWritingTests {
    static let receive = AttributeHandle(rawValue: 0x0C)
    static let transmit = AttributeHandle(rawValue: 0x0E)

    @Test func deliveredValuesBecomeEvents() throws {
        let bench = try SampleTable.bench()
        #expect(bench.send("12 0c00 0102") == "13")
        #expect(bench.send("52 0c00 03", slot: 1) == "")
        #expect(bench.send("12 0c00") == "13")
        let (events, values) = bench.taken()
        #expect(
            events == [
                .written(GATTWritingTests.receive, value: 0..<2, withResponse: true),
                .written(GATTWritingTests.receive, value: 2..<3, withResponse: false),
                .written(GATTWritingTests.receive, value: 3..<3, withResponse: true),
            ])
        #expect(values == [[1, 2], [3], []])
    }

    @Test func storedValuesAreReplaced() throws {
        let bench = try SampleTable.bench()
        #expect(bench.send("12 1300 6162") == "13")
        #expect(bench.send("0a 1300", slot: 1) == packed("0b 6162"))
        #expect(bench.send("52 1300 6364656667686970") == "")
        #expect(bench.send("0a 1300") == packed("0b 6364656667686970"))
        #expect(bench.send("12 1300") == "13")
        #expect(bench.send("0a 1300") == "0b")
        // Its neighbours are untouched.
        #expect(bench.send("0a 1400") == packed("0b 0a 1500 3612"))
        #expect(bench.events.events.isEmpty)
    }

    @Test func lengthsAreBounded() throws {
        let bench = try SampleTable.bench(mtu: 517)
        #expect(bench.send("12 1300" + "00".times(9)) == packed("01 12 1300 0d"))
        #expect(bench.send("52 1300" + "00".times(9)) == "")
        #expect(bench.send("0a 1300") == packed("0b 6c6f6e67"))
        #expect(bench.send("12 0c00" + "00".times(512)) == "13")
        #expect(bench.send("12 0c00" + "00".times(513)) == packed("01 12 0c00 0d"))
        #expect(bench.send("12 1200" + "01".times(512)) == "13")
        #expect(bench.send("12 1200" + "02".times(513)) == packed("01 12 1200 0d"))
        #expect(bench.send("0a 1200") == "0b" + "01".times(512))
        #expect(bench.taken().values == [[UInt8](repeating: 0, count: 512)])
    }

    @Test func writesWithoutRight() throws {
        let bench = try SampleTable.bench()
        for (handle, code) in [("0000", "01"), ("1f00", "01"), ("0300", "03"), ("0100", "03"), ("1500", "05")] {
            #expect(bench.send("12" + handle + "41") == packed("01 12" + handle + code))
            #expect(bench.send("52" + handle + "41") == "")
        }
        #expect(bench.send("0a 0300") == packed("0b 646f6f72"))
        bench.setSecurity(LinkSecurityLevel(isEncrypted: true), slot: 0)
        #expect(bench.send("12 1500 41") == "13")
        #expect(bench.send("12 1700 41") == packed("01 12 1700 05"))
        #expect(bench.send("0a 1500") == packed("0b 41"))
        #expect(bench.events.events.isEmpty)
    }

    @Test func signedWritesAreIgnored() throws {
        let bench = try SampleTable.bench()
        #expect(bench.send("d2 0c00 01" + "00".times(12)) == "")
        #expect(bench.events.events.isEmpty)
    }

    @Test func eachLinkHasItsConfiguration() throws {
        let bench = try SampleTable.bench()
        let transmit = GATTWritingTests.transmit
        #expect(bench.send("12 0f00 0100") == "13")
        #expect(bench.send("52 0f00 0200", slot: 1) == "")
        #expect(bench.send("0a 0f00") == packed("0b 0100"))
        #expect(bench.send("0a 0f00", slot: 1) == packed("0b 0200"))
        #expect(bench.configuration(of: transmit, slot: 0) == .notification)
        #expect(bench.configuration(of: transmit, slot: 1) == .indication)
        #expect(
            bench.taken().events == [
                .subscribed(transmit, .notification), .subscribed(transmit, .indication),
            ])
        bench.close(slot: 0)
        #expect(bench.configuration(of: transmit, slot: 0) == [])
        bench.open(slot: 0)
        #expect(bench.send("0a 0f00") == packed("0b 0000"))
        #expect(bench.configuration(of: transmit, slot: 1) == .indication)
        #expect(bench.configuration(of: GATTWritingTests.receive, slot: 1) == [])
        #expect(bench.configuration(of: AttributeHandle(rawValue: 0x99), slot: 1) == [])
        #expect(bench.configuration(of: transmit, slot: 9) == [])
    }

    @Test func configurationsThatCannotBe() throws {
        let bench = try SampleTable.bench()
        #expect(bench.send("12 0f00 01") == packed("01 12 0f00 0d"))
        #expect(bench.send("12 0f00 010000") == packed("01 12 0f00 0d"))
        #expect(bench.send("12 0f00") == packed("01 12 0f00 0d"))
        // Service Changed is indicated, never notified (Part G, 7.1).
        #expect(bench.send("12 0900 0100") == packed("01 12 0900 fd"))
        #expect(bench.send("12 0900 0300") == packed("01 12 0900 fd"))
        #expect(bench.send("52 0900 0100") == "")
        #expect(bench.events.events.isEmpty)
        #expect(bench.send("12 0900 0200") == "13")
        // Bits reserved for future use are ignored.
        #expect(bench.send("12 0f00 fdff") == "13")
        #expect(bench.send("0a 0f00") == packed("0b 0100"))
        #expect(bench.send("12 0f00 0000") == "13")
        #expect(bench.taken().events.last == .subscribed(GATTWritingTests.transmit, []))
    }
}
