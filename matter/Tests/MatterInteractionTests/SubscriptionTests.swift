// SPDX-License-Identifier: Apache-2.0

import MatterTLV
import Testing
import Timekeeping

import MatterInteraction

/// Subscriptions (facts, section 11; second sheet, section 7).
struct SubscriptionTests {
    private let lockState = "{0=true 1=0 2=10 3=[<2=1 3=257 4=0>] 7=false 255=12}"
    private func report(_ state: Int, _ version: Int, on exchange: Int = 5, id: Int = 256) -> [String] {
        ["report \(exchange) {0=\(id) 1=[{1={0=\(version) 1=<2=1 3=257 4=0> 2=\(state)}}] 4=false 255=12} …"]
    }

    /// The order of full-lock.txt at 7.168: report, status, SubscribeResponse.
    @Test
    func priming() {
        var bench = Bench()
        #expect(bench.send(3, lockState) == report(1, 7, on: 1))
        #expect(bench.status() == ["subscribed 1 {0=256 2=10 255=12}"])
        #expect(bench.notices == [.subscribed(subscription: 256, session: 9, maximumInterval: 10)])
        #expect(bench.server.transactionCount == 0)
    }

    /// Each message of the first report is answered; none has suppressResponse.
    @Test
    func primingInSeveralMessages() {
        var bench = Bench()
        var replies = bench.send(3, "{0=false 1=0 2=10 3=[<>] 4=[<4=true>] 7=true 255=12}")
        var count = 0
        while replies.first?.hasPrefix("report") == true {
            count += 1
            #expect(replies.first?.hasPrefix("report 1 {0=256 1=[") == true)
            #expect(replies.first?.hasSuffix("4=false 255=12} …") == true)
            replies = bench.status()
        }
        #expect(count > 3)
        #expect(replies == ["subscribed 1 {0=256 2=10 255=12}"])
    }

    @Test
    func dataThatThePeerKnows() {
        var bench = Bench()
        let request =
            "{0=true 1=0 2=10 3=[<2=1 3=257>] 7=false 8=[{0=<1=1 2=257> 1=7}] 255=12}"
        #expect(bench.send(3, request) == ["report 1 {0=256 4=false 255=12} …"])
        #expect(bench.status() == ["subscribed 1 {0=256 2=10 255=12}"])
    }

    @Test
    func aChangeIsReportedAtOnceWithoutMinimumInterval() {
        var bench = Bench.subscribed(lockState)
        bench.setLock(2)
        #expect(bench.pass(to: 0) == ["open 9 256"])
        #expect(bench.open(256, exchange: 5) == report(2, 8))
        #expect(bench.status(on: 5) == ["close 5"])
        #expect(bench.server.transactionCount == 0)
    }

