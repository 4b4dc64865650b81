// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Crypto
import Foundation
import Peripheral
import Timekeeping

extension SecurityValue {
    /// The number that `hex` spells, most significant octet first, as long as it has to be.
    init(hex: String) {
        var octets = TestSupport.octets(hex)
        octets = [UInt8](repeating: 0, count: max(0, count - octets.count)) + octets
        self.init(InlineArray { octets[$0] })
    }

    /// The number that `hex` spells as on the wire, least significant octet first.
    init(wire hex: String) {
        let octets = Array(TestSupport.octets(hex).reversed())
        self.init(InlineArray { octets[$0] })
    }

    /// Most significant octet first.
    var hex: String { TestSupport.hex((0..<count).map { octets[$0] }) }

    /// Least significant octet first.
    var wire: String { TestSupport.hex((0..<count).map { octets[count - 1 - $0] }) }
}

extension BluetoothAddress {
    /// The address with the octets that `hex` spells, as it is printed.
    init(_ kind: Kind, _ hex: String) {
        self.init(kind: kind, value: octets(hex).reduce(0) { $0 << 8 | UInt64($1) })
    }
}

extension SecurityPDU {
    /// The whole PDU.
    var octets: [UInt8] {
        var buffer: [UInt8] = []
        append(to: &buffer)
        return buffer
    }

    /// `parse` on an array.
    init(_ octets: [UInt8]) throws(ParseError) {
        self = try SecurityPDU.parse(octets.span)
    }
}

/// Returns the scripted octets, then octets of a deterministic generator.
struct ScriptedRandom: RandomSource {
    var script: [UInt8]
    var state: UInt64

    init(_ script: [UInt8] = [], seed: UInt64 = 1) {
        self.script = script.reversed()
        state = seed
    }

    mutating func next() -> UInt8 {
        if let octet = script.popLast() { return octet }
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 33)
    }

    mutating func fill(_ octets: inout MutableSpan<UInt8>) {
        for index in octets.indices { octets[index] = next() }
    }
}

/// The files of facts next to these tests.
enum SecurityFacts {
    static func read<Facts: Decodable>(_ name: String, as type: Facts.Type) throws -> Facts {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Vectors/\(name)")
        return try JSONDecoder().decode(Facts.self, from: Data(contentsOf: file))
    }
}

/// Some time.
let start = Instant(nanoseconds: 1_000_000_000)
