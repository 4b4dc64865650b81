// SPDX-License-Identifier: Apache-2.0

import Crypto
import Phone
import TestSupport

/// A phone's session, and what it sends collected.
struct Handset: ~Copyable {
    var session = PhoneSession()
    var random = SplitMix64(seed: 2)
    var limit = 182

    mutating func start(_ token: [UInt8], _ terminal: P256PublicKey) -> PhoneStep {
        session.start(token: token.span, terminal: terminal, random: &random)
    }

    mutating func receive(_ frame: [UInt8]) -> PhoneStep {
        session.receive(frame.span, random: &random)
    }

    mutating func sent() -> [[UInt8]] { allPackets { session.nextFrame(limit: limit, into: &$0) } }
}
