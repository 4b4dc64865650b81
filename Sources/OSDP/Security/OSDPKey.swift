// SPDX-License-Identifier: Apache-2.0

import Crypto

/// A key of the secure channel, SCBK: 16 octets with one place in memory, wiped at the end of the last reference.
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

    /// The key that a panel derives for a device of its master key (annex D.3); nil unless the master key has 16
    /// octets and the identifier eight.
    public convenience init?(master: [UInt8], identifier: [UInt8]) {
        guard master.count == OSDPKey.count, identifier.count == 8 else { return nil }
        let block = identifier + identifier.map { ~$0 }
        guard let key = try? AES128Block.encrypt(block.span, key: master.span) else { return nil }
        self.init(taking: key.indices.map { key[$0] })
    }

    /// True for keys that a device refuses: one octet repeated, such as all zero, and the well-known key.
    public var isWeak: Bool { octets.allSatisfy { $0 == octets[0] } || self == OSDPKey.wellKnown }

    /// Lends the octets to the place where the key is kept. A copy is the caller's to wipe.
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
