// SPDX-License-Identifier: Apache-2.0

import Crypto
import TestSupport

/// Random octets from a recording, by the count that is requested; pseudo-random ones otherwise.
struct ScriptedRandom: RandomSource, Sendable {
    private var recorded: [Int: [[UInt8]]] = [:]
    private var state: UInt64

    init(_ recorded: [[UInt8]] = [], seed: UInt64 = 1) {
        for octets in recorded { self.recorded[octets.count, default: []].append(octets) }
        state = seed
    }

    mutating func fill(_ octets: inout MutableSpan<UInt8>) {
        guard let queue = recorded[octets.count], let next = queue.first else {
            var generator = SplitMix64(seed: state)
            generator.fill(&octets)
            state = generator.next()
            return
        }
        recorded[octets.count] = Array(queue.dropFirst())
        for index in octets.indices { octets[index] = next[index] }
    }
}
