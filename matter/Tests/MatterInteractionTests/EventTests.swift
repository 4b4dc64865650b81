// SPDX-License-Identifier: Apache-2.0

import MatterTLV
import Testing
import Timekeeping

import MatterInteraction

@testable import MatterTestSupport

/// Events (facts, section 11; second sheet, section 7).
struct EventTests {
    private let special = "1=1 2=4294048768"

    /// full-lock.txt at 7.163: two events of the start.
    @Test
    func eventsInTheOrderOfTheirNumbers() {
        var bench = Bench()
        bench.server.record(.startUp)
        bench.server.record(
            EventRecord(
                EventPath(1, 0x101, 2), priority: .critical, time: .system(milliseconds: 5),
                data: Notation.octets("{0=1 1=7}")))
        let first = "{1={0=<1=0 2=40 3=0> 1=1 2=2 3=1795249173879 7={0=1}}}"
        let second = "{1={0=<1=1 2=257 3=2> 1=2 2=2 4=5 7={0=1 1=7}}}"
        #expect(bench.read("{1=[<>] 3=true 255=12}") == ["report 1 {2=[\(first) \(second)] 4=true 255=12}"])
        #expect(bench.read("{1=[<1=1>] 3=true 255=12}") == ["report 1 {2=[\(second)] 4=true 255=12}"])
        #expect(bench.read("{1=[<>] 2=[{1=2}] 3=true 255=12}") == ["report 1 {2=[\(second)] 4=true 255=12}"])
        #expect(bench.read("{1=[<>] 2=[{1=3}] 3=true 255=12}") == ["report 1 {4=true 255=12}"])
        #expect(
            bench.read("{0=[<2=0 3=48 4=0>] 1=[<2=40 3=0>] 3=true 255=12}") == [
                "report 1 {1=[{1={0=2331676805 1=<2=0 3=48 4=0> 2=0}}] 2=[\(first)] 4=true 255=12}"
            ])
    }

    @Test(arguments: [("1=9 2=40 3=0", 0x7F), ("1=1 2=40 3=0", 0xC3), ("1=0 2=40 3=9", 0xC7)])
    func aConcretePathWithoutEvents(path: String, status: Int) {
        var bench = Bench()
        #expect(
            bench.read("{1=[<\(path)>] 3=true 255=12}") == [
                "report 1 {2=[{0={0=<\(path)> 1={0=\(status)}}}] 4=true 255=12}"
            ])
    }

    @Test
    func privileges() {
        var bench = Bench()
        bench.node.accessEntries.append(
            AccessControlEntry(fabric: 1, privilege: .operate, authenticationMode: .case, subjects: [5], targets: nil))
        bench.server.record(.special(2, priority: .debug))
        #expect(bench.read("{1=[<>] 3=true 255=12}", by: .peer(5)) == ["report 1 {4=true 255=12}"])
        #expect(
            bench.read("{1=[<\(special) 3=2>] 3=true 255=12}", by: .peer(5)) == [
                "report 1 {2=[{0={0=<\(special) 3=2> 1={0=126}}}] 4=true 255=12}"
            ])
        #expect(
            bench.read("{1=[<>] 3=true 255=12}") == [
                "report 1 {2=[{1={0=<\(special) 3=2> 1=1 2=0 4=0 7={}}}] 4=true 255=12}"
            ])
    }

    @Test
    func anEventOfOneFabric() {
        var bench = Bench()
        bench.server.record(.special(1, fabric: 2))
        #expect(bench.read("{1=[<>] 3=false 255=12}") == ["report 1 {4=true 255=12}"])
        #expect(bench.read("{1=[<>] 3=false 255=12}", by: .commissioner) == ["report 1 {4=true 255=12}"])
        bench.server.record(.special(1))
        #expect(bench.read("{1=[<>] 3=false 255=12}") == ["report 1 {4=true 255=12}"], "sensitive without a fabric")
        bench.server.record(.special(1, fabric: 1))
        #expect(bench.read("{1=[<>] 3=false 255=12}").first?.contains("1=3 2=1") == true)
        _ = bench.perform { $0.fabricRemoved(1, effects: &$1) }
        #expect(bench.read("{1=[<>] 3=false 255=12}") == ["report 1 {4=true 255=12}"])
    }

    @Test
    func manyEventsAreSeveralMessages() {
        var bench = Bench()
        for _ in 0..<4 { bench.server.record(.special(0, data: "{0=\(SmallNode.octets(500))}")) }
        var replies = bench.read("{0=[<2=0 3=48 4=0>] 1=[<>] 3=false 255=12}")
        var numbers: [Substring] = []
        var isOpen = true
        while isOpen {
            numbers += replies.flatMap { $0.matches(of: /3=0> 1=(\d+) 2=1/).map(\.output.1) }
            isOpen = replies.first?.hasSuffix("…") == true
            // An event that comes in between is left for the next read.
            bench.server.record(.startUp)
            if isOpen { replies = bench.status() }
        }
        #expect(numbers == ["1", "2", "3", "4"])
    }

    @Test
    func anUrgentEventDoesNotWaitForTheKeepAlive() {
        var bench = Bench.subscribed("{0=true 1=2 2=60 4=[<1=1 2=257 4=true> <1=1 2=4294048768>] 7=false 255=12}")
        bench.server.record(.special(0))
        #expect(bench.pass(to: 3) == [])
        bench.server.record(.startUp)
        #expect(bench.pass(to: 3) == [], "not subscribed")
        bench.server.record(
            EventRecord(
                EventPath(1, 0x101, 2), priority: .critical, time: .system(milliseconds: 1),
                data: Notation.octets("{}")))
        #expect(bench.pass(to: 3) == ["open 9 256"])
        #expect(
            bench.open(256, exchange: 5) == [
                "report 5 {0=256 2=[{1={0=<\(special) 3=0> 1=1 2=1 4=0 7={}}} "
                    + "{1={0=<1=1 2=257 3=2> 1=3 2=2 4=1 7={}}}] 4=false 255=12} …"
            ])
        _ = bench.status(on: 5)
        #expect(bench.pass(to: 50.9) == [])
        #expect(bench.pass(to: 51) == ["open 9 256"])
        #expect(bench.open(256, exchange: 5) == ["report 5 {0=256 4=false 255=12} …"])
    }

    @Test
    func anUrgentEventWaitsForTheMinimumInterval() {
        var bench = Bench.subscribed("{0=true 1=2 2=60 4=[<4=true>] 7=false 255=12}")
        bench.server.record(.special(1, fabric: 2))
        bench.server.record(.startUp)
        #expect(bench.pass(to: 1.9) == [])
        #expect(bench.pass(to: 2) == ["open 9 256"])
    }

    @Test
    func anEventOfAnotherFabricIsNoReasonForAReport() {
        var bench = Bench.subscribed("{0=true 1=0 2=60 4=[<4=true>] 7=false 255=12}")
        bench.server.record(.special(1, fabric: 2))
        #expect(bench.pass(to: 1) == [])
    }

    /// The events before a subscription are part of its first report, and of no other.
    @Test
    func theFirstReportHoldsTheEventsSoFar() {
        var bench = Bench()
        bench.server.record(.startUp)
        let replies = bench.send(3, "{0=true 1=0 2=10 4=[<>] 7=false 255=12}")
        #expect(replies.first?.hasPrefix("report 1 {0=256 2=[{1={0=<1=0 2=40 3=0> 1=1 ") == true)
        bench.server.record(.special(0))
        _ = bench.status()
        _ = bench.pass(to: 8)
        #expect(
            bench.open(256, exchange: 5) == [
                "report 5 {0=256 2=[{1={0=<\(special) 3=0> 1=2 2=1 4=0 7={}}}] 4=false 255=12} …"
            ])
    }

    @Test
    func criticalEventsOutliveOthers() {
        var bench = Bench()
        for _ in 0..<32 { bench.server.record(.startUp) }
        for _ in 0..<100 { bench.server.record(.special(0)) }
        for _ in 0..<100 { bench.server.record(.special(2, priority: .debug)) }
        var replies = bench.read("{1=[<>] 3=false 255=12}")
        var numbers: [Int] = []
        while true {
            numbers += replies.flatMap { $0.matches(of: /3=\d> 1=(\d+)/).compactMap { Int($0.output.1) } }
            guard replies.first?.hasSuffix("…") == true else { break }
            replies = bench.status()
        }
        #expect(numbers == Array(1...32) + Array(109...132) + Array(225...232))
        bench.server.record(.startUp)
        #expect(bench.read("{1=[<2=40>] 3=false 255=12}").first?.contains(" 1=2 2=2 ") == true)
    }

    @Test
    func eventsThatCannotBeRecorded() {
        var bench = Bench()
        #expect(bench.server.record(.special(0, data: "[]")) == nil)
        #expect(bench.server.record(.special(0, data: "{0=\(SmallNode.octets(507))}")) == nil)
        #expect(bench.server.record(.special(0, data: "{0=\(SmallNode.octets(505))}"))?.number == 1)
        var event = EventRecord.startUp
        event.data = [0x15, 0x36]
        #expect(bench.server.record(event) == nil)
        #expect(bench.read("{1=[<>] 3=false 255=12}").first?.hasSuffix("4=true 255=12}") == true)
    }

    @Test
    func numbersComeFromReservedBlocks() throws {
        var server = InteractionServer(firstSubscription: 0)
        #expect(server.record(.special(0)) == EventReceipt(number: 1, mustPersist: true))
        #expect(server.record(.special(0)) == EventReceipt(number: 2, mustPersist: false))
        #expect(server.record(.startUp) == EventReceipt(number: 3, mustPersist: true))
        let events = try EventBuffer(restoring: server.events.encoded())
        #expect(events.nextNumber == 65_537)
        var bench = Bench()
        bench.server = InteractionServer(events: events, firstSubscription: 0)
        #expect(bench.server.record(.special(0)) == EventReceipt(number: 65_537, mustPersist: true))
        #expect(
            bench.read("{1=[<>] 3=false 255=12}") == [
                "report 1 {2=[{1={0=<1=0 2=40 3=0> 1=3 2=2 3=1795249173879 7={0=1}}} "
                    + "{1={0=<\(special) 3=0> 1=65537 2=1 4=0 7={}}}] 4=true 255=12}"
            ])
    }

    @Test
    func storageInBothDirections() throws {
        var server = InteractionServer(firstSubscription: 0)
        for number in 0..<40 {
            server.record(
                EventRecord(
                    EventPath(1, 0x101, 2), priority: .critical, fabric: number % 2 == 0 ? 3 : nil,
                    time: .system(milliseconds: UInt64(number)), data: Notation.octets("{0=\(number)}")))
        }
        let octets = server.events.encoded()
        #expect(try EventBuffer(restoring: octets).encoded() == octets)
        #expect(Notation.text(octets).hasPrefix("{0=1 1=65537 2=[{0=9 1=1 2=257 3=2 4=3 6=8 7={0=8}} {0=10 "))
    }

    @Test(
        arguments: [
            "{0=2 1=5 2=[]}", "{1=5 2=[]}", "{0=1 1=18446744073709551615 2=[]}", "[]",
            "{0=1 1=5 2=[{0=5 1=0 2=40 3=0 5=1 7={}}]}",
            "{0=1 1=5 2=[{0=4 1=0 2=40 3=0 5=1 7={}} {0=4 1=0 2=40 3=0 5=1 7={}}]}",
            "{0=1 1=5 2=[{0=4 1=0 2=40 3=0 7={}}]}", "{0=1 1=5 2=[{0=4 1=0 2=40 3=0 5=1 7=[]}]}",
        ])
    func damagedStorage(text: String) {
        #expect(throws: TLVError.self) { try EventBuffer(restoring: Notation.octets(text)) }
    }
}

extension EventRecord {
    /// StartUp of Basic Information.
    static let startUp = EventRecord(
        EventPath(0, 0x28, 0), priority: .critical, time: .epoch(milliseconds: 1_795_249_173_879),
        data: Notation.octets("{0=1}"))

    static func special(
        _ event: EventID, priority: EventPriority = .info, fabric: FabricIndex? = nil, data: String = "{}"
    ) -> EventRecord {
        EventRecord(
            EventPath(1, SmallNode.special, event), priority: priority, fabric: fabric,
            time: .system(milliseconds: 0), data: Notation.octets(data))
    }
}
