// SPDX-License-Identifier: Apache-2.0

import BuiltPrograms
import Commands
import Glibc
import Testing

@testable import BackEnd
@testable import readerlab

/// Commands that change one file at once: each change is kept.
@Suite struct CommandsAtOnceTests {
    private let bench: CredentialBench

    init() throws { bench = try CredentialBench() }

    /// Runs a program 20 times at once; `%` is the number, from 10 to 29. Returns 0 if each run has succeeded.
    private func run(_ arguments: String) throws -> Int32 {
        let program = try #require(realpath("\(BuiltPrograms.folder())/readerlab", nil))
        defer { free(program) }
        // A shell's own wait needs SIGCHLD, which this thread blocks.
        return system(
            "cd '\(bench.path)' && seq 10 29 | xargs -P 20 -I % '\(String(cString: program))' credentials \(arguments) "
                + ">output 2>&1")
    }

    /// The owner, the group and the permissions of the list stay, and the link that names it.
    @Test func everyCardIsInTheList() throws {
        let (list, link) = (bench.file("cards.json"), bench.file("link.json"))
        try bench.run(AddDESFireCommand.self, "FIRST", "--list", list, "--number", "99")
        chmod(list, 0o640)
        if geteuid() == 0 { chown(list, 65_534, 65_534) }
        mkdir(bench.file("links"), 0o700)
        symlink("../cards.json", bench.file("links/cards.json"))
        symlink("links/cards.json", link)
        var former = stat(), status = stat()
        #expect(stat(list, &former) == 0)
        #expect(try run("desfire add CARD% --list link.json --number 00%") == 0)
        let names = try bench.run(ListCardsCommand<DESFireGroup>.self, "--list", list).dropFirst().map { $0.prefix(6) }
        #expect(Set(names) == Set(["FIRST "] + (10...29).map { "CARD\($0)" }))
        #expect(lstat(list, &status) == 0 && status.st_mode == former.st_mode && status.st_mode & 0o777 == 0o640)
        #expect(status.st_uid == former.st_uid && status.st_gid == former.st_gid)
        #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        #expect(try run("desfire remove CARD% --list link.json") == 0)
        #expect(try bench.run(ListCardsCommand<DESFireGroup>.self, "--list", list).count == 2)
    }

    /// Without a list the first one makes it.
    @Test func everyCardIsInANewList() throws {
        #expect(try run("desfire add CARD% --list cards.json --number 00%") == 0)
        #expect(try bench.run(ListCardsCommand<DESFireGroup>.self, "--list", bench.file("cards.json")).count == 21)
    }

    @Test func everyReaderIsInTheSite() throws {
        try bench.makeSite()
        #expect(try run("reader add front% --site site.json") == 0)
        #expect(try CredentialStore.site(bench.file("site.json")).readers.count == 20)
    }

    /// The register's file is next to the site's, which another command replaces meanwhile.
    @Test func everyRevocationIsInTheRegisterAndInTheState() throws {
        try bench.makeSite()
        #expect(try run("revoke CARD% --site site.json --state state.json") == 0)
        let state = try bench.text("state.json")
        for number in 10...29 { #expect(state.contains("CARD\(number)"), "CARD\(number)") }
        #expect(try CredentialStore.register(ofSite: bench.file("site.json")).revoked.count == 20)
    }

    @Test func aHeldLockIsAnErrorAfterATime() throws {
        let list = bench.file("cards.json")
        let lock = try FileLock(list)
        #expect(
            throws: CommandError.failed(
                "\(list): not changed; another process locks \(bench.path): wait for its end (lslocks shows it), and repeat "
                    + "the command")
        ) { try FileLock(list, within: .milliseconds(30)) }
        lock.release()
        #expect(throws: Never.self) { try FileLock(list, within: .zero).release() }
    }

    /// A link to a missing file would be replaced by a list that no reader reads.
    @Test func aLinkToAMissingFileIsKept() throws {
        let list = bench.file("cards.json")
        symlink("missing.json", list)
        #expect(
            bench.failure { try bench.run(AddDESFireCommand.self, "A", "--list", list, "--number", "01") }
                == "\(list): cannot find the file: No such file or directory; name it without a link")
        var status = stat()
        #expect(lstat(list, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    }
}
