// SPDX-License-Identifier: Apache-2.0

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
            process.take([.level(isActive, since: process.reactor.now + .milliseconds(-100))], of: input)
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
                    == #"{"reader":{"version":1,"firmware":"\#(version)","serial":"wa0y1YwS","contact":false,"pulse-s":5,"wifi":null}}"#
            )
            #expect(lock.line() == matterDoor("locked", "none"))
            lock.send(#"{"fabrics":2,"commissionable":true}"# + "\n")
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
            let join = #"{"wifi":{"do":"join","name":"486f6d65","security":"open","passphrase":null}}"#
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

private func matterDoor(_ lock: String, _ hold: String, position: String = "null") -> String {
    #"{"door":{"lock":"\#(lock)","position":\#(position),"hold":"\#(hold)"}}"#
}

extension CompanionRig {
    /// The process of the lock, after its greeting.
    fileprivate func lock() throws -> BlockingClient {
        let lock = try BlockingClient(socket)
        #expect(lock.line()?.hasPrefix(#"{"reader":{"version":1,"#) == true)
        #expect(lock.line() == matterDoor("locked", "none"))
        return lock
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
