// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import CBOR
import Configuration
import Crypto
import EventStore
import Fleet
import Glibc
import Remote
import System
import TestSupport
import Testing
import Timekeeping

@testable import Reader
@testable import readerd

/// A whole reader whose back end sets its blacklist and its settings, and a client that is the process of its link.
@Suite struct LinkDesiredTests {
    private let desk: LinkDesk

    init() throws { desk = try LinkDesk() }

    private func rig(
        _ maySet: [String] = ["blacklist", "door.pulse-s", "credentials.groups"], others: String = "",
        prepare: @escaping (StateDirectory) throws -> Void = { _ in }
    ) throws -> CompanionRig {
        let list = maySet.map { "\"\($0)\"" }.joined(separator: ", ")
        return try desk.rig("may-set = [\(list)]", others: others, prepare: prepare)
    }

    private func message(_ version: UInt64, _ chunks: [[UInt8]]) throws -> [UInt8] {
        let digests = try chunks.map { chunk in
            let digest = try SHA256.hash(chunk.span)
            return digest.indices.map { digest[$0] }
        }
        return try desk.message(
            desk.order(
                UInt8(truncatingIfNeeded: version), counter: version, "desired",
                arguments: DesiredManifest.arguments(digests: digests), seconds: 1000))
    }

    /// Sends a state, until the reader has it in force, or refuses it.
    private func send(
        _ link: BlockingClient, _ version: UInt64, blacklist: [String]?, settings: [String: CBORValue]?
    ) throws -> RemoteAnswer {
        let chunks = try DesiredChunk.chunks(
            blacklist: blacklist?.map { DesiredChunk.Entry(credential: $0, end: nil) }, settings: settings)
        let order = try message(version, chunks)
        let first = try desk.answer(link, order, 1, isRetained: true)
        guard first.result == .pending else { return first }
        for (index, chunk) in chunks.enumerated() { link.send(LinkRequest.chunk(chunk, index: index).line + "\n") }
        try LinkProcessTests.next(link) { report -> Void? in
            guard case .state(let text) = report else { return nil }
            let isEnded = ["desired", "refused"].contains { text.contains("\"\($0)\":{\"version\":\(version)") }
            return isEnded ? () : nil
        }
        return try desk.answer(link, order, 2, isRetained: true)
    }

    /// The part of the reader that a state sets.
    private struct View: Equatable, Sendable {
        var blacklist: [String]
        var pulse: Duration
        var groups: [UInt16]
    }

    private func view(_ rig: ProcessRig) -> View {
        var view = View(blacklist: [], pulse: .zero, groups: [])
        rig.onLoop {
            view.blacklist = rig.process.device.reader.blacklist.entries.map(\.credentialID.text)
            view.pulse = rig.process.device.reader.door.configuration.pulse
            view.groups = rig.process.device.reader.configuration.credentials.groups.map(\.id)
        }
        return view
    }

    private static let fromFile = View(blacklist: [], pulse: .seconds(3), groups: [1])
    private static let file = "[door]\npulse-s = 3\n[credentials]\ngroups = [\"1\"]\n"

    @Test func aStateIsInForceAndWhatItDoesNotHaveIsTheFiles() throws {
        let rig = try rig(others: Self.file)
        try rig.serveLink { link, process in
            #expect(view(process) == Self.fromFile)
            let first = try send(
                link, 5, blacklist: ["A", "B"],
                settings: ["door.pulse-s": .integer(9), "credentials.groups": .array([.text("7")])])
            #expect(first.result == .done && first.counter == 5)
            #expect(view(process) == View(blacklist: ["A", "B"], pulse: .seconds(9), groups: [7]))
            // Without a list the list stays; without a setting it is the file's again.
            let second = try send(link, 6, blacklist: nil, settings: ["door.pulse-s": .integer(8)])
            #expect(second.result == .done)
            #expect(view(process) == View(blacklist: ["A", "B"], pulse: .seconds(8), groups: [1]))
            let third = try send(link, 7, blacklist: [], settings: nil)
            #expect(third.result == .done && view(process) == Self.fromFile)
            #expect(try send(link, 6, blacklist: ["C"], settings: nil).reason == .counter)
            #expect(view(process) == Self.fromFile)
        }
        let changes = try rig.process.events().filter { $0.contains("\"channel\":\"remote\"") }
        #expect(changes.count { $0.contains("\"kind\":\"configuration-changed\"") } == 3)
        #expect(changes.count { $0.contains("\"kind\":\"blacklist-changed\"") } == 2)
        #expect(changes.first?.contains("\"detail\":\"desired 5\"") == true)
    }

