// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Contactless
import Credentials
import Crypto
import Glibc
import LockChannel
import Octets
import Reader
import TestSupport
import Testing

@testable import readerd

/// An Aliro reader that Matter provisions: a whole reader, a client that is the lock's process, and model phones.
@Suite struct MatterAliroTests {
    private typealias Field = AliroProcessTests.Field

    private static let scalar = octets("9293c769ccc75562180455ed7db8ba0699ddcb582d34872d71f442f7a61d43e3")
    private static let readerScalar = [UInt8](repeating: 0, count: 31) + [7]
    private static let admin = LockNode(fabric: 1, node: 0x1B669)
    private static let group = [UInt8](repeating: 0xA6, count: 16)
    private static let sub = [UInt8](repeating: 0x56, count: 16)

    private static func key(_ scalar: UInt8) throws -> P256PrivateKey {
        try P256PrivateKey([UInt8](repeating: 0, count: 31) + [scalar])
    }

    private static func point(_ scalar: UInt8) throws -> [UInt8] { [UInt8](try key(scalar).publicPoint.octets) }

    private static func configuration(_ scalar: UInt8 = 7) throws -> AliroChange {
        .configure(
            LockAliroReader(
                signingKey: SecretOctets([UInt8](repeating: 0, count: 31) + [scalar]),
                verificationKey: try point(scalar),
                group: group, sub: sub))
    }

    private static func phone() throws -> AliroPhone { try AliroPhone(scalar: scalar, trusting: point(7)) }

    private static func endpoint(_ phone: AliroPhone, _ index: UInt16 = 1) -> LockAliroKey {
        LockAliroKey(place: LockAliroPlace(.endpoint, index), user: 3, point: phone.point)
    }

    private static func issuer() throws -> LockAliroKey {
        LockAliroKey(place: LockAliroPlace(.issuer, 2), user: 5, point: try point(9))
    }

    /// A phone with a document of the issuer.
    private static func documented() throws -> AliroPhone {
        var phone = try phone()
        let maker = try AliroDocumentMaker(try key(9), for: phone.point)
        phone.documents = ["aliro-a": try maker.document]
        (phone.signals, phone.signatureTimes[0x91]) = (1, Array(maker.signed.utf8))
        return phone
    }

