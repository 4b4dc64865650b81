// SPDX-License-Identifier: Apache-2.0

import Glibc
import OSDP
import System
import TestSupport
import Testing

@testable import PanelLine

/// The files of a device's key and line.
struct PanelFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func write(_ text: String, mode: mode_t = 0o600) throws {
        try directory.write("file", text)
        chmod(directory.path + "/file", mode)
    }

    private var path: String { directory.path + "/file" }

    private func mode() -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test func aKeyIsKept() throws {
        let file = OSDPKeyFile(path: path)
        #expect(try file.load() == nil)
        let key = try #require(OSDPKey((1...16).map { $0 * 3 }))
        try file.store(key)
        #expect(try file.load() == key)
        #expect(mode() == 0o600)
        #expect(throws: (any Error).self) { try OSDPKeyFile(path: path + "/nowhere").store(key) }
    }

    @Test(arguments: [
        ("0102030405060708090a0b0c0d0e0f20\n", 0o644 as mode_t, "chmod 600"),
        ("0102", 0o600, "32 hexadecimal digits"), ("", 0o600, "32 hexadecimal digits"),
        ("303132333435363738393a3b3c3d3e3f", 0o600, "this key is published"),
        ("00000000000000000000000000000000", 0o600, "this key is published"),
        ("f8f9fafbfcfdfeff0001020304050607", 0o600, "this key is published"),
        (String(repeating: "1", count: 65), 0o600, "longer than 64 octets"),
    ])
    func aFaultOfTheKey(text: String, mode: mode_t, fault: String) throws {
        try write(text, mode: mode)
        let error = try #require(throws: PrivateFileFault.self) { try OSDPKeyFile(path: path).load() }
        #expect(error.description.contains(fault), "\(error)")
        #expect(!error.description.contains(text) || text.isEmpty)
    }

    @Test func aLinkIsNotFollowed() throws {
        try write("0102030405060708090a0b0c0d0e0f20")
        #expect(symlink(path, path + ".link") == 0)
        #expect(throws: PrivateFileFault.self) { try OSDPKeyFile(path: path + ".link").load() }
    }

    @Test func aLineIsKept() throws {
        let file = OSDPLineFile(path: path)
        #expect(try file.load() == nil)
        try file.store(OSDPLine(address: 5, speed: 38400))
        #expect(try file.load() == OSDPLine(address: 5, speed: 38400))
        #expect(mode() == 0o600)
    }

    @Test(arguments: ["", "5", "5 38400 1", "127 9600", "5 9601", "-1 9600", "a b"])
    func aFaultOfTheLine(text: String) throws {
        try write(text)
        let error = try #require(throws: PrivateFileFault.self) { try OSDPLineFile(path: path).load() }
        #expect(error.description.contains("remove it"))
    }
}
