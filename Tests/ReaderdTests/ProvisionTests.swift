// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Configuration
import Crypto
import Glibc
import Reader
import System
import Testing
import Timekeeping

@testable import readerd

/// `readerd provision` in a directory of its own.
@Suite struct ProvisionTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = "\(directory.path)/state"
    }

    private func perform(_ arguments: String...) -> ProgramOutcome {
        Program.outcome(of: ["provision", "--state", path] + arguments)
    }

    /// Writes a public key; the file's path.
    private func publicKey(_ name: String, _ key: P256PrivateKey) throws -> String {
        try directory.write(name, key.publicKey.pem())
    }

    private func load() throws -> ReaderIdentity { try IdentityFiles.load(from: StateDirectory(path)) }

    /// The names of the identity's directories.
    private var generations: [String] { directory.names(in: "state").filter { $0.hasPrefix("identity-") } }

    @Test func makesAWholeIdentityThatMayMoveARealLock() throws {
        let backend = try P256PrivateKey.generate()
        let file = try publicKey("backend.pem", backend)
        let outcome = perform(
            "--signature-key", file, "--device-id", "Door0001", "--serial-number", "0123456789abcdef0123",
            "--site-id", "2", "--door-id", "7")
        #expect(outcome.code == 0 && outcome.complaints == [])
        let identity = try load()
        #expect(!identity.isDemo && identity.deviceID == "Door0001")
        #expect(identity.serialNumber == "0123456789abcdef0123")
        #expect(identity.signatureKey.point == backend.publicPoint)
        #expect(identity.retiringSignatureKey == nil)
        var settings = ReaderSettings()
        settings.gpio.lines[.lock] = "RELAY"
        try IdentityFiles.check(identity, mayDrive: settings)
        #expect(directory.mode(of: "state/identity") == 0o700)
        for name in directory.names(in: "state/identity") {
            #expect(directory.mode(of: "state/identity/\(name)") == 0o600, "\(name)")
        }
        // What is printed is the public key of that identity, and a PEM file as a whole.
        let text = Array(outcome.printed.joined(separator: "\n").utf8)
        #expect(try P256PublicKey(pem: text.span).point == identity.terminalKey.publicPoint)
        #expect(!outcome.printed.joined().contains("PRIVATE"))
        #expect(
            outcome.printed.prefix(3) == [
                "device id      Door0001", "serial number  0123456789abcdef0123",
                "site, door     2, 7",
            ])
    }

    @Test func whatIsNotGivenIsMadeAndIsNeverTheSame() throws {
        var ids: Set<String> = []
        for _ in 0..<8 {
            #expect(perform("--force-new-identity").code == 0)
            let contents = try IdentityContents(from: StateDirectory(path))
            #expect(contents.deviceID.utf8.count == 8 && contents.deviceID.allSatisfy { $0.isLetter || $0.isNumber })
            ids.formUnion([contents.deviceID, contents.serialNumber])
            ids.insert(ReaderRecord.fingerprint(contents.terminalKey.publicKey))
        }
        #expect(ids.count == 24)
        #expect(generations.count == 1)
    }

    @Test func isARecordForTheBackendAsJSON() throws {
        let outcome = perform("--json", "--device-id", "Do\"r\\001", "--site-id", "1", "--door-id", "2")
        let line = try #require(outcome.printed.first)
        #expect(outcome.printed.count == 1)
        #expect(
            line.hasPrefix(
                "{\"format\":\"readerd-reader\",\"version\":1,\"device-id\":\"Do\\\"r\\\\001\",\"serial-number\":\""))
        #expect(line.contains("\"site-id\":1,\"door-id\":2,"))
        #expect(line.hasSuffix("\"signature-key-fingerprint\":null}"))
        #expect(!line.contains("PRIVATE"))
    }

    @Test func withoutASignatureKeyItDoesNotStartAndSaysWhatToDo() throws {
        #expect(perform().code == 0)
        let state = try StateDirectory(path)
        let place = try IdentityDirectory.current(in: state)
        #expect(
            throws: ReaderdError.failed(
                "\(place.path): the backend's signature key is missing; give the backend the public key, then run: "
                    + "readerd provision --state \(path) --add-signature-key FILE")
        ) { try load() }
        let before = try IdentityContents(from: state)
        let backend = try P256PrivateKey.generate()
        #expect(perform("--add-signature-key", try publicKey("b.pem", backend)).code == 0)
        let identity = try load()
        #expect(identity.deviceID == before.deviceID && identity.serialNumber == before.serialNumber)
        #expect(identity.terminalKey.publicPoint == before.terminalKey.publicPoint)
        #expect(identity.signatureKey.point == backend.publicPoint && identity.retiringSignatureKey == nil)
    }

    @Test func anIdentityIsNotReplacedUnlessForced() throws {
        let file = try publicKey("b.pem", .generate())
        #expect(perform("--signature-key", file, "--device-id", "Door0001").code == 0)
        let before = try load()
        let refused = perform("--signature-key", file)
        #expect(refused.code == 1 && refused.printed == [])
        #expect(
            refused.complaints == [
                "readerd: \(path): has an identity, Door0001; to change a key: --rotate-terminal-key or "
                    + "--add-signature-key; to replace it, with all its tokens and phones' trust: --force-new-identity"
            ])
        #expect(try load().terminalKey.publicPoint == before.terminalKey.publicPoint)
        let forced = perform("--signature-key", file, "--force-new-identity")
        #expect(
            forced.code == 0
                && forced.complaints.first?.hasPrefix("the previous identity and its keys are deleted") == true)
        #expect(try load().terminalKey.publicPoint != before.terminalKey.publicPoint)
    }

    /// One that was put there by hand is one, also half of it, and goes when it is replaced.
    @Test func anIdentityByHandIsOne() throws {
        _ = try StateDirectory(path)
        try directory.write("state/device-id", "Door0001\n")
        #expect(perform().code == 1)
        try directory.write("state/terminal-key.pem", P256PrivateKey.generate().pem(), mode: 0o600)
        let backend = try P256PrivateKey.generate()
        try directory.write("state/signature-key.pem", backend.publicKey.pem())
        #expect(try load().deviceID == "Door0001")
        // A change of a key takes it over whole.
        #expect(perform("--rotate-terminal-key").code == 0)
        #expect(try load().deviceID == "Door0001" && load().signatureKey.point == backend.publicPoint)
        #expect(directory.names(in: "state") == ["identity", generations[0], "readerd.lock"])
    }

    /// The remedy for a user who does not own the directory.
    @Test func whoMayNotOpenTheLockIsToldWhatToDo() {
        #expect(StateLock.remedy(EACCES).hasPrefix("run this as the owner of the state directory"))
        #expect(StateLock.remedy(EROFS) == "")
    }

    @Test func keysThatDoNotBelongOnAReader() throws {
        let key = try P256PrivateKey.generate()
        let secret = try directory.write("secret.pem", key.pem(), mode: 0o600)
        let demo = try directory.write("demo.pem", ReaderIdentity.demo().signatureKey.pem())
        let noise = try directory.write("noise.pem", "no key")
        let site = try directory.write("site.json", "{\"signature-key\":\"-----BEGIN PRIVATE KEY-----\"}", mode: 0o600)
        for (file, why) in [
            (
                secret,
                "contains a private key; use its public key: openssl pkey -in \(secret) "
                    + "-pubout"
            ),
            (
                site,
                "contains a private key; use its public key: readerlab credentials show "
                    + "\(site) --signature-key NAME"
            ),
            (demo, "published demo key"),
            (noise, "is not a public key on P-256"), ("\(directory.path)/none", "no such file"),
        ] {
            for option in ["--signature-key", "--add-signature-key", "--command-key"] {
                let outcome = perform(option, file)
                #expect(outcome.code == 1)
                #expect(outcome.complaints.first?.hasPrefix("readerd: \(file): \(why)") == true, "\(outcome)")
            }
        }
        #expect(generations == [])
    }

    @Test func aSignatureKeyIsReplacedWithAnOverlap() throws {
        let (old, new, newest) = (
            try P256PrivateKey.generate(), try P256PrivateKey.generate(), try P256PrivateKey.generate()
        )
        #expect(perform("--signature-key", try publicKey("1.pem", old)).code == 0)
        let second = try publicKey("2.pem", new)
        #expect(perform("--add-signature-key", second).code == 2, "it has to be said until when")
        #expect(perform("--add-signature-key", second, "--old-key-until", "2026-12-31").code == 0)
        let identity = try load()
        #expect(identity.signatureKey.point == new.publicPoint)
        #expect(identity.retiringSignatureKey?.key.point == old.publicPoint)
        #expect(
            identity.retiringSignatureKey?.until == CivilTime(year: 2026, month: 12, day: 31, hour: 23, minute: 59))
        #expect(perform("--add-signature-key", second, "--old-key-until", "now").code == 1, "it is the same")
        let third = perform("--add-signature-key", try publicKey("3.pem", newest), "--old-key-until", "now")
        #expect(third.complaints.first?.contains("2026-12-31T23:59, is no longer accepted") == true)
        #expect(try load().signatureKey.point == newest.publicPoint && load().retiringSignatureKey == nil)
        #expect(try load().terminalKey.publicPoint == identity.terminalKey.publicPoint)
    }

    @Test func aCommandKeyIsAddedAndReplacedWithAnOverlap() throws {
        let (tokens, old, new) = (
            try P256PrivateKey.generate(), try P256PrivateKey.generate(), try P256PrivateKey.generate()
        )
        let (signature, first, second) = (
            try publicKey("t.pem", tokens), try publicKey("1.pem", old), try publicKey("2.pem", new)
        )
        #expect(perform("--command-key", first).code == 1, "there is no identity")
        #expect(perform("--signature-key", signature).code == 0)
        #expect(try load().commandKeys.isEmpty)
        // A leaked key for tokens must not order, nor the reverse.
        #expect(perform("--command-key", signature).complaints.first?.contains("need separate keys") == true)
        #expect(perform("--command-key", first, "--old-key-until", "now").code == 2, "there is no old one")
        #expect(perform("--command-key", first).code == 0)
        #expect(
            perform("--add-signature-key", first, "--old-key-until", "now").complaints.first?
                .contains("need separate keys") == true)
        #expect(try load().commandKeys.map(\.key.point) == [old.publicPoint])
        #expect(directory.mode(of: "state/identity/command-key.pem") == 0o600)
        #expect(perform("--command-key", second).code == 2, "it has to be said until when")
        #expect(perform("--command-key", second, "--old-key-until", "2026-12-31").code == 0)
        let keys = try load().commandKeys
        #expect(keys.map(\.key.point) == [new.publicPoint, old.publicPoint])
        #expect(keys.last?.until == CivilTime(year: 2026, month: 12, day: 31, hour: 23, minute: 59))
        // Other changes keep both.
        #expect(perform("--rotate-terminal-key").code == 0)
        #expect(try load().commandKeys.count == 2)
        chmod("\(path)/identity/command-key.pem", 0o620)
        #expect(throws: ReaderdError.self) { try load() }
    }

    @Test func aTerminalKeyIsReplacedAndNothingElse() throws {
        let file = try publicKey("b.pem", .generate())
        #expect(perform("--signature-key", file, "--site-id", "3", "--door-id", "4").code == 0)
        let before = try load()
        let outcome = perform("--rotate-terminal-key")
        #expect(outcome.code == 0 && outcome.complaints.count == 1)
        let after = try load()
        #expect(after.terminalKey.publicPoint != before.terminalKey.publicPoint)
        #expect(after.signatureKey.point == before.signatureKey.point)
        #expect(after.deviceID == before.deviceID && after.serialNumber == before.serialNumber)
        #expect(try ProvisionedDoor.load(from: StateDirectory(path)) == ProvisionedDoor(siteID: 3, doorID: 4))
    }

    /// Provisions until the power goes after `cut` steps; true if the new identity was in its place by then, nil if the
    /// change was over before.
    private func hadSwapped(_ arguments: [String], cutAfter cut: Int) throws -> Bool? {
        var (steps, swapped) = (0, false)
        let silent = Console(print: { _ in }, complain: { _ in })
        let options = try ProvisionOptions(arguments[...]).at(path)
        let command = ProvisionCommand(options: options, console: silent) { step throws(ReaderdError) in
            if step == .swapped { swapped = true }
            if steps == cut { throw .failed("power cut") }
            steps += 1
        }
        guard let error = thrown({ () throws(ReaderdError) in _ = try command.perform() }) else { return nil }
        #expect(error == .failed("power cut"))
        return swapped
    }

    /// The power goes after each step of each change in turn: there is the old identity or the new one, and the same
    /// change can be made again.
    @Test(arguments: [["--force-new-identity"], ["--rotate-terminal-key"], ["--add-signature-key"]])
    func aPowerCutLeavesTheOldIdentityOrTheNewOne(change: [String]) throws {
        let (old, new) = (try P256PrivateKey.generate(), try P256PrivateKey.generate())
        let (first, second) = (try publicKey("1.pem", old), try publicKey("2.pem", new))
        var arguments = change
        switch change[0] {
        case "--add-signature-key": arguments += [second, "--old-key-until", "2026-12-31"]
        case "--force-new-identity": arguments += ["--signature-key", second, "--device-id", "Door0002"]
        default: break
        }
        let state = try StateDirectory(path)
        func identity() throws -> [[UInt8]] {
            let identity = try load()
            return [
                Array(identity.deviceID.utf8), identity.terminalKey.publicKey.der(), identity.signatureKey.der(),
                identity.retiringSignatureKey?.key.der() ?? [],
            ]
        }
        var (kept, replaced) = (0, 0)
        var cut = 0
        while true {
            #expect(perform("--force-new-identity", "--signature-key", first, "--device-id", "Door0001").code == 0)
            let before = try identity()
            guard let swapped = try hadSwapped(arguments, cutAfter: cut) else { break }
            let after = try identity()
            if swapped { replaced += 1 } else { kept += 1 }
            #expect((after == before) == !swapped, "after step \(cut)")
            #expect(try IdentityDirectory.current(in: state).path != state.path)
            cut += 1
        }
        // made, the files, linked; and swapped, removed.
        #expect(kept >= 6 && replaced == 2, "\(kept) and \(replaced)")
        #expect(generations.count == 1, "what was left over is gone")
    }

    /// From the factory: before the first link there is the demo identity, and after it the new one.
    @Test func aPowerCutAtTheFirstProvisioning() throws {
        let file = try publicKey("1.pem", .generate())
        var cut = 0
        while true {
            TemporaryDirectory.remove(path)
            guard let swapped = try hadSwapped(["--signature-key", file], cutAfter: cut) else { break }
            #expect(try load().isDemo == !swapped, "after step \(cut)")
            cut += 1
        }
        // Made, four files, linked, swapped, removed.
        #expect(cut == 8)
        #expect(try !load().isDemo)
    }

    @Test func aLinkThatLeadsElsewhereIsNotFollowed() throws {
        _ = try StateDirectory(path)
        try #require(symlink("/etc", "\(path)/identity") == 0)
        #expect(throws: ReaderdError.damaged("\(path)/identity", "not made by readerd provision; move it away")) {
            try load()
        }
    }

    @Test func aReaderThatRunsIsInTheWay() throws {
        let running = try StateLock.acquire(StateDirectory(path), for: .run)
        let outcome = perform()
        #expect(outcome.code == 1)
        #expect(
            outcome.complaints == [
                "readerd: \(path): in use by a readerd (process \(getpid())); stop it first (service: systemctl stop "
                    + "readerd)"
            ])
        running.release()
        #expect(perform().code == 0)
    }

    @Test func theDoorOfTheIdentityHoldsWhereTheConfigurationSaysNothing() throws {
        #expect(perform("--site-id", "2", "--door-id", "7").code == 0)
        let door = try #require(try ProvisionedDoor.load(from: StateDirectory(path)))
        var settings = ReaderSettings()
        try door.apply(to: &settings)
        #expect(settings.reader.siteID == 2 && settings.reader.doorID == 7)
        try door.apply(to: &settings)
        settings.reader.doorID = 8
        #expect(
            throws: ReaderdError.failed(
                "reader.door-id is 8 in the configuration, but 7 in the identity; remove the key, or provision the "
                    + "reader for 8")
        ) { try door.apply(to: &settings) }
        for text in [
            "", "site-id 1", "site-id 1\ndoor-id 0\n", "site-id 1\ndoor-id 65536\n", "site-id +1\ndoor-id 1\n",
            "site-id 1\ndoor-id 1\n\n",
        ] {
            #expect(ProvisionedDoor(text) == nil)
        }
    }

    @Test(arguments: [
        (["--device-id", "short"], "--device-id needs 8 printable ASCII characters, without a space"),
        (["--device-id", "Door 001"], "--device-id needs 8 printable ASCII characters, without a space"),
        (["--serial-number", "12"], "--serial-number needs 20 hexadecimal digits"),
        (["--site-id", "1"], "--site-id and --door-id need each other"),
        (["--site-id", "0", "--door-id", "1"], "--site-id needs a whole number from 1 to 65535, not \"0\""),
        (["--old-key-until", "now"], "--old-key-until needs --add-signature-key or --command-key"),
        (
            ["--old-key-until", "31.12.2026"],
            "--old-key-until needs a date, 2026-12-31 or 2026-12-31T18:00, or the word now"
        ),
        (
            ["--rotate-terminal-key", "--add-signature-key", "f"],
            "--rotate-terminal-key, --add-signature-key and --command-key exclude each other; run one after the other"
        ),
        (["--json", "--json"], "--json is given twice; use it once"),
        (["--json=1"], "--json takes no value; see: readerd provision --help"),
        (["--signature-key"], "--signature-key needs a value; see: readerd provision --help"),
        (["--key", "x"], "provision: unknown argument \"--key\"; see: readerd provision --help"),
    ])
    func wrongUse(arguments: [String], complaint: String) {
        #expect(throws: ReaderdError.usage(complaint)) { try ProvisionOptions(arguments[...]) }
    }

    @Test func aRetiringKeyFileOfNoUseIsAFault() throws {
        let pem = String(decoding: try P256PrivateKey.generate().publicKey.pem(), as: UTF8.self)
        for text in ["", pem, "accepted-until 2026-13-01T00:00\n" + pem, "accepted-until 2026-12-31T23:59\n"] {
            #expect(throws: ReaderdError.self) { try RetiringKeyFile.parse(Array(text.utf8), path: "f") }
        }
    }
}

extension ProvisionOptions {
    /// The same for the state directory at `path`.
    fileprivate func at(_ path: String) -> ProvisionOptions {
        var options = self
        options.stateDirectory = path
        return options
    }
}
