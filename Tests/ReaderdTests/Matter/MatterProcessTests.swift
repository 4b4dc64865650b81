// SPDX-License-Identifier: Apache-2.0

import CLinux
import Configuration
import Glibc
import JSON
import Logging
import Reader
import System
import TestSupport
import Testing
import Timekeeping

@testable import readerd

/// A whole reader with a client that is the process of its Matter lock.
@Suite struct MatterProcessTests {
    private static let unlock = #"{"order":7,"move":"unlocked","fabric":1,"node":"000000000001B669"}"#
    private static let lock = #"{"order":8,"move":"locked","fabric":1,"node":"000000000001B669"}"#

    private static func press(_ input: DoorInput, _ isActive: Bool, _ rig: ProcessRig) {
        rig.onLoop {
            let process = rig.process
            process.receive([.level(isActive, since: process.reactor.now + .milliseconds(-100))], of: input)
        }
    }

    @Test func withoutASocketThereIsNothing() throws {
        let rig = try ProcessRig()
        try rig.serve { client, _ in
            #expect(client.ask(#"{"matter-window":300}"#)?.contains(#""refused":"no-matter""#) == true)
            #expect(client.ask(#"{"get":"status"}"#)?.contains(#""matter""#) == false)
        }
    }

    @Test func theFirstMessageIsTheReader() throws {
        let rig = try CompanionRig("matter", "")
        try rig.process.run { [rig] path, _ in
            let lock = try BlockingClient(rig.socket)
            let version = FirmwareVersion.text
            #expect(
                lock.line()
                    == #"{"reader":{"version":6,"firmware":"\#(version)","serial":"wa0y1YwS","contact":false,"pulse-s":5,"wifi":null,"aliro":null,"pins":false}}"#
            )
            #expect(lock.line() == matterDoor("locked", "none"))
            lock.send(matterState([1, 2], window: 1) + "\n")
            #expect(rig.status(path, until: #""fabrics":2"#)?["commissionable"]?.isTrue == true)
        }
    }

    @Test func anOrderOpensTheDoorAndIsRecorded() throws {
        let rig = try CompanionRig("matter", "")
        try rig.process.run { [rig] _, _ in
            let lock = try rig.lock()
            #expect(lock.ask(Self.unlock) == #"{"answered":7,"done":true}"#)
            // No movement is told: it is the order's own.
            #expect(lock.line() == matterDoor("unlocked", "none"))
            #expect(lock.ask(Self.lock) == #"{"answered":8,"done":true}"#)
            #expect(lock.line() == matterDoor("locked", "none"))
        }
        let events = try rig.process.events().filter { $0.contains("fabric 1 node 000000000001B669") }
        #expect(events.count == 2)
        #expect(events[0].contains(#""kind":"unlocked""#) && events[0].contains(#""channel":"matter""#))
        #expect(events[1].contains(#""kind":"command""#) && events[1].contains(#""command":"lock""#))
    }

    /// Without `matter.aliro` the reader reports no Aliro, and refuses changes.
    @Test func changesOfAliroAreRefused() throws {
        let rig = try CompanionRig("matter", "")
        try rig.process.run { [rig] _, _ in
            let lock = try rig.lock()
            #expect(lock.ask(#"{"aliro":9,"by":null,"clear":true}"#) == #"{"aliro":9,"is":"unsupported"}"#)
            #expect(lock.ask(#"{"aliro":10,"by":null,"keys":[]}"#) == #"{"aliro":10,"is":"unsupported"}"#)
        }
    }

    /// Without `matter.pin` a change of PINs is refused; with it the reader says so, and records changes, refusals and
    /// the user of an order.
    @Test func pinsAreOnRecord() throws {
        let change =
            #"{"pins":9,"changes":[{"removed":2,"user":3},{"added":2,"user":3}],"by":{"fabric":1,"node":"000000000001B669"}}"#
        let without = try CompanionRig("matter", "")
        try without.process.run { [without] _, _ in
            let lock = try without.lock()
            #expect(lock.ask(change) == #"{"answered":9,"done":false}"#)
        }
        #expect(try without.process.events().allSatisfy { !$0.contains("matter-pin") })
        let rig = try CompanionRig("matter", "pin = true\n")
        try rig.process.run { [rig] _, _ in
            let lock = try BlockingClient(rig.socket)
            #expect(lock.line()?.hasSuffix(#""aliro":null,"pins":true}}"#) == true)
            #expect(lock.line() == matterDoor("locked", "none"))
            #expect(lock.ask(change) == #"{"answered":9,"done":true}"#)
            lock.send(
                #"{"pin":"last-wrong","move":"unlocked","by":{"fabric":1,"node":"000000000001B669"}}"# + "\n")
            #expect(
                lock.ask(#"{"order":7,"move":"unlocked","fabric":1,"node":"000000000001B669","user":3}"#)
                    == #"{"answered":7,"done":true}"#)
        }
        let events = try rig.process.events().filter { $0.contains("fabric 1 node 000000000001B669") }
        let wanted = [
            ("matter-pin-removed", "pin 2 user 3"), ("matter-pin-added", "pin 2 user 3"),
            ("matter-pin-refused", "last-wrong"), ("unlocked", "user 3"),
        ]
        #expect(events.count == wanted.count)
        for (event, (kind, detail)) in zip(events, wanted) {
            #expect(event.contains(#""kind":"\#(kind)""#) && event.contains(#""detail":"\#(detail)""#), "\(event)")
        }
    }

    /// An order that changes nothing is answered, and no record of it pushes out another.
    @Test func lockingALockedDoorIsAnsweredAndNotRecorded() throws {
        let rig = try CompanionRig("matter", "")
        try rig.process.run { [rig] _, _ in
            let lock = try rig.lock()
            for _ in 0..<5 { #expect(lock.ask(Self.lock) == #"{"answered":8,"done":true}"#) }
        }
        #expect(try rig.process.events().allSatisfy { !$0.contains(#""command":"lock""#) })
    }

    /// The process, or an administrator's app behind it, sends as many orders as it likes: eight a second are looked
    /// at.
    @Test func aFloodOfOrdersLeavesTheLogAndTheDoor() throws {
        let rig = try CompanionRig("matter", "")
        try rig.process.run { [rig] path, process in
            let control = try BlockingClient(path)
            #expect(control.ask(#"{"unlock":"pulse"}"#) == #"{"ok":true}"#)
            let lock = try BlockingClient(rig.socket)
            #expect(lock.line()?.hasPrefix(#"{"reader":"#) == true)
            // Unlocking and locking, with nodes of the flooder's choice.
            let orders = (0..<190).map { number in
                #"{"order":\#(number),"move":"\#(number % 2 == 0 ? "unlocked" : "locked")","fabric":1,"node":"00000000000000\#(number % 90 + 10)"}"#
            }
            lock.send(orders.joined(separator: "\n") + "\n")
            var done = 0
            var answers = 0
            while answers < orders.count, let line = lock.line() {
                guard line.hasPrefix(#"{"answered":"#) else { continue }
                answers += 1
                if line.hasSuffix(#""done":true}"#) { done += 1 }
            }
            #expect(answers == orders.count)
            // A busy machine takes more than a second for them.
            #expect(done < orders.count / 2)
            #expect(control.ask(#"{"unlock":"pulse"}"#) == #"{"ok":true}"#)
        }
        let events = try rig.process.events()
        #expect(events.count { $0.contains(#""channel":"control""#) } == 2)
        #expect(events.count { $0.contains(#""channel":"matter""#) } < 95)
        #expect(rig.process.lines.all.split(separator: "\n").count { $0.contains("matter: ") } <= 60)
    }

    /// Messages and connections have the same limits as those of the link's process.
    @Test func aFloodOfMessagesAndConnectionsCostsTheProcess() throws {
        let rig = try CompanionRig("matter", "")
        try rig.process.run { [rig] path, _ in
            let lock = try rig.lock()
            let flood = String(repeating: Self.lock + "\n", count: 10 * CompanionPacing.messagesPerSecond)
            lock.send(flood)
            while lock.line() != nil {}
            for _ in 0..<500 {
                var isConnecting = false
                let descriptor = readerd_connect_unix(rig.socket, rig.socket.utf8.count, false, &isConnecting)
                if descriptor >= 0 { close(descriptor) } else { usleep(1000) }
            }
            #expect(try BlockingClient(path).ask(#"{"get":"status"}"#)?.contains(#""ok":true"#) == true)
        }
        let lines = rig.process.lines.all.split(separator: "\n")
        #expect(lines.contains { $0.contains("sent more than 200 messages within a second") })
        #expect(lines.count { $0.contains("matter: readerd-matter") } <= CompanionPacing.linesPerMinute)
    }

    /// An order that waited while the reader was stopped.
    @Test func anOrderThatHasWaitedOpensNothing() throws {
        let rig = try CompanionRig("matter", "")
        rig.process.process.service(ReaderMatter.self)?.matter.lateness = .milliseconds(50)
        try rig.process.run { [rig] _, process in
            let lock = try rig.lock()
            stopped(process.reactor) { lock.send(Self.unlock + "\n") }
            #expect(lock.line() == #"{"answered":7,"done":false}"#)
        }
        #expect(try rig.process.events().allSatisfy { !$0.contains(#""kind":"unlocked""#) })
        #expect(rig.process.lines.all.contains("unlock, refused: it waited too long"))
    }

    /// Matter never overrides the reader's own refusals, nor a safety input.
    @Test func anOrderIsRefusedAsAnOperatorsIs() throws {
        let rig = try CompanionRig("matter", "")
        try rig.process.run { [rig] path, process in
            let lock = try rig.lock()
            let control = try BlockingClient(path)
            #expect(control.ask(#"{"lockdown":"on"}"#) == #"{"ok":true}"#)
            #expect(lock.line() == matterDoor("locked", "locked"))
            #expect(lock.ask(Self.unlock) == #"{"answered":7,"done":false}"#)
            #expect(control.ask(#"{"lockdown":"off"}"#) == #"{"ok":true}"#)
            #expect(lock.line() == matterDoor("locked", "none"))
            Self.press(.fire, false, process)
            Self.press(.fire, true, process)
            #expect(lock.line() == #"{"moved":"unlocked","by":"fire"}"#)
            #expect(lock.line() == matterDoor("unlocked", "open"))
            #expect(lock.ask(Self.lock) == #"{"answered":8,"done":false}"#)
        }
    }

    @Test func whatMayNotUnlockMayLock() throws {
        let rig = try CompanionRig("matter", "may-unlock = false\n")
        try rig.process.run { [rig] path, _ in
            let lock = try rig.lock()
            #expect(lock.ask(Self.unlock) == #"{"answered":7,"done":false}"#)
            #expect(lock.ask(Self.lock) == #"{"answered":8,"done":true}"#)
            #expect(try BlockingClient(path).ask(#"{"get":"status"}"#)?.contains(#""openings":0"#) == true)
        }
    }

    @Test func movementsAreToldWithTheirOrigin() throws {
        let rig = try CompanionRig("matter", "")
        try rig.process.run { [rig] path, process in
            let lock = try rig.lock()
            let control = try BlockingClient(path)
            #expect(control.ask(#"{"unlock":"office-on"}"#) == #"{"ok":true}"#)
            #expect(lock.line() == #"{"moved":"unlocked","by":"control"}"#)
            #expect(lock.line() == matterDoor("unlocked", "none"))
            #expect(control.ask(#"{"unlock":"office-off"}"#) == #"{"ok":true}"#)
            #expect(lock.line() == #"{"moved":"locked","by":"auto"}"#)
            #expect(lock.line() == matterDoor("locked", "none"))
            Self.press(.exit, false, process)
            Self.press(.exit, true, process)
            #expect(lock.line() == #"{"moved":"unlocked","by":"exit"}"#)
            #expect(lock.line() == matterDoor("unlocked", "open"))
        }
    }

    @Test func theWindowIsTheOperators() throws {
        let rig = try CompanionRig("matter", "")
        try rig.process.run { [rig] path, _ in
            let control = try BlockingClient(path)
            #expect(control.ask(#"{"matter-window":300}"#)?.contains(#""refused":"matter-absent""#) == true)
            let lock = try rig.lock()
            #expect(control.ask(#"{"matter-window":300}"#) == #"{"ok":true}"#)
            #expect(lock.line() == #"{"window":300}"#)
            #expect(control.ask(#"{"matter-window":0}"#) == #"{"ok":true}"#)
            #expect(lock.line() == #"{"window":0}"#)
            for seconds in ["179", "901", "-1", "1.5"] {
                #expect(control.ask(#"{"matter-window":\#(seconds)}"#)?.contains("180 to 900") == true)
            }
        }
        #expect(try rig.process.events().count { $0.contains(#""command":"matter""#) } == 2)
    }

    // MARK: - Windows and fabrics

    private static let window = #"{"open-window":9,"seconds":180,"fabric":1,"node":"000000000001B669"}"#

    /// Without the operator's consent in the configuration no administrator opens a window.
    @Test func anAdministratorsWindowNeedsConsent() throws {
        let rig = try CompanionRig("matter", "")
        try rig.process.run { [rig] _, _ in
            let lock = try rig.lock()
            for _ in 0..<3 { #expect(lock.ask(Self.window) == #"{"answered":9,"done":false}"#) }
        }
        let refusals = rig.process.lines.all.split(separator: "\n").filter { $0.contains("no commissioning window") }
        #expect(refusals.count == 1 && refusals.first?.contains("fabric 1 node 000000000001B669") == true)
        let other = try CompanionRig("matter", "may-share = true\n")
        try other.process.run { [other] _, _ in
            let lock = try other.lock()
            #expect(lock.ask(Self.window) == #"{"answered":9,"done":true}"#)
        }
    }

    /// An administrator's window that would have no record is refused.
    @Test func aWindowWithoutARecordIsRefused() throws {
        let rig = try CompanionRig("matter", "may-share = true\n")
        try rig.process.run { [rig] _, _ in
            let lock = try rig.lock()
            for number in 1...64 {
                lock.send(matterState([], window: number % 9 + 1) + "\n" + matterState([]) + "\n")
            }
            #expect(lock.ask(Self.window) == #"{"answered":9,"done":false}"#)
        }
        let reason = "no commissioning window: \(ControlAnswer.Refusal.tooOften.text)"
        #expect(rig.process.lines.all.contains(reason))
    }

    /// Windows and fabrics are on record with who caused it, once each.
    @Test func windowsAndFabricsAreOnRecord() throws {
        let rig = try CompanionRig("matter", "")
        try rig.process.run { [rig] path, _ in
            let lock = try rig.lock()
            let author = #"{"fabric":1,"node":"000000000001B669"}"#
            for state in [
                matterState([], window: 1), matterState([], window: 1), matterState([1], why: "commissioned"),
                matterState([1], window: 2, opener: author), matterState([1], why: "revoked"),
                matterState([], by: author),
            ] { lock.send(state + "\n") }
            #expect(rig.status(path, until: #""fabrics":0,"commissionable":false"#) != nil)
        }
        let digits = "fabric 000000000000FAB1 node 0000000000001001 vendor FFF1"
        let node = "fabric 1 node 000000000001B669"
        let records = try rig.records()
        #expect(
            records == [
                ["matter-window", "", "operator"], ["matter-fabric-added", "", digits],
                ["matter-window-ended", "", "commissioned"], ["matter-window", node, "administrator"],
                ["matter-window-ended", "", "revoked"], ["matter-fabric-removed", node, digits],
            ])
    }

    /// Changes while either was away are recorded when they meet again, and nothing is repeated.
    @Test func recordsSurviveRestarts() throws {
        let rig = try CompanionRig("matter", "")
        try rig.process.run { [rig] path, _ in
            do {
                let lock = try rig.lock()
                lock.send(matterState([1], window: 1) + "\n")
                #expect(rig.status(path, until: #""fabrics":1"#) != nil)
            }
            #expect(rig.status(path, until: #""connected":false"#) != nil)
            let again = try rig.lock()
            again.send(matterState([1, 2]) + "\n")
            #expect(rig.status(path, until: #""fabrics":2"#) != nil)
        }
        let records = try rig.records()
        #expect(
            records.map { $0[0] } == [
                "matter-fabric-added", "matter-window", "matter-window-ended", "matter-fabric-added",
            ])
        try #require(records.count == 4)
        #expect(records[2][2] == "reader-lost")
        // Another run of the reader, on the same state: one of the fabrics is gone meanwhile.
        let former = try StateDirectory(rig.process.directory.path + "/state")
        let files = try ["policy.a", "policy.b", "policy.count", "event-log-key", "events.db", "events.head"].map {
            name in
            (name, try #require(try former.contents(of: name, maximumCount: 1 << 24)).octets)
        }
        let other = try CompanionRig(
            "matter", "",
            trouble: ProcessRig.Trouble(prepare: { state in
                for (name, octets) in files { try state.replace(name, with: octets) }
            }))
        try other.process.run { [other] path, _ in
            let lock = try other.lock()
            lock.send(matterState([2]) + "\n")
            #expect(other.status(path, until: #""fabrics":1"#) != nil)
        }
        #expect(try other.records().map { $0[0] } == records.map { $0[0] } + ["matter-fabric-removed"])
    }

    /// The station obeys the process only while an operator's window is open.
    @Test func withoutAWindowTheNetworkStays() throws {
        let directory = try TemporaryDirectory()
        let supplicant = try FakeSupplicant(directory.path + "/wlan0")
        defer { supplicant.end() }
        let rig = try CompanionRig(
            "matter", "", others: "[provisioning]\nwifi = \"wpa-supplicant:\(supplicant.path)\"\n")
        try rig.process.run { [rig] path, _ in
            #expect(supplicant.commands(6).last == "STATUS")
            let lock = try BlockingClient(rig.socket)
            #expect(lock.line()?.contains(#""wifi":"02:00:00:00:01:00""#) == true)
            #expect(lock.line() == matterDoor("locked", "none"))
            let join = #"{"wifi":{"do":"join","name":"486f6d65","security":"open"}}"#
            #expect(lock.ask(join) == #"{"wifi":{"is":"refused"}}"#)
            lock.send(#"{"wifi":{"do":"leave"}}"# + "\n" + #"{"wifi":{"do":"keep"}}"# + "\n")
            #expect(lock.ask(Self.unlock) == #"{"answered":7,"done":true}"#)
            #expect(supplicant.commands(6).count == 6)
            let control = try BlockingClient(path)
            #expect(control.ask(#"{"provisioning":300}"#) == #"{"ok":true}"#)
            // The gateway's window is the lock's.
            while let line = lock.line(), line != #"{"window":300}"# {}
            lock.send(join + "\n")
            let asked = supplicant.commands(8).dropFirst(6)
            #expect(asked.contains { $0.hasPrefix("ADD_NETWORK") }, "\(asked)")
        }
    }

    @Test func aProcessThatIsGoneOrTalksNonsenseIsAFault() throws {
        let rig = try CompanionRig("matter", "")
        try rig.process.run { [rig] path, _ in
            let control = try BlockingClient(path)
            #expect(control.ask(#"{"get":"status"}"#)?.contains("matter-absent") == true)
            do {
                let lock = try rig.lock()
                #expect(rig.status(path, until: #""connected":true"#) != nil)
                lock.send("open sesame\n")
                #expect(lock.line() == nil)
            }
            #expect(rig.status(path, until: #""connected":false"#) != nil)
            // The newest process is the lock.
            let (old, new) = (try rig.lock(), try rig.lock())
            #expect(old.line() == nil)
            #expect(new.ask(Self.unlock) == #"{"answered":7,"done":true}"#)
            #expect(control.ask(#"{"get":"status"}"#)?.contains("matter-absent") == false)
        }
        #expect(rig.process.lines.all.contains("matter: readerd-matter sent an invalid message: "))
    }

    @Test func aUserThatDoesNotExistIsToldAtTheStart() throws {
        let directory = try TemporaryDirectory()
        var settings = ReaderSettings().matter
        settings.socket = directory.path + "/matter"
        settings.user = "no-such-user"
        #expect {
            try MatterService(settings, hasWiFi: false, log: .init(label: "test"))
        } throws: {
            "\($0)".contains("matter.user: there is no user no-such-user")
        }
    }
}

/// A state of a node on these fabrics.
private func matterState(
    _ fabrics: [Int], window: Int? = nil, opener: String = "null", by author: String = "null", why: String? = nil
) -> String {
    let list = fabrics.map {
        #"{"index":\#($0),"fabric":"000000000000FAB\#($0)","node":"0000000000001001","vendor":65521}"#
    }
    let open = window.map { #"{"id":"000000000000000\#($0)","by":\#(opener)}"# } ?? "null"
    return
        #"{"fabrics":[\#(list.joined(separator: ","))],"window":\#(open),"by":\#(author),"why":\#(why.map { "\"\($0)\"" } ?? "null")}"#
}

private func matterDoor(_ lock: String, _ hold: String, position: String = "null") -> String {
    #"{"door":{"lock":"\#(lock)","position":\#(position),"hold":"\#(hold)"}}"#
}

extension CompanionRig {
    /// The process of the lock, after its greeting.
    fileprivate func lock() throws -> BlockingClient {
        let lock = try BlockingClient(socket)
        #expect(lock.line()?.hasPrefix(#"{"reader":{"version":6,"#) == true)
        #expect(lock.line() == matterDoor("locked", "none"))
        return lock
    }

    /// Kind, actor and detail of the records about windows and fabrics.
    fileprivate func records() throws -> [[String]] {
        try process.events().compactMap { line in
            let event = try JSONParser.parse(Array(line.utf8))
            let texts = ["kind", "actor", "detail"].map { name in
                event[name].map { String($0.written.dropFirst().dropLast()) } ?? ""
            }
            return texts[0].hasPrefix("matter-") ? texts : nil
        }
    }

    /// The Matter part of the status, as soon as it contains a text.
    fileprivate func status(_ path: String, until text: String) -> JSONNode? {
        var found: JSONNode?
        _ = eventually {
            let answer = (try? BlockingClient(path))?.ask(#"{"get":"status"}"#) ?? ""
            found = (try? JSONParser.parse(Array(answer.utf8)))?["matter"]
            return answer.contains(text)
        }
        return found
    }
}
