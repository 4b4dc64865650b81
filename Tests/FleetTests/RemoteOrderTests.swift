// SPDX-License-Identifier: Apache-2.0

import CBOR
import Fleet
import JSON
import Testing

/// Orders on the wire: one encoding of each, and nothing else.
@Suite struct RemoteOrderTests {
    private static let order = RemoteOrder(
        reader: "7761307931597753", key: [1, 2, 3, 4, 5, 6, 7, 8], id: [UInt8](repeating: 0xAB, count: 16), counter: 7,
        notBefore: 1_800_000_000, expires: 1_800_000_030, command: "pulse")

    private static let members: [CBORValue: CBORValue] = [
        .text("reader"): .text("7761307931597753"), .text("key"): .octets([1, 2, 3, 4, 5, 6, 7, 8]),
        .text("id"): .octets([UInt8](repeating: 0xAB, count: 16)), .text("counter"): .integer(7),
        .text("not-before"): .integer(1_800_000_000), .text("expires"): .integer(1_800_000_030),
        .text("command"): .text("pulse"), .text("args"): .map([:]),
    ]

    private static func encoded(_ value: CBORValue) throws -> [UInt8] {
        var octets: [UInt8] = []
        try value.encode(limit: 10_000, into: &octets)
        return octets
    }

    private static func isRefused(_ value: CBORValue) throws -> Bool {
        let octets = try encoded(value)
        return (try? RemoteOrder(body: octets)) == nil
    }

    /// The octets of a signer that is not ours, by the format in docs/operate/fleet.md.
    @Test func theBodyOctetForOctet() throws {
        let octets: [UInt8] =
            [0xA8, 0x62, 0x69, 0x64, 0x50] + [UInt8](repeating: 0xAB, count: 16)  // "id"
            + [0x63, 0x6B, 0x65, 0x79, 0x48, 1, 2, 3, 4, 5, 6, 7, 8]  // "key"
            + [0x64] + Array("args".utf8) + [0xA0]
            + [0x66] + Array("reader".utf8) + [0x70] + Array("7761307931597753".utf8)
            + [0x67] + Array("command".utf8) + [0x65] + Array("pulse".utf8)
            + [0x67] + Array("counter".utf8) + [0x07]
            + [0x67] + Array("expires".utf8) + [0x1A, 0x6B, 0x49, 0xD2, 0x1E]
            + [0x6A] + Array("not-before".utf8) + [0x1A, 0x6B, 0x49, 0xD2, 0x00]
        #expect(try Self.order.body() == octets)
        #expect(try RemoteOrder(body: octets) == Self.order)
    }

    @Test func theMessage() throws {
        let body = try Self.order.body()
        let message = try RemoteOrder.Signed.message(body, signature: [0x30, 0x01])
        #expect(message == [0x82, 0x58, UInt8(body.count)] + body + [0x42, 0x30, 0x01])
        let signed = try RemoteOrder.Signed(message)
        #expect(signed.order == Self.order && signed.signature == [0x30, 0x01])
        #expect(signed.signedOctets == Array("readerd-remote-v1".utf8) + [0] + body)
    }

    /// An octet that is changed is another order or none: the signed octets are never those of this one.
    @Test func everyOctetCounts() throws {
        let message = try RemoteOrder.Signed.message(try Self.order.body(), signature: [0x30, 0x01])
        let sound = try RemoteOrder.Signed(message)
        for index in message.indices {
            for bit in 0..<8 {
                var altered = message
                altered[index] ^= 1 << bit
                guard let other = try? RemoteOrder.Signed(altered) else { continue }
                #expect(other != sound)
                #expect(other.signedOctets != sound.signedOctets || other.signature != sound.signature)
            }
        }
    }

    @Test func cutAndContinuedMessagesAreRefused() throws {
        let message = try RemoteOrder.Signed.message(try Self.order.body(), signature: [0x30, 0x01])
        for count in 0..<message.count {
            #expect(throws: RemoteOrder.FormFault.self) { try RemoteOrder.Signed(Array(message.prefix(count))) }
        }
        #expect(throws: RemoteOrder.FormFault.self) { try RemoteOrder.Signed(message + [0]) }
    }

    @Test func everyMemberIsThereOnceAndNoOther() throws {
        #expect(try !Self.isRefused(.map(Self.members)))
        for name in Self.members.keys {
            var fewer = Self.members
            fewer[name] = nil
            #expect(try Self.isRefused(.map(fewer)), "without \(name)")
            fewer[.text("other")] = .integer(0)
            #expect(try Self.isRefused(.map(fewer)), "another for \(name)")
            for value in [CBORValue.integer(-1), .null, .text(""), .octets([]), .array([]), .map([.integer(1): .null])]
            {
                var other = Self.members
                other[name] = value
                #expect(try Self.isRefused(.map(other)), "\(name) \(value)")
            }
        }
        var more = Self.members
        more[.text("other")] = .integer(0)
        #expect(try Self.isRefused(.map(more)))
    }

    @Test func aMemberTwiceOrInAnotherOrderIsRefused() throws {
        let body = try Self.order.body()
        let id = Array(body[1..<21])
        let rest = Array(body[21...])
        #expect(throws: RemoteOrder.FormFault.self) { try RemoteOrder(body: [0xA9] + id + id + rest) }
        #expect(throws: RemoteOrder.FormFault.self) { try RemoteOrder(body: [0xA8] + rest + id) }
        #expect(try RemoteOrder(body: [0xA8] + id + rest) == Self.order)
    }

    @Test func limits() throws {
        func isRefused(_ change: (inout RemoteOrder) -> Void) -> Bool {
            var order = Self.order
            change(&order)
            return (try? order.body()) == nil
        }
        #expect(isRefused { $0.reader = "776130793159775" })
        #expect(isRefused { $0.reader = "77613079315977FF" })
        #expect(isRefused { $0.key.removeLast() })
        #expect(isRefused { $0.id.append(0) })
        #expect(isRefused { $0.counter = 1 << 53 })
        #expect(!isRefused { $0.counter = 1 << 53 - 1 })
        #expect(isRefused { $0.expires = $0.notBefore - 1 })
        #expect(!isRefused { $0.expires = $0.notBefore })
        #expect(isRefused { $0.command = "" })
        #expect(isRefused { $0.command = "12345678901234567" })
        #expect(isRefused { for number in 0..<9 { $0.arguments["\(number)"] = .null } })
        #expect(isRefused { $0.arguments["a"] = .octets([UInt8](repeating: 0, count: FleetLimits.orderCount)) })
        let body = try Self.order.body()
        #expect(throws: RemoteOrder.FormFault.self) {
            try RemoteOrder.Signed(try RemoteOrder.Signed.message(body, signature: [UInt8](repeating: 0x30, count: 73)))
        }
        #expect(throws: RemoteOrder.FormFault.self) { try RemoteOrder.Signed([UInt8](repeating: 0x80, count: 2049)) }
    }

    /// A command has one life; openings have a short one.
    @Test func commands() {
        #expect(RemoteCommand.allCases.filter(\.isOpening) == [.pulse, .extended, .officeOn])
        #expect(RemoteCommand.allCases.filter(\.endsProtection) == [.lockdownOff, .tamperReset])
        #expect(RemoteCommand.allCases.filter { $0.lifeSeconds == 86_400 } == [.officeOff, .lockdownOn])
        #expect(RemoteCommand.allCases.allSatisfy { $0.mustBeFresh == ($0.lifeSeconds == 30) })
        #expect(RemoteCommand.allCases.allSatisfy { $0.rawValue.utf8.count <= RemoteOrder.commandCount })
    }
}
