// SPDX-License-Identifier: Apache-2.0

import Crypto

/// A key of the secure channel, SCBK: 16 octets that are stored once in memory, and wiped when the last reference ends.
public final class OSDPKey: Sendable, Equatable {
    /// The number of octets.
    public static let count = 16
    /// The kind of key in osdp_KEYSET: SCBK.
    static let type: UInt8 = 1

    // Written in deinit only, where no other reference exists.
    nonisolated(unsafe) private(set) var octets: [UInt8]

    /// Takes over 16 octets.
    init(taking octets: consuming [UInt8]) { self.octets = octets }

    deinit { wipeSecret(&octets) }

    /// A key of 16 octets; nil for another count.
    public convenience init?(_ octets: [UInt8]) {
        guard octets.count == OSDPKey.count else { return nil }
        self.init(taking: octets)
    }

    /// SCBK-D, the published default key (annex D.2): for an installation window only.
    public static let wellKnown = OSDPKey(taking: Array(0x30...0x3F))

    /// The key that a panel derives for a device from its master key (annex D.3); nil unless the master key has 16
    /// octets and the identifier eight.
    public convenience init?(master: [UInt8], identifier: [UInt8]) {
        guard master.count == OSDPKey.count, identifier.count == 8 else { return nil }
        let block = identifier + identifier.map { ~$0 }
        guard let key = try? AES128Block.encrypt(block.span, key: master.span) else { return nil }
        self.init(taking: key.indices.map { key[$0] })
    }

    /// True for the 768 keys that a device refuses because a published attack tries them all: one octet repeated, such
    /// as all zero, and octets that count up or down by one, with wrap-around. The well-known key counts up.
    public var isWeak: Bool {
        // Every octet is looked at, as in a comparison in constant time.
        [0x00, 0x01, 0xFF].contains { (step: UInt8) in
            zip(octets, octets.dropFirst()).reduce(0) { $0 | ($1.1 &- $1.0 ^ step) } == 0
        }
    }

    /// Lends the octets to code that stores the key. The caller has to wipe any copy.
    public func withOctets<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        let octets = octets
        return body(octets.span)
    }

    /// In constant time.
    public static func == (left: OSDPKey, right: OSDPKey) -> Bool {
        let (left, right) = (left.octets, right.octets)
        return constantTimeEqual(left.span, right.span)
    }
}
