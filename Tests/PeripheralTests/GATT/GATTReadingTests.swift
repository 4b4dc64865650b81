// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Peripheral
import Testing
import Timekeeping

/// Core 5.4, Vol 3, Part F, 3.4.2, 3.4.4.3 to 3.4.4.8 and 3.4.4.11.
@Suite struct GATTReadingTests {
    @Test func read() throws {
        let bench = try SampleTable.bench()
        #expect(bench.send("0a 0300") == packed("0b 646f6f72"))
        #expect(bench.send("0a 0500") == packed("0b 0807"))
        #expect(bench.send("0a 0f00") == packed("0b 0000"))
        #expect(bench.send("0a 1000") == "0b" + GATTDiscoveryTests.service128)
        #expect(bench.send("0a 1200") == "0b" + "5a".times(22))
        #expect(try SampleTable.bench(mtu: 517).send("0a 1200") == "0b" + "5a".times(300))
    }

    @Test func readWithoutRight() throws {
        let bench = try SampleTable.bench()
        #expect(bench.send("0a 0000") == packed("01 0a 0000 01"))
        #expect(bench.send("0a 1f00") == packed("01 0a 1f00 01"))
        #expect(bench.send("0a 0800") == packed("01 0a 0800 02"))
        #expect(bench.send("0a 0c00") == packed("01 0a 0c00 02"))
    }

