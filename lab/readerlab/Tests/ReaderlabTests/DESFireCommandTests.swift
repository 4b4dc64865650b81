// SPDX-License-Identifier: Apache-2.0

import BackEnd
import Glibc
import Testing

@testable import readerlab

/// The list of DESFire cards (docs/operate/desfire.md), written and read by the desk.
@Suite struct DESFireCommandTests {
    private static let key =
        "049fad84aeae08bbef7f010014d82cef6a09de2b0cf871b5ce0c4f1d13a59a5934"
        + "07cb45769f1070e2c2470fe5b1bfe63133c0b0cdc64ea4bf3791a8ec2a07fd4f"

    private let bench: CredentialBench
    private let list: String

    init() throws {
        bench = try CredentialBench()
        list = bench.file("cards.json")
    }

    @Test func cardIsAddedNextToAnotherKindListedAndRemoved() throws {
        _ = try bench.run(AddKeyCommand<PKOCGroup>.self, ["CARD000001", "--list", list, "--key", Self.key])
        #expect(
            try bench.run(
                AddDESFireCommand.self,
                ["CARD000002", "--list", list, "--number", "001122334455667788", "--name", "Bea"])
                == ["\(list): CARD000002 added, card number 1122334455667788"])
        let entry = #"{"kind":"desfire","id":"CARD000002","number":"001122334455667788","name":"Bea"}"#
        #expect(try bench.run(ListCardsCommand<DESFireGroup>.self, ["--list", list, "--json"]).last == entry)
        let lines = try bench.run(ListCardsCommand<DESFireGroup>.self, ["--list", list])
        #expect(lines.count == 2)
        #expect(lines[1].hasPrefix("CARD000002  1122334455667788  "))
        #expect(
            try bench.run(RemoveCardCommand<DESFireGroup>.self, ["CARD000002", "--list", list])
                == ["\(list): CARD000002 removed"])
        #expect(try bench.run(ListCardsCommand<DESFireGroup>.self, ["--list", list]).count == 1)
    }

    @Test func knownNumberIsRefused() throws {
        _ = try bench.run(AddDESFireCommand.self, ["A", "--list", list, "--number", "0011"])
        #expect(throws: CredentialError("\(list): A has this number; remove it first")) {
            try bench.run(AddDESFireCommand.self, ["B", "--list", list, "--number", "0011"])
        }
        // Another length is another number.
        #expect(throws: Never.self) {
            try bench.run(AddDESFireCommand.self, ["B", "--list", list, "--number", "000011"])
        }
    }

    /// A file has zeros before a number is written to it.
    /// The list of a reader belongs to the group of its service, and may be named by a link.
    @Test func listStaysReadableForWhoeverReadIt() throws {
        _ = try bench.run(AddDESFireCommand.self, ["A", "--list", list, "--number", "0011"])
        var status = stat()
        #expect(stat(list, &status) == 0 && status.st_mode & 0o777 == 0o600)
        chmod(list, 0o640)
        if geteuid() == 0 { chown(list, 65_534, 65_534) }
        #expect(stat(list, &status) == 0)
        let (owner, group) = (status.st_uid, status.st_gid)
        let link = bench.file("link.json")
        symlink(list, link)
        _ = try bench.run(AddDESFireCommand.self, ["B", "--list", link, "--number", "0012"])
        _ = try bench.run(RemoveCardCommand<DESFireGroup>.self, ["A", "--list", list])
        #expect(try bench.run(ListCardsCommand<DESFireGroup>.self, ["--list", list]).count == 2)
        #expect(lstat(list, &status) == 0 && status.st_mode & 0o7777 == 0o640)
        #expect(status.st_uid == owner && status.st_gid == group)
        #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    }

    @Test(arguments: ["A\nB", "A:B", "A\u{7F}", "", "é"]) func invalidNameIsRefused(_ name: String) {
        #expect(throws: (any Error).self) {
            try bench.run(AddDESFireCommand.self, [name, "--list", list, "--number", "01"])
        }
        #expect(access(list, F_OK) != 0)
    }

    @Test(arguments: ["00", "0000000000000000", "", "0", "0g", String(repeating: "00", count: 33)])
    func invalidNumberIsRefused(_ number: String) {
        #expect(throws: (any Error).self) {
            try bench.run(AddDESFireCommand.self, ["A", "--list", list, "--number", number])
        }
    }
}
