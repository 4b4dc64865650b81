// SPDX-License-Identifier: Apache-2.0

/// A fault of an Aliro reader, by its name: what the reader does, and what a right phone does then.
public struct AliroReaderFault: Sendable {
    /// A right phone's reaction.
    public enum Reaction: Equatable, Sendable {
        /// A status word other than 9000 and 61xx, by AUTH1 at the latest. The usual word in hexadecimal.
        case refuses(String)
        /// The reader is served as if it had no fault.
        case goesOn
    }

    /// The change of a command.
    public enum Change: Sendable {
        /// The data of the command.
        case data(@Sendable ([UInt8]) -> [UInt8])
        /// The whole command APDU.
        case command(@Sendable ([UInt8]) -> [UInt8])
        /// This command before the right one.
        case before(@Sendable ([UInt8]) -> [UInt8])
        /// AUTH1 of the same reader in another transaction.
        case otherSignature
        /// The command twice.
        case twice
        /// The phone's last sealed message as the reader's.
        case reflection
    }

    /// The name.
    public let name: String
    /// The reader's action in a sentence without a subject: "sends …".
    public let action: String
    /// A right phone's reaction.
    public let reaction: Reaction
    /// The instruction of the changed command.
    public let instruction: UInt8
    /// The change of that command.
    public let change: Change

    private init(_ name: String, _ instruction: UInt8, _ change: Change, _ action: String, _ reaction: Reaction) {
        (self.name, self.instruction, self.change) = (name, instruction, change)
        (self.action, self.reaction) = (action, reaction)
    }

    /// The fault with this name; nil if it does not exist.
    public static func named(_ name: String) -> AliroReaderFault? { all.first { $0.name == name } }

    /// The command that is sent instead of `command`; nil for a fault that needs more than the command, and for
    /// a command without data.
    public func replacement(of command: [UInt8]) -> [UInt8]? {
        guard command.count > 4, command.count >= 5 + Int(command[4]) else { return nil }
        return switch change {
        case .data(let alter): AliroReaderFault.replacing(command, alter)
        case .command(let alter): alter(command)
        case .before(let make): make(command)
        case .otherSignature, .reflection, .twice: nil
        }
    }

    /// The command with other data.
    static func replacing(_ command: [UInt8], _ alter: ([UInt8]) -> [UInt8]) -> [UInt8] {
        let count = Int(command[4])
        let data = alter(Array(command[5..<5 + count]))
        return command[..<4] + [UInt8(truncatingIfNeeded: data.count)] + data + command[(5 + count)...]
    }

    /// All faults, in the order of the commands.
    public static let all = selection + authentication0 + authentication1 + ends

    /// The instructions.
    enum Instruction {
        static let select: UInt8 = 0xA4
        static let authenticate0: UInt8 = 0x80
        static let authenticate1: UInt8 = 0x81
        static let exchange: UInt8 = 0xC9
        static let control: UInt8 = 0x3C
    }

    private static let selection: [AliroReaderFault] = [
        .init(
            "other-application", Instruction.select, .data { $0.dropLast() + [0x7F] }, "selects an unknown application",
            .refuses("6A82")),
        .init(
            "early-auth0", Instruction.select, .before { _ in [0x80, 0x80, 0x00, 0x00, 0x03, 0x41, 0x01, 0x00, 0x00] },
            "sends AUTH0 before SELECT", .refuses("6985")),
    ]

