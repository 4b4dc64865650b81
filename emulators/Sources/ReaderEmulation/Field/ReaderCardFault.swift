// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Contactless
public import Credentials
import Emulation

/// A fault of the reader with a card in its field, by its name: what the reader does, and what a right card does then.
public struct ReaderCardFault: Sendable {
    /// A right card's reaction.
    public enum Reaction: Equatable, Sendable {
        /// No data, and a status word other than 9000 and 61xx. The usual word in hexadecimal.
        case refuses(String)
        /// 9000 without data.
        case waits
        /// The reader is served as if it had no fault.
        case goesOn
        /// None; the next touch begins at SELECT.
        case forgets
    }

    /// The place of the fault in a touch.
    enum Place: Sendable {
        /// Each SELECT of the touch.
        case selections
        /// The first command with data behind a SELECT that has succeeded.
        case first
        /// The first command with this instruction.
        case instruction(UInt8)
        /// The reader's proof to a DESFire card.
        case desfireProof
        /// ReadData with a MAC: EV1 has none.
        case sealedRead
    }

    /// The action at that place.
    enum Change: Sendable {
        /// Another command.
        case command(@Sendable ([UInt8]) -> [UInt8])
        /// The command, `lateTime` later.
        case late
        /// The field goes off instead of the command.
        case leave
        /// ReadData without an authentication.
        case unproven
        /// The command is right, and of a transaction that reads at another place; nil if there is none.
        case place(@Sendable (DESFireCredential) -> DESFireCredential?)
        /// The command of an earlier touch at that place. A touch without an earlier one is right.
        case replay
        /// The card's last message as the data, changed.
        case reflection(@Sendable ([UInt8]) -> [UInt8])
        /// The command once more at the end of the touch.
        case twice
    }

    /// The instructions of the access session (docs/protocol/nfc-profile.md, 7.1).
    static let begin: UInt8 = 0x14, deliver: UInt8 = 0x16
    /// AUTH1 of Aliro.
    static let authenticate1: UInt8 = 0x81

    /// The step of these faults.
    public static let step = "card"

    /// The name.
    public let name: String
    /// The kind of card; nil for all.
    public let kind: CardKind?
    /// The reader's action in a sentence without a subject: "sends …".
    public let action: String
    /// A right card's reaction.
    public let reaction: Reaction
    let place: Place
    let change: Change

    init(
        _ name: String, _ kind: CardKind?, _ place: Place, _ change: Change, _ action: String,
        _ reaction: Reaction
    ) {
        (self.name, self.kind, self.place, self.change) = (name, kind, place, change)
        (self.action, self.reaction) = (action, reaction)
    }

    /// A fault of an Aliro reader.
    private static func of(_ fault: AliroReaderFault) -> ReaderCardFault {
        let change: Change =
            switch fault.change {
            case .data, .command, .before: .command { fault.replacement(of: $0) ?? $0 }
            case .otherSignature: .replay
            case .reflection: .reflection { $0 }
            case .twice: .twice
            }
        let reaction: Reaction =
            switch fault.reaction {
            case .refuses(let word): .refuses(word)
            case .goesOn: .goesOn
            }
        return ReaderCardFault(
            fault.name, .aliro, .instruction(fault.instruction), change, fault.action, reaction)
    }

    /// The fault with this name; nil if it does not exist.
    public static func named(_ name: String) -> ReaderCardFault? { all.first { $0.name == name } }

    /// All faults: of every kind of card, of phones as cards, of DESFire cards, of Aliro phones.
    public static let all: [ReaderCardFault] = {
        let own = every + phone + desfire
        let aliro = AliroReaderFault.all.map(of)
        return own + aliro.filter { fault in !own.contains { $0.name == fault.name } }
    }()

    /// The faults that need the command at their place later.
    static let remembering = all.filter { fault in
        switch fault.change {
        case .replay, .twice: true
        case .command, .late, .leave, .unproven, .place, .reflection: false
        }
    }

    /// True for a fault of a phone's standard phase, which a phone that has opened before may skip.
    var isOfStandardPhase: Bool {
        guard kind == .aliro else { return false }
        if case .reflection = change { return true }
        if case .instruction(ReaderCardFault.authenticate1) = place { return true }
        return false
    }

