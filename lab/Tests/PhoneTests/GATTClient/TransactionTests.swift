// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral
import TestSupport
import Testing
import Timekeeping

@testable import Phone

/// Core 5.4, Vol 3, Part F, 3.3: requests, responses and their order.
@Suite struct TransactionTests {
    @Test func oneRequestIsOutstandingAtATime() {
        var bench = ClientBench()
        let first = bench.start(.read(handle(3)))
        let second = bench.start(.read(handle(4)))
        #expect(bench.sent() == [[0x0A, 0x03, 0x00]])
        bench.receive([0x0B, 0xAA])
        #expect(bench.events() == [.completed(first, .success(.value([0xAA])))])
        #expect(bench.sent() == [[0x0A, 0x04, 0x00]])
        #expect(bench.client.isBusy)
        bench.receive([0x0B])
        #expect(bench.events() == [.completed(second, .success(.value([])))])
        #expect(bench.sent().isEmpty && !bench.client.isBusy && bench.client.deadline == nil)
    }

    @Test func aCommandWaitsForItsTurnButForNoAnswer() {
        var bench = ClientBench()
        let write = bench.start(.write(handle(5), [1]))
        let command = bench.start(.writeCommand(handle(6), [2, 3]))
        let read = bench.start(.read(handle(7)))
        #expect(bench.sent() == [[0x12, 0x05, 0x00, 0x01]])
        bench.receive([0x13])
        #expect(bench.sent() == [[0x52, 0x06, 0x00, 0x02, 0x03], [0x0A, 0x07, 0x00]])
        #expect(bench.events() == [.completed(write, .success(.written)), .completed(command, .success(.sent))])
        bench.receive([0x01, 0x0A, 0x07, 0x00, 0x02])
        #expect(bench.events() == [.completed(read, .failure(.refused(handle: handle(7), code: 0x02)))])
    }

    @Test func noMoreWaitThanThereIsRoomFor() {
        var bench = ClientBench()
        for _ in 0...GATTClient.maximumWaitingCount { bench.start(.read(handle(1))) }
        #expect(bench.events().isEmpty)
        let last = bench.start(.read(handle(1)))
        #expect(bench.events() == [.completed(last, .failure(.tooManyWaiting))])
    }

    // MARK: Time (3.3.3)

