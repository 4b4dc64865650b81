// SPDX-License-Identifier: Apache-2.0

import CBOR
import Fleet
import Testing

/// The octets of a desired state: chunks, and the order that names them.
@Suite struct DesiredChunkTests {
    private static let chunk = DesiredChunk(
        blacklist: [.init(credential: "A1", end: 1_800_000_000), .init(credential: "B2", end: nil)],
        settings: ["door.pulse-s": .integer(5)])
    /// RFC 8949, 3.1 and 4.2.1: the shorter name first.
    private static let octets: [UInt8] =
        [0xA2, 0x68] + Array("settings".utf8) + [0xA1, 0x6C] + Array("door.pulse-s".utf8) + [0x05]
        + [0x69] + Array("blacklist".utf8)
        + [0x82, 0x82, 0x62, 0x41, 0x31, 0x1A, 0x6B, 0x49, 0xD2, 0x00, 0x82, 0x62, 0x42, 0x32, 0xF6]

    @Test func octetForOctet() throws {
        #expect(try Self.chunk.octets() == Self.octets)
        #expect(try DesiredChunk(Self.octets) == Self.chunk)
        #expect(try DesiredChunk([0xA1, 0x69] + Array("blacklist".utf8) + [0x80]) == DesiredChunk(blacklist: []))
        for count in Self.octets.indices {
            #expect(throws: DesiredChunk.FormFault.self) { try DesiredChunk(Array(Self.octets[..<count])) }
        }
        #expect(throws: DesiredChunk.FormFault.self) { try DesiredChunk(Self.octets + [0]) }
    }

    /// No member, another, another type, an entry too short or with another end, and a name that is no text.
    @Test(
        arguments: [
            [0xA0], [0x80], [0xA1, 0x61, 0x61, 0x80], [0xA1, 0x69] + Array("blacklist".utf8) + [0xA0],
            [0xA1, 0x69] + Array("blacklist".utf8) + [0x81, 0x81, 0x61, 0x41],
            [0xA1, 0x69] + Array("blacklist".utf8) + [0x81, 0x82, 0x61, 0x41, 0xF5],
            [0xA1, 0x69] + Array("blacklist".utf8) + [0x81, 0x82, 0x01, 0x01],
            [0xA1, 0x68] + Array("settings".utf8) + [0x80],
            [0xA1, 0x68] + Array("settings".utf8) + [0xA1, 0x01, 0x01],
        ] as [[UInt8]]) func refused(octets: [UInt8])
    {
        #expect(throws: DesiredChunk.FormFault.self) { try DesiredChunk(octets) }
    }

    @Test func aStateIsCutIntoChunks() throws {
        let entries = (0..<3384).map { DesiredChunk.Entry(credential: "C\(100_000_000 + $0)", end: 253_402_300_799) }
        let chunks = try DesiredChunk.chunks(blacklist: entries, settings: ["door.pulse-s": .integer(5)])
        #expect(chunks.count == FleetLimits.chunksPerState)
        #expect(chunks.allSatisfy { $0.count <= FleetLimits.chunkCount })
        let parsed = try chunks.map { try DesiredChunk($0) }
        #expect(parsed.compactMap(\.blacklist).flatMap(\.self) == entries)
        #expect(parsed.compactMap(\.settings) == [["door.pulse-s": .integer(5)]])
        #expect(throws: DesiredChunk.FormFault.self) {
            try DesiredChunk.chunks(blacklist: entries + entries.prefix(1), settings: [:])
        }
        #expect(try DesiredChunk.chunks(blacklist: [], settings: nil).count == 1)
        #expect(throws: DesiredChunk.FormFault.self) { try DesiredChunk.chunks(blacklist: nil, settings: nil) }
        let long = String(repeating: "x", count: FleetLimits.chunkCount)
        #expect(throws: DesiredChunk.FormFault.self) {
            try DesiredChunk.chunks(blacklist: nil, settings: ["a": .text(long)])
        }
    }

    private static func order(_ arguments: [String: CBORValue], _ command: String = "desired") -> RemoteOrder {
        RemoteOrder(
            reader: "7761307931597753", key: [UInt8](repeating: 1, count: 8), id: [UInt8](repeating: 2, count: 16),
            counter: 9_007_199_254_740_991, notBefore: 1_800_000_000, expires: 1_831_622_400, command: command,
            arguments: arguments)
    }

    /// The digests of the longest state fit an order, with its signature.
    @Test func theLongestOrderFits() throws {
        let digests = [[UInt8]](repeating: [UInt8](repeating: 0xFF, count: 32), count: FleetLimits.chunksPerState)
        let order = Self.order(DesiredManifest.arguments(digests: digests))
        let message = try RemoteOrder.Signed.message(order.body(), signature: [UInt8](repeating: 1, count: 72))
        #expect(message.count <= FleetLimits.orderCount)
        let manifest = try #require(DesiredManifest(try RemoteOrder.Signed(message).order))
        #expect(manifest.digests == digests && manifest.version == 9_007_199_254_740_991)
    }

    @Test func whatIsNoManifest() {
        let digest = CBORValue.octets([UInt8](repeating: 1, count: 32))
        let rows: [[String: CBORValue]] = [
            [:], ["chunks": .array([])], ["chunks": digest], ["chunks": .array([.octets([1])])],
            ["chunks": .array([CBORValue](repeating: digest, count: 49))], ["chunks": .array([.integer(1)])],
            ["chunks": .array([digest]), "more": .null], ["chunk": .array([digest])],
        ]
        for row in rows { #expect(DesiredManifest(Self.order(row)) == nil) }
        #expect(DesiredManifest(Self.order(["chunks": .array([digest])], "pulse")) == nil)
        #expect(DesiredManifest(Self.order(["chunks": .array([digest])])) != nil)
    }
}
