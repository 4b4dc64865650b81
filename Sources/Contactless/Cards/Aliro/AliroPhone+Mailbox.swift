// SPDX-License-Identifier: Apache-2.0

/// The phone's mailbox: reads, writes and sets of the reader, in one command or an atomic session.
extension AliroPhone {
    private static let good: [UInt8] = [0x00, 0x02, 0x00, 0x00], failed: [UInt8] = [0x00, 0x02, 0xFF, 0xFF]
    private static let outOfBounds: [UInt8] = [0x00, 0x02, 0x00, 0x01], malformed: [UInt8] = [0x00, 0x02, 0x00, 0x02]

    /// True for a sealed EXCHANGE with a command for the mailbox.
    func isMail(_ sealed: [UInt8]) -> Bool {
        var channel = session.channel
        return channel?.open(sealed)?.first == AliroPhone.mailboxTag
    }

    /// The octets that are read, and the status. Writes of an atomic session take effect with its last command.
    mutating func mail(_ command: [UInt8]) -> [UInt8] {
        // 8C 01 and 00 for the last command, 01 for one that another follows.
        guard let mailbox, command.prefix(2) == [0x8C, 0x01], command.count > 2 else { return AliroPhone.failed }
        let before = session.mailbox ?? mailbox
        var (after, answer, rest) = (before, [UInt8](), command.dropFirst(3))
        while !rest.isEmpty {
            let (tag, count) = (rest.first ?? 0, Int(rest.dropFirst().first ?? 0))
            let value = Array(rest.dropFirst(2).prefix(count))
            guard count >= 2, value.count == count else { return AliroPhone.malformed }
            let offset = AliroPhone.number(value[0], value[1])
            let place: Range<Int>
            switch tag {
            case 0x87 where count == 4, 0x95 where count == 5:
                place = offset..<offset + AliroPhone.number(value[2], value[3])
            case 0x8A: place = offset..<offset + count - 2
            default: return AliroPhone.malformed
            }
            guard place.upperBound <= before.count else { return AliroPhone.outOfBounds }
            switch tag {
            case 0x87: answer += value[2...] + before[place]
            case 0x8A: after.replaceSubrange(place, with: value[2...])
            default: after.replaceSubrange(place, with: [UInt8](repeating: value[4], count: place.count))
            }
            rest = rest.dropFirst(2 + count)
        }
        if command[2] == 0 { (self.mailbox, session.mailbox) = (after, nil) } else { session.mailbox = after }
        return answer + AliroPhone.good
    }

    private static func number(_ high: UInt8, _ low: UInt8) -> Int { Int(high) << 8 | Int(low) }
}
