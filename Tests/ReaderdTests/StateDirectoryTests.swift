// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Glibc
import Testing

@testable import readerd

@Suite struct StateDirectoryTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func isMadeForItsOwnerOnly() throws {
        let state = try StateDirectory("\(directory.path)/state//")
        #expect(state.path == "\(directory.path)/state")
        #expect(directory.mode(of: "state") == 0o700)
        // One that is there is left as it is.
        try #require(chmod(state.path, 0o750) == 0)
        _ = try StateDirectory(state.path)
        #expect(directory.mode(of: "state") == 0o750)
    }

    @Test func doesNotMakeWhatIsAbove() {
        let path = "\(directory.path)/a/b"
        #expect(
            throws: ReaderdError.failed(
                "\(path): cannot create the state directory: No such file or directory; "
                    + "create it for readerd's user, or name another with --state")
        ) { try StateDirectory(path) }
    }

    @Test func isNoFile() throws {
        let path = try directory.write("file", "")
        #expect(throws: ReaderdError.failed("\(path): not a directory; name another with --state")) {
            try StateDirectory(path)
        }
    }

    @Test(arguments: [0o770, 0o702, 0o777] as [mode_t])
    func isNotForOthersToWriteTo(mode: mode_t) throws {
        let path = "\(directory.path)/state"
        _ = try StateDirectory(path)
        try #require(chmod(path, mode) == 0)
        #expect(
            throws: ReaderdError.failed("\(path): state directory writable by other users; run: chmod go-w \(path)")
        ) { try StateDirectory(path) }
    }

    @Test func replacesAFileAsAWhole() throws {
        let state = try StateDirectory("\(directory.path)/state")
        try state.replace("f", with: Array("first".utf8))
        #expect(directory.mode(of: "state/f") == 0o600)
        // What a power cut left behind is in nobody's way.
        try directory.write("state/f.new", "half of something much longer")
        try state.replace("f", with: Array("second".utf8))
        #expect(try FileContents.read(state.file("f"), maximumCount: 100)?.octets == Array("second".utf8))
        #expect(directory.names(in: "state") == ["f"])
    }

    @Test func aFailedReplacementLeavesTheOldContent() throws {
        let state = try StateDirectory("\(directory.path)/state")
        try state.replace("f", with: Array("first".utf8))
        // A directory in the place of the new file is not removed.
        try #require(mkdir(state.file("f.new"), 0o700) == 0)
        #expect(throws: ReaderdError.self) { try state.replace("f", with: [1]) }
        #expect(try FileContents.read(state.file("f"), maximumCount: 100)?.octets == Array("first".utf8))
    }

    /// A directory in the file's place cannot be renamed over: it is put aside.
    @Test func aDirectoryInItsPlaceIsKept() throws {
        let state = try StateDirectory("\(directory.path)/state")
        try #require(mkdir(state.file("f"), 0o700) == 0)
        try state.replace("f", with: [1])
        #expect(directory.names(in: "state") == ["f", "f.damaged-1"])
    }

    /// test_state_owner.py has root in another user's directory; this is the half that any user can try.
    @Test func noLinkInItIsFollowed() throws {
        let outside = try directory.write("outside", "precious", mode: 0o600)
        let state = try StateDirectory("\(directory.path)/state")
        try #require(symlink(outside, state.file("f")) == 0)
        #expect(throws: ReaderdError.damaged(state.file("f"), "symbolic link; replace it with the file")) {
            try state.contents(of: "f", maximumCount: 100)
        }
        #expect(state.open("f", O_WRONLY) < 0 && state.has("f"))
        try #require(symlink(outside, state.file("f.new")) == 0)
        try state.replace("f", with: Array("new".utf8))
        #expect(try state.contents(of: "f", maximumCount: 100)?.octets == Array("new".utf8))
        try #require(symlink(directory.path, state.file("d")) == 0)
        #expect(throws: ReaderdError.self) { try state.directory("d") }
        try state.wipe("d")
        #expect(directory.names(in: "state") == ["f"])
        #expect(try FileContents.read(outside, maximumCount: 100)?.octets == Array("precious".utf8))
    }

    /// Operations follow the directory, not the place to which its name leads by now.
    @Test func aDirectoryThatWasMovedAwayIsStillTheOne() throws {
        let state = try StateDirectory("\(directory.path)/state")
        let other = "\(directory.path)/other"
        try #require(mkdir(other, 0o700) == 0 && rename(state.path, "\(directory.path)/moved") == 0)
        try #require(symlink(other, state.path) == 0)
        try state.replace("f", with: [1])
        try state.makeLink("l", to: "f")
        #expect(try state.makeDirectory("d").names() == [] && state.names() == ["d", "f", "l"])
        #expect(directory.names(in: "moved") == ["d", "f", "l"] && directory.names(in: "other") == [])
        for name in try state.names() { try state.wipe(name) }
        #expect(directory.names(in: "moved") == [])
    }

    @Test func aLinkThatLeadsInACircleIsSaid() throws {
        let path = "\(directory.path)/circle"
        try #require(symlink("circle", path) == 0)
        #expect(throws: ReaderdError.self) { try StateDirectory(path) }
    }

    @Test func aPipeHoldsNobodyUp() throws {
        let path = "\(directory.path)/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        #expect(throws: ReaderdError.damaged(path, "not a regular file")) {
            try FileContents.read(path, maximumCount: 10)
        }
    }
}