    /// A reader that Matter provisions, in the state that `former` has left.
    private static func rig(
        after former: CompanionRig? = nil, cards: String? = nil,
        _ prepare: @escaping (StateDirectory) throws -> Void = { _ in }
    ) throws -> CompanionRig {
        var trouble = ProcessRig.Trouble(system: { WallClock.SystemTime(seconds: 1_795_867_200, isSynchronised: true) })
        trouble.prepare = { state in
            if let former {
                let source = try StateDirectory(existing: former.statePath)
                for name in MatterAliroFiles.names {
                    guard let contents = try source.contents(of: name, maximumCount: 1 << 20) else { continue }
                    try state.replace(name, with: contents.octets)
                }
            }
            try prepare(state)
        }
        return try CompanionRig(
            "matter", "aliro = true\n",
            others: "[credentials]\ncard-kinds = [\"aliro\"]\n\(cards.map { "cards = \"\($0)\"\n" } ?? "")"
                + "[door]\nre-arm-ms = 0\npulse-s = 1\n", trouble: trouble)
    }

    /// A reader that has the phone's key.
    private static func provision(_ phone: AliroPhone, _ lock: AliroLock) throws {
        #expect(try lock.change(Self.configuration(), by: Self.admin) == .done)
        #expect(try lock.change(.keys([Self.endpoint(phone)]), by: Self.admin) == .done)
    }

    // MARK: - Tests

    /// A listed phone opens by the standard and the fast phase, names its user, and opens nothing once it is removed.
    @Test func anEndpointKeyOpensUntilItIsRemoved() throws {
        let rig = try Self.rig()
        let field = Field(try Self.phone())
        try rig.run { process, lock in
            #expect(lock.greeting.contains(#""aliro":{"key":null}"#))
            try field.tap(process)
            #expect(field.phone.tap.commands.isEmpty)
            #expect(try lock.change(.keys([Self.endpoint(field.phone)]), by: Self.admin) == .done)
            #expect(try lock.change(Self.configuration(), by: Self.admin) == .done)
            for isFast in [false, true] {
                try field.tap(process)
                #expect(field.phone.tap.status == [0x01, 0x01] && (field.phone.tap.phase == .fast) == isFast)
                #expect(lock.movement() == #"{"moved":"unlocked","key":{"kind":"endpoint","index":1}}"#)
                #expect(lock.line(containing: #""moved":"locked""#) != nil)
            }
            #expect(try lock.change(.keys([]), by: Self.admin) == .done)
            try field.tap(process)
            #expect(field.phone.tap.status == [0x00, 0x01] && field.phone.tap.phase != .fast)
        }
        let label = CardEvidence(kind: .aliro, identity: field.phone.point).label
        let readerLabel = CardEvidence(kind: .aliro, identity: try Self.point(7)).label
        let records = try rig.process.events()
        #expect(
            try rig.aliroRecords() == [
                "matter-key-added fabric 1 node 000000000001B669 endpoint 1 user 3 \(label)",
                "matter-aliro-set fabric 1 node 000000000001B669 \(readerLabel)",
                "matter-key-removed fabric 1 node 000000000001B669 endpoint 1 user 3 \(label)",
            ])
        let granted = records.filter { $0.contains(#""kind":"granted""#) }
        #expect(granted.count == 2 && granted.allSatisfy { $0.contains(#""actor":"matter user 3 endpoint 1""#) })
        let secret = Hexadecimal.text(Self.readerScalar)
        #expect(!rig.process.lines.all.contains(secret) && !records.joined().contains(secret))
    }

    /// Everything is in force again after a restart, before the lock's process is there; and so is the fast phase.
    @Test func aRestartKeepsIt() throws {
        let first = try Self.rig()
        let field = Field(try Self.phone())
        try first.run { process, lock in
            try Self.provision(field.phone, lock)
            try field.tap(process)
            #expect(field.phone.tap.status == [0x01, 0x01])
        }
        for name in MatterAliroFiles.names where name != MatterAliroFiles.formerName {
            let status = try #require(try StateDirectory(existing: first.statePath).status(of: name))
            #expect(status.st_mode & 0o777 == 0o600, "\(name)")
        }
        let second = try Self.rig(after: first)
        try second.process.run { [second] _, process in
            process.waitUntilRestored()
            try field.tap(process)
            #expect(field.phone.tap.status == [0x01, 0x01] && field.phone.tap.phase == .fast)
            let lock = try second.aliroLock()
            #expect(lock.greeting.contains(#""aliro":{"key":"\#(Hexadecimal.text(try Self.point(7)))"}"#))
            #expect(try lock.change(.clear, by: Self.admin) == .done)
            try field.tap(process)
            #expect(field.phone.tap.commands.isEmpty)
        }
        let state = try StateDirectory(existing: second.statePath)
        #expect(!state.has(MatterAliroFiles.readerName) && !state.has(MatterAliroFiles.formerName))
        let files = MatterAliroFiles(state: state)
        #expect(try files.files.loadStore().persistentPoints.isEmpty)
        #expect(try files.keys().keys == [Self.endpoint(field.phone)])
        // The same key and group again: the phone's persistent key has ended.
        let third = try Self.rig(after: second)
        try third.run { process, lock in
            #expect(try lock.change(Self.configuration(), by: Self.admin) == .done)
            try field.tap(process)
            #expect(field.phone.tap.status == [0x01, 0x01] && field.phone.tap.phase != .fast)
        }
    }

    /// A clearing that a power cut has interrupted between its two files, in either order.
    @Test func aClearingThatWasCut() throws {
        let first = try Self.rig()
        let field = Field(try Self.phone())
        try first.run { process, lock in
            try Self.provision(field.phone, lock)
            try field.tap(process)
            #expect(field.phone.tap.status == [0x01, 0x01])
        }
        // The reader's file is renamed, and not overwritten; the store still has its persistent keys.
        let second = try Self.rig(after: first) {
            try $0.rename(MatterAliroFiles.readerName, to: MatterAliroFiles.formerName)
        }
        try second.process.run { _, process in
            process.waitUntilRestored()
            try field.tap(process)
            #expect(field.phone.tap.commands.isEmpty)
        }
        let state = try StateDirectory(existing: second.statePath)
        #expect(!state.has(MatterAliroFiles.formerName))
        #expect(try MatterAliroFiles(state: state).files.loadStore().persistentPoints.isEmpty)
    }

    /// A document of an issuer opens, and the lock's table gets the phone; without a place there, or without its
    /// issuer, the fast phase ends.
    @Test func aDocumentIsReportedToTheLock() throws {
        let rig = try Self.rig()
        let field = Field(try Self.documented())
        try rig.run { process, lock in
            #expect(try lock.change(Self.configuration(), by: Self.admin) == .done)
            try field.tap(process)
            #expect(field.phone.tap.status == [0x00, 0x01])
            #expect(try lock.change(.keys([Self.issuer()]), by: Self.admin) == .done)
            try field.tap(process)
            #expect(field.phone.tap.status == [0x01, 0x01] && field.phone.tap.phase == .stepUp)
            let point = Hexadecimal.text(field.phone.point)
            #expect(lock.movement() == #"{"moved":"unlocked","key":{"kind":"issuer","index":2}}"#)
            #expect(lock.line(containing: "granted") == #"{"granted":"\#(point)","issuer":2}"#)
            let granted = LockAliroKey(
                place: LockAliroPlace(.evictable, 1), user: 5, point: field.phone.point, isGranted: true)
            #expect(try lock.change(.keys([Self.issuer(), granted])) == .done)
            try field.tap(process)
            #expect(field.phone.tap.status == [0x01, 0x01] && field.phone.tap.phase == .fast)
            // The administrator clears the key: the phone needs its document again.
            #expect(try lock.change(.keys([Self.issuer()]), by: Self.admin) == .done)
            try field.tap(process)
            #expect(
                field.phone.tap.status == [0x01, 0x01] && field.phone.tap.phase != .fast
                    && field.phone.tap.phase == .stepUp)
            #expect(try lock.change(.keys([Self.issuer(), granted])) == .done)
            #expect(try lock.change(.keys([]), by: Self.admin) == .done)
            try field.tap(process)
            #expect(field.phone.tap.status == [0x00, 0x01])
            // A granted key without its document is none.
            #expect(try lock.change(.keys([granted])) == .done)
            try field.tap(process)
            #expect(field.phone.tap.status == [0x00, 0x01])
        }
        #expect(try rig.process.events().contains { $0.contains(#""actor":"matter user 5 issuer 2""#) })
    }

    /// A key of another point, a point off the curve, a point twice: refused, and nothing changes.
    @Test func faultyChangesAreRefused() throws {
        let rig = try Self.rig()
        let phone = try Self.phone()
        try rig.run { process, lock in
            var off = Self.endpoint(phone)
            off.point[64] ^= 1
            let reader = LockAliroReader(
                signingKey: SecretOctets(Self.readerScalar), verificationKey: try Self.point(8), group: Self.group,
                sub: Self.sub)
            let zero = LockAliroReader(
                signingKey: SecretOctets([UInt8](repeating: 0, count: 32)), verificationKey: try Self.point(7),
                group: Self.group, sub: Self.sub)
            for change: AliroChange in [
                .configure(reader), .configure(zero), .keys([off]),
                .keys([Self.endpoint(phone), Self.endpoint(phone, 2)]),
            ] { #expect(try lock.change(change, by: Self.admin) == .failed) }
            #expect(try lock.change(.clear, by: Self.admin) == .done)
        }
        #expect(try rig.aliroRecords().isEmpty)
        let state = try StateDirectory(existing: rig.statePath)
        #expect(MatterAliroFiles.names.allSatisfy { !state.has($0) })
    }

    /// An administrator's change that would have no record is refused; the end of access after a fabric's removal is
    /// not.
    @Test func aChangeWithoutARecordIsRefused() throws {
        let rig = try Self.rig()
        let field = Field(try Self.phone())
        try rig.run { process, lock in
            try Self.provision(field.phone, lock)
            process.onLoop { process.process.device.reader.ledger.setFull(true) }
            for change in [.keys([]), .clear, try Self.configuration(8)] {
                #expect(try lock.change(change, by: Self.admin) == .failed)
            }
            #expect(try lock.change(.keys([Self.endpoint(field.phone), Self.issuer()])) == .failed)
            process.onLoop { process.process.device.reader.ledger.setFull(false) }
            try field.tap(process)
            #expect(field.phone.tap.status == [0x01, 0x01])
            process.onLoop { process.process.device.reader.ledger.setFull(true) }
            // Of both, only the end of access.
            #expect(try lock.change(.keys([Self.issuer()])) == .failed)
            process.onLoop { process.process.device.reader.ledger.setFull(false) }
            try field.tap(process)
            #expect(field.phone.tap.status == [0x00, 0x01])
            process.onLoop { process.process.device.reader.ledger.setFull(true) }
            #expect(try lock.change(.clear) == .done)
            process.onLoop { process.process.device.reader.ledger.setFull(false) }
            try field.tap(process)
            #expect(field.phone.tap.commands.isEmpty)
        }
    }

    /// A disk that keeps no file: the answer is a failure, what was in force stays, and the log says so.
    @Test func aChangeThatCannotBeStoredFails() throws {
        let rig = try Self.rig()
        let field = Field(try Self.phone())
        try rig.run { process, lock in
            try Self.provision(field.phone, lock)
            try field.tap(process)
            #expect(field.phone.tap.status == [0x01, 0x01])
            // A directory in the place of the new file, which is there while the phone's key is written.
            for name in [MatterAliroFiles.keysName, MatterAliroFiles.storeName] {
                let isMade = eventually { mkdir("\(rig.statePath)/\(name).new", 0o700) == 0 }
                #expect(isMade)
            }
            #expect(try lock.change(.keys([]), by: Self.admin) == .failed)
            #expect(try lock.change(.clear, by: Self.admin) == .failed)
            try field.tap(process)
            #expect(field.phone.tap.status == [0x01, 0x01] && field.phone.tap.phase == .fast)
            // The end of access after a fabric's removal is in force all the same.
            #expect(try lock.change(.keys([])) == .failed)
            try field.tap(process)
            #expect(field.phone.tap.status == [0x00, 0x01])
            // Not on the disk, also once the store is.
            #expect(process.onLoopResult { process.process.faults.has(.aliroUnkept) })
            rmdir("\(rig.statePath)/\(MatterAliroFiles.storeName).new")
            let files = MatterAliroFiles(state: try StateDirectory(existing: rig.statePath)).files
            #expect(eventually { (try? files.loadStore().persistentPoints.isEmpty) == true })
            process.onLoop {}
            #expect(process.onLoopResult { process.process.faults.has(.aliroUnkept) })
            rmdir("\(rig.statePath)/\(MatterAliroFiles.keysName).new")
            #expect(try lock.change(.keys([]), by: Self.admin) == .done)
            #expect(process.becomesTrue { !process.process.faults.has(.aliroUnkept) })
        }
        #expect(try MatterAliroFiles(state: StateDirectory(existing: rig.statePath)).keys().keys.isEmpty)
        let withdrawn = try rig.process.events().filter { $0.contains(#""kind":"withdrawn""#) }
        #expect(withdrawn.count == 2 && withdrawn.allSatisfy { $0.contains(#""actor":"fabric 1 node"#) })
    }

    /// A store that cannot be written, and a reader that is then cleared: nothing is left to be kept.
    @Test func aClearedReaderHasNothingToKeep() throws {
        let rig = try Self.rig()
        let field = Field(try Self.phone())
        try rig.run { process, lock in
            try Self.provision(field.phone, lock)
            let obstacle = "\(rig.statePath)/\(MatterAliroFiles.storeName).new"
            #expect(eventually { mkdir(obstacle, 0o700) == 0 })
            try field.tap(process)
            #expect(field.phone.tap.status == [0x01, 0x01])
            #expect(process.becomesTrue { process.process.faults.has(.aliroUnkept) })
            rmdir(obstacle)
            #expect(try lock.change(.clear, by: Self.admin) == .done)
            #expect(process.becomesTrue { !process.process.faults.has(.aliroUnkept) })
        }
    }

    /// An overfull list of revocations refuses phones while there is a reader for them, and again with the next one.
    @Test func anOverfullListIsOfTheReaderInForce() throws {
        let first = try Self.rig()
        try first.run { _, lock in
            let answers = try [Self.configuration(), .keys([Self.issuer()])].map { try lock.change($0, by: Self.admin) }
            #expect(answers == [.done, .done])
        }
        let second = try Self.rig(after: first) { state in
            let name = MatterAliroFiles.storeName
            let contents = try #require(try state.contents(of: name, maximumCount: 1000)).octets
            try state.replace(name, with: AliroProcessTests.overfull(contents, issuer: Self.point(9)))
        }
        try second.process.run { [second] _, process in
            process.waitUntilRestored()
            #expect(process.onLoopResult { process.process.faults.has(.aliroOverfull) })
            let lock = try second.aliroLock()
            #expect(try lock.change(.clear, by: Self.admin) == .done)
            #expect(process.onLoopResult { !process.process.faults.has(.aliroOverfull) })
            #expect(try lock.change(Self.configuration(), by: Self.admin) == .done)
            #expect(process.onLoopResult { process.process.faults.has(.aliroOverfull) })
        }
    }

    /// A damaged file refuses, and is no excuse to start empty: the node gives the keys again.
    @Test func damagedFilesRefuse() throws {
        let first = try Self.rig()
        let field = Field(try Self.phone())
        try first.run { _, lock in try Self.provision(field.phone, lock) }
        for name in [MatterAliroFiles.readerName, MatterAliroFiles.keysName, MatterAliroFiles.storeName] {
            let rig = try Self.rig(after: first) { state in
                var octets = try #require(try state.contents(of: name, maximumCount: 1 << 20)).octets
                octets[octets.count / 2] ^= 1
                try state.replace(name, with: octets)
            }
            try rig.process.run { [rig] path, process in
                process.waitUntilRestored()
                try field.tap(process)
                #expect(field.phone.tap.commands.isEmpty, "\(name)")
                #expect(process.onLoopResult { process.process.faults.has(.aliroUnusable) }, "\(name)")
                let lock = try rig.aliroLock()
                let isReader = name == MatterAliroFiles.readerName
                #expect(lock.greeting.contains(#""aliro":{"key":null}"#) == isReader, "\(name)")
                // What the node sends to a reader without its configuration.
                if isReader { #expect(try lock.change(.clear) == .done) }
                #expect(try lock.change(.keys([Self.endpoint(field.phone)])) == .done)
                if name == MatterAliroFiles.storeName { #expect(try lock.change(.clear, by: Self.admin) == .done) }
                if name != MatterAliroFiles.keysName {
                    try field.tap(process)
                    #expect(field.phone.tap.commands.isEmpty, "\(name)")
                    #expect(try lock.change(Self.configuration(), by: Self.admin) == .done)
                }
                try field.tap(process)
                #expect(field.phone.tap.status == [0x01, 0x01], "\(name)")
                #expect(process.onLoopResult { !process.process.faults.has(.aliroUnusable) }, "\(name)")
            }
        }
    }

    /// Keys that come after an unreadable file are for the reader that was configured in between: its door and store
    /// stay as they are in memory, whatever the disk has become.
    @Test func keysAfterAnUnreadableFileLeaveANewReader() throws {
        let rig = try Self.rig { state in try state.replace(MatterAliroFiles.keysName, with: [1, 2, 3]) }
        let field = Field(try Self.phone())
        try rig.process.run { [rig] path, process in
            process.waitUntilRestored()
            #expect(process.onLoopResult { process.process.faults.has(.aliroUnusable) })
            let lock = try rig.aliroLock()
            #expect(try lock.change(Self.configuration(), by: Self.admin) == .done)
            let state = try StateDirectory(existing: rig.statePath)
            try state.replace(MatterAliroFiles.storeName, with: [1, 2, 3])
            #expect(try lock.change(.keys([Self.endpoint(field.phone)]), by: Self.admin) == .done)
            for isFast in [false, true] {
                try field.tap(process)
                #expect(field.phone.tap.status == [0x01, 0x01] && (field.phone.tap.phase == .fast) == isFast)
            }
            #expect(process.onLoopResult { !process.process.faults.has(.aliroUnusable) })
        }
    }

    /// The policy, the lockdown and the blacklist decide about these phones as about every card.
    @Test func theDoorsRulesHold() throws {
        let rig = try Self.rig()
        let field = Field(try Self.phone())
        try rig.run { process, lock in
            try Self.provision(field.phone, lock)
            try field.tap(process)
            #expect(field.phone.tap.status == [0x01, 0x01])
            let control = try BlockingClient(process.controlPath)
            #expect(control.ask(#"{"lockdown":"on"}"#) == #"{"ok":true}"#)
            try field.tap(process)
            #expect(field.phone.tap.status?.first == 0x00)
            #expect(control.ask(#"{"lockdown":"off"}"#) == #"{"ok":true}"#)
            let id = try #require(OSSCredentialID(unlisted: field.phone.point))
            #expect(control.ask(#"{"revoke":"\#(id.text)"}"#)?.contains(#""ok":true"#) == true)
            try field.tap(process)
            #expect(field.phone.tap.status?.first == 0x00)
        }
    }

    /// A key that the store has no room for is not one that opens: the site's list has it all.
    @Test func aFullReader() throws {
        let directory = try TemporaryDirectory()
        let cards = try (0..<AliroStore.maximumCredentials).map { number in
            let key = AliroFiles.text(try P256PrivateKey.generate().publicPoint)
            return #"{"kind": "aliro", "id": "P\#(number)", "key": "\#(key)"}"#
        }
        try directory.write("cards.json", #"{"cards": [\#(cards.joined(separator: ",\n"))]}"#)
        let rig = try Self.rig(cards: "\(directory.path)/cards.json")
        let phone = try Self.phone()
        try rig.run { _, lock in
            let answer = try lock.change(.keys([Self.endpoint(phone)]), by: Self.admin)
            #expect(answer == .full)
        }
        #expect(try rig.aliroRecords().isEmpty)
    }

    @Test func keysInAFile() throws {
        let keys = try #require(MatterKeys([try Self.issuer(), Self.endpoint(try Self.phone())]))
        let octets = try keys.octets()
        #expect(octets.count <= MatterKeys.maximumCount && MatterKeys(file: octets) == keys)
        for count in 0..<octets.count { #expect(MatterKeys(file: Array(octets[..<count])) == nil) }
        for index in octets.indices {
            var changed = octets
            changed[index] ^= 0x80
            #expect(MatterKeys(file: changed) == nil)
        }
        #expect(MatterKeys(file: octets + [0]) == nil)
    }

    @Test func aResetRemovesTheFiles() {
        #expect(MatterAliroFiles.names.allSatisfy(ResetCommand.isOurs))
    }
}

/// The lock's process, after its greeting.
private final class AliroLock {
    let client: BlockingClient
    let greeting: String
    private var number: UInt32 = 0

    init(_ path: String) throws {
        client = try BlockingClient(path)
        greeting = try #require(client.line())
    }

    /// The answer to a change.
    func change(_ change: AliroChange, by author: LockNode? = nil) throws -> AliroAnswer {
        number += 1
        let request = LockRequest.aliro(LockAliroRequest(number: number, change: change, author: author))
        client.send(String(decoding: request.line, as: UTF8.self) + "\n")
        let text = try #require(line(containing: #"{"aliro":\#(number),"#))
        let report = try LockReport(line: Array(text.utf8))
        guard case .aliro(_, let answer) = report else {
            Issue.record("no answer: \(text)")
            return .unsupported
        }
        return answer
    }

    /// The next release of the lock.
    func movement() -> String? { line(containing: #""moved":"unlocked""#) }

    /// The next line with this text; nil when the reader says nothing more.
    func line(containing text: String) -> String? {
        while let line = client.line() { if line.contains(text) { return line } }
        return nil
    }
}

extension CompanionRig {
    fileprivate var statePath: String { process.directory.path + "/state" }

    fileprivate func aliroLock() throws -> AliroLock { try AliroLock(socket) }

    /// Runs the reader with a connected process of the lock.
    fileprivate func run(_ body: @escaping @Sendable (ProcessRig, AliroLock) throws -> Void) throws {
        try process.run { [self] _, process in
            process.waitUntilRestored()
            try body(process, try aliroLock())
        }
    }

    /// Kind, actor and detail of the records about Aliro.
    fileprivate func aliroRecords() throws -> [String] {
        try process.events().compactMap { line in
            guard line.contains(#""kind":"matter-key"#) || line.contains(#""kind":"matter-aliro"#) else { return nil }
            return ["kind", "actor", "detail"].map { name in
                line.split(separator: "\"\(name)\":\"").dropFirst().first?.prefix { $0 != "\"" } ?? ""
            }.joined(separator: " ")
        }
    }
}

extension ProcessRig {
    fileprivate func onLoopResult(_ body: @escaping () -> Bool) -> Bool {
        nonisolated(unsafe) var result = false
        onLoop { result = body() }
        return result
    }

    fileprivate func becomesTrue(_ body: @escaping () -> Bool) -> Bool { eventually { onLoopResult(body) } }
}
