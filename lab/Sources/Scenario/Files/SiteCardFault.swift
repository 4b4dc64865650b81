// SPDX-License-Identifier: Apache-2.0

/// A fault in the response with which a card proves its identity.
public enum SiteCardFault: String, CaseIterable, Equatable, Sendable {
    /// A bit is changed.
    case changed = "changed-proof"
    /// The end is missing.
    case cut = "cut-proof"
    /// The response of the presence before; the first presence is right.
    case replayed = "replayed-proof"
    /// A status word of failure instead.
    case refused = "no-proof"

    /// The number of octets that `cut` omits: less than any proof.
    private static let cutCount = 3
    private static let failure: [UInt8] = [0x6F, 0x00]

    /// The response with the fault; `last` is that of the presence before.
    func changed(_ response: [UInt8], last: [UInt8]?) -> [UInt8] {
        let (data, word) = (response.dropLast(2), response.suffix(2))
        switch self {
        case .changed: return data.dropLast() + data.suffix(1).map { $0 ^ 1 } + word
        case .cut: return data.dropLast(SiteCardFault.cutCount) + word
        case .replayed: return last ?? response
        case .refused: return SiteCardFault.failure
        }
    }
}
