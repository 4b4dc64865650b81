// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

extension CivilTime {
    /// The time with a message's fields, unvalidated: a phone may send an invalid time.
    public init(_ timestamp: LocalTimestamp) {
        self.init(
            year: Int(clamping: timestamp.year), month: Int(clamping: timestamp.month),
            day: Int(clamping: timestamp.date), hour: Int(clamping: timestamp.hours),
            minute: Int(clamping: timestamp.minutes), second: Int(clamping: timestamp.seconds))
    }
}

extension LocalTimestamp {
    /// The message with a time's fields; negative fields become 0.
    public init(_ time: CivilTime) {
        self.init(
            year: UInt32(clamping: time.year), month: UInt32(clamping: time.month), date: UInt32(clamping: time.day),
            hours: UInt32(clamping: time.hour), minutes: UInt32(clamping: time.minute),
            seconds: UInt32(clamping: time.second))
    }
}

extension TokenValidity {
    /// The validity in a command token.
    public init(_ command: SessionTokenCommand) {
        self.init(from: CivilTime(command.validityStart), through: CivilTime(command.validityEnd))
    }
}
