// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Testing
import Timekeeping

@testable import Phone

/// Core 5.4, Vol 3, Part G, 4.3 and 4.8 to 4.11.
@Suite struct ValueTests {
    // MARK: MTU (Part F, 3.4.2)

    @Test func theSmallerOfBothMTUsIsTaken() {
        for (own, server, agreed) in [(517, 247, 247), (100, 517, 100), (517, 23, 23), (517, 22, 23), (517, 0, 23)] {
            var bench = ClientBench(maximumMTU: own)
            bench.start(.exchangeMTU)
            bench.expect(
                [0x02, UInt8(own & 0xFF), UInt8(own >> 8)], answer: [0x03, UInt8(server & 0xFF), UInt8(server >> 8)])
            #expect(bench.results() == [.success(.mtu(agreed))])
            #expect(bench.client.mtu == agreed)
        }
    }

    @Test func theMTUIsExchangedOnceOnly() {
        var bench = ClientBench.with(mtu: 100)
        bench.start(.exchangeMTU)
        #expect(bench.results() == [.failure(.alreadyExchanged)])
        #expect(bench.sent().isEmpty && bench.client.mtu == 100)
    }

    @Test func aServerWithoutTheExchangeHasTheDefault() {
        var bench = ClientBench()
        bench.start(.exchangeMTU)
        bench.receive([0x01, 0x02, 0x00, 0x00, 0x06])
        #expect(bench.results() == [.success(.mtu(23))])
    }

    @Test func anMTUAnswerHasThreeOctets() {
        for pdu: [UInt8] in [[0x03], [0x03, 0x40], [0x03, 0x40, 0x00, 0x00]] {
            var bench = ClientBench()
            bench.start(.exchangeMTU)
            bench.receive(pdu)
            #expect(bench.results() == [.failure(.malformed(opcode: 0x03))])
            #expect(bench.client.mtu == 23)
        }
    }

    // MARK: Reading

    @Test func aLongValueIsReadPartByPart() {
        let value = (0..<50).map { UInt8($0) }
        var bench = ClientBench()
        bench.start(.readLong(handle(0x12)))
        bench.expect([0x0A, 0x12, 0x00], answer: [0x0B] + value[..<22])
        bench.expect([0x0C, 0x12, 0x00, 0x16, 0x00], answer: [0x0D] + value[22..<44])
        bench.expect([0x0C, 0x12, 0x00, 0x2C, 0x00], answer: [0x0D] + value[44...])
        #expect(bench.results() == [.success(.value(value))])
    }

    /// 4.8.3: reading a value that fills its responses exactly ends with an empty part, Invalid Offset or Attribute
    /// Not Long.
    @Test func aValueThatFillsItsAnswersExactlyEnds() {
        let value = [UInt8](repeating: 7, count: 22)
        for end: [UInt8] in [[0x0D], [0x01, 0x0C, 0x12, 0x00, 0x07], [0x01, 0x0C, 0x12, 0x00, 0x0B]] {
            var bench = ClientBench()
            bench.start(.readLong(handle(0x12)))
            bench.receive([0x0B] + value)
            _ = bench.sent()
            bench.receive(end)
            #expect(bench.results() == [.success(.value(value))])
        }
        // Before any part was read, these errors are ordinary failures.
        for code: UInt8 in [0x07, 0x0B, 0x02] {
            var bench = ClientBench()
            bench.start(.readLong(handle(0x12)))
            bench.receive([0x01, 0x0A, 0x12, 0x00, code])
            #expect(bench.results() == [.failure(.refused(handle: handle(0x12), code: code))])
        }
    }

    @Test func noValueIsLongerThanAnAttributeCanBe() {
        var bench = ClientBench.with(mtu: 257)
        bench.start(.readLong(handle(1)))
        bench.receive([0x0B] + [UInt8](repeating: 1, count: 256))
        bench.receive([0x0D] + [UInt8](repeating: 2, count: 256))
        // 512 octets are the maximum, and no further part is requested.
        #expect(
            bench.results() == [
                .success(.value([UInt8](repeating: 1, count: 256) + [UInt8](repeating: 2, count: 256)))
            ])
        #expect(bench.sent().last == [0x0C, 0x01, 0x00, 0x00, 0x01])