    /// The disk has it: a start has it in force before anybody has connected, as far as the file permits.
    @Test(arguments: [true, false]) func aStateIsInForceAfterAStart(isPermitted: Bool) throws {
        let settings: [String: CBORValue] = ["door.pulse-s": .integer(9)]
        let chunks = try DesiredChunk.chunks(blacklist: nil, settings: settings)
        var orders = RemoteOrders(device: "7761307931597753", keys: [desk.commandKey])
        orders.restore(nil)
        orders.desired.restore(nil)
        let moment = Moment(instant: .origin, epochSeconds: Int64(time(nil)))
        let sent = try message(5, chunks)
        _ = orders.receive(
            sent, isRetained: true, number: 1, permitted: [], settable: OwnedPart.allCases, zone: .utc, at: moment)
        let taken = orders.desired.receive(
            chunk: chunks[0], index: 0, settable: OwnedPart.allCases, list: Blacklist(), at: moment)
        let state = try #require(taken)
        let rig = try rig(isPermitted ? ["door.pulse-s"] : ["blacklist"], others: Self.file) { directory in
            let store = try EventStore(
                EventStore.Configuration(
                    directory: directory.path, key: try EventLogKey.load(from: directory),
                    capacity: LogCapacity(records: 1000, whenFull: .overwrite)))
            #expect(store.submit(.policy, .policy))
            let row = BlacklistRow(credential: "A", until: CivilTime(year: 2099, month: 1, day: 1))
            #expect(store.submit(.desired(5), .change(.both(.put([row]), DesiredState.setting, state.octets))))
            #expect(store.close(within: TestTimeout.seconds))
        }
        try rig.process.run { _, process in
            process.waitUntilRestored()
            let pulse = Duration.seconds(isPermitted ? 9 : 3)
            #expect(view(process) == View(blacklist: ["A"], pulse: pulse, groups: [1]))
            let (link, _) = try LinkProcessTests.link(rig)
            #expect(try desk.answer(link, sent, 1, isRetained: true).result == .done)
        }
        // The file of the configuration is the one of the last run.
        #expect(try !rig.process.events().contains { $0.contains("configuration-changed") })
    }

    /// A reload keeps what the back end has set, and gives back what it may not set any more.
    @Test func aReloadKeepsTheStateAndItsOwner() throws {
        let rig = try rig(others: Self.file)
        try rig.serveLink { link, process in
            let groups: [String: CBORValue] = [
                "door.pulse-s": .integer(9), "credentials.groups": .array([.text("7")]),
            ]
            #expect(try send(link, 5, blacklist: nil, settings: groups).result == .done)
            func reload(_ change: (String) -> String) throws {
                let former = try #require(try FileContents.read(process.configurationPath, maximumCount: 4096))
                let text = change(String(decoding: former.octets, as: UTF8.self))
                try process.directory.write("readerd.toml", text)
                process.onLoop { process.process.reload() }
            }
            try reload { $0.replacing("pulse-s = 3", with: "pulse-s = 4") }
            #expect(view(process) == View(blacklist: [], pulse: .seconds(9), groups: [7]))
            try reload { $0.replacing("\"door.pulse-s\", ", with: "") }
            #expect(view(process) == View(blacklist: [], pulse: .seconds(4), groups: [7]))
            #expect(try send(link, 6, blacklist: nil, settings: groups).reason == .forbidden)
            try reload { $0.replacing("may-set = [", with: "may-set = [\"door.pulse-s\", ") }
            let fetched = try LinkProcessTests.next(link) { report -> DesiredPart? in
                if case .fetch(.manifest) = report { .manifest } else { nil }
            }
            #expect(fetched == .manifest, "what was refused is asked for again")
            #expect(view(process) == View(blacklist: [], pulse: .seconds(9), groups: [7]))
            #expect(try send(link, 6, blacklist: nil, settings: groups).result == .done)
        }
    }

    /// A credential brings a revocation, then a state comes that was signed before: the revocation stays.
    @Test func aStateThatWasHeldBackRevivesNobody() throws {
        let rig = try rig()
        try rig.serveLink { link, process in
            #expect(try send(link, 5, blacklist: ["A"], settings: nil).result == .done)
            #expect(try send(link, 6, blacklist: ["C"], settings: nil).result == .done)
            #expect(view(process).blacklist == ["C"])
            try add("B", process)
            #expect(try send(link, 7, blacklist: [], settings: nil).result == .done)
            #expect(view(process).blacklist == ["B", "C"])
        }
        let state = try StateDirectory(rig.process.directory.path + "/state")
        let key = try #require(try EventLogKey.existing(in: state))
        let settings = try #require(try StoredPolicy(in: state, key: key).document()).settings
        let addedAt = try #require(settings[PolicyDocument.blacklistAddedAt].flatMap(PolicyTime.seconds))
        #expect(abs(addedAt - Int64(time(nil))) < 600)
    }

