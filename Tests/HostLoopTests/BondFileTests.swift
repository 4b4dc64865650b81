// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Glibc
import HostLoop
import Peripheral
import Testing

/// Bonds in a file.
@Suite struct BondFileTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/bonds" }

    init() throws { directory = try TemporaryDirectory() }

    private func bond(_ number: UInt8) -> Bond {
        Bond(
            identity: BluetoothAddress(kind: .random, value: 0xC000_0000_0000 | UInt64(number)), resolvingKey: nil,
            longTermKey: Value128(InlineArray { $0 == 15 ? number : 7 }), keySize: 16, isAuthenticated: true,
            isSecureConnections: true)
    }

    private func open(capacity: Int = 64) throws -> BondFile { try BondFile(path, capacity: capacity) }

    /// The error message for the existing file.
    private func refusal() throws -> String {
        do {
            _ = try open()
            return "none"
        } catch let error as BondFileError {
            return error.description.replacing(directory.path, with: "DIR")
        }
    }

    @Test func madeForItsOwnerOnly() throws {
        let path = directory.path + "/state/bonds"
        let file = try BondFile(path)
        #expect(directory.mode(of: "state") == 0o700 && directory.mode(of: "state/bonds") == 0o600)
        try file.save(bond(1))
        #expect(directory.mode(of: "state/bonds") == 0o600)
        #expect(directory.names(in: "state") == ["bonds"])
    }

    @Test func keptFromRunToRun() throws {
        var file = try open()
        let address = BluetoothAddress(kind: .random, value: 0xC011_2233_4455)
        let identity = file.identity(address)
        try file.save(bond(1))
        try file.save(bond(2))
        var again = bond(1)
        again.isAuthenticated = false
        try file.save(again)
        file.save([1, 2, 3], of: bond(2).identity, device: 1)
        file.save([4], of: bond(2).identity, device: 1)
        file.save([5], of: bond(2).identity, device: 0)
        file.save([6], of: bond(3).identity, device: 0)
        file.save([7], of: bond(2).identity, device: 16)
        file.save([UInt8](repeating: 0, count: 8193), of: bond(1).identity, device: 0)
        file = try open()
        #expect(file.identity(address) == identity && !identity.resolvingKey.isZero)
        #expect(file.bonds == [bond(2), again])
        #expect(file.clientState(of: bond(2).identity, device: 1) == [4])
        #expect(file.clientState(of: bond(2).identity, device: 0) == [5])
        #expect(file.clientState(of: bond(2).identity, device: 2) == nil)
        #expect(file.clientState(of: bond(3).identity, device: 0) == nil)
        #expect(file.clientState(of: bond(1).identity, device: 0) == nil)
        file.remove(bond(2).identity)
        file = try open()
        #expect(file.bonds == [again] && file.clientState(of: bond(2).identity, device: 1) == nil)
        file.save([1], of: bond(1).identity, device: 0)
        file.removeClientStates(of: bond(1).identity)
        #expect(try open().clientState(of: bond(1).identity, device: 0) == nil)
    }

    /// Two files have different keys.
    @Test func ownKey() throws {
        let address = BluetoothAddress(kind: .random, value: 0xC011_2233_4455)
        let other = try BondFile(directory.path + "/others")
        #expect(try open().identity(address) != other.identity(address))
    }

    @Test func capacity() throws {
        let file = try open(capacity: 2)
        try file.save(bond(1))
        try file.save(bond(2))
        #expect(throws: BondStoreError.full) { try file.save(bond(3)) }
        try file.save(bond(2))
        #expect(file.bonds == [bond(1), bond(2)])
    }

    @Test func orderOfUseOutlastsTheProcess() throws {
        var file = try open(capacity: 3)
        for number in 1...3 as ClosedRange<UInt8> { try file.save(bond(number)) }
        file.save([1], of: bond(2).identity, device: 0)
        file.markUsed(bond(1).identity)
        file.markUsed(bond(9).identity)
        file = try open(capacity: 3)
        #expect(file.bonds == [bond(2), bond(3), bond(1)])
        try file.save(bond(4), evicting: [bond(2).identity])
        file = try open(capacity: 3)
        #expect(file.bonds == [bond(3), bond(1), bond(4)])
        #expect(file.clientState(of: bond(2).identity, device: 0) == nil)
    }

    /// Asked before bonding is offered. A directory at the path of the temporary file fails for root too.
    @Test func saysBeforehandThatNothingCanBeWritten() throws {
        var file = try open()
        #expect(file.storageError() == nil && directory.names() == ["bonds"])
        try #require(mkdir(path + ".new", 0o700) == 0)
        #expect(file.storageError() == .notWritten)
        #expect(file.lastFault?.description.hasSuffix("/bonds.new: cannot create the bond file: File exists") == true)
        // Still, from the start on, and no longer.
        file = try open()
        #expect(file.storageError() == .notWritten)
        rmdir(path + ".new")
        #expect(file.storageError() == nil && file.lastFault == nil)
        try file.save(bond(1))
        // A removal that failed is written with the next question.
        try #require(mkdir(path + ".new", 0o700) == 0)
        file.remove(bond(1).identity)
        rmdir(path + ".new")
        #expect(file.storageError() == nil)
        #expect(try open().bonds == [])
    }

    @Test(
        "A file that others can read or write is refused, and is not touched", arguments: [0o640, 0o604, 0o620, 0o601])
    func readableByOthers(mode: mode_t) throws {
        try open().save(bond(1))
        try #require(chmod(path, mode) == 0)
        #expect(
            try refusal() == "DIR/bonds: accessible to other users; run: chmod 600 DIR/bonds, and pair again if the "
                + "keys may be known")
        #expect(directory.mode(of: "bonds") == mode)
        try #require(chmod(path, 0o600) == 0)
        #expect(try open().bonds.count == 1)
    }

    @Test func foreignAndDamaged() throws {
        for (octets, said) in [
            ([], "is not a bond file, and is not changed; use another"),
            (Array("[reader]\nname = \"door\"\n".utf8), "is not a bond file, and is not changed; use another"),
            (
                Array("peripheral bonds".utf8) + [2, 0, 0],
                "has version 2, supported is 1; use the program that wrote it"
            ),
            (
                Array("peripheral bonds".utf8) + [1, 0, 0],
                "is damaged; restore a backup, or move it away and pair again"
            ),
        ] {
            try directory.write("bonds", octets, mode: 0o600)
            #expect(try refusal() == "DIR/bonds: " + said)
            // Never emptied.
            #expect(directory.size(of: "bonds") == octets.count && directory.names() == ["bonds"])
        }
    }

    @Test func notAFile() throws {
        try #require(mkdir(path, 0o700) == 0)
        #expect(try refusal() == "DIR/bonds: is not a regular file; use another for the bonds")
        rmdir(path)
        try #require(mkfifo(path, 0o600) == 0)
        #expect(try refusal() == "DIR/bonds: is not a regular file; use another for the bonds")
        unlink(path)
        try directory.write("real", [1], mode: 0o600)
        try #require(symlink(directory.path + "/real", path) == 0)
        #expect(try refusal().hasPrefix("DIR/bonds: cannot open the bonds: "))
        unlink(path)
        // A sparse file, longer than any bonds can be.
        try directory.write("bonds", [], mode: 0o600)
        try #require(truncate(path, 1 << 40) == 0)
        #expect(try refusal() == "DIR/bonds: is too long for a bond file; use another")
    }

    @Test func directoryThatIsMissing() throws {
        let error = #expect(throws: BondFileError.self) { try BondFile(directory.path + "/a/b/bonds") }
        #expect(
            error?.description.hasSuffix("/a/b: cannot create the directory of the bonds: No such file or directory")
                == true)
    }

    @Test("What cannot be written is not kept, and it is said why; a file left over from a stop is no hindrance")
    func notWritten() throws {
        let file = try open()
        try file.save(bond(1))
        try directory.write("bonds.new", [1, 2, 3])
        try file.save(bond(2))
        #expect(directory.names() == ["bonds"] && file.lastFault == nil)
        // A directory at the path of the temporary file, so that root fails too.
        try #require(mkdir(path + ".new", 0o700) == 0)
        #expect(throws: BondStoreError.notWritten) { try file.save(bond(3)) }
        #expect(file.bonds == [bond(1), bond(2)])
        #expect(file.lastFault?.description.hasSuffix("/bonds.new: cannot create the bond file: File exists") == true)
        file.remove(bond(1).identity)
        #expect(file.lastFault != nil && file.bonds == [bond(2)])
        rmdir(path + ".new")
        #expect(try open().bonds == [bond(1), bond(2)])
        // The next change also writes the previous one.
        try file.save(bond(4))
        #expect(try open().bonds == [bond(2), bond(4)] && file.lastFault == nil)
    }

    @Test("A bond that could not be read again is not written")
    func impossibleBond() throws {
        let file = try open()
        var impossible = bond(1)
        impossible.longTermKey = .zero
        #expect(throws: BondStoreError.notWritten) { try file.save(impossible) }
        #expect(try open().bonds == [])
    }
}