        bench = ClientBench.with(mtu: 260)
        bench.start(.readLong(handle(1)))
        bench.receive([0x0B] + [UInt8](repeating: 1, count: 259))
        bench.receive([0x0D] + [UInt8](repeating: 2, count: 259))
        #expect(bench.results() == [.failure(.valueTooLong(count: 518, limit: 512))])
    }

    @Test func anAnswerLongerThanTheMTUIsMalformed() {
        var bench = ClientBench()
        bench.start(.read(handle(1)))
        bench.receive([0x0B] + [UInt8](repeating: 1, count: 22))
        #expect(bench.results() == [.success(.value([UInt8](repeating: 1, count: 22)))])
        bench.start(.read(handle(1)))
        bench.receive([0x0B] + [UInt8](repeating: 1, count: 23))
        #expect(bench.results() == [.failure(.malformed(opcode: 0x0B))])
    }

    // MARK: Writing

    @Test func aValueHasToFitItsRequest() {
        let longest = [UInt8](repeating: 9, count: 20)
        var bench = ClientBench()
        bench.start(.write(handle(5), longest))
        bench.expect([0x12, 0x05, 0x00] + longest, answer: [0x13])
        #expect(bench.results() == [.success(.written)])
        bench.start(.writeCommand(handle(5), longest))
        #expect(bench.sent() == [[0x52, 0x05, 0x00] + longest])
        #expect(bench.results() == [.success(.sent)])
        bench.start(.write(handle(5), longest + [9]))
        bench.start(.writeCommand(handle(5), longest + [9]))
        #expect(
            bench.results() == [
                .failure(.valueTooLong(count: 21, limit: 20)), .failure(.valueTooLong(count: 21, limit: 20)),
            ])
        #expect(bench.sent().isEmpty)
        // The room is determined at the time of sending: after the pending MTU exchange, more fits.
        bench.start(.exchangeMTU)
        bench.start(.write(handle(5), longest + [9]))
        bench.receive([0x03, 0x64, 0x00])
        #expect(bench.sent().last == [0x12, 0x05, 0x00] + longest + [9])
    }

    @Test func aWriteResponseHasOneOctet() {
        var bench = ClientBench()
        bench.start(.write(handle(5), [1]))
        bench.receive([0x13, 0x00])
        #expect(bench.results() == [.failure(.malformed(opcode: 0x13))])
    }

    /// 4.10.1 and 4.11.1, Part G, 3.3.3.3.
    @Test func subscribingWritesTheConfiguration() {
        let table: [(ClientConfiguration, UInt8)] = [
            (.notification, 0x01), (.indication, 0x02), ([.notification, .indication], 0x03), ([], 0x00),
        ]
        for (configuration, octet) in table {
            var bench = ClientBench()
            bench.start(.subscribe(descriptor: handle(0x15), configuration))
            bench.expect([0x12, 0x15, 0x00, octet, 0x00], answer: [0x13])
            #expect(bench.results() == [.success(.written)])
        }
    }

    @Test func handleZeroIsRefusedHere() {
        let zero = handle(0)
        let operations: [GATTOperation] = [
            .read(zero), .readLong(zero), .write(zero, []), .writeCommand(zero, []),
            .subscribe(descriptor: zero, .notification), .discoverCharacteristics(in: zero...handle(5)),
            .discoverDescriptors(in: zero...zero),
        ]
        for operation in operations {
            var bench = ClientBench()
            bench.start(operation)
            #expect(bench.results() == [.failure(.invalidHandle)])
            #expect(bench.sent().isEmpty)
        }
    }

    // MARK: Values that the server sends

    @Test func notificationsAreTold() {
        var bench = ClientBench()
        bench.start(.read(handle(1)))
        _ = bench.sent()
        bench.receive([0x1B, 0x12, 0x00, 0xCA, 0xFE])
        bench.receive([0x1B, 0x12, 0x00])
        #expect(
            bench.events() == [.notification(handle(0x12), [0xCA, 0xFE]), .notification(handle(0x12), [])])
        #expect(bench.sent().isEmpty && bench.client.isBusy)
    }

    /// Part F, 3.4.7.2 and 3.4.7.3: indications are confirmed at once, also while a request is outstanding.
    @Test func indicationsAreToldAndConfirmed() {
        var bench = ClientBench()
        bench.start(.read(handle(1)))
        _ = bench.sent()
        bench.receive([0x1D, 0x12, 0x00, 0x01])
        #expect(bench.events() == [.indication(handle(0x12), [0x01])])
        #expect(bench.sent() == [[0x1E]])
    }

    @Test func valuesThatAreMalformedAreIgnored() {
        var bench = ClientBench()
        for opcode: UInt8 in [0x1B, 0x1D] {
            for pdu in [
                [opcode], [opcode, 0x12], [opcode, 0, 0, 1], [opcode, 1, 0] + [UInt8](repeating: 0, count: 21),
            ] {
                bench.receive(pdu)
            }
        }
        #expect(bench.events().isEmpty && bench.sent().isEmpty)
    }
}
