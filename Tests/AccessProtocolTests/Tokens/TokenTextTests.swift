// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Testing
import Timekeeping

@testable import ReaderTestSupport

@Suite("Signed text and validity of a command token (access protocol, 6.1)")
struct TokenTextTests {
    private let validity = TokenValidity(
        from: CivilTime(year: 2023, month: 1, day: 1), through: CivilTime(year: 2030, month: 1, day: 1))

    private func text(_ credential: String, _ command: CommandName, _ validity: TokenValidity) -> String {
        var text: [UInt8] = []
        TokenText.append(credentialID: credential, command: command, validity: validity, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    @Test("the published example, without leading zeros and without seconds")
    func example() {
        #expect(text("CRED000001", .ping, validity) == "CRED000001:PING:2023:1:1:0:0:2030:1:1:0:0")
        var odd = validity
        odd.start = CivilTime(year: 2024, month: 12, day: 31, hour: 23, minute: 59, second: 58)
        odd.end.second = 7
        #expect(text("A", .maintenanceGroup, odd) == "A:MAINTC:2024:12:31:23:59:2030:1:1:0:0")
    }

    @Test("the published token's signature fits the text under the demo key, and no other text")
    func signature() throws {
        let key = try P256PublicKey(point: DemoIdentity.signaturePoint.span)
        let signature = Array(SessionOctets.requestPlaintext[4..<4 + 72])
        func fits(_ text: String) -> Bool {
            let text = Array(text.utf8)
            return key.isValid(signature: signature.span, for: text.span)
        }
        #expect(fits("CRED000001:PING:2023:1:1:0:0:2030:1:1:0:0"))
        #expect(!fits("CRED000001:PING:2023:1:1:0:0:2030:1:1:0:1"))
    }

    @Test("numbers of every length are decimal, without leading zeros")
    func numbers() {
        for number in [0, 7, 9, 10, 19, 90, 99, 100, 101, 999, 1000, 2026, 65_535, 4_294_967_295, .max, -1, -10, .min] {
            let time = CivilTime(year: number, month: 1, day: 1)
            let text = text("A", .ping, TokenValidity(from: time, through: time))
            #expect(text == "A:PING:\(number):1:1:0:0:\(number):1:1:0:0")
        }
    }

    @Test("the longest text fits its limit")
    func limit() {
        let far = Int(UInt32.max)
        let time = CivilTime(year: far, month: far, day: far, hour: far, minute: far, second: far)
        let text = text("0123456789", CommandName(rawValue: "01234567"), TokenValidity(from: time, through: time))
        #expect(text.utf8.count == TokenText.octetLimit)
    }

    private func time(_ hour: Int, _ minute: Int, _ second: Int) -> CivilTime {
        CivilTime(year: 2026, month: 5, day: 4, hour: hour, minute: minute, second: second)
    }

    @Test("both ends are included; of the end's minute, second 00 and no more")
    func minutes() {
        let validity = TokenValidity(from: time(8, 0, 0), through: time(17, 30, 0))
        #expect(!validity.contains(time(7, 59, 59)))
        #expect(validity.contains(time(8, 0, 0)))
        #expect(validity.contains(time(8, 0, 59)))
        #expect(validity.contains(time(17, 30, 0)))
        #expect(!validity.contains(time(17, 30, 1)))
        #expect(!validity.contains(time(17, 31, 0)))
        let instant = TokenValidity(from: time(8, 0, 0), through: time(8, 0, 0))
        #expect(instant.contains(time(8, 0, 0)) && !instant.contains(time(8, 0, 1)))
    }

    @Test("a start's seconds count, an end's do not")
    func seconds() {
        let validity = TokenValidity(from: time(8, 0, 15), through: time(17, 30, 40))
        #expect(!validity.contains(time(8, 0, 14)))
        #expect(validity.contains(time(8, 0, 15)))
        #expect(validity.contains(time(17, 30, 0)))
        #expect(!validity.contains(time(17, 30, 1)))
    }

    @Test("a second is not signed, so it cannot carry an end beyond its minute's second 00, nor a start before it")
    func forgedSeconds() {
        let validity = TokenValidity(from: time(8, 0, 0), through: time(17, 30, Int(UInt32.max)))
        #expect(validity.contains(time(17, 30, 0)))
        #expect(!validity.contains(time(17, 30, 1)))
        let late = TokenValidity(from: time(8, 0, Int(UInt32.max)), through: time(17, 30, 0))
        #expect(!late.contains(time(8, 0, 59)))
        #expect(late.contains(time(8, 1, 0)))
    }

    @Test("end before start is never")
    func reversed() {
        let validity = TokenValidity(from: time(17, 0, 0), through: time(8, 0, 0))
        #expect(!validity.contains(time(12, 0, 0)))
        #expect(!validity.contains(time(17, 0, 0)))
        #expect(!validity.contains(time(8, 0, 0)))
    }

    @Test("the maintenance commands have the group, and nothing else has")
    func groups() {
        for name in [
            "PING", "STATUS", "UPDATE", "time", "BL_PUSH", "BL_CLEAR", "EV_QUERY", "EV_CLEAR", "SL_QUERY", "SL_CLEAR",
            "BOOTLD",
        ] {
            #expect(CommandName(rawValue: name).group == .maintenanceGroup, "\(name)")
            #expect(CommandName(rawValue: name).readsUnsignedData)
        }
        for name in ["tokn", "MAINTC", "enof", "", "ping", "BL_", "BL_POP"] {
            #expect(CommandName(rawValue: name).group == nil, "\(name)")
            #expect(!CommandName(rawValue: name).readsUnsignedData)
        }
    }
}