    @Test func aRequestThatIsNotAnsweredEndsTheClient() {
        var bench = ClientBench()
        let first = bench.start(.read(handle(3)))
        let second = bench.start(.write(handle(4), []))
        #expect(bench.client.deadline == .origin + .seconds(30))
        bench.client.timePassed(.origin + .milliseconds(29_999))
        #expect(bench.events().isEmpty)
        bench.now = .origin + .seconds(30)
        bench.client.timePassed(bench.now)
        #expect(
            bench.events() == [
                .completed(first, .failure(.timedOut)), .completed(second, .failure(.timedOut)),
            ])
        // No further PDU is sent or accepted on this bearer.
        #expect(bench.sent().isEmpty && bench.client.deadline == nil)
        bench.receive([0x0B, 0xAA])
        bench.receive([0x1D, 0x03, 0x00, 0x01])
        let third = bench.start(.read(handle(5)))
        #expect(bench.events() == [.completed(third, .failure(.timedOut))])
        #expect(bench.sent().isEmpty)
    }

    @Test func anAnswerThatComesTooLateIsNotTaken() {
        var bench = ClientBench()
        let first = bench.start(.read(handle(3)))
        bench.now = .origin + .seconds(30)
        bench.receive([0x0B, 0xAA])
        #expect(bench.events() == [.completed(first, .failure(.timedOut))])
    }

    @Test func everyRequestHasItsOwnTime() {
        var bench = ClientBench()
        bench.start(.discoverServices)
        bench.now = .origin + .seconds(29)
        bench.receive([0x11, 0x06, 0x01, 0x00, 0x05, 0x00, 0x00, 0x18])
        #expect(bench.client.deadline == .origin + .seconds(59))
        bench.client.timePassed(.origin + .seconds(58))
        #expect(bench.client.isBusy)
    }

    @Test func aLostLinkEndsEverything() {
        var bench = ClientBench()
        let first = bench.start(.read(handle(3)))
        let second = bench.start(.read(handle(4)))
        bench.client.linkLost()
        bench.client.linkLost()
        #expect(
            bench.events() == [.completed(first, .failure(.linkLost)), .completed(second, .failure(.linkLost))])
        #expect(bench.sent().isEmpty)
    }

    // MARK: A server that is not to be trusted

    @Test func anAnswerToSomethingElseEndsTheClient() {
        var bench = ClientBench()
        let first = bench.start(.read(handle(3)))
        let second = bench.start(.read(handle(4)))
        bench.receive([0x13])
        #expect(
            bench.events() == [
                .completed(first, .failure(.outOfStep(opcode: 0x13))),
                .completed(second, .failure(.outOfStep(opcode: 0x13))),
            ])
    }

    @Test func whatWasNotAskedForIsIgnored() {
        var bench = ClientBench()
        let unasked: [[UInt8]] = [
            [], [0x0B, 0x01], [0x13], [0x01, 0x0A, 0x03, 0x00, 0x02], [0x01], [0x1E], [0x52, 0x03, 0x00], [0xD2, 0x01],
            [0x23, 0x03, 0x00, 0x01, 0x00, 0xFF],
        ]
        for pdu in unasked { bench.receive(pdu) }
        #expect(bench.events().isEmpty && bench.sent().isEmpty)

        // Also while a request is outstanding, unless the PDU may be the response.
        let read = bench.start(.read(handle(3)))
        #expect(bench.sent() == [[0x0A, 0x03, 0x00]])
        for pdu: [UInt8] in [[], [0x01], [0x01, 0x52, 0x06, 0x00, 0x03], [0x01, 0x12, 0x03, 0x00, 0x02], [0x1E]] {
            bench.receive(pdu)
        }
        #expect(bench.events().isEmpty && bench.sent().isEmpty)
        bench.receive([0x0B, 0x09])
        #expect(bench.events() == [.completed(read, .success(.value([0x09])))])
    }

    /// There is no server on this side: Request Not Supported (3.4.1.1).
    @Test func requestsOfTheServerAreRefused() {
        var bench = ClientBench()
        for opcode: UInt8 in [0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x10, 0x12, 0x16, 0x18, 0x20, 0x24] {
            bench.receive([opcode, 0x01, 0x00])
            #expect(bench.sent() == [[0x01, opcode, 0x00, 0x00, 0x06]])
        }
    }

    @Test func errorResponsesHaveFiveOctets() {
        let whole: [UInt8] = [0x01, 0x0A, 0x03, 0x00, 0x05]
        for count in 2..<whole.count {
            var bench = ClientBench()
            bench.start(.read(handle(3)))
            bench.receive(Array(whole.prefix(count)))
            #expect(bench.results() == [.failure(.malformed(opcode: 0x01))])
        }
        var bench = ClientBench()
        bench.start(.read(handle(3)))
        bench.receive(whole + [0])
        #expect(bench.results() == [.failure(.malformed(opcode: 0x01))])
    }

    /// Whatever a server sends, the client neither traps nor sends without end, and each operation ends exactly once.
    @Test func noServerUpsetsTheClient() {
        var generator = SplitMix64(seed: 7)
        func random(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
        let operations: [GATTOperation] = [
            .exchangeMTU, .discoverServices, .discoverServicesByUUID(BluetoothUUID(0xFCBA)),
            .discoverCharacteristics(in: handles(1, 0xFFFF)), .discoverDescriptors(in: handles(3, 9)),
            .read(handle(1)), .readLong(handle(2)), .write(handle(3), [1]), .writeCommand(handle(4), []),
            .subscribe(descriptor: handle(5), .notification),
        ]
        let answers: [UInt8] = [0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x11, 0x13, 0x1B, 0x1D]
        for _ in 0..<300 {
            var bench = ClientBench()
            var open: Set<GATTOperationID> = []
            for _ in 0..<40 {
                if random(3) == 0 { open.insert(bench.start(operations[random(operations.count)])) }
                let request = bench.sent().last
                // Mostly the expected response, so that the code behind its opcode is reached.
                let opcode = random(4) == 0 ? answers[random(answers.count)] : (request?.first ?? 0x0A) + 1
                var pdu = [opcode] + (0..<random(24)).map { _ in UInt8(random(8) == 0 ? random(256) : random(8)) }
                if pdu.count > 1, opcode == 0x11 { pdu[1] = 6 }
                bench.receive(pdu)
                for event in bench.events() {
                    if case .completed(let id, _) = event, open.remove(id) == nil { Issue.record("\(id) ended twice") }
                }
            }
            bench.client.linkLost()
            for event in bench.events() {
                if case .completed(let id, _) = event { open.remove(id) }
            }
            #expect(open.isEmpty)
        }
    }
}
