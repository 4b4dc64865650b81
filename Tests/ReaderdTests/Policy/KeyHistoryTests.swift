// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import readerd

@Suite struct KeyHistoryTests {
    private static func key(_ use: KeyHistory.Use, _ octet: UInt8) -> KeyHistory.Key {
        KeyHistory.Key(use, [UInt8](repeating: octet, count: 8))
    }

    @Test func aReplacedKeyDoesNotComeBack() throws {
        var history = KeyHistory()
        let changes = [
            history.update([Self.key(.terminal, 1), Self.key(.signature, 1)]),
            history.update([Self.key(.terminal, 1), Self.key(.signature, 1)]),
            // A use that is new, and one without a key, are none of a replacement.
            history.update([Self.key(.terminal, 1), Self.key(.signature, 1), Self.key(.command, 1)]),
            history.update([Self.key(.terminal, 1), Self.key(.signature, 1)]),
            history.update([Self.key(.terminal, 1), Self.key(.signature, 2), Self.key(.command, 1)]),
            history.update([Self.key(.terminal, 1), Self.key(.signature, 1)]),
            history.update([Self.key(.terminal, 2), Self.key(.signature, 1)]),
            history.update([Self.key(.terminal, 2), Self.key(.signature, 2)]),
            history.update([Self.key(.terminal, 1), Self.key(.signature, 2)]),
        ]
        #expect(
            changes == [
                .first, .none, .first, .none, .replaced, .older(.signature), .older(.signature), .replaced,
                .older(.terminal),
            ])
        #expect(try #require(KeyHistory(history.octets)) == history)
    }

    @Test func itIsBounded() throws {
        var history = KeyHistory()
        for octet in 0..<UInt8(100) { _ = history.update([Self.key(.command, octet)]) }
        let keys = try #require(KeyHistory(history.octets))
        #expect(history.octets.count == 1 + KeyHistory.limit * 9 && keys == history)
        var (known, forgotten) = (history, history)
        let older = known.update([Self.key(.command, 84)])
        #expect(older == .older(.command))
        let oldest = forgotten.update([Self.key(.command, 83)])
        #expect(oldest == .replaced)
    }

    @Test(
        arguments: [[], [2], [1, 1], [1, 9, 0, 0, 0, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1]] as [[UInt8]])
    func otherOctetsAreNone(octets: [UInt8]) {
        #expect(KeyHistory(octets) == nil)
    }
}
