// SPDX-License-Identifier: Apache-2.0

/// The role of the chip.
public enum NFCRole: String, CaseIterable, Equatable, Sendable {
    /// The chip is the card, and the phone the reader.
    case target
    /// The chip is the reader of cards, and of phones that play one.
    case poll
    /// Both in turns.
    case both
}

/// The settings of a front end.
public struct PollSettings: Equatable, Sendable {
    /// The role of the chip.
    public var role = NFCRole.target
    /// The frame of enhanced contactless polling without its CRC; empty for none.
    public var pollingFrame: [UInt8] = []
    /// The time from the start of a round to the start of the next.
    public var roundInterval = Duration.milliseconds(100)
    /// In role `both`: the duration of polling.
    public var polling = Duration.milliseconds(250)
    /// In role `both`: the duration of listening. A phone as reader polls every 350 ms or so.
    public var listening = Duration.milliseconds(450)

    /// The default settings.
    public init() {}
}

/// The counts of the poll role since the start.
public struct PollCounts: Equatable, Sendable {
    /// The number of completed rounds.
    public var rounds: UInt64 = 0
    /// The number of cards found that take APDUs.
    public var cards: UInt64 = 0
    /// The number of cards that were not served.
    public var rejected: UInt64 = 0
    /// The number of cards that were gone before their release.
    public var lost: UInt64 = 0
    /// The number of recoveries of the chip: it was closed and reopened at once.
    public var recoveries: UInt64 = 0

    /// Zero counts.
    public init() {}
}
