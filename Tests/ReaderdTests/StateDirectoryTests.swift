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
                "\(path): cannot make the state directory: No such file or directory; "
                    + "make it for readerd's user, or name another with --state")
        ) { try StateDirectory(path) }
    }

    @Test func isNoFile() throws {
        let path = try directory.write("file", "")
        #expect(throws: ReaderdError.failed("\(path): is not a directory; name another with --state")) {
            try StateDirectory(path)
        }
    }

    @Test(arguments: [0o770, 0o702, 0o777] as [mode_t])
    func isNotForOthersToWriteTo(mode: mode_t) throws {
        let path = "\(directory.path)/state"
        _ = try StateDirectory(path)
        try #require(chmod(path, mode) == 0)
        #expect(
            throws: ReaderdError.failed("\(path): others may write to the state directory; do: chmod go-w \(path)")
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
        // A directory in the file's place cannot be renamed over.
        try #require(mkdir(state.file("f"), 0o700) == 0)
        #expect(throws: ReaderdError.self) { try state.replace("f", with: [1]) }
        #expect(directory.names(in: "state") == ["f"])
    }

    @Test func aPipeHoldsNobodyUp() throws {
        let path = "\(directory.path)/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        #expect(throws: ReaderdError.failed("\(path): is not a regular file")) {
            try FileContents.read(path, maximumCount: 10)
        }
    }
}
