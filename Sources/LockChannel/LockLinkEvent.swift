// SPDX-License-Identifier: Apache-2.0

import JSON

/// A change of a Bluetooth link to the commissioning service FFF6 (Matter Core 4.19.2).
public enum LockLinkEvent: Equatable, Sendable {
    /// A phone has connected.
    case opened
    /// The phone wrote C1; the link's ATT_MTU.
    case wrote([UInt8], mtu: Int)
    /// The phone subscribed to C2.
    case subscribed
    /// The phone confirmed an indication of C2.
    case confirmed
    /// The link has ended.
    case closed

    /// The changes without a value, by their words.
    private static let words: [(event: LockLinkEvent, word: String)] = [
        (.opened, "opened"), (.subscribed, "subscribed"), (.confirmed, "confirmed"), (.closed, "closed"),
    ]

    /// The word of a change without a value.
    var word: String? { LockLinkEvent.words.first { $0.event == self }?.word }

    init(_ members: JSONMembers) throws(JSONPlaceFault) {
        if let value = members["wrote"] {
            self = .wrote(
                try value.octets(maximum: LockChannelLimits.valueCount),
                mtu: try members.required("mtu").number(23...517))
            return
        }
        let place = try members.required("event")
        let word = try place.word(LockLinkEvent.words.map(\.word))
        guard let entry = LockLinkEvent.words.first(where: { $0.word == word }) else {
            throw place.fault("is not known")
        }
        self = entry.event
    }
}
