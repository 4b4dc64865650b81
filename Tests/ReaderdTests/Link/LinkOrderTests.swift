// SPDX-License-Identifier: Apache-2.0

import Crypto
import EventStore
import Fleet
import Glibc
import JSON
import Reader
import Remote
import Synchronization
import System
import TestSupport
import Testing
import Timekeeping

@testable import readerd

/// A whole reader with a command key, and a client that is the process of its link: orders move the door once, or not.
@Suite struct LinkOrderTests {
    private let desk: LinkDesk

    init() throws { desk = try LinkDesk() }

    private func rig(
        may: String = RemoteCommand.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "),
        prepare: @escaping (StateDirectory) throws -> Void = { _ in }
    ) throws -> CompanionRig {
        try desk.rig("may = [\(may)]", prepare: prepare)
    }

    private func order(_ octet: UInt8, counter: UInt64, _ command: String = "pulse") -> RemoteOrder {
        desk.order(octet, counter: counter, command)
    }

    private func openings(_ process: ProcessRig, are count: Int) throws -> Bool {
        try BlockingClient(process.controlPath).ask(#"{"get":"status"}"#)?.contains("\"openings\":\(count)") == true
    }

    @Test func anOrderOpensOnceAndIsOnRecord() throws {
        let rig = try rig()
        let numbers = Mutex<UInt64>(0)
        try rig.serveLink { link, process in
            let order = try desk.message(order(1, counter: 5))
            let first = try desk.answer(link, order, 1)
            #expect(first.result == .done && first.counter == 5)
            let sequence = try #require(first.sequence)
            #expect(try openings(process, are: 1))
            #expect(try desk.answer(link, order, 2) == first, "sent again")
            #expect(try desk.answer(link, desk.message(self.order(2, counter: 5)), 3).reason == .counter)
            #expect(try openings(process, are: 1))
            numbers.withLock { $0 = sequence }
        }
        let actor = "key " + desk.commandKey.id.prefix(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let unlocked = try rig.process.events().filter { $0.contains(#""kind":"unlocked""#) }
        #expect(unlocked.count == 1)
        #expect(unlocked.first?.contains(#""channel":"remote""#) == true)
        #expect(unlocked.first?.contains("\"sequence\":\(numbers.withLock(\.self)),") == true)
        #expect(unlocked.first?.contains("\"actor\":\"\(actor)\"") == true)
    }

    /// The door has the last word, as with a person at the control socket.
    @Test func theDoorRefusesAsItRefusesAnOperator() throws {
        let rig = try rig()
        try rig.serveLink { link, process in
            let rows: [(String, RemoteAnswer.Reason?)] = [
                ("tamper-reset", .nothingToReset), ("lockdown-on", nil), ("pulse", .lockdown), ("office-on", .lockdown),
                ("lockdown-off", nil), ("office-on", nil), ("office-off", nil),
            ]
            for (index, (command, reason)) in rows.enumerated() {
                let number = UInt64(index) + 1
                let octets = try desk.message(order(UInt8(number), counter: number, command))
                let given = try desk.answer(link, octets, number)
                #expect(given.reason == reason && (given.result == .done) == (reason == nil), "\(command)")
            }
            #expect(try openings(process, are: 1))
        }
        let events = try rig.process.events()
        #expect(events.count { $0.contains(#""kind":"withdrawn""#) && $0.contains(#""channel":"remote""#) } == 2)
        #expect(events.count { $0.contains(#""kind":"command""#) && $0.contains(#""channel":"remote""#) } == 3)
    }

    /// An order that waited while the reader was stopped is dropped if it opens or ends a protection, and can be sent
    /// again while it is valid.
    @Test func anOrderThatHasWaitedOpensNothing() throws {
        let rig = try rig()
        try rig.serveLink { link, process in
            process.onLoop { process.process.service(ReaderLink.self)?.link.lateness = .milliseconds(50) }
            let orders = try ["pulse", "lockdown-off", "lockdown-on"].enumerated().map { index, command in
                try desk.message(order(UInt8(index + 1), counter: UInt64(index + 1), command))
            }
            stopped(process.reactor) {
                for (index, octets) in orders.enumerated() {
                    link.send(LinkRequest.order(octets, isRetained: false, number: UInt64(index)).line + "\n")
                }
            }
            // What secures is carried out, and the only one that is answered.
            let number = try LinkProcessTests.next(link) { report -> UInt64? in
                if case .answer(_, let number) = report { number } else { nil }
            }
            #expect(number == 2)
            #expect(try openings(process, are: 0))
            process.onLoop { process.process.service(ReaderLink.self)?.link.lateness = .seconds(TestTimeout.seconds) }
            #expect(try desk.answer(link, desk.message(order(4, counter: 4, "lockdown-off")), 9).result == .done)
        }
        let lines = rig.process.lines.all.split(separator: "\n")
        let dropped = lines.count { $0.contains("an order is dropped: it waited") }
        #expect(dropped == 2)
    }

    /// The disk has the order in time, and the reader was stopped before it read that.
    @Test func anOrderWhoseKeepingIsNoticedLateOpensNothing() throws {
        let rig = try rig()
        try rig.serveLink { link, process in
            let octets = try desk.message(order(1, counter: 1, "pulse"))
            process.onLoop {
                process.process.service(ReaderLink.self)?.link.lateness = .milliseconds(50)
                process.process.service(ReaderLink.self)?.receive(order: octets, isRetained: false, 1)
                usleep(60_000)
            }
            let text = try LinkProcessTests.next(link) { report -> String? in
                if case .answer(let text, 1) = report { text } else { nil }
            }
            #expect(try RemoteAnswer.Signed(Array(text.utf8)).answer.reason == .expired)
            #expect(try openings(process, are: 0))
        }
    }

    @Test func withoutAPermissionNothingIsCarriedOut() throws {
        let rig = try rig(may: "")
        try rig.serveLink { link, process in
            for (index, command) in RemoteCommand.allCases.enumerated() {
                let number = UInt64(index) + 1
                let octets = try desk.message(order(UInt8(number), counter: number, command.rawValue))
                #expect(try desk.answer(link, octets, number).reason == .forbidden)
            }
            #expect(try openings(process, are: 0))
        }
    }

    /// The disk has the order, and the power went before the door moved, or after: nobody knows, and it stays shut.
    @Test func afterAPowerCutAnOrderIsNotRepeated() throws {
        let order = order(1, counter: 5)
        let sent = try desk.message(order)
        var orders = RemoteOrders(device: order.reader, keys: [desk.commandKey])
        orders.restore(nil)
        let moment = Moment(instant: .origin, epochSeconds: Int64(time(nil)))
        let step = orders.receive(sent, isRetained: false, number: 1, permitted: [.pulse], zone: .utc, at: moment)
        guard case .keep(_, let name, let octets) = step else {
            Issue.record("not kept")
            return
        }
        let rig = try rig { state in
            let store = try EventStore(
                EventStore.Configuration(
                    directory: state.path, key: try EventLogKey.load(from: state),
                    capacity: LogCapacity(records: 1000, whenFull: .overwrite)))
            #expect(store.submit(.policy, .policy))
            #expect(store.submit(.order(1), .change(.setting(name, octets))))
            #expect(store.close(within: TestTimeout.seconds))
        }
        try rig.serveLink { link, process in
            let again = try desk.answer(link, sent, 1)
            #expect(again.result == .repeated && again.counter == 5)
            #expect(try desk.answer(link, desk.message(self.order(2, counter: 5)), 2).reason == .counter)
            #expect(try openings(process, are: 0))
            #expect(try desk.answer(link, desk.message(self.order(3, counter: 6)), 3).result == .done)
            #expect(try openings(process, are: 1))
        }
    }

    /// Without the policy nobody knows which orders were taken.
    @Test func withoutAPolicyEveryOrderIsRefused() throws {
        let rig = try rig { state in
            try FaultLog.make(in: state, blacklist: FaultLog.revoked)
            for name in ["policy.a", "policy.b"] { unlink(state.file(name)) }
        }
        try rig.serveLink { link, process throws in
            #expect(try desk.answer(link, desk.message(order(1, counter: 1)), 1).reason == .notKept)
            #expect(try openings(process, are: 0))
        }
    }

    /// A policy that was begun without a certain time: every order is refused, and a fault says so, until the clock is
    /// synchronised. What was signed before then stays refused, also after a restart.
    @Test func withoutACertainTimeABegunPolicyRefusesEveryOrder() throws {
        let clock = Mutex(WallClock.SystemTime(seconds: Int64(time(nil)), isSynchronised: false))
        let begin: (StateDirectory) throws -> Void = { state in
            let key = try EventLogKey.load(from: state)
            let files = PolicyFiles(directory: state.path, key: key)
            _ = try files.begin(by: "uid 0", at: PolicyTime.unknown, logged: 0)
        }
        let rig = try CompanionRig(
            "link", "may = [\"pulse\"]",
            trouble: ProcessRig.Trouble(
                system: { clock.withLock(\.self) }, prepare: begin, commandKeys: [desk.commandKey]))
        try rig.serveLink { link, process in
            let control = try BlockingClient(process.controlPath)
            func shows() -> Bool { control.ask(#"{"get":"status"}"#)?.contains("link-clock") == true }
            #expect(eventually { shows() })
            let former = try desk.message(order(1, counter: 5))
            #expect(try desk.answer(link, former, 1).reason == .policyBegun)
            clock.withLock { $0.isSynchronised = true }
            // Each order has the clock read.
            #expect(try desk.answer(link, former, 2).reason == .policyBegun, "signed ten seconds before")
            #expect(eventually { !shows() })
            var fresh = order(2, counter: 1)
            clock.withLock { $0.seconds += 2 }
            fresh.notBefore = UInt64(clock.withLock(\.seconds))
            #expect(try desk.answer(link, desk.message(fresh), 3).result == .done)
            #expect(try openings(process, are: 1))
        }
        #expect(rig.process.lines.all.contains("orders and states that were signed before now are refused"))
    }

    @Test func aForgedOrderIsAFaultForATime() throws {
        let rig = try rig()
        try rig.process.run { path, process in
            let (link, _) = try LinkProcessTests.link(rig)
            process.onLoop { process.process.service(ReaderLink.self)?.link.forgeryRest = .milliseconds(200) }
            let control = try BlockingClient(path)
            func shows() -> Bool { control.ask(#"{"get":"status"}"#)?.contains("link-forged") == true }
            #expect(!shows())
            #expect(try desk.answer(link, desk.message(order(1, counter: 1), isForged: true), 1).reason == .signature)
            #expect(eventually { !shows() })
        }
        #expect(rig.process.lines.all.contains("fault link-forged: link: an order that names the command key"))
        #expect(rig.process.lines.all.contains("fault link-forged: over"))
    }

    /// The end counts once more when the door is to move, after the record, which may have taken long.
    @Test func anOpeningWhoseEndHasPassedIsWithdrawn() throws {
        let rig = try rig()
        try rig.process.run { path, process in
            process.waitUntilRestored()
            process.onLoop {
                let process = process.process
                let now = Int64(time(nil))
                for (number, until) in [(1, now - 10), (2, now + 1000)] {
                    let event = AuditEvent(.unlocked, at: process.auditTime, channel: .remote, command: "pulse")
                    process.device.reader.open(
                        .pulse, ticket: .remote(UInt64(number)), event, until: until, at: process.moment.instant)
                }
                process.flush()
            }
            #expect(eventually { (try? openings(process, are: 1)) == true })
        }
        let withdrawn = try rig.process.events().filter { $0.contains(#""kind":"withdrawn""#) }
        #expect(withdrawn.count == 1 && withdrawn.first?.contains(#""detail":"expired""#) == true)
    }

    @Test func aRetainedOrderOpensNothing() throws {
        let rig = try rig()
        try rig.serveLink { link, process throws in
            #expect(try desk.answer(link, desk.message(order(1, counter: 1)), 1, isRetained: true).reason == .retained)
            #expect(try openings(process, are: 0))
        }
    }
}