    // 41 01, 42 01, 5C 02, 87 41 and the point, 4C 10, 4D 20 and the identifier.
    private static let authentication0: [AliroReaderFault] = [
        .init(
            "extra-auth0", Instruction.authenticate0, .data { $0 + [0x9F, 0x02, 1, 2] },
            "adds an unknown element to AUTH0", .goesOn),
        .init(
            "no-version", Instruction.authenticate0, .data { without($0, 0x5C) }, "omits the version",
            .refuses("6A80")),
        .init(
            "no-ephemeral", Instruction.authenticate0, .data { without($0, 0x87) }, "omits its ephemeral key",
            .refuses("6A80")),
        .init(
            "no-identifier", Instruction.authenticate0, .data { without($0, 0x4D) }, "omits its identifier",
            .refuses("6A80")),
        .init(
            "cut-auth0", Instruction.authenticate0, .data { Array($0.dropLast(7)) }, "cuts AUTH0", .refuses("6A80")),
        .init(
            "wrong-policy", Instruction.authenticate0, .data { changed($0, 0x42) { _ in [0x00] } },
            "requests an unknown authentication of the user", .refuses("6A80")),
        .init(
            "other-group", Instruction.authenticate0, .data { changed($0, 0x4D) { [$0[0] ^ 1] + $0.dropFirst() } },
            "has another group", .refuses("6A88")),
        .init(
            "off-curve", Instruction.authenticate0, .data { changed($0, 0x87) { $0.dropLast() + [$0[64] ^ 1] } },
            "sends a point off the curve", .refuses("6A80")),
        .init(
            "compressed-auth0", Instruction.authenticate0, .data { changed($0, 0x87) { [2] + $0[1..<33] } },
            "sends a compressed point", .refuses("6A80")),
        .init(
            "wrong-length", Instruction.authenticate0,
            .command { Array($0.prefix(4)) + [$0[4] &+ 9] + $0.dropFirst(5) },
            "sends a length that is not the data's", .refuses("6700")),
        .init(
            "unknown-instruction", Instruction.authenticate0,
            .before { _ in [0x80, 0x55, 0x00, 0x00, 0x00] }, "sends an unknown command", .refuses("6D00")),
    ]

    // 41 01, 9E 40 and the signature.
    private static let authentication1: [AliroReaderFault] = [
        .init(
            "extra-auth1", Instruction.authenticate1, .data { $0 + [0x9F, 0x02, 1, 2] },
            "adds an unknown element to AUTH1", .goesOn),
        .init(
            "wrong-signature", Instruction.authenticate1,
            .data { changed($0, 0x9E) { $0.dropLast() + [$0[63] ^ 1] } }, "sends a changed signature", .refuses("6982")),
        .init(
            "replayed-signature", Instruction.authenticate1, .otherSignature,
            "sends the signature of another transaction",
            .refuses("6982")),
        .init(
            "no-signature", Instruction.authenticate1, .data { without($0, 0x9E) }, "omits the signature",
            .refuses("6A80")),
        .init(
            "cut-auth1", Instruction.authenticate1, .data { Array($0.dropLast(20)) }, "cuts AUTH1", .refuses("6A80")),
        .init(
            "bad-certificate", Instruction.authenticate1, .data { $0 + [0x90, 0x04, 0x30, 0x02, 0x04, 0x00] },
            "sends a certificate that is not one", .refuses("6400")),
        .init(
            "early-exchange", Instruction.authenticate1,
            .before { _ in [0x80, 0xC9, 0x00, 0x00, 0x14] + [UInt8](repeating: 0x5A, count: 20) + [0x00] },
            "sends EXCHANGE before AUTH1", .refuses("6985")),
    ]

    private static let ends: [AliroReaderFault] = [
        .init(
            "changed-exchange", Instruction.exchange, .data { [$0[0] ^ 1] + $0.dropFirst() },
            "changes a bit of the sealed status", .refuses("6982")),
        .init(
            "cut-exchange", Instruction.exchange, .data { Array($0.dropLast(4)) }, "cuts the sealed status",
            .refuses("6982")),
        .init(
            "reflected-exchange", Instruction.exchange, .reflection, "returns the phone's own message", .refuses("6982")
        ),
        .init("repeated-exchange", Instruction.exchange, .twice, "repeats the sealed status", .refuses("6982")),
        .init(
            "second-auth1", Instruction.exchange,
            .before { _ in [0x80, 0x81, 0x00, 0x00, 0x03, 0x41, 0x01, 0x01, 0x00] },
            "sends AUTH1 once more", .refuses("6985")),
    ]

    /// The places of the elements, which have lengths of one octet.
    private static func place(_ tag: UInt8, in data: [UInt8]) -> Range<Int>? {
        var start = 0
        while start + 1 < data.count {
            let end = start + 2 + Int(data[start + 1])
            guard end <= data.count else { return nil }
            if data[start] == tag { return start..<end }
            start = end
        }
        return nil
    }

    private static func without(_ data: [UInt8], _ tag: UInt8) -> [UInt8] {
        guard let place = place(tag, in: data) else { return data }
        return Array(data[..<place.lowerBound] + data[place.upperBound...])
    }

    private static func changed(_ data: [UInt8], _ tag: UInt8, _ change: ([UInt8]) -> [UInt8]) -> [UInt8] {
        guard let place = place(tag, in: data) else { return data }
        let value = change(Array(data[place.dropFirst(2)]))
        return data[..<place.lowerBound] + [tag, UInt8(value.count)] + value + data[place.upperBound...]
    }
}