    /// The same after a start between the revocation and the state.
    @Test(arguments: [0, 400] as [Int64]) func aStateThatWasHeldBackOverAStartRevivesNobody(age: Int64) throws {
        let rig = try rig { directory in
            let store = try EventStore(
                EventStore.Configuration(
                    directory: directory.path, key: try EventLogKey.load(from: directory),
                    capacity: LogCapacity(records: 1000, whenFull: .overwrite)))
            let row = BlacklistRow(credential: "B", until: CivilTime(year: 2099, month: 1, day: 1))
            let addedAt = PolicyTime.octets(Int64(time(nil)) - age)
            #expect(store.submit(.policy, .policy))
            #expect(
                store.submit(.blacklist(nil), .change(.both(.put([row]), PolicyDocument.blacklistAddedAt, addedAt))))
            #expect(store.close(within: TestTimeout.seconds))
        }
        try rig.serveLink { link, process throws in
            #expect(try send(link, 7, blacklist: ["C"], settings: nil).result == .done)
            #expect(view(process).blacklist == (age == 0 ? ["B", "C"] : ["C"]))
        }
    }

    private func add(_ name: String, _ rig: ProcessRig) throws {
        let credential = try #require(OSSCredentialID(name))
        rig.onLoop {
            let former = rig.process.device.reader.blacklist
            let entry = Blacklist.Entry(credentialID: credential, expiresAt: nil)
            rig.process.device.reader.blacklist.insert(entry, at: nil)
            rig.process.device.reader.keep([entry], since: former)
            rig.process.flush()
        }
    }

    private func order(_ order: RevocationOrder, _ rig: ProcessRig) throws {
        rig.onLoop {
            let process = rig.process
            let event = AuditEvent(.command, at: process.auditTime, channel: .control, command: order.command)
            let outcome = process.device.reader.execute(order, ticket: .control(1), event, at: process.moment)
            #expect(outcome == .waits)
            process.flush()
        }
        #expect(try eventually { try names(rig) { $0.contains(order.credential.text) != order.mayRelease } })
    }

    private func names(_ rig: ProcessRig, _ judge: ([String]) -> Bool) throws -> Bool {
        var stored: [String] = []
        rig.onLoop { stored = rig.process.device.reader.blacklist.rows.map(\.credential) }
        return judge(stored)
    }

    /// A state that was signed before an operator's revocation does not undo it; one that brings a revocation which an
    /// operator has taken back revokes again.
    @Test func anOlderStateOnlyRevokes() throws {
        let rig = try rig()
        try rig.serveLink { link, process throws in
            #expect(try send(link, 5, blacklist: ["A"], settings: nil).result == .done)
            try order(.revoke(try #require(OSSCredentialID("B")), until: nil), process)
            #expect(try send(link, 6, blacklist: ["A", "C"], settings: nil).result == .done)
            #expect(view(process).blacklist == ["A", "B", "C"])
            try order(.unrevoke(try #require(OSSCredentialID("A"))), process)
            #expect(view(process).blacklist == ["B", "C"])
            #expect(try send(link, 7, blacklist: ["A", "C"], settings: nil).result == .done)
            #expect(view(process).blacklist == ["A", "B", "C"])
        }
    }

    /// A credential brings a revocation while the state is being kept: it stays, whatever becomes of the state.
    @Test func aRevocationMeanwhileStays() throws {
        let rig = try rig()
        try rig.serveLink { link, process throws in
            #expect(try send(link, 5, blacklist: ["A"], settings: nil).result == .done)
            process.onLoop {
                let reader = process.process
                let begun = reader.device.reader.beginReplacement([], at: reader.moment)
                #expect(reader.device.reader.blacklist.count == 0)
                if let carried = OSSCredentialID("B") {
                    let entry = Blacklist.Entry(credentialID: carried, expiresAt: nil)
                    let former = reader.device.reader.blacklist
                    reader.device.reader.blacklist.insert(entry, at: nil)
                    reader.device.reader.keep([entry], since: former)
                }
                reader.device.reader.endReplacement(begun.id, isKept: false)
                let names = reader.device.reader.blacklist.entries.map(\.credentialID.text)
                #expect(names == ["A", "B"], "it could not be kept, and the revocation stays")
            }
        }
    }
}