    @Test
    func changesWaitForTheMinimumIntervalAndAreOneReport() {
        var bench = Bench.subscribed("{0=true 1=3 2=10 3=[<2=1>] 7=false 255=12}")
        bench.setLock(2)
        #expect(bench.pass(to: 2.9) == [])
        bench.setLock(0)
        bench.server.changed(AttributePath(1, SmallNode.special, 0))
        bench.server.changed(AttributePath(0, 0x30, 0))
        #expect(bench.pass(to: 3) == ["open 9 256"])
        #expect(
            bench.open(256, exchange: 5) == [
                "report 5 {0=256 1=[{1={0=9 1=<2=1 3=257 4=0> 2=0}} {1={0=7 1=<2=1 3=4294048768 4=0> 2=10}}] "
                    + "4=false 255=12} …"
            ])
        // A change during the report is the next one.
        bench.setLock(1)
        #expect(bench.status(on: 5) == ["close 5"])
        #expect(bench.pass(to: 5.9) == [])
        #expect(bench.pass(to: 6) == ["open 9 256"])
        #expect(bench.open(256, exchange: 6) == report(1, 10, on: 6))
    }

    /// At 0.8 of the maximum interval, an empty report, for three intervals and more.
    @Test
    func keepAlives() {
        var bench = Bench.subscribed("{0=true 1=0 2=10 3=[<2=1 3=257 4=0>] 7=false 255=12}")
        for number in 1...4 {
            let due = 8 * Double(number)
            #expect(bench.pass(to: due - 0.001) == [])
            #expect(bench.pass(to: due) == ["open 9 256"])
            #expect(bench.open(256, exchange: 5) == ["report 5 {0=256 4=false 255=12} …"])
            #expect(bench.status(on: 5) == ["close 5"])
        }
        #expect(bench.server.subscriptionCount == 1)
    }

    @Test
    func aMinimumIntervalAboveTheKeepAlive() {
        var bench = Bench.subscribed("{0=true 1=10 2=10 3=[<2=1 3=257 4=0>] 7=false 255=12}")
        #expect(bench.pass(to: 9.9) == [])
        #expect(bench.pass(to: 10) == ["open 9 256"])
    }

    @Test
    func aCeilingOfZeroIsRaised() {
        var bench = Bench()
        _ = bench.send(3, lockState.replacing("2=10", with: "2=0"))
        #expect(bench.status() == ["subscribed 1 {0=256 2=2 255=12}"])
    }

    @Test
    func whatIsOmittedIsNotReported() {
        var bench = Bench.subscribed("{0=true 1=0 2=10 3=[<2=1 6=32>] 7=false 255=12}")
        bench.server.changed(AttributePath(1, SmallNode.special, 0))
        bench.setLock(2)
        _ = bench.pass(to: 0)
        #expect(bench.open(256, exchange: 5) == report(2, 8))
    }

    @Test
    func aChangeThatThePeerMayNoLongerReadIsNotReported() {
        var bench = Bench.subscribed(lockState)
        bench.setLock(2)
        bench.node.accessEntries = []
        _ = bench.pass(to: 0)
        #expect(bench.open(256, exchange: 5) == ["report 5 {0=256 4=false 255=12} …"])
    }

    /// full-lock.txt at 21.335.
    @Test
    func aPeerThatDoesNotKnowTheSubscription() {
        var bench = Bench.subscribed(lockState)
        bench.setLock(2)
        _ = bench.pass(to: 0)
        _ = bench.open(256, exchange: 5)
        #expect(bench.status(125, on: 5) == ["close 5"])
        #expect(bench.notices.last == .unsubscribed(subscription: 256, .refused(.invalidSubscription)))
        #expect(bench.server.subscriptionCount == 0 && bench.server.deadline == nil)
    }

    @Test
    func aPeerThatDoesNotAnswer() {
        var bench = Bench.subscribed(lockState)
        bench.setLock(2)
        _ = bench.pass(to: 0)
        _ = bench.open(256, exchange: 5)
        #expect(bench.pass(to: 30) == ["close 5", "suspect 9"])
        #expect(bench.server.subscriptionCount == 0)
    }

    @Test
    func aPeerThatDoesNotAcknowledge() {
        var bench = Bench.subscribed(lockState)
        bench.setLock(2)
        _ = bench.pass(to: 0)
        _ = bench.open(256, exchange: 5)
        #expect(bench.perform { $0.exchangeFailed(5, effects: &$1) } == ["suspect 9"])
        #expect(bench.notices.last == .unsubscribed(subscription: 256, .unanswered))
        #expect(bench.perform { $0.exchangeFailed(5, effects: &$1) } == [])
    }

    @Test
    func aSessionWithoutAnExchange() {
        var bench = Bench.subscribed(lockState)
        bench.setLock(2)
        _ = bench.pass(to: 0)
        #expect(bench.open(256, exchange: nil) == [])
        #expect(bench.server.subscriptionCount == 0)
        #expect(bench.open(256, exchange: 6) == ["close 6"], "an exchange that comes too late")
    }

    @Test
    func aPrimingThatIsRefusedOrSilent() {
        var bench = Bench()
        _ = bench.send(3, lockState)
        #expect(bench.status(1) == ["close 1"])
        _ = bench.send(3, lockState)
        #expect(bench.send(2, "{3=false}") == refusal(0x80))
        _ = bench.send(3, lockState)
        _ = bench.pass(to: 30)
        #expect(bench.server.subscriptionCount == 0 && bench.server.transactionCount == 0)
    }

    @Test
    func subscriptionsOfThePeerAreReplacedUnlessKept() {
        var bench = Bench.subscribed(lockState)
        bench.subscribe(lockState, by: .peer(112_233, session: 10))
        #expect(bench.server.subscriptionCount == 2)
        bench.node.accessEntries.append(
            AccessControlEntry(fabric: 1, privilege: .view, authenticationMode: .case, subjects: [5], targets: nil))
        bench.subscribe(lockState, by: .peer(5))
        bench.subscribe(lockState.replacing("0=true", with: "0=false"), by: .peer(112_233, session: 11))
        #expect(bench.notices.filter { $0 == .unsubscribed(subscription: 256, .replaced) }.count == 1)
        #expect(bench.notices.filter { $0 == .unsubscribed(subscription: 257, .replaced) }.count == 1)
        #expect(bench.server.subscriptionCount == 2)
    }

    @Test
    func theEndOfSessionAndFabric() {
        var bench = Bench.subscribed(lockState)
        bench.subscribe(lockState, by: .peer(112_233, session: 10))
        bench.setLock(2)
        _ = bench.pass(to: 0)
        _ = bench.open(256, exchange: 5)
        #expect(bench.perform { $0.sessionEnded(9, effects: &$1) } == [])
        #expect(bench.server.subscriptionCount == 1 && bench.server.transactionCount == 0)
        _ = bench.open(257, exchange: 6)
        #expect(bench.perform { $0.fabricRemoved(1, effects: &$1) } == ["close 6"])
        #expect(bench.server.subscriptionCount == 0)
        #expect(
            bench.notices.suffix(2) == [
                .unsubscribed(subscription: 256, .sessionEnded), .unsubscribed(subscription: 257, .fabricRemoved),
            ])
    }

    /// Four for each of five fabrics, whatever the others do.
    @Test
    func limits() {
        var bench = Bench()
        for fabric in [1, 2, 3, 4, 5] as [FabricIndex] {
            bench.node.accessEntries.append(
                AccessControlEntry(
                    fabric: fabric, privilege: .view, authenticationMode: .case, subjects: nil, targets: nil))
            let accessor = Accessor.peer(5, fabric: fabric, session: UInt16(fabric.rawValue))
            for _ in 0..<4 { bench.subscribe(lockState, by: accessor) }
            #expect(bench.send(3, lockState, by: accessor) == refusal(0x89))
            // Another node of the fabric replaces nothing by its request.
            let request = lockState.replacing("0=true", with: "0=false")
            #expect(bench.send(3, request, by: .peer(6, fabric: fabric, session: 99)) == refusal(0x89))
        }
        #expect(bench.server.subscriptionCount == 20)
        bench.subscribe(lockState, by: .commissioner)
        #expect(bench.server.subscriptionCount == 21)
        let path = "<2=1 3=257 4=0>"
        let paths = [String](repeating: path, count: 33).joined(separator: " ")
        #expect(bench.send(3, "{0=true 1=0 2=10 3=[\(paths)] 7=false 255=12}") == refusal(0xC8))
    }

    @Test(
        arguments: [
            // The minimum above the maximum; no path; nothing that exists or may be read.
            "{0=true 1=11 2=10 3=[<>] 7=false 255=12}", "{0=true 1=0 2=10 7=false 255=12}",
            "{0=true 1=0 2=10 3=[] 4=[] 7=false 255=12}", "{0=true 1=0 2=10 3=[<2=9>] 7=false 255=12}",
            "{0=true 1=0 2=10 4=[<1=0 2=40 3=7>] 7=false 255=12}",
            "{1=0 2=10 3=[<>] 7=false 255=12}", "{0=true 2=10 3=[<>] 7=false 255=12}",
            "{0=true 1=0 3=[<>] 7=false 255=12}", "{0=true 1=0 2=10 3=[<>] 255=12}",
            "{0=true 1=0 2=65536 3=[<>] 7=false 255=12}",
        ])
    func anInvalidAction(message: String) {
        var bench = Bench.subscribed(lockState)
        #expect(bench.send(3, message.replacing("0=true", with: "0=false")) == refusal(0x80))
        #expect(bench.server.subscriptionCount == 1, "a refused request replaces nothing")
    }
}

extension Bench {
    static func subscribed(_ request: String) -> Bench {
        var bench = Bench()
        bench.subscribe(request, by: .administrator)
        return bench
    }

    /// Subscribes and answers each message of the first report.
    mutating func subscribe(_ request: String, by accessor: Accessor) {
        var replies = send(3, request, by: accessor)
        while replies.first?.hasPrefix("report") == true { replies = status(by: accessor) }
        precondition(replies.first?.hasPrefix("subscribed") == true, "\(replies)")
    }
}
