// SPDX-License-Identifier: Apache-2.0

import Crypto
import Glibc
import Reader
import System
import TestSupport
import Testing

@testable import readerd

/// The site's key of PKOC phones: made on the device while their mode is advertised, and kept.
@Suite struct PKOCProcessTests {
    private static let mode = "[advertising]\nmodes = [\"access\", \"pkoc\"]\n"

    @Test func theKeyIsMadeOnceAndShown() throws {
        let rig = try ProcessRig(configuration: Self.mode)
        try rig.serve { _, _ in }
        let state = try StateDirectory(existing: rig.directory.path + "/state")
        let key = try #require(try StoredKey.pkocSite.load(from: state))
        #expect(rig.process.device.reader.pkocSite?.publicPoint == key.publicPoint)
        #expect(try state.contents(of: StoredKey.pkocSite.name, maximumCount: 4096)?.permissions == 0o600)
        let shown = Program.outcome(of: ["pkoc", "--state", state.path])
        #expect(shown.code == 0 && shown.printed == [ReaderPKOC.text(key.publicKey)])
        let asJSON = Program.outcome(of: ["pkoc", "--state", state.path, "--json"])
        #expect(asJSON.printed == ["{\"key\":\"\(ReaderPKOC.text(key.publicKey))\"}"])
    }

    @Test func theCommandMakesTheKeyBeforeTheFirstStart() throws {
        let directory = try TemporaryDirectory()
        let shown = Program.outcome(of: ["pkoc", "--state", directory.path])
        #expect(shown.code == 0)
        #expect(Program.outcome(of: ["pkoc", "--state", directory.path]).printed == shown.printed)
        #expect(ResetCommand.isOurs("pkoc-site.key"))
    }

    /// Without its mode there is neither a key nor a member of the status.
    @Test func withoutTheModeThereIsNoKey() throws {
        let rig = try ProcessRig()
        try rig.serve { _, rig in
            rig.onLoop { #expect(rig.process.service(ReaderPKOC.self)?.status == nil) }
        }
        let state = try StateDirectory(existing: rig.directory.path + "/state")
        #expect(try StoredKey.pkocSite.load(from: state) == nil)
    }

    @Test func aKeyThatOthersCanReadIsAFault() throws {
        let trouble = ProcessRig.Trouble(prepare: { state in
            _ = try StoredKey.pkocSite.make(in: state)
            chmod(state.file(StoredKey.pkocSite.name), 0o644)
        })
        let rig = try ProcessRig(configuration: Self.mode, trouble: trouble)
        try rig.serve { client, rig in
            let shown = try rig.wait(client, for: .pkocUnusable)
            #expect(shown?.text.contains("key accessible to other users; run: chmod 600") == true)
            rig.onLoop { #expect(rig.process.device.reader.pkocSite == nil) }
        }
    }

    /// Without the mode nothing needs the key.
    @Test func aReloadWithoutTheModeEndsFaultAndKey() throws {
        let trouble = ProcessRig.Trouble(prepare: { state in
            _ = try StoredKey.pkocSite.make(in: state)
            chmod(state.file(StoredKey.pkocSite.name), 0o644)
        })
        let rig = try ProcessRig(configuration: Self.mode, trouble: trouble)
        try rig.serve { client, rig in
            func reload(_ text: String) throws {
                try rig.directory.write("readerd.toml", text)
                rig.onLoop { rig.process.reload() }
            }
            _ = try rig.wait(client, for: .pkocUnusable)
            try reload("[advertising]\nmodes = [\"access\"]\n")
            #expect(try rig.shownFaults(client) == [])
            chmod(rig.directory.path + "/state/" + StoredKey.pkocSite.name, 0o600)
            try reload(Self.mode)
            rig.onLoop { #expect(rig.process.device.reader.pkocSite != nil) }
            try reload("[advertising]\nmodes = [\"access\"]\n")
            rig.onLoop { #expect(rig.process.device.reader.pkocSite == nil) }
        }
    }

    @Test func aDamagedKeyIsAFaultAndStays() throws {
        let damage = [UInt8](repeating: 0x41, count: 100)
        let trouble = ProcessRig.Trouble(prepare: { state in try state.replace(StoredKey.pkocSite.name, with: damage) })
        let rig = try ProcessRig(configuration: Self.mode, trouble: trouble)
        try rig.serve { client, rig in
            let shown = try rig.wait(client, for: .pkocUnusable)
            #expect(shown?.text.contains("is no private key; restore a backup, or copy it from another door") == true)
        }
        let state = try StateDirectory(existing: rig.directory.path + "/state")
        #expect(try state.contents(of: StoredKey.pkocSite.name, maximumCount: 1000)?.octets == damage)
    }
}
