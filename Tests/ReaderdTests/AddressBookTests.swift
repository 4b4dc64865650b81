// SPDX-License-Identifier: Apache-2.0

import Configuration
import TestSupport
import Crypto
import Peripheral
import Reader
import Testing

@testable import readerd

/// Octets that count up.
private struct CountingSource: RandomSource {
    var next: UInt8 = 0

    mutating func fill(_ octets: inout MutableSpan<UInt8>) {
        for index in octets.indices {
            octets[index] = next
            next &+= 1
        }
    }
}

@Suite struct AddressBookTests {
    private let directory: TemporaryDirectory
    private let state: StateDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        state = try StateDirectory(directory.path)
        path = state.file("addresses")
    }

    private func load(seed: UInt8 = 0) throws -> (book: AddressBook, repairs: [String]) {
        var random = CountingSource(next: seed)
        return try AddressBook.load(from: state, random: &random)
    }

    private func text() throws -> String? {
        try FileContents.read(path, maximumCount: 4096).map { String(decoding: $0.octets, as: UTF8.self) }
    }

    private let fresh = """
        classic C2:03:04:05:06:07
        on-touch CA:0B:0C:0D:0E:0F
        access D2:13:14:15:16:17
        access-ibeacon DA:1B:1C:1D:1E:1F
        pkoc E2:23:24:25:26:27
        aliro EA:2B:2C:2D:2E:2F
        provisioning F2:33:34:35:36:37

        """

    @Test func aFirstStartMakesAnAddressForEachMode() throws {
        let (book, repairs) = try load()
        #expect(repairs == [])
        #expect(try text() == fresh)
        #expect(directory.mode(of: "addresses") == 0o600)
        #expect(book[.onTouch] == BluetoothAddress(kind: .random, value: 0xCA0B_0C0D_0E0F))
        #expect(book.provisioning == BluetoothAddress(kind: .random, value: 0xF233_3435_3637))
    }

    @Test func laterStartsKeepThem() throws {
        let first = try load().book
        let second = try load(seed: 99)
        #expect(second.book == first)
        #expect(second.repairs == [])
        #expect(try text() == fresh)
    }

    @Test func aMissingModeIsAddedAndOthersKept() throws {
        try directory.write("addresses", "access C0:11:22:33:44:55\nuwb C0:11:22:33:44:66\n")
        let (book, repairs) = try load()
        #expect(repairs == [])
        #expect(book[.access] == BluetoothAddress(kind: .random, value: 0xC011_2233_4455))
        #expect(
            try text() == """
                classic C2:03:04:05:06:07
                on-touch CA:0B:0C:0D:0E:0F
                access C0:11:22:33:44:55
                access-ibeacon D2:13:14:15:16:17
                pkoc DA:1B:1C:1D:1E:1F
                aliro E2:23:24:25:26:27
                provisioning EA:2B:2C:2D:2E:2F
                uwb C0:11:22:33:44:66

                """)
    }

    /// Core 5.4, Vol 6, Part B, 1.3.2.1: what is no static address is of no use.
    @Test(arguments: [
        "access", "access ", "access C0:11:22:33:44", "access C0:11:22:33:44:55:66", "access C0:11:22:33:44:5",
        "access C0:11:22:33:44:5G", "access C0:11:22:33:44:+5", "access  C0:11:22:33:44:55",
        "access C0:11:22:33:44:55 ", " access C0:11:22:33:44:55", "access C0-11-22-33-44-55",
        "access 80:11:22:33:44:55", "access 40:11:22:33:44:55", "access 00:11:22:33:44:55",
        "access C0:00:00:00:00:00", "access FF:FF:FF:FF:FF:FF", "\u{0}",
    ])
    func aLineOfNoUseIsReplacedAndSaid(line: String) throws {
        try directory.write("addresses", "classic C0:11:22:33:44:66\n\(line)\n")
        let (book, repairs) = try load()
        #expect(repairs == ["\(path): line 2 is no mode with an own address; replaced"])
        #expect(book[.classic] == BluetoothAddress(kind: .random, value: 0xC011_2233_4466))
        #expect(ReaderSettings.Mode.allCases.allSatisfy { book[$0] != nil })
        #expect(try load().repairs == [])
    }

    @Test func twoModesDoNotShareAnAddress() throws {
        try directory.write("addresses", "classic C0:11:22:33:44:55\naccess C0:11:22:33:44:55\n")
        let (book, repairs) = try load()
        #expect(repairs.count == 1)
        #expect(book[.classic] != book[.access])
        // Nor does a fresh one repeat one that is there.
        try directory.write("addresses", "access C2:03:04:05:06:07\n")
        #expect(try load().book[.classic] == BluetoothAddress(kind: .random, value: 0xCA0B_0C0D_0E0F))
    }

    /// One that no version without provisioning has.
    @Test func aFileFromBeforeGetsAnAddressForProvisioning() throws {
        try directory.write("addresses", fresh.replacing("provisioning F2:33:34:35:36:37\n", with: ""))
        let (book, repairs) = try load(seed: 0x40)
        #expect(repairs == [])
        #expect(book.provisioning == BluetoothAddress(kind: .random, value: 0xC243_4445_4647))
        #expect(try load(seed: 99).book == book)
        try directory.write("addresses", "provisioning C0:11:22:33:44:55\naccess C0:11:22:33:44:55\n")
        #expect(try load().repairs == ["\(path): line 2 is no mode with an own address; replaced"])
    }

    @Test func theKernelsRandomnessGivesStaticAddresses() throws {
        let book = try AddressBook.load(from: state).book
        for mode in ReaderSettings.Mode.allCases {
            let address = try #require(book[mode])
            #expect(address.kind == .random && address.value >> 46 == 0b11)
        }
        #expect(
            Set(ReaderSettings.Mode.allCases.map { book[$0]?.value ?? 0 }).count == ReaderSettings.Mode.allCases.count)
    }

    /// A file of no use does not end the start: it is put aside, and new addresses are made once.
    @Test func aDamagedFileIsPutAside() throws {
        for (name, change) in StateFileDamage.all {
            let directory = try TemporaryDirectory()
            let state = try StateDirectory(directory.path)
            let first = try AddressBook.load(from: state).book
            try change(directory.path, "addresses")
            let (book, repairs) = try AddressBook.load(from: state)
            let isKept = directory.names().contains("addresses.damaged-1")
            #expect(!repairs.isEmpty || name == "empty" || name == "halved", "\(name)")
            #expect(repairs.contains { $0.hasSuffix("kept as addresses.damaged-1, new addresses are used") } == isKept)
            #expect(ReaderSettings.Mode.allCases.allSatisfy { book[$0] != nil } && book != first, "\(name)")
            let (again, more) = try AddressBook.load(from: state)
            #expect(again == book && more.isEmpty, "\(name)")
        }
    }
}
