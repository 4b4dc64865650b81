// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Peripheral
import Testing
import Timekeeping

/// Core 5.4, Vol 3, Part F, 3.4.6.
@Suite struct GATTPreparedWriteTests {
    /// Sends PDUs, each of which must be answered with itself as a Prepare Write Response.
    private func prepare(_ bench: GATTBench, _ parts: String..., slot: Int = 0) {
        for part in parts { #expect(bench.send("16" + part, slot: slot) == packed("17" + part)) }
    }

    @Test func partsAreWrittenTogether() throws {
        let bench = try SampleTable.bench()
        prepare(bench, "1300 0000 6162", "1300 0200 63")
        #expect(bench.send("0a 1300") == packed("0b 6c6f6e67"))
        #expect(bench.send("18 01") == "19")
        #expect(bench.send("0a 1300") == packed("0b 616263"))
        // The queue is empty: nothing happens again.
        #expect(bench.send("12 1300 00") == "13")
        #expect(bench.send("18 01") == "19")
        #expect(bench.send("0a 1300") == packed("0b 00"))
    }

    @Test func partsBeyondTheBeginningChangeWhatIsThere() throws {
        let bench = try SampleTable.bench()
        prepare(bench, "1300 0100 58")
        #expect(bench.send("18 01") == "19")
        #expect(bench.send("0a 1300") == packed("0b 6c586e67"))
        prepare(bench, "1300 0400 2121", "1300 0000", "1300 0600 21")
        #expect(bench.send("18 01") == "19")
        #expect(bench.send("0a 1300") == packed("0b 6c586e67212121"))
    }

    @Test func cancelWritesNothing() throws {
        let bench = try SampleTable.bench()
        prepare(bench, "1300 0000 61", "0c00 0000 62")
        #expect(bench.send("18 00") == "19")
        #expect(bench.send("18 01") == "19")
        #expect(bench.send("0a 1300") == packed("0b 6c6f6e67"))
        #expect(bench.events.events.isEmpty)
        #expect(bench.nextDeadline == nil)
    }

    @Test func undefinedFlagsLeaveTheQueue() throws {
        let bench = try SampleTable.bench()
        prepare(bench, "1300 0000 61")
        #expect(bench.send("18 02") == packed("01 18 0000 04"))
        #expect(bench.send("18 01") == "19")
        #expect(bench.send("0a 1300") == packed("0b 61"))
    }

    @Test func oneBadPartWritesNothing() throws {
        let bench = try SampleTable.bench(configuration: .mixing)
        prepare(bench, "0c00 0000 01", "1300 0000 61", "1300 0200 62")
        #expect(bench.send("18 01") == packed("01 18 1300 07"))
        prepare(bench, "0c00 0000 01", "1300 0000 6161616161", "1300 0500 62626262")
        #expect(bench.send("18 01") == packed("01 18 1300 0d"))
        // Of a delivered value there is nothing to be changed.
        prepare(bench, "0c00 0100 01")
        #expect(bench.send("18 01") == packed("01 18 0c00 07"))
        prepare(bench, "1300 ffff 01")
        #expect(bench.send("18 01") == packed("01 18 1300 07"))
        #expect(bench.send("0a 1300") == packed("0b 6c6f6e67"))
        #expect(bench.events.events.isEmpty)
        #expect(bench.send("18 01") == "19")
    }

    @Test func longestValueInSmallParts() throws {
        let bench = try SampleTable.bench()
        let value = (0..<512).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for offset in stride(from: 0, to: 512, by: 18) {
            prepare(bench, "0c00" + hex([UInt8(offset & 0xFF), UInt8(offset >> 8)]) + hex(value[offset...].prefix(18)))
        }
        #expect(bench.send("18 01") == "19")
        let (events, values) = bench.taken()
        #expect(events == [.written(GATTWritingTests.receive, value: 0..<512, withResponse: true)])
        #expect(values == [value])
    }

    @Test func valuesBeyond512AreRefused() throws {
        let bench = try SampleTable.bench(mtu: 517)
        prepare(bench, "0c00 0000" + "11".times(512), "0c00 0002 22")
        #expect(bench.send("18 01") == packed("01 18 0c00 0d"))
        #expect(bench.events.events.isEmpty)
    }

    @Test func attributesMayBeMixed() throws {
        let bench = try SampleTable.bench(configuration: .mixing)
        prepare(bench, "0c00 0000 01", "1300 0000 6162", "0c00 0100 02", "0f00 0000 01", "0f00 0100 00")
        #expect(bench.send("18 01") == "19")
        #expect(bench.send("0a 1300") == packed("0b 6162"))
        let (events, values) = bench.taken()
        #expect(values == [[1, 2]])
        #expect(events.last == .subscribed(GATTWritingTests.transmit, .notification))
        prepare(bench, "0f00 0000 01", "0c00 0000 01")
        #expect(bench.send("18 01") == packed("01 18 0f00 0d"))
        prepare(bench, "0900 0000 0100")
        #expect(bench.send("18 01") == packed("01 18 0900 fd"))
        #expect(bench.events.events.isEmpty)
    }

    @Test func permissionIsCheckedWhenPreparedAndWhenExecuted() throws {
        let bench = try SampleTable.bench()
        for (handle, code) in [("0000", "01"), ("1f00", "01"), ("0300", "03"), ("1500", "05")] {
            #expect(bench.send("16" + handle + "0000 41") == packed("01 16" + handle + code))
        }
        bench.setSecurity(LinkSecurityLevel(isEncrypted: true), slot: 0)
        prepare(bench, "1500 0000 41")
        bench.setSecurity(LinkSecurityLevel(), slot: 0)
        #expect(bench.send("18 01") == packed("01 18 1500 05"))
    }

    @Test func queueIsBoundedByParts() throws {
        let bench = try SampleTable.bench()
        for _ in 0..<64 { prepare(bench, "1300 0000") }
        for _ in 0..<10_000 {
            guard bench.send("16 1300 0000") == packed("01 16 1300 09") else {
                Issue.record("more was queued")
                break
            }
        }
        #expect(bench.send("18 00") == "19")
        prepare(bench, "1300 0000")
    }

    @Test func queueIsBoundedByOctets() throws {
        let bench = try SampleTable.bench(mtu: 517, configuration: .mixing)
        prepare(bench, "0c00 0000" + "11".times(512), "1200 0000" + "11".times(511), "1300 0000 11")
        #expect(bench.send("16 1300 0100 11") == packed("01 16 1300 09"))
        prepare(bench, "1300 0100")
        #expect(bench.send("18 01") == "19")
        #expect(bench.send("0a 1300") == packed("0b 11"))
    }

    @Test func allLinksTogetherAreBounded() throws {
        var configuration = GATTServer.Configuration()
        configuration.preparedWrites.parts = 3
        configuration.preparedWrites.octets = 4
        let bench = try SampleTable.bench(slots: 3, configuration: configuration)
        prepare(bench, "1300 0000 01", "1300 0100 02")
        prepare(bench, "1300 0000 0304", slot: 1)
        #expect(bench.send("16 1300 0000", slot: 2) == packed("01 16 1300 09"))
        // A link that goes gives back what it had.
        bench.close(slot: 0)
        #expect(bench.send("16 1300 0000 050607", slot: 2) == packed("01 16 1300 09"))
        prepare(bench, "1300 0000 0506", slot: 2)
        #expect(bench.send("18 01", slot: 2) == "19")
        #expect(bench.send("0a 1300", slot: 1) == packed("0b 0506"))
        #expect(bench.send("18 01", slot: 1) == "19")
        prepare(bench, "1300 0000 01020304", slot: 2)
    }

    @Test func openingASlotAgainStartsEmpty() throws {
        let bench = try SampleTable.bench()
        prepare(bench, "1300 0000 61")
        bench.open(slot: 0)
        #expect(bench.send("18 01") == "19")
        #expect(bench.send("0a 1300") == packed("0b 6c6f6e67"))
    }

    @Test func queueThatIsLeftAloneIsDropped() throws {
        let bench = try SampleTable.bench()
        #expect(bench.nextDeadline == nil)
        prepare(bench, "1300 0000 61")
        bench.now = .origin + .seconds(10)
        prepare(bench, "1300 0100 62")
        #expect(bench.nextDeadline == .origin + .seconds(40))
        #expect(bench.advance(to: .origin + .seconds(39)) == [])
        #expect(bench.nextDeadline == .origin + .seconds(40))
        #expect(bench.advance(to: .origin + .seconds(40)) == [])
        #expect(bench.nextDeadline == nil)
        #expect(bench.send("18 01") == "19")
        #expect(bench.send("0a 1300") == packed("0b 6c6f6e67"))
    }
}
