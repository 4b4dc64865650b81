// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reader
import TestSupport
import Testing
import Timekeeping

@testable import EventStore

/// A state directory with a policy, and what tests do to its files.
struct PolicyBench {
    static let names = ["policy.a", "policy.b", "policy.count"]
    static let revoked = BlacklistRow(credential: "REVOKED001", until: CivilTime(year: 2030, month: 1, day: 1))

    let temporary: TemporaryDirectory
    let key: AuditKey

    init() throws {
        temporary = try TemporaryDirectory()
        key = try #require(AuditKey([UInt8](repeating: 7, count: 32)))
    }

    var directory: String { temporary.path }

    func files(_ watcher: @escaping (String) throws(DiskFault) -> Void = { _ in }) -> PolicyFiles {
        var files = PolicyFiles(directory: directory, key: key)
        files.watcher = watcher
        return files
    }

    /// The first start, and the revocation of a credential: generation 2.
    func revoke() throws {
        try PolicyFiles.markFirstStart(in: directory, signs: [])
        var store = PolicyStore(files())
        #expect(try store.load(logged: 0) == .known(PolicyDocument(generation: 1), mended: nil))
        try store.make(.blacklist(.put([Self.revoked])))
    }

    /// The state that the next start finds.
    func state(logged: UInt64 = 0) throws -> PolicyStore.State {
        var store = PolicyStore(files())
        return try store.load(logged: logged)
    }

    /// Requires that the next start finds the revocation, or lets nobody in.
    func expectRevoked(logged: UInt64 = 0, _ what: Comment? = nil, isKnown: Bool? = nil) throws {
        switch try state(logged: logged) {
        case .known(let document, _):
            #expect(document.blacklist == [Self.revoked], what)
            if let isKnown { #expect(isKnown, what) }
        case .refused: if let isKnown { #expect(!isKnown, what) }
        }
    }

    func octets(_ name: String) throws -> [UInt8] { try temporary.octets(of: name) }

    func put(_ octets: [UInt8]?, _ name: String) throws {
        guard let octets else {
            unlink("\(directory)/\(name)")
            return
        }
        try temporary.write(name, octets, mode: 0o600)
    }

    /// The three files as they are.
    func copy() throws -> [[UInt8]] { try Self.names.map(octets) }

    func put(_ files: [[UInt8]?]) throws {
        for (name, octets) in zip(Self.names, files) { try put(octets, name) }
    }
}