    /// For observation; the end of a discovery is no refusal (Vol 3, Part G, 4.4.1).
    @Test func refusalsAreEventsIfTheyAreWanted() throws {
        var configuration = GATTServer.Configuration()
        configuration.reportsRefusals = true
        let bench = try SampleTable.bench(configuration: configuration)
        #expect(bench.send("0a 0800") == packed("01 0a 0800 02"))
        #expect(bench.send("0a 1500") == packed("01 0a 1500 05"))
        #expect(bench.send("12 0300 00") == packed("01 12 0300 03"))
        #expect(bench.send("10 ff00 ffff 0028") == packed("01 10 ff00 0a"))
        #expect(bench.send("0a") == packed("01 0a 0000 04"))
        func refused(_ opcode: ATTOpcode, _ handle: UInt16, _ error: ATTErrorCode) -> GATTEvent {
            .refused(RefusedRequest(opcode: opcode, handle: AttributeHandle(rawValue: handle), error: error))
        }
        #expect(
            bench.events.events == [
                refused(.readRequest, 8, .readNotPermitted), refused(.readRequest, 21, .insufficientAuthentication),
                refused(.writeRequest, 3, .writeNotPermitted), refused(.readRequest, 0, .invalidPDU),
            ])
        let silent = try SampleTable.bench()
        _ = silent.send("0a 0800")
        #expect(silent.events.events.isEmpty)
    }

    @Test func securityOpensWhatItsLevelReaches() throws {
        let bench = try SampleTable.bench()
        let levels: [(LinkSecurityLevel, encrypted: String, authenticated: String)] = [
            (LinkSecurityLevel(), "01 0a 1500 05", "01 0a 1700 05"),
            (LinkSecurityLevel(isBonded: true), "01 0a 1500 0f", "01 0a 1700 0f"),
            // A key that was authenticated is worth nothing before it encrypts.
            (LinkSecurityLevel(isAuthenticated: true, isBonded: true), "01 0a 1500 0f", "01 0a 1700 0f"),
            (LinkSecurityLevel(isEncrypted: true, isBonded: true), "0b 01", "01 0a 1700 05"),
            (LinkSecurityLevel(isEncrypted: true, isAuthenticated: true, isBonded: true), "0b 01", "0b 02"),
        ]
        for (security, encrypted, authenticated) in levels {
            bench.setSecurity(security, slot: 0)
            #expect(bench.send("0a 1500") == packed(encrypted))
            #expect(bench.send("0a 1700") == packed(authenticated))
            #expect(bench.send("0a 1500", slot: 1) == packed("01 0a 1500 05"))
        }
        bench.close(slot: 0)
        bench.open(slot: 0)
        #expect(bench.send("0a 1500") == packed("01 0a 1500 05"))
    }

    @Test func readBlob() throws {
        let bench = try SampleTable.bench()
        #expect(bench.send("0c 1200 1600") == "0d" + "5a".times(22))
        #expect(bench.send("0c 1200 2801") == "0d" + "5a".times(4))
        #expect(bench.send("0c 1200 2c01") == "0d")
        #expect(bench.send("0c 1200 2d01") == packed("01 0c 1200 07"))
        #expect(bench.send("0c 1200 ffff") == packed("01 0c 1200 07"))
        #expect(bench.send("0c 0300 0200") == packed("0d 6f72"))
        #expect(bench.send("0c 0c00 0000") == packed("01 0c 0c00 02"))
        #expect(bench.send("12 0f00 0300") == "13")
        #expect(bench.send("0c 0f00 0000") == packed("0d 0300"))
        #expect(bench.send("0c 0f00 0100") == packed("0d 00"))
        #expect(bench.send("0c 0f00 0200") == "0d")
        #expect(bench.send("0c 0f00 0300") == packed("01 0c 0f00 07"))
    }

    @Test func readMultiple() throws {
        let bench = try SampleTable.bench()
        #expect(bench.send("0e 0300 0500") == packed("0f 646f6f72 0807"))
        #expect(bench.send("0e 0300 1200") == packed("0f 646f6f72") + "5a".times(18))
        #expect(bench.send("0e 1200 1200 0c00") == packed("01 0e 0c00 02"))
        #expect(bench.send("0e 0300 0000 0c00") == packed("01 0e 0000 01"))
        #expect(bench.send("0e 0300") == packed("01 0e 0000 04"))
    }

    @Test func readMultipleVariable() throws {
        let bench = try SampleTable.bench()
        #expect(bench.send("20 0300 0500") == packed("21 0400 646f6f72 0200 0807"))
        #expect(bench.send("20 0300 1200") == packed("21 0400 646f6f72 2c01") + "5a".times(14))
        bench.setSecurity(LinkSecurityLevel(isEncrypted: true), slot: 0)
        // One octet is left, too little for a length; then nothing else is put there.
        #expect(
            bench.send("20 0300 0300 0300 1500 0300 1500")
                == packed("21" + "0400 646f6f72".times(3) + "0100 01"))
        #expect(bench.send("20 1200 0300 1f00") == packed("01 20 1f00 01"))
    }

    @Test func mtuIsExchangedOnce() throws {
        let bench = try SampleTable.bench()
        #expect(bench.mtu(slot: 0) == 23)
        #expect(bench.send("02 b900") == packed("03 0502"))
        #expect(bench.taken().events == [.mtuExchanged(185)])
        // A repetition is answered, and changes nothing (3.4.2.1).
        #expect(bench.send("02 0502") == packed("03 0502"))
        #expect(bench.send("02 1700") == packed("03 0502"))
        #expect(bench.taken().events == [])
        #expect(bench.mtu(slot: 0) == 185)
        #expect(bench.mtu(slot: 1) == 23)
        #expect(bench.send("02 ffff", slot: 1) == packed("03 0502"))
        #expect(bench.mtu(slot: 1) == 517)
        bench.close(slot: 0)
        #expect(bench.mtu(slot: 0) == 23)
        bench.open(slot: 0)
        // Less than the default is answered, and changes nothing (3.4.2.2).
        #expect(bench.send("02 0000") == packed("03 0502"))
        #expect(bench.mtu(slot: 0) == 23)
    }

    @Test func whatIsNotARequestIsNotAnswered() throws {
        let bench = try SampleTable.bench()
        #expect(bench.send("") == "")
        for opcode in ["01", "03", "0b", "13", "1b", "1d", "1e", "23", "41", "ff", "d2"] {
            #expect(bench.send(opcode) == "")
            #expect(bench.send(opcode + "0c00 00000000 000000000000000000000000") == "")
        }
        #expect(bench.send("00") == packed("01 00 0000 06"))
        #expect(bench.send("bf00") == packed("01 bf 0000 06"))
        #expect(bench.send("92 0c00 00") == packed("01 92 0000 06"))
        #expect(bench.events.events.isEmpty)
    }

    @Test func everyRequestOfAWrongLengthIsAnInvalidPDU() throws {
        let bench = try SampleTable.bench()
        for opcode in ["02", "04", "06", "08", "0a", "0c", "0e", "10", "12", "16", "18", "20"] {
            #expect(bench.send(opcode) == packed("01" + opcode + "0000 04"))
        }
        #expect(bench.send("0a 0300 00") == packed("01 0a 0000 04"))
        // More than the ATT_MTU, though well formed.
        #expect(bench.send("12 0c00" + "00".times(21)) == packed("01 12 0000 04"))
        #expect(bench.send("52 0c00" + "00".times(21)) == "")
        #expect(bench.events.events.isEmpty)
        #expect(bench.send("12 0c00" + "00".times(20)) == "13")
    }

    @Test func slotsWithoutALinkAreSilent() throws {
        let bench = try SampleTable.bench()
        bench.close(slot: 1)
        for slot in [-1, 1, 2, Int.max] {
            bench.setSecurity(LinkSecurityLevel(isEncrypted: true), slot: slot)
            #expect(bench.send("0a 0300", slot: slot) == "")
            #expect(bench.mtu(slot: slot) == 23)
            bench.close(slot: slot)
        }
        bench.open(slot: 2)
        #expect(bench.send("0a 0300", slot: 2) == "")
    }

    @Test func valuesChangeAtRunTime() throws {
        let bench = try SampleTable.bench()
        func set(_ value: [UInt8], _ handle: UInt16) throws(AttributeValueError) {
            try bench.setValue(value, of: AttributeHandle(rawValue: handle))
        }
        try set(Array("gate 2".utf8), 3)
        #expect(bench.send("0a 0300", slot: 1) == "0b" + hex("gate 2".utf8))
        try set([], 3)
        #expect(bench.send("0a 0300") == "0b")
        #expect(throws: AttributeValueError.tooLong(maximum: 248)) { try set(Array(repeating: 0, count: 249), 3) }
        #expect(throws: AttributeValueError.notStatic) { try set([1], 0x0C) }
        #expect(throws: AttributeValueError.notStatic) { try set([1, 0], 0x0F) }
        #expect(throws: AttributeValueError.unknownHandle) { try set([1], 0) }
        #expect(bench.send("0a 0500") == packed("0b 0807"))
    }

    @Test func readsUseTheSameMemory() throws {
        let bench = try SampleTable.bench(mtu: 517)
        var response: [UInt8] = []
        func address() -> UInt { response.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }
        let pdu = octets("0a 1200")
        bench.receive(pdu, into: &response)
        let first = address()
        for _ in 0..<1_000 {
            response.removeAll(keepingCapacity: true)
            bench.receive(pdu, into: &response)
        }
        #expect(address() == first)
        #expect(response.count == 301)
    }

    @Test func responseIsAppended() throws {
        let bench = try SampleTable.bench()
        var response: [UInt8] = [0xAA, 0xBB]
        for pdu in ["0a 0300", "0e 0300 0c00"] { bench.receive(octets(pdu), into: &response) }
        #expect(hex(response) == packed("aabb 0b 646f6f72 01 0e 0c00 02"))
    }
}
