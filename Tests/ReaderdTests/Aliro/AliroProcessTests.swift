// SPDX-License-Identifier: Apache-2.0

import Contactless
import Credentials
import Crypto
import Glibc
import Reader
import TestSupport
import Testing

@testable import readerd

/// The Aliro reader of the process: its key, its store on the disk, and what it does with files that it cannot use.
@Suite struct AliroProcessTests {
    private static let table = """
        [aliro]
        group = "00112233445566778899aabbccddeeff"
        door = "0123456789abcdef0123456789abcdef"

        """
    private static let scalar = octets("9293c769ccc75562180455ed7db8ba0699ddcb582d34872d71f442f7a61d43e3")

    /// A configuration whose list of cards has the phone.
    private static func configuration(_ phone: AliroPhone, in directory: TemporaryDirectory) throws -> String {
        let key = phone.point.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        try directory.write(
            "cards.json", "{\"cards\": [{\"kind\": \"aliro\", \"id\": \"PHONE00001\", \"key\": \"\(key)\"}]}\n")
        return "[credentials]\ncard-kinds = [\"aliro\"]\ncards = \"\(directory.path)/cards.json\"\n" + table
    }

    /// A phone that enters the field of a running reader, and answers until the transaction is over.
    final class Field: @unchecked Sendable {
        var phone: AliroPhone
        init(_ phone: AliroPhone) { self.phone = phone }

        func tap(_ rig: ProcessRig) throws {
            rig.onLoop { [self] in
                phone.activate()
                rig.process.device.cardEntered(at: rig.process.moment)
                rig.process.flush()
            }
            var isOver = false
            let isDone = eventually {
                rig.onLoop { [self] in
                    switch rig.process.device.nextCardAction() {
                    case .transmit(let command):
                        let response = phone.respond(to: command)
                        rig.process.device.receive(cardResponse: response.span, at: rig.process.moment)
                        rig.process.flush()
                    case .finish, .tryNext: isOver = true
                    case nil: break
                    }
                }
                return isOver
            }
            #expect(isDone, "the transaction does not end")
            rig.onLoop {
                rig.process.device.cardLeft()
                rig.process.flush()
            }
        }
    }

    /// A directory that has been used: the key, and the phone's persistent key after a first tap.
    @Test func aTapIsKeptOnTheDisk() throws {
        let directory = try TemporaryDirectory()
        let phone = try AliroPhone(scalar: Self.scalar, trusting: Demo.terminalPoint)
        let field = Field(phone)
        let trouble = ProcessRig.Trouble(system: { WallClock.SystemTime(seconds: 1_795_867_200, isSynchronised: true) })
        let rig = try ProcessRig(configuration: Self.configuration(phone, in: directory), trouble: trouble)
        try rig.serve { _, rig in
            rig.waitUntilRestored()
            rig.onLoop {
                let reader = rig.process.device.reader.aliro?.reader
                if let point = reader?.key.publicKey { field.phone.trust = AliroPhone.Trust(point: point) }
            }
            try field.tap(rig)
            #expect(field.phone.tap.status == [0x01, 0x01] && field.phone.tap.phase != .fast)
            try field.tap(rig)
            #expect(field.phone.tap.status == [0x01, 0x01] && field.phone.tap.phase == .fast)
        }
        let state = try StateDirectory(existing: rig.directory.path + "/state")
        let files = AliroFiles(state: state)
        for name in AliroFiles.names {
            let status = try #require(try state.status(of: name))
            #expect(status.st_mode & 0o777 == 0o600, "\(name)")
        }
        let key = try #require(try files.key())
        #expect(try files.loadStore().persistentPoints == [phone.point])
        let shown = Program.outcome(of: ["aliro", "--state", rig.directory.path + "/state"])
        #expect(shown.code == 0 && shown.printed == [AliroFiles.text(key.publicPoint)])
    }

    /// A damaged store has revocations: it refuses, and stays as it is.
    @Test func aDamagedStoreIsAFaultAndRefuses() throws {
        let directory = try TemporaryDirectory()
        let field = Field(try AliroPhone(scalar: Self.scalar, trusting: Demo.terminalPoint))
        let damage = [UInt8](repeating: 0x41, count: 100)
        let trouble = ProcessRig.Trouble(prepare: { state in
            _ = try AliroFiles(state: state).makeKey()
            try state.replace(AliroFiles.storeName, with: damage)
        })
        let rig = try ProcessRig(
            configuration: Self.configuration(field.phone, in: directory), trouble: trouble)
        try rig.serve { client, rig in
            let shown = try rig.wait(client, for: .aliroUnusable)
            #expect(shown?.text.contains("aliro.store: is damaged; restore a backup, or run readerd aliro") == true)
            try field.tap(rig)
            #expect(field.phone.tap.commands.isEmpty)
            rig.operatorOpens(client)
        }
        let state = try StateDirectory(existing: rig.directory.path + "/state")
        #expect(try state.contents(of: AliroFiles.storeName, maximumCount: 1000)?.octets == damage)
    }