    /// A line for each: the name, the kind of card, the action and a right card's reaction.
    static var lines: [String] {
        let width = all.map(\.name.count).max() ?? 0
        return all.map { fault in
            let reaction =
                switch fault.reaction {
                case .refuses(let word): "refuse, as with \(word)"
                case .waits: "answer 9000"
                case .goesOn: "serve it"
                case .forgets: "begin again at SELECT"
                }
            let kind = fault.kind.map { "\($0.rawValue): " } ?? ""
            return TextColumn.padded(fault.name, width) + "  \(kind)\(fault.action); a card is to \(reaction)"
        }
    }

    private static let every: [ReaderCardFault] = [
        .init(
            "other-application", nil, .selections, .command { changed($0) { with($0, 0x7F, at: $0.count - 1) } },
            "selects an unknown application", .refuses("6A82")),
        .init(
            "wrong-length", nil, .first, .command { with($0, $0[4] &+ 9, at: 4) },
            "sends a length that is not the data's", .refuses("6700")),
        .init(
            "cut-data", nil, .first, .command { changed($0) { Array($0.dropLast(7)) } },
            "cuts the data of its first command", .refuses("6A80")),
        .init(
            "unknown-instruction", nil, .first, .command { with($0, 0x55, at: 1) }, "sends an unknown command",
            .refuses("6D00")),
        .init("late", nil, .first, .late, "sends its first command 0.8 s later", .goesOn),
        .init("leaves", nil, .first, .leave, "switches its field off after SELECT", .forgets),
    ]

    /// BEGIN with the version and a reader's id.
    private static let beginning: [UInt8] =
        [0x80, begin, 0x00, 0x00, 0x0D, 0x80, 0x01, 0x01, 0x82, 0x08] + [UInt8](repeating: 0x30, count: 8) + [0x00]

    // BEGIN: 80 01 01, 82 08 and the reader's id. DELIVER: header, payload.
    private static let phone: [ReaderCardFault] = [
        .init(
            "early-begin", .phone, .selections,
            .command { _ in beginning },
            "sends BEGIN before SELECT", .refuses("6985")),
        .init(
            "other-reader", .phone, .instruction(begin),
            .command { changed($0) { with($0, 0x2D, at: $0.count - 1) } },
            "names another reader in BEGIN", .refuses("6A82")),
        .init(
            "early-deliver", .phone, .instruction(begin), .command { with($0, deliver, at: 1) },
            "sends DELIVER before BEGIN", .refuses("6985")),
        .init(
            "chained", .phone, .instruction(deliver), .command { with(Array($0.dropLast()), 0x90, at: 0) },
            "announces more of a message that is whole", .waits),
        .init(
            "wrong-proof", .phone, .instruction(deliver), .command { changed($0) { spoilt($0) } },
            "sends a changed signature", .refuses("6985")),
        .init(
            "leaves-proof", .phone, .instruction(deliver), .leave, "switches its field off instead of its proof",
            .forgets),
    ]

    /// The octets with another one at this place.
    static func with(_ octets: [UInt8], _ octet: UInt8, at place: Int) -> [UInt8] {
        guard octets.indices.contains(place) else { return octets }
        var octets = octets
        octets[place] = octet
        return octets
    }

    /// The command with other data.
    static func changed(_ command: [UInt8], _ alter: ([UInt8]) -> [UInt8]) -> [UInt8] {
        guard command.count > 5, command.count >= 5 + Int(command[4]) else { return command }
        let end = 5 + Int(command[4])
        let data = alter(Array(command[5..<end]))
        let length = data.isEmpty ? [] : [UInt8(truncatingIfNeeded: data.count)]
        return command[..<4] + length + data + command[end...]
    }

    /// A whole message with the last bit of its payload changed, and its checksum with it.
    private static func spoilt(_ message: [UInt8]) -> [UInt8] {
        guard var header = MessageHeader(startOf: message.span), message.count > MessageHeader.octetCount else {
            return message
        }
        var payload = Array(message.dropFirst(MessageHeader.octetCount))
        payload[payload.count - 1] ^= 1
        header.crc = FrameCRC(of: payload.span).value
        var octets: [UInt8] = []
        header.append(to: &octets)
        return octets + payload
    }
}
