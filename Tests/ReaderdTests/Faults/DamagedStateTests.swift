// SPDX-License-Identifier: Apache-2.0

import Crypto
import Glibc
import Reader
import TestSupport
import Testing
import Timekeeping

@testable import readerd

/// Each file of the state directory in each way of damage: a reader starts, its exit and its operators work, and only
/// what is not known keeps phones out (docs/operate/faults.md).
@Suite struct DamagedStateTests {
    /// A file, and the faults that its damage may show: at least one of them, unless `isSilent`.
    struct Case: CustomTestStringConvertible {
        var file: String
        var faults: Set<FaultCode> = []
        /// True if a damage may be without consequence.
        var isSilent = false
        /// True if no phone is served, for lack of a policy or of an identity.
        var refusesPhones = false

        var testDescription: String { file }
    }

    /// The files beside the identity. `log-lost` is shown where the log, or the witness of its end, is not as it was.
    static let files = [
        Case(file: "addresses"),
        Case(file: "event-log-key", faults: [.policyLost, .logLost, .clockFloorUnknown], refusesPhones: true),
        Case(file: "policy.a"),
        Case(file: "policy.b"),
        Case(file: "policy.count"),
        Case(file: "policy.first"),
        Case(file: "events.db", faults: [.logLost, .clockFloorUnknown]),
        Case(file: "events.db-wal", faults: [.logLost], isSilent: true),
        Case(file: "events.db-shm", faults: [.logLost], isSilent: true),
        Case(file: "events.head", faults: [.logLost]),
        Case(file: "events.lock"),
    ]

    /// The files of the identity.
    static let parts = [
        Case(file: "device-id", faults: [.identityDamaged], refusesPhones: true),
        Case(file: "terminal-key.pem", faults: [.identityDamaged], refusesPhones: true),
        Case(file: "signature-key.pem", faults: [.identityDamaged]),
        Case(file: "signature-key-old.pem", faults: [.identityDamaged]),
        Case(file: "command-key.pem", faults: [.identityDamaged]),
        Case(file: "command-key-old.pem", faults: [.identityDamaged]),
        Case(file: "serial-number", faults: [.identityDamaged]),
        Case(file: "door", faults: [.identityDamaged], refusesPhones: true),
    ]

    /// A reader that has run, with an identity of all parts.
    private func prepare(_ state: StateDirectory) throws {
        try FaultLog.make(in: state, blacklist: FaultLog.revoked, lastEvent: 1_795_219_300)
        let contents = try IdentityContents(
            deviceID: "Door0001", serialNumber: "0123456789abcdef0123", signatureKey: .generated(),
            door: ProvisionedDoor(siteID: 1, doorID: 7))
        let until = CivilTime(year: 2099, month: 1, day: 1)
        contents.signatureKeys.retiring = RetiringKey(try .generated(), until: until)
        contents.commandKeys = BackendKeys(
            current: try .generated(), retiring: RetiringKey(try .generated(), until: until))
        try contents.write(to: state)
        #expect(try UsableIdentity.load(from: state).damage.isEmpty)
    }