    @Test func aKeyThatOthersCanReadIsAFault() throws {
        let directory = try TemporaryDirectory()
        let phone = try AliroPhone(scalar: Self.scalar, trusting: Demo.terminalPoint)
        let trouble = ProcessRig.Trouble(prepare: { state in
            _ = try AliroFiles(state: state).makeKey()
            chmod(state.file(AliroFiles.keyName), 0o644)
        })
        let rig = try ProcessRig(configuration: Self.configuration(phone, in: directory), trouble: trouble)
        try rig.serve { client, rig in
            let shown = try rig.wait(client, for: .aliroUnusable)
            #expect(shown?.text.contains("key accessible to other users; run: chmod 600") == true)
        }
    }

    /// A key without its store, which has revocations: an empty one is made only by the administrator.
    @Test func aLostStoreIsAFaultUntilAnEmptyOneIsMade() throws {
        let directory = try TemporaryDirectory()
        let phone = try AliroPhone(scalar: Self.scalar, trusting: Demo.terminalPoint)
        let trouble = ProcessRig.Trouble(prepare: { state in
            _ = try AliroFiles(state: state).makeKey()
            try state.remove(AliroFiles.storeName)
        })
        let rig = try ProcessRig(configuration: Self.configuration(phone, in: directory), trouble: trouble)
        try rig.serve { client, rig in
            let shown = try rig.wait(client, for: .aliroUnusable)
            #expect(shown?.text.contains("aliro.store: missing; restore a backup, or run readerd aliro") == true)
        }
        let path = rig.directory.path + "/state"
        let files = AliroFiles(state: try StateDirectory(existing: path))
        #expect(Program.outcome(of: ["aliro", "--state", path, "--empty-store"]).code == 0)
        #expect(try files.loadStore().credentials.isEmpty)
    }

    /// A store without its key: another key would be one that no phone knows.
    @Test func aMissingKeyIsAFault() throws {
        let directory = try TemporaryDirectory()
        let phone = try AliroPhone(scalar: Self.scalar, trusting: Demo.terminalPoint)
        let trouble = ProcessRig.Trouble(prepare: { try $0.replace(AliroFiles.storeName, with: [0]) })
        let rig = try ProcessRig(configuration: Self.configuration(phone, in: directory), trouble: trouble)
        try rig.serve { client, rig in
            let shown = try rig.wait(client, for: .aliroUnusable)
            #expect(shown?.text.contains("aliro.key: missing; restore a backup, or remove") == true)
        }
    }

    @Test func aCertificateOfAnotherKeyIsAFault() throws {
        let directory = try TemporaryDirectory()
        let other = try P256PrivateKey.generate()
        let point = [UInt8](other.publicPoint.octets)
        // Profile 0000 with the defaults: point, signature.
        let fields =
            AliroWire.element(0x85, [0] + point) + AliroWire.element(0x86, [0] + [UInt8](repeating: 0x30, count: 70))
        let file = directory.path + "/aliro.crt"
        let octets = AliroWire.element(0x30, [0x04, 0x02, 0x00, 0x00] + AliroWire.element(0x30, fields))
        let stream = fopen(file, "w")
        fwrite(octets, 1, octets.count, stream)
        fclose(stream)
        let phone = try AliroPhone(scalar: Self.scalar, trusting: Demo.terminalPoint)
        let rig = try ProcessRig(
            configuration: Self.configuration(phone, in: directory) + "certificate = \"\(file)\"\n"
                + "certificate-issuer = \"\(AliroFiles.text(other.publicPoint))\"\n")
        try rig.serve { client, rig in
            let shown = try rig.wait(client, for: .aliroUnusable)
            #expect(shown?.text.contains("certifies another key; have the point certified that readerd aliro") == true)
        }
    }

