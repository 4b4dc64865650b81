// SPDX-License-Identifier: Apache-2.0

import Configuration
import TestSupport
import Glibc
import Reader
import Testing
import Timekeeping

@testable import readerd

/// A configuration that cannot be used leaves the one that could (docs/operate/faults.md).
@Suite struct ConfigurationFaultTests {
    @Test func afterAFaultyReloadTheFormerConfigurationHolds() throws {
        let rig = try ProcessRig(configuration: "[door]\npulse-s = 5\n")
        try rig.serve { client, rig in
            func reload(_ text: String) {
                rig.onLoop {
                    do { try rig.directory.write("readerd.toml", text) } catch { Issue.record(error) }
                    rig.process.reload()
                }
            }
            reload("[door]\npuls-s = 8\n")
            let shown = try rig.wait(client, for: .configurationRejected)
            #expect(shown?.text.contains("readerd.toml:2: door.puls-s: unknown key") == true)
            #expect(rig.process.setup.settings.door.pulseSeconds == 5)
            rig.operatorOpens(client)
            rig.exitFreesTheLock()
            // A file that cannot be read at all is the same fault.
            rig.onLoop {
                unlink(rig.configurationPath)
                rig.process.reload()
            }
            #expect(try rig.shownFaults(client).first?.text.contains("no such file") == true)
            reload("[door]\npulse-s = 6\n")
            #expect(try rig.shownFaults(client) == [])
        }
    }

    /// An old list has cards that were removed since, so a list that cannot be read lets no card in.
    @Test func anUnreadableListOfCardsIsAFaultUntilItCanBeRead() throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let path = "\(directory.path)/cards.json"
        try directory.write("cards.json", "{\"cards\": [\n  {\"kind\": \"pkoc\"}\n]}\n")
        let rig = try ProcessRig(configuration: "[credentials]\ncards = \"\(path)\"\n")
        try rig.serve { client, rig in
            func reload(_ text: String) {
                rig.onLoop {
                    let file = fopen(path, "w")
                    fputs(text, file)
                    fclose(file)
                    rig.process.reload()
                }
            }
            let shown = try rig.wait(client, for: .cardsUnreadable)
            #expect(
                shown?.text
                    == "credentials.cards: \(path):2: cards[0]: lacks \"key\"; cards are refused: correct it, and reload"
            )
            rig.onLoop { #expect(rig.process.device.reader.cardList == nil) }
            rig.operatorOpens(client)
            reload("{\"cards\": []}\n")
            #expect(try rig.shownFaults(client) == [])
            rig.onLoop { #expect(rig.process.device.reader.cardList?.count == 0) }
            rig.onLoop {
                unlink(path)
                rig.process.reload()
            }
            #expect(try rig.shownFaults(client).first?.text.contains("no such file; make it with readerlab") == true)
            rig.onLoop { #expect(rig.process.device.reader.cardList == nil) }
        }
    }

    /// Cards of that kind are refused meanwhile, also by the key of before.
    @Test func anUnreadableKeyOfDESFireCardsIsAFaultUntilItCanBeRead() throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let path = "\(directory.path)/desfire.key"
        let rig = try ProcessRig(
            configuration: """
                [credentials]
                card-kinds = ["desfire"]
                [desfire]
                application = "F51BC0"
                file = 1
                count = 8
                key-file = "\(path)"

                """)
        try rig.serve { client, rig in
            func reload(_ digits: String, mode: mode_t = 0o600) {
                rig.onLoop {
                    let file = fopen(path, "w")
                    fputs(digits, file)
                    fclose(file)
                    chmod(path, mode)
                    rig.process.reload()
                }
            }
            let shown = try rig.wait(client, for: .desfireKeyUnreadable)
            #expect(
                shown?.text
                    == "desfire.key-file: \(path): no such file; write 32 hexadecimal digits, then: chmod 600 \(path); "
                    + "DESFire cards are refused: correct it, and reload")
            rig.operatorOpens(client)
            reload("00112233445566778899aabbccddeeff\n")
            #expect(try rig.shownFaults(client) == [])
            rig.onLoop { #expect(rig.process.device.reader.desfire != nil) }
            for (digits, mode, fault) in [
                ("00112233445566778899aabbccddeeff", 0o640, "others can read or write it: chmod 600"),
                ("00112233445566778899aabbccddee", 0o600, "is no AES key; write 32 hexadecimal digits"),
                (String(repeating: "0", count: 32), 0o600, "is a key of equal octets, as new cards have; write your"),
                (String(repeating: " ", count: 129), 0o600, "is longer than 128 octets"),
            ] {
                reload(digits, mode: mode_t(mode))
                #expect(try rig.shownFaults(client).first?.text.contains(fault) == true, "\(fault)")
                rig.onLoop { #expect(rig.process.device.reader.desfire == nil) }
            }
        }
    }

    @Test func aPushedConfigurationThatIsNoneLeavesTheFiles() throws {
        let trouble = ProcessRig.Trouble(prepare: { state in
            try FaultLog.make(in: state, settings: [PushedConfiguration.setting: [0xFF, 0xFF]])
        })
        let rig = try ProcessRig(configuration: "[door]\npulse-s = 7\n", trouble: trouble)
        try rig.serve { client, rig in
            let shown = try rig.wait(client, for: .pushedConfigurationUnusable)
            #expect(shown?.text.contains("status -32") == true)
            rig.operatorOpens(client)
        }
        #expect(rig.told(.pushedConfigurationUnusable) == 1)
    }

    @Test func aBlacklistThatDoesNotFitIsAFault() throws {
        let until = CivilTime(year: 2089, month: 1, day: 1)
        let rows = (10..<40).map { BlacklistRow(credential: "CRED0000\($0)", until: until) }
        let trouble = ProcessRig.Trouble(prepare: { state in try FaultLog.make(in: state, blacklist: rows) })
        let rig = try ProcessRig(configuration: "[credentials]\nblacklist-capacity = 16\n", trouble: trouble)
        try rig.serve { client, rig in
            let shown = try rig.wait(client, for: .blacklistTooSmall)
            #expect(shown?.text.hasPrefix("14 entries of the stored blacklist do not fit") == true)
            rig.operatorOpens(client)
        }
        #expect(rig.told(.blacklistTooSmall) == 1)
    }

    /// Nobody can ask for the status then, so the log and the service manager have to say it. That a socket that cannot
    /// be made at the usual place keeps nobody from starting is in test_faults.py.
    @Test func aMissingControlSocketIsToldTheServiceManager() throws {
        let rig = try ProcessRig()
        let control = try #require(rig.process.service(ReaderControl.self))
        control.fault = "/run/readerd/control.sock.lock: cannot open it: Permission denied"
        try rig.run { path, rig in
            _ = try rig.wait(try BlockingClient(path), for: .controlSocketMissing)
            rig.onLoop { #expect(rig.process.serviceStatus == "waiting for unix:x; faults: control-socket-missing") }
            rig.exitFreesTheLock()
        }
        #expect(rig.told(.controlSocketMissing) == 1)
    }
}
