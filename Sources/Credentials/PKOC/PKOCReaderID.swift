// SPDX-License-Identifier: Apache-2.0

/// The identifier of a reader that PKOC cards receive: the site's and the location's, 16 octets each.
///
/// A card's signature does not cover it, so it proves nothing to either side.
public struct PKOCReaderID: Equatable, Sendable {
    /// The number of octets.
    public static let octetCount = 32
    /// Site ‖ location.
    public let octets: [UInt8]

    /// Zeros: a reader that has no identifier for cards.
    public static let none = PKOCReaderID()

    private init() { octets = [UInt8](repeating: 0, count: PKOCReaderID.octetCount) }

    /// The identifier with these 32 octets; nil for another number.
    public init?(_ octets: [UInt8]) {
        guard octets.count == PKOCReaderID.octetCount else { return nil }
        self.octets = octets
    }
}
