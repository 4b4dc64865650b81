// SPDX-License-Identifier: Apache-2.0

public import Crypto

/// The advertising data of an Aliro reader. Phones that have the group's resolving key recognize the reader by a tag
/// that changes with its address and its expiry.
public struct AliroAdvertisement: Equatable, Sendable {
    /// The length of a group's resolving key in octets.
    public static let resolvingKeyCount = 16
    /// The longest validity of a tag, in seconds. It is renewed after half of that.
    static let lifetime: Int64 = 900
    /// Bluetooth LE without ranging, no notifications, version 0 of the data. With the bit of ranging a phone would
    /// wait for it.
    static let flags: UInt8 = 0x40

    private let identifier: AliroReader.Identifier
    private let resolvingKey: [UInt8]
    /// The transmit power in the data, in dBm.
    public var transmitPower: Int8 = 0

    /// The data of a reader; nil unless the key has 16 octets.
    public init?(_ identifier: AliroReader.Identifier, resolvingKey: [UInt8]) {
        guard resolvingKey.count == Self.resolvingKeyCount else { return nil }
        (self.identifier, self.resolvingKey) = (identifier, resolvingKey)
    }

    /// The end of the validity of a tag at this time, in seconds since 1970-01-01 UTC: 450 to 900 s later, and another
    /// one every 450 s. nil without a clock, and after the last time that 32 bits can express.
    public static func expiry(at epochSeconds: Int64?) -> UInt32? {
        guard let seconds = epochSeconds.flatMap({ UInt32(exactly: $0) }) else { return nil }
        let half = lifetime / 2
        return UInt32(exactly: (Int64(seconds) / half + 2) * half)
    }

    /// The advertising data, 31 octets: Flags, then Service Data of FFF2.
    ///
    /// - Parameters:
    ///   - address: the advertiser's address, six octets, most significant first.
    ///   - expiry: the end of the tag's validity in seconds since 1970-01-01 UTC; nil without a clock.
    /// - Throws: `libraryFailure`, and `invalidLength` for another address.
    public func data(address: [UInt8], expiry: UInt32?) throws(CryptoError) -> [UInt8] {
        let expiry = expiry ?? .max
        let time = (0..<4).map { UInt8(truncatingIfNeeded: expiry >> UInt32(24 - 8 * $0)) }
        let block = [UInt8](repeating: 0, count: 6) + address + time
        let tag = try AES128Block.encrypt(block.span, key: resolvingKey.span)
        let content =
            [0x16, 0xF2, 0xFF, Self.flags, UInt8(bitPattern: transmitPower)] + identifier.group.prefix(8)
            + identifier.sub.prefix(2) + time + [0x00] + [UInt8](inline: tag).prefix(7)
        return [0x02, 0x01, 0x06, UInt8(content.count)] + content
    }
}
