// SPDX-License-Identifier: Apache-2.0

import MatterTLV
import Testing
import Timekeeping

import MatterInteraction

@testable import MatterTestSupport

/// Messages of a hostile peer.
struct HostileTests {
    @Test(arguments: [0, 4, 5, 7, 9, 11, 200, 255] as [UInt8])
    func anUnexpectedOpcode(opcode: UInt8) {
        var bench = Bench()
        #expect(bench.send(opcode, "{0=0 255=12}") == refusal(0x80))
        #expect(bench.notices == [.rejected(opcode: opcode, session: 9, .invalidAction)])
    }

    @Test
    func aStatusWithoutAnExchange() {
        var bench = Bench()
        #expect(bench.status() == refusal(0x80))
    }

    @Test
    func aSecondRequestOnAnOpenExchange() {
        var bench = Bench()
        _ = bench.read(paths: "<>")
        #expect(bench.read(paths: "<>") == refusal(0x80))
        #expect(bench.status() == refusal(0x80))
    }

    @Test
    func anExchangeOfAnotherSession() {
        var bench = Bench()
        _ = bench.read(paths: "<>")
        #expect(bench.status(by: .peer(112_233, session: 10)) == refusal(0x80))
    }

    @Test(
        arguments: [
            [], [0x15], [0x18], [0x15, 0x18, 0x18], [0x15, 0x36, 0x00], [0xFF], [0x1F, 0x18],
            [0x15, 0x30, 0x00, 0xFF, 0x18], [0x15, 0x33, 0, 255, 255, 255, 255, 255, 255, 255, 255],
            [0x15, 0x28, 3, 0x28, 3, 0x18], [0x17, 0x28, 3, 0x18], [0x15, 0x2C, 0, 1, 0xFF, 0x28, 3, 0x18],
        ] as [[UInt8]])
    func octetsThatAreNoMessage(octets: [UInt8]) {
        for opcode in [1, 2, 3, 6, 8, 10] as [UInt8] {
            var bench = Bench()
            #expect(bench.send(opcode, octets: octets) == refusal(0x80))
        }
    }

    @Test
    func deepNesting() {
        var bench = Bench()
        let deep = [0x15, 0x36, 0] + [UInt8](repeating: 0x16, count: 1_200)
        #expect(bench.send(2, octets: deep) == refusal(0x80))
        let closed =
            [0x15, 0x36, 2, 0x15, 0x37, 1, 0x18, 0x36, 2] + [UInt8](repeating: 0x16, count: 13)
            + [UInt8](repeating: 0x18, count: 17)
        #expect(bench.send(6, octets: closed) == refusal(0x80))
    }

    @Test
    func aMessageThatIsTooLong() {
        var bench = Bench()
        let message = { "{3=false 9=\(SmallNode.octets($0)) 255=12}" }
        let room = InteractionLimits.largestRequest - Notation.octets(message(300)).count + 300
        #expect(bench.read(message(room)).first?.hasPrefix("report") == true)
        #expect(bench.read(message(room + 1)) == refusal(0x80))
    }

    /// As many of the shortest elements as a message holds.
    @Test
    func manyElements() {
        var bench = Bench()
        let many = { (opening: [UInt8], element: [UInt8]) in
            let count = (InteractionLimits.largestRequest - opening.count - 10) / element.count
            return opening + [[UInt8]](repeating: element, count: count).flatMap(\.self) + [0x18, 0x28, 3, 0x18]
        }
        #expect(bench.send(2, octets: many([0x15, 0x36, 0], [0x17, 0x18])) == refusal(0xC8))
        #expect(bench.send(2, octets: many([0x15, 0x36, 1], [0x17, 0x18])) == refusal(0xC8))
        #expect(bench.send(6, octets: many([0x15, 0x28, 1, 0x36, 2], [0x15, 0x18])) == refusal(0x80))
    }

    @Test
    func requestsThatStayOpen() {
        var bench = Bench()
        for exchange in 1...4 as ClosedRange<UInt32> {
            #expect(bench.read("{0=[<>] 3=false}", on: exchange).first?.hasSuffix("…") == true)
        }
        #expect(bench.read("{0=[<>] 3=false}", on: 5) == refusal(0x9C, on: 5))
        #expect(bench.send(10, "{0=60000}", on: 5) == refusal(0x9C, on: 5))
        #expect(bench.write("", more: true, on: 5) == refusal(0x9C, on: 5))
        #expect(bench.invoke("{0=<0=1 1=4294048768 2=3>}", on: 5) == refusal(0x9C, on: 5))
        #expect(bench.node.log.isEmpty)
        // Another session goes on.
        #expect(bench.read("{0=[<>] 3=false}", on: 6, by: .commissioner).first?.hasSuffix("…") == true)
        #expect(bench.pass(to: 30) == ["close 1", "close 2", "close 3", "close 4", "close 6"])
        #expect(bench.read("{0=[<>] 3=false}", on: 5).first?.hasSuffix("…") == true)
    }

    @Test
    func requestsThatStayOpenOnAllSessions() {
        var bench = Bench()
        // Reports that nobody answers are no requests: each subscription has its own.
        for exchange in 200..<203 as Range<UInt32> {
            _ = bench.send(3, "{0=true 1=0 2=10 3=[<>] 7=false}", on: exchange, by: .peer(112_233, session: 90))
        }
        #expect(bench.server.subscriptionCount == 3)
        for exchange in 0..<68 as Range<UInt32> {
            _ = bench.send(10, "{0=60000}", on: exchange, by: .peer(112_233, session: UInt16(exchange / 4)))
        }
        #expect(bench.server.transactionCount == InteractionLimits.transactions + 3)
        #expect(bench.send(10, "{0=60000}", on: 99, by: .peer(112_233, session: 99)) == refusal(0x9C, on: 99))
    }

    /// A model that becomes smaller between two messages of a report.
    @Test
    func endpointsThatDisappear() {
        var bench = Bench()
        _ = bench.read(paths: "<2=1> <2=0>")
        bench.node.endpoints.removeLast()
        var replies = bench.status()
        while replies.first?.hasSuffix("…") == true { replies = bench.status() }
        #expect(replies.first?.hasSuffix("4=true 255=12}") == true)
        bench.node.endpoints = []
        #expect(bench.read(paths: "<>") == ["report 1 {4=true 255=12}"])
    }

    /// Messages of a thousand exchanges leave nothing behind.
    @Test
    func nothingAccumulates() {
        var bench = Bench()
        for exchange in 0..<1_000 as Range<UInt32> {
            _ = bench.read(paths: "<>")
            _ = bench.send(3, "{0=false 1=0 2=10 3=[<>] 7=false}", on: exchange)
            _ = bench.send(UInt8(exchange & 15), octets: [0x15, UInt8(exchange & 0xFF)], on: exchange)
        }
        _ = bench.pass(to: 200)
        #expect(bench.server.transactionCount == 0 && bench.server.subscriptionCount == 0)
        #expect(bench.server.deadline == nil)
    }
}