    /// The store of the same reader, whose issuer has revoked more phones than are kept.
    static func overfull(_ store: [UInt8], issuer point: [UInt8]) throws -> [UInt8] {
        // Head, binding, no credentials; then one anchor, and its ledger with FFFF in place of the number.
        var octets = Array(store[..<(8 + 65 + 32)]) + [0, 0, 0, 1, 0] + point
        octets += [0, 1] + point + point + [UInt8](repeating: 0, count: 8) + [1] + [UInt8](repeating: 0, count: 8)
        octets += [0xFF, 0xFF, 0, 0]
        return octets + [UInt8](try SHA256.hash(octets.span))
    }

    /// A store whose issuer has revoked more phones than are kept: the file says so, and a listed phone is refused.
    @Test func anOverfullListOfRevocationsIsAFault() throws {
        let directory = try TemporaryDirectory()
        let issuer = try P256PrivateKey.generate()
        let point = [UInt8](issuer.publicPoint.octets)
        let phone = try AliroPhone(scalar: Self.scalar, trusting: Demo.terminalPoint)
        let trouble = ProcessRig.Trouble(prepare: { state in
            _ = try AliroFiles(state: state).makeKey()
            let contents = try #require(try state.contents(of: AliroFiles.storeName, maximumCount: 1000)).octets
            try state.replace(AliroFiles.storeName, with: Self.overfull(contents, issuer: point))
        })
        let rig = try ProcessRig(
            configuration: Self.configuration(phone, in: directory)
                + "issuers = [\"\(AliroFiles.text(issuer.publicPoint))\"]\n", trouble: trouble)
        try rig.serve { client, rig in
            let shown = try rig.wait(client, for: .aliroOverfull)
            #expect(shown?.text.contains("more than 4096 phones; all are refused until a phone brings") == true)
            #expect(client.ask(#"{"get":"status"}"#)?.contains(#""revoked":null"#) == true)
            rig.onLoop { #expect(rig.process.device.reader.aliro?.store.revokes(phone.point) == true) }
        }
    }

    @Test func aStoreThatCannotBeKeptIsAFault() throws {
        let directory = try TemporaryDirectory()
        let state = try StateDirectory(directory.path + "/state")
        let writer = try #require(AliroStoreWriter(state))
        try state.remove("../state", Int32(AT_REMOVEDIR))
        writer.write([1, 2, 3])
        #expect(writer.end(within: .seconds(TestTimeout.seconds)))
        let result = writer.takeResults().store
        guard case .failed(let why) = result else {
            Issue.record("\(String(describing: result))")
            return
        }
        #expect(why.contains(AliroFiles.storeName))
    }

    /// A revocation of an issuer is not left in memory until the store changes again.
    @Test func aStoreThatCouldNotBeWrittenIsWrittenAgain() throws {
        let directory = try TemporaryDirectory()
        let phone = try AliroPhone(scalar: Self.scalar, trusting: Demo.terminalPoint)
        let field = Field(phone)
        let trouble = ProcessRig.Trouble(system: { WallClock.SystemTime(seconds: 1_795_867_200, isSynchronised: true) })
        let rig = try ProcessRig(configuration: Self.configuration(phone, in: directory), trouble: trouble)
        try rig.serve { client, rig in
            rig.waitUntilRestored()
            rig.onLoop {
                let reader = rig.process.device.reader.aliro?.reader
                if let point = reader?.key.publicKey { field.phone.trust = AliroPhone.Trust(point: point) }
            }
            // No temporary file can be made in the place of a directory. The write of the start may have one.
            let obstacle = rig.directory.path + "/state/" + AliroFiles.storeName + ".new"
            let isObstructed = eventually { mkdir(obstacle, 0o700) == 0 }
            #expect(isObstructed)
            try field.tap(rig)
            #expect(field.phone.tap.status == [0x01, 0x01])
            _ = try rig.wait(client, for: .aliroUnkept)
            #expect(rmdir(obstacle) == 0)
            var isKept = false
            let isWritten = eventually {
                rig.onLoop { isKept = !rig.process.faults.has(.aliroUnkept) }
                return isKept
            }
            #expect(isWritten)
        }
        let state = try StateDirectory(existing: rig.directory.path + "/state")
        #expect(try AliroFiles(state: state).loadStore().persistentPoints == [phone.point])
    }

    @Test func theKeyIsMadeOnceAndRemovedByAReset() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/state"
        let first = Program.outcome(of: ["aliro", "--state", path])
        let second = Program.outcome(of: ["aliro", "--state", path, "--json"])
        #expect(first.code == 0 && second.code == 0)
        #expect(second.printed == first.printed.map { "{\"key\":\"\($0)\"}" })
        #expect(AliroFiles.names.allSatisfy(ResetCommand.isOurs))
    }
}
