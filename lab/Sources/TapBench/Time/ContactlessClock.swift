// SPDX-License-Identifier: Apache-2.0

/// The time of an exchange in the field, and on the serial line to the chip: type A with the shortest delays that
/// ISO/IEC 14443-3 and -4 permit, a PN532 by HSU (UM0701-02, 6.2.1).
public struct ContactlessClock: Equatable, Sendable {
    /// The bit rates that a PN532 has in both directions.
    public enum BitRate: Int, CaseIterable, Sendable {
        case kbit106 = 106
        case kbit212 = 212
        case kbit424 = 424

        /// Periods of the carrier in a bit (ISO/IEC 14443-2).
        var periodsOfBit: Int {
            switch self {
            case .kbit106: 128
            case .kbit212: 64
            case .kbit424: 32
            }
        }
    }

    /// The frequency of the carrier, in Hz.
    static let carrier = 13_560_000
    /// The maximum frame of both sides, in octets: FSDI and FSCI 8.
    static let frameLimit = 256
    /// PCB and CRC of a block.
    static let blockOverhead = 3
    /// The frame delays after a frame of the reader, and of the card, in periods (ISO/IEC 14443-3, 6.2.1).
    static let cardDelay = 1236
    static let readerDelay = 1172
    /// The frame waiting time of FWI 7, 38.7 ms, as of an ATS with TB1 = 70: a later answer takes S(WTX) before.
    static let frameWaitingTime = 4096 << 7

    /// The bit rate of both directions.
    public let bitRate: BitRate
    /// Bits a second on the line to the chip; 10 for an octet.
    public let lineRate: Int

    /// The clock of this bit rate and line.
    public init(_ bitRate: BitRate = .kbit106, lineRate: Int = 115_200) {
        (self.bitRate, self.lineRate) = (bitRate, lineRate)
    }

    /// The time in the field from the first bit of a command APDU to the last of its response, for a card that works
    /// for `work` nanoseconds. In nanoseconds, as all times.
    public func exchange(command: Int, response: Int, work: Int) -> Int {
        let waiting = max(work, time(ContactlessClock.cardDelay))
        let extensions = waiting > time(ContactlessClock.frameWaitingTime) ? time(extensionPeriods) : 0
        let blocks =
            chained(command, ContactlessClock.cardDelay, ContactlessClock.readerDelay)
            + chained(response, ContactlessClock.readerDelay, ContactlessClock.cardDelay)
        return time(blocks) + waiting + extensions
    }

    /// The time on the line for one command APDU to the chip and its response: envelopes of 8 octets, 3 more for a long
    /// frame, an acknowledgement of 6, and two octets of InDataExchange each way.
    public func line(command: Int, response: Int) -> Int { line([command + 2, response + 2], acknowledgements: 1) }

    /// The time on the line while the chip is the card: TgGetData with a command, TgSetData with the response.
    public func targetLine(command: Int, response: Int) -> Int {
        line([1, command + 2, response + 1, 2], acknowledgements: 2)
    }

    /// The time on the line for the given lengths of data, each in its envelope.
    func line(_ data: [Int], acknowledgements: Int) -> Int {
        let octets = data.reduce(6 * acknowledgements) { $0 + $1 + 8 + ($1 > 254 ? 3 : 0) }
        return octets * 10 * 1_000_000_000 / lineRate
    }

    /// The activation in the field at 106 kbit/s: REQA, ATQA, anticollision and selection of a UID of 4 octets, RATS,
    /// an ATS of 5; PPS if the bit rate is another.
    public var activation: Int {
        let slow = ContactlessClock(.kbit106, lineRate: lineRate)
        // Seven bits and two delimiters of REQA; frames of whole octets.
        let frames = [2, 2, 5, 9, 3, 4, 7] + (bitRate == .kbit106 ? [] : [5, 3])
        let periods = 9 * 128 + frames.map(slow.frame).reduce(0, +)
        let delays = (frames.count + 1) / 2 * (ContactlessClock.cardDelay + ContactlessClock.readerDelay)
        return time(periods + delays)
    }

    /// A frame of whole octets: nine bits each with parity, and two delimiters.
    private func frame(_ octets: Int) -> Int { (octets * 9 + 2) * bitRate.periodsOfBit }

    /// An APDU in I-blocks: all but the last are acknowledged.
    private func chained(_ octets: Int, _ answered: Int, _ continued: Int) -> Int {
        let limit = ContactlessClock.frameLimit - ContactlessClock.blockOverhead
        let further = max(0, (octets - 1) / limit)
        let last = octets - further * limit
        return further * (frame(limit + ContactlessClock.blockOverhead) + answered + frame(3) + continued)
            + frame(last + ContactlessClock.blockOverhead)
    }

    /// S(WTX) and its answer.
    private var extensionPeriods: Int {
        2 * frame(4) + ContactlessClock.readerDelay + ContactlessClock.cardDelay
    }

    private func time(_ periods: Int) -> Int { periods * 1_000_000_000 / ContactlessClock.carrier }
}