    private func check(_ row: Case, _ name: String, _ damage: @escaping (StateDirectory) throws -> Void) throws {
        let trouble = ProcessRig.Trouble(prepare: { state in
            try prepare(state)
            try damage(state)
        })
        let rig = try ProcessRig(trouble: trouble)
        try rig.serve { client, rig in
            rig.waitUntilRestored()
            rig.exitFreesTheLock()
            rig.operatorOpens(client)
            let shown = try rig.shownFaults(client)
            let codes = Set(shown.map(\.code))
            #expect(codes.isSubset(of: row.faults.map(\.rawValue)), "\(name): \(shown)")
            #expect(!codes.isEmpty || row.isSilent || row.faults.isEmpty, "\(name): no fault is shown")
            rig.onLoop {
                let isRefusing = rig.process.device.reader.refusesPhones
                #expect(isRefusing == row.refusesPhones, "\(name)")
                // A revoked credential stays revoked wherever a phone is served.
                if !isRefusing { #expect(rig.process.device.reader.blacklist.rows == FaultLog.revoked, "\(name)") }
            }
        }
        // And the next start has no more to complain of than this one.
        #expect(try rig.events().count > 2, "\(name)")
    }

    /// The damage with which a whole reader is started. The others make no other difference than to what loads the
    /// file: `anyDamageOfTheIdentity` below, and the tests of store and addresses.
    private static let started = StateFileDamage.all.filter { ["zeroed", "halved", "a directory"].contains($0.name) }

    @Test(arguments: files) func aFileOfTheDirectory(row: Case) throws {
        for (name, change) in Self.started {
            try check(row, name) { try change($0.path, row.file) }
        }
    }

    @Test(arguments: parts) func aFileOfTheIdentity(row: Case) throws {
        let (name, change) = try #require(Self.started.last)
        try check(row, name) { try change(IdentityDirectory.current(in: $0).path, row.file) }
    }

    /// Damage of one part leaves the others, and no part is ever that of another reader.
    @Test(arguments: parts) func anyDamageOfTheIdentity(row: Case) throws {
        for (name, change) in StateFileDamage.all {
            let directory = try TemporaryDirectory()
            let state = try StateDirectory(directory.path)
            try prepare(state)
            let whole = try UsableIdentity.load(from: state)
            try change(IdentityDirectory.current(in: state).path, row.file)
            let usable = try UsableIdentity.load(from: state)
            #expect(usable.damage.map(\.key.rawValue) == [row.file], "\(name)")
            #expect(usable.servesPhones == !row.refusesPhones, "\(name)")
            #expect(usable.fault?.contains("/\(row.file): ") == true, "\(name): \(usable.fault ?? "")")
            let (left, before) = (usable.identity, whole.identity)
            #expect((left.deviceID == before.deviceID) == (row.file != "device-id"), "\(name)")
            let isSameKey = left.terminalKey.publicPoint == before.terminalKey.publicPoint
            #expect(isSameKey == (row.file != "terminal-key.pem"))
            #expect((left.signatureKey.point == before.signatureKey.point) == (row.file != "signature-key.pem"))
            #expect((left.retiringSignatureKey == nil) == (row.file == "signature-key-old.pem"), "\(name)")
            #expect(left.commandKeys.count == (row.file.hasPrefix("command") ? 1 : 2), "\(name)")
            // A stand-in is no key that the reader has had.
            #expect(try usable.keys == whole.keys.filter { $0.use.file != row.file }, "\(name)")
            #expect(!left.isDemo && (usable.door == nil) == (row.file == "door"), "\(name)")
        }
    }

    /// Several at once, and a former key of the backend that is all that is left.
    @Test func someDamageOfTheIdentity() throws {
        let directory = try TemporaryDirectory()
        let state = try StateDirectory(directory.path)
        try prepare(state)
        let place = try IdentityDirectory.current(in: state)
        for file in ["serial-number", "signature-key.pem"] { try place.replace(file, with: []) }
        #expect(try UsableIdentity.load(from: state).servesPhones, "under the former key")
        try place.replace("signature-key-old.pem", with: [0])
        let usable = try UsableIdentity.load(from: state)
        #expect(!usable.servesPhones && usable.isKnownToFleet && usable.damage.count == 3)
        #expect(
            usable.fault?.hasSuffix(
                "; no phone is served: restore the file from a backup, or provision the reader again, and restart")
                == true)
        // What other users may change is no damage, and no reader runs with it.
        try #require(chmod(place.file("device-id"), 0o666) == 0)
        #expect(throws: ReaderdError.self) { try UsableIdentity.load(from: state) }
    }

    /// The link to the identity, and what it leads to.
    @Test func theLinkToTheIdentity() throws {
        let row = Case(file: "identity", faults: [.identityDamaged], refusesPhones: true)
        for (name, change) in Self.started { try check(row, name) { try change($0.path, "identity") } }
        for file in IdentityFiles.File.allCases.map(\.rawValue) + [""] {
            let row = Case(
                file: file, faults: [.identityDamaged], isSilent: true,
                refusesPhones: ["", "device-id", "terminal-key.pem"].contains(file))
            // That a backend's key is missing is not damage: a reader that was never given one.
            guard file != "signature-key.pem" else { continue }
            try check(row, "\(file) is missing") { state in
                let place = try IdentityDirectory.current(in: state)
                if file.isEmpty { try state.wipe(String(place.path.dropFirst(state.path.count + 1))) }
                try place.wipe(file)
            }
        }
    }

    /// The lock of the directory is no hindrance either.
    @Test func theLockOfTheDirectory() throws {
        for (name, change) in StateFileDamage.all {
            let directory = try TemporaryDirectory()
            let state = try StateDirectory(directory.path)
            try change(directory.path, StateLock.fileName)
            let lock = try StateLock.acquire(state, for: .run)
            let refusal = thrown { () throws(ReaderdError) in _ = try StateLock.acquire(state, for: .run) }
            #expect(refusal != nil, "\(name): not locked")
            lock.release()
        }
    }
}

extension P256PublicKey {
    /// The public key of a new pair.
    fileprivate static func generated() throws(CryptoError) -> P256PublicKey { try P256PrivateKey.generate().publicKey }
}
