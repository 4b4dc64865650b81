// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Octets
import Reader
import Testing

/// ISO/IEC 7816-4, 5.1 (the four cases of a short command), 5.3.3.2 (chaining) and 5.4.1 (class).
@Suite struct CommandAPDUTests {
    private func parse(_ text: String) throws(StatusWord) -> CommandAPDU {
        try CommandAPDU(octets(text).span)
    }

    private func status(_ octets: [UInt8]) -> StatusWord? {
        thrown { () throws(StatusWord) in try CommandAPDU(octets.span).checkClass() }
    }

    @Test func theFourCases() throws {
        let first = try parse("00A40400")
        #expect(first.cla == 0x00 && first.ins == 0xA4 && first.p1 == 0x04 && first.p2 == 0x00)
        #expect(first.data.isEmpty && first.expected == nil && !first.isChained)
        let second = try parse("00B0000F0F")
        #expect(second.ins == 0xB0 && second.p2 == 0x0F && second.data.isEmpty && second.expected == 15)
        let third = try parse("00A4000C02E103")
        #expect(third.data == 5..<7 && third.expected == nil)
        let fourth = try parse("00A4040007D276000085010100")
        #expect(fourth.data == 5..<12 && fourth.expected == 256)
    }

    @Test func zeroExpectsAllThereIs() throws {
        #expect(try parse("00B0000000").expected == 256)
        #expect(try parse("00B00000FF").expected == 255)
        #expect(try parse("00B0000001").expected == 1)
    }

    @Test func theBitForChainingIsNoPartOfTheClass() throws {
        let chained = try parse("9010000001AA")
        #expect(chained.cla == 0x80 && chained.isChained)
        #expect(try !parse("8010000001AA").isChained)
        #expect(try parse("10A40400").isChained)
    }

    /// Each of the four cases, cut at every length: what is left is another case or of a wrong length, and nothing
    /// traps.
    @Test func cutAtEveryLength() {
        for text in ["00A40400", "00B0000F0F", "00A4000C02E103", "00A4040007D276000085010100"] {
            let whole = octets(text)
            for count in 0..<whole.count {
                let cut = Array(whole[..<count])
                let isCase = count == 4 || count == 5 || (count > 5 && [5, 6].contains(count - Int(whole[4])))
                #expect(status(cut) == (isCase ? nil : .wrongLength), "\(text) cut to \(count)")
            }
        }
    }

    @Test func octetsTooMany() {
        #expect(status(octets("00A4000C02E10300FF")) == .wrongLength)
        #expect(status(octets("00A4000C02E1030000")) == .wrongLength)
        #expect(status(octets("00B0000F0F0F")) == .wrongLength)
    }

    /// 5.2: extended lengths begin with 00 and are not taken.
    @Test func extendedLengths() {
        #expect(status(octets("00B00000 00 0100")) == .wrongLength)
        #expect(status(octets("80100000 00 0001 AA 0000")) == .wrongLength)
    }

    @Test func theMostData() throws {
        for (count, isFine) in [(1, true), (240, true), (241, false), (255, false)] {
            let command = octets("80100000") + [UInt8(count)] + [UInt8](repeating: 7, count: count)
            #expect(status(command) == (isFine ? nil : .wrongLength), "\(count)")
            #expect(status(command + [0]) == (isFine ? nil : .wrongLength), "\(count)")
        }
        #expect(APDULimit.command == 246 && APDULimit.response == 242)
    }

    @Test func classes() {
        let expected: [(UInt8, StatusWord?)] = [
            (0x00, nil), (0x10, nil), (0x80, nil), (0x90, nil),
            // 5.4.1: channel 1; secure messaging; further interindustry classes; FF is none.
            (0x01, .channelNotSupported), (0x83, .channelNotSupported), (0x04, .secureMessagingNotSupported),
            (0x8C, .secureMessagingNotSupported), (0x40, .classNotSupported), (0x60, .classNotSupported),
            (0xA0, .classNotSupported), (0xFF, .classNotSupported),
        ]
        for (cla, fault) in expected { #expect(status([cla, 0xA4, 4, 0]) == fault, "\(cla)") }
    }

    @Test func statusWords() {
        #expect(StatusWord.more(1).rawValue == 0x6101 && StatusWord.more(255).rawValue == 0x61FF)
        #expect(StatusWord.more(256).rawValue == 0x6100 && StatusWord.more(2000).rawValue == 0x6100)
        #expect("\(StatusWord.notFound)" == "6A82" && "\(StatusWord(rawValue: 0x00F0))" == "00F0")
    }

    @Test func applicationIDs() {
        #expect(ApplicationID.access.description == "F07265616465726401")
        #expect(ApplicationID.ndef.description == "D2760000850101")
        #expect(ApplicationID("f07265616465726401") == .access)
        for bad in [
            "", "F0726561", "F0726561646", "F072 5616465726401", "0xF072656164", "F07265616465726g", "Ｆ０726561",
        ] {
            #expect(ApplicationID(bad) == nil, "\(bad)")
        }
        #expect(ApplicationID("F072656164") != nil)
        #expect(ApplicationID([UInt8](repeating: 1, count: 16)) != nil)
        #expect(ApplicationID([UInt8](repeating: 1, count: 17)) == nil)
    }
}
