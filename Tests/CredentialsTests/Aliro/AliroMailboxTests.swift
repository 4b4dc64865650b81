// SPDX-License-Identifier: Apache-2.0

import Contactless
@testable import Credentials
import Crypto
import TestSupport
import Testing

/// Check 9: the mailbox, with all that a phone can respond.
@Suite struct AliroMailboxTests {
    /// Not empty, readable, writable.
    private static let signals: UInt16 = 0b111000
    private static let contents = [UInt8](0x60..<0x80)

    private struct Bench {
        var door: AliroDoor
        var phone: AliroPhone

        init(_ commands: [AliroMailbox]) throws {
            door = try AliroDoor()
            door.reader.mailbox = commands
            phone = try door.phone()
            phone.mailbox = contents
            phone.signals = signals
        }

        mutating func tap(_ decision: CardDecision = .opened) throws -> Tap { try door.tap(&phone, decision) }
    }

    @Test("Check 9: the octets of read, write and set, in one command and in an atomic session")
    func octetsOfCommands() {
        let read = AliroMailbox([.read(offset: 4, count: 16)])
        #expect(hex(read.message) == "ba098c0100870400040010")
        let whole = AliroMailbox(
            [
                .read(offset: 0x0102, count: 1), .write(offset: 2, octets: [7, 8, 9]),
                .set(offset: 5, count: 3, value: 0xAA),
            ],
            isContinued: true)
        #expect(hex(whole.message) == "ba178c0101870401020001" + "8a050002070809" + "9505" + "00050003aa")
    }

    @Test("Check 9: read, after the door has opened, in the standard and in the fast phase")
    func read() throws {
        var bench = try Bench([AliroMailbox([.read(offset: 4, count: 4)])])
        for isFast in [false, true] {
            let tap = try bench.tap()
            #expect(tap.isOpened && tap.mailbox == [0x64, 0x65, 0x66, 0x67])
            #expect((bench.phone.tap.phase == .fast) == isFast && bench.phone.tap.status == [0x01, 0x01])
            #expect(tap.storesKey == !isFast)
        }
        #expect(bench.phone.mailbox == Self.contents)
    }

    @Test("Check 9: write and set")
    func write() throws {
        var bench = try Bench([
            AliroMailbox([.write(offset: 0, octets: [1, 2]), .set(offset: 30, count: 2, value: 0xEE)])
        ])
        let tap = try bench.tap()
        #expect(tap.isOpened && tap.mailbox.isEmpty && bench.phone.tap.status == [0x01, 0x01])
        #expect(bench.phone.mailbox == [1, 2] + Self.contents[2..<30] + [0xEE, 0xEE])
    }

    @Test("Check 9: an atomic session; its writes take effect with the last command")
    func atomic() throws {
        var bench = try Bench([
            AliroMailbox([.write(offset: 0, octets: [1])], isContinued: true),
            AliroMailbox([.read(offset: 0, count: 2)], isContinued: true),
            AliroMailbox([.write(offset: 1, octets: [2]), .read(offset: 31, count: 1)]),
        ])
        let tap = try bench.tap()
        #expect(tap.isOpened && tap.mailbox == [1, 0x61, 0x7F] && bench.phone.mailbox?.prefix(2) == [1, 2])
        // A session that the phone breaks off changes nothing, and the reader says so.
        bench = try Bench([
            AliroMailbox([.write(offset: 0, octets: [1])], isContinued: true),
            AliroMailbox([.write(offset: 32, octets: [2])]),
        ])
        #expect(try bench.tap().isOpened)
        #expect(bench.phone.mailbox == Self.contents && bench.phone.tap.control == [0x00, 0x00])
    }

    @Test("Check 9: 6900, as in an atomic session, and other words; the door is open, and no key is stored")
    func words() throws {
        for word in [[0x69, 0x00], [0x6A, 0x80], [0x90]] as [[UInt8]] {
            var bench = try Bench([AliroMailbox([.read(offset: 0, count: 2)])])
            bench.phone.changes[.mailbox] = .raw(word)
            let tap = try bench.tap()
            #expect(tap.isOpened && tap.effects.isEmpty && tap.mailbox.isEmpty)
            #expect(bench.phone.tap.control == [0x00, 0x00] && bench.phone.tap.status == nil)
        }
    }

    @Test(
        "Check 9: FFFF, 0001, 0002, more, fewer and other reads, no status, trailing octets, and nothing",
        arguments: [
            "0002ffff", "00020001", "00020002", "0002606100026162" + "00020000", "00020000", "0001600002" + "0000",
            "00026061", "000260610002000000", "000360616200020000", "0002606100010000", "",
        ])
    func responses(_ response: String) throws {
        var bench = try Bench([AliroMailbox([.read(offset: 0, count: 2)])])
        let data = octets(response)
        bench.phone.changes[.mailbox] = .plaintext { _ in data }
        let tap = try bench.tap()
        #expect(tap.isOpened && tap.effects.isEmpty && tap.mailbox.isEmpty)
        #expect(bench.phone.tap.control == [0x00, 0x00] && bench.phone.tap.status == nil)
    }

    @Test("Check 9: a response that is not authentic")
    func changed() throws {
        var bench = try Bench([AliroMailbox([.read(offset: 0, count: 2)])])
        bench.phone.changes[.mailbox] = .data { [$0[0] ^ 1] + $0[1...] }
        let tap = try bench.tap()
        #expect(tap.isOpened && tap.effects.isEmpty && tap.mailbox.isEmpty)
    }

    @Test("Only phones that signal it, only after an opening")
    func permission() throws {
        let read = AliroMailbox([.read(offset: 0, count: 2)])
        let write = AliroMailbox([.write(offset: 0, octets: [1])])
        for (signals, command, isAsked) in [
            (0, read, false), (0b001000, read, false), (0b010000, read, false), (0b011000, read, true),
            (0b011000, write, false), (0b100000, write, true),
        ] as [(UInt16, AliroMailbox, Bool)] {
            var bench = try Bench([command])
            bench.phone.signals = signals
            #expect(try bench.tap().isOpened)
            #expect(bench.phone.tap.status == [0x01, 0x01])
            #expect(bench.phone.tap.commands.filter { $0[1] == 0xC9 }.count == (isAsked ? 2 : 1), "\(signals)")
        }
        var bench = try Bench([read])
        #expect(try bench.tap(.refused).mailbox.isEmpty)
        #expect(bench.phone.tap.status == [0x00, 0x25])
        #expect(bench.phone.tap.commands.filter { $0[1] == 0xC9 }.count == 1)
    }

    @Test("In the step-up phase, only with its own signal (bit 10)")
    func stepUp() throws {
        for (signals, isAsked) in [(0b11001, false), (0b100_0001_1001, true)] as [(UInt16, Bool)] {
            var bench = try Bench([AliroMailbox([.read(offset: 0, count: 2)])])
            bench.phone = try bench.door.phone(isKnown: false, scalar: AliroDoor.authority)
            bench.phone.mailbox = Self.contents
            bench.phone.signals = signals
            bench.phone.documents["aliro-a"] =
                try AliroDocumentMaker(try bench.door.trustIssuer(), for: bench.phone.point).document
            let tap = try bench.tap()
            #expect(tap.isOpened && bench.phone.tap.phase == .stepUp && tap.storesKey)
            #expect(tap.mailbox == (isAsked ? [0x60, 0x61] : []))
        }
    }
}
