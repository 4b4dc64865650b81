// SPDX-License-Identifier: Apache-2.0

import MatterTLV
import Testing

import MatterInteraction

/// Commands and timed interactions (facts, section 11).
struct InvokeTests {
    private let path = "0=1 1=4294048768"

    /// full-lock.txt at 6.677 has such a response.
    @Test
    func aResponseCommand() {
        var bench = Bench()
        #expect(
            bench.invoke("{0=<\(path) 2=1> 1={0=60 1=3}}") == [
                #"invoked 1 {0=false 1=[{0={0=<\#(path) 2=9> 1={0=0 1=""}}}] 255=12}"#
            ])
        #expect(
            bench.invoke("{0=<\(path) 2=1> 2=5}") == [
                #"invoked 1 {0=false 1=[{0={0=<\#(path) 2=9> 1={0=0 1=""} 2=5}}] 255=12}"#
            ])
    }

    @Test(
        arguments: [
            ("0=9 1=6 2=1", "0=127"), ("0=1 1=6 2=1", "0=195"), ("0=1 1=4294048768 2=2", "0=129"),
            ("0=1 1=4294048768 2=0", "0=0"), ("0=1 1=4294048768 2=6", "0=1 1=4"), ("0=1 1=257 2=0", "0=198"),
            ("0=1 1=4294048768 2=5", "0=137"), ("0=1 1=4294048768 2=7", "0=1"),
        ])
    func aStatus(path: String, status: String) {
        var bench = Bench()
        #expect(
            bench.invoke("{0=<\(path)> 1={}}") == ["invoked 1 {0=false 1=[{1={0=<\(path)> 1={\(status)}}}] 255=12}"])
        #expect(bench.server.transactionCount == 0)
    }

    /// The transcript names a command that the model never sees.
    @Test
    func aRefusalIsTold() {
        var bench = Bench()
        _ = bench.invoke("{0=<0=1 1=257 2=0> 1={}}")
        #expect(
            bench.notices == [
                .commandRefused(CommandPath(1, 257, 0), session: 9, StatusInformation(.needsTimedInteraction))
            ])
        _ = bench.invoke("{0=<\(path) 2=4>}")
        #expect(bench.notices.count == 1)
    }

    @Test
    func accessFabricAndFields() {
        var bench = Bench()
        let status = { (command: Int, status: Int) in
            "invoked 1 {0=false 1=[{1={0=<\(path) 2=\(command)> 1={0=\(status)}}}] 255=12}"
        }
        #expect(bench.invoke("{0=<\(path) 2=0> 1={}}", by: .peer(5)) == [status(0, 0x7E)])
        #expect(bench.invoke("{0=<\(path) 2=4>}", by: .commissioner) == [status(4, 0x7E)])
        #expect(bench.invoke("{0=<\(path) 2=4>}") == [status(4, 0)])
        #expect(bench.invoke("{0=<\(path) 2=0> 1=[]}") == [status(0, 0x85)])
        #expect(bench.node.log == ["invoke 4"])
    }

    @Test
    func anOutcomeThatComesLater() {
        var bench = Bench()
        #expect(bench.invoke("{0=<\(path) 2=3> 1={} 2=8}", on: 4) == [])
        let ticket = bench.node.tickets[0]
        #expect(bench.perform { $0.complete(ticket, with: .later(ticket), effects: &$1) } == [])
        #expect(
            bench.perform { $0.complete(ticket, with: .status(.success), effects: &$1) } == [
                "invoked 4 {0=false 1=[{1={0=<\(path) 2=3> 1={0=0} 2=8}}] 255=12}"
            ])
        #expect(bench.perform { $0.complete(ticket, with: .status(.success), effects: &$1) } == [])
    }

    @Test
    func anOutcomeThatNeverComes() {
        var bench = Bench()
        _ = bench.invoke("{0=<\(path) 2=3> 1={}}")
        #expect(bench.pass(to: 120) == ["invoked 1 {0=false 1=[{1={0=<\(path) 2=3> 1={0=1}}}] 255=12}"])
        #expect(bench.server.transactionCount == 0)
    }

    @Test
    func anOutcomeAfterTheEndOfTheSession() {
        var bench = Bench()
        _ = bench.invoke("{0=<\(path) 2=3> 1={}}")
        #expect(bench.perform { $0.sessionEnded(9, effects: &$1) } == [])
        let ticket = bench.node.tickets[0]
        #expect(bench.perform { $0.complete(ticket, with: .status(.success), effects: &$1) } == [])
    }

    @Test
    func aSuppressedResponse() {
        var bench = Bench()
        #expect(bench.send(8, "{0=true 1=false 2=[{0=<\(path) 2=0> 1={}}] 255=12}") == ["close 1"])
        #expect(bench.node.log == ["invoke 0"])
    }

    @Test(
        arguments: [
            "{0=false 1=false 2=[] 255=12}", "{0=false 1=false 255=12}", "{1=false 2=[{0=<0=1 1=6 2=1>}] 255=12}",
            "{0=false 1=false 2=[{0=<1=4294048768 2=0>}] 255=12}", "{0=false 1=false 2=[{0=<0=1 2=0>}] 255=12}",
            "{0=false 1=false 2=[{0=<0=1 1=4294048768>}] 255=12}", "{0=false 1=false 2=[{1={}}] 255=12}",
            // More than MaxPathsPerInvoke.
            "{0=false 1=false 2=[{0=<0=1 1=4294048768 2=0> 2=1} {0=<0=1 1=4294048768 2=1> 2=2}] 255=12}",
        ])
    func anInvalidAction(message: String) {
        var bench = Bench()
        #expect(bench.send(8, message) == refusal(0x80))
        #expect(bench.node.log.isEmpty)
    }

    /// full-lock.txt at 7.228.
    @Test
    func aTimedCommand() {
        var bench = Bench()
        #expect(bench.send(10, "{0=1000 255=12}") == ["status 1 {0=0 255=12} …"])
        _ = bench.pass(to: 1)
        #expect(
            bench.invoke("{0=<0=1 1=257 2=1> 1={}}", timed: true) == [
                "invoked 1 {0=false 1=[{1={0=<0=1 1=257 2=1> 1={0=0}}}] 255=12}"
            ])
        #expect(bench.node.log == ["invoke 1 timed"])
        #expect(bench.server.transactionCount == 0)
    }

    @Test
    func aTimedWrite() {
        var bench = Bench()
        _ = bench.send(10, "{0=1000 255=12}")
        let written = "written 1 {0=[{0=<2=1 3=4294048768 4=1> 1={0=0}}] 255=12}"
        #expect(bench.write("{1=<2=1 3=4294048768 4=1> 2=5}", timed: true, more: true) == ["\(written) …"])
        #expect(bench.write("{1=<2=1 3=4294048768 4=1> 2=6}", timed: true) == [written])
        _ = bench.send(10, "{0=1000 255=12}")
        _ = bench.write("{1=<2=1 3=4294048768 4=1> 2=5}", timed: true, more: true)
        #expect(bench.write("{1=<2=1 3=4294048768 4=1> 2=6}") == refusal(0xC9))
    }

    @Test
    func aLateCommandIsNotPerformed() {
        var bench = Bench()
        _ = bench.send(10, "{0=1000 255=12}")
        _ = bench.pass(to: 1.001)
        #expect(bench.invoke("{0=<0=1 1=257 2=1> 1={}}", timed: true) == refusal(0x94))
        #expect(bench.node.log.isEmpty)
    }

    /// The time begins with the arrival (8.7.3.2): in a process that was stopped, an old command is not performed,
    /// also if it was sent together with its TimedRequest.
    @Test
    func aTimedRequestThatHasWaited() {
        var bench = Bench()
        #expect(bench.send(10, "{0=1000 255=12}", age: .seconds(10)) == refusal(0x94))
        #expect(bench.send(8, "{0=false 1=true 2=[{0=<0=1 1=257 2=1> 1={}}] 255=12}") == refusal(0xC9))
        #expect(bench.send(10, "{0=1000 255=12}", age: .seconds(1)) == refusal(0x94))
        #expect(bench.send(10, "{0=1000 255=12}", age: .milliseconds(200)) == ["status 1 {0=0 255=12} …"])
        _ = bench.pass(to: 0.801)
        #expect(bench.invoke("{0=<0=1 1=257 2=1> 1={}}", timed: true) == refusal(0x94))
        #expect(bench.node.log.isEmpty)
    }

    @Test
    func aTimedInteractionThatStaysAlone() {
        var bench = Bench()
        _ = bench.send(10, "{0=1000 255=12}")
        #expect(bench.pass(to: 11) == ["close 1"])
        #expect(bench.server.transactionCount == 0)
    }

    @Test
    func theFieldAndTheExchangeMustAgree() {
        var bench = Bench()
        #expect(bench.invoke("{0=<0=1 1=257 2=1> 1={}}", timed: true) == refusal(0xC9))
        #expect(bench.write("{1=<2=1 3=4294048768 4=1> 2=5}", timed: true) == refusal(0xC9))
        _ = bench.send(10, "{0=1000 255=12}")
        #expect(bench.invoke("{0=<0=1 1=257 2=1> 1={}}", timed: false) == refusal(0xC9))
        #expect(bench.server.transactionCount == 0)
        #expect(bench.node.log.isEmpty)
    }

    @Test(arguments: ["{255=12}", "{0=65536 255=12}", "{0=true 255=12}", "[]"])
    func aMalformedTimedRequest(message: String) {
        var bench = Bench()
        #expect(bench.send(10, message) == refusal(0x80))
    }

    @Test
    func nothingButAWriteOrCommandFollowsATimedRequest() {
        for opcode in [UInt8(1), 2, 3, 5, 10] {
            var bench = Bench()
            _ = bench.send(10, "{0=1000 255=12}")
            #expect(bench.send(opcode, "{0=1000 3=false 255=12}") == refusal(0x80))
            #expect(bench.server.transactionCount == 0)
        }
    }
}
