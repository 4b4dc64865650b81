// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Protobuf
import Timekeeping

/// A token as the input describes it, signed or not by a key that costs nothing.
struct ForgedToken {
    /// Its content.
    enum Content {
        /// Octets out of the input, which no input signs.
        case raw
        case command(SessionTokenCommand)
        case standardOffline(ForgedCredential)
        case identifier([UInt8])
    }

    /// The delimited message, and what follows it.
    private(set) var plaintext: [UInt8] = []
    let content: Content
    let isSigned: Bool
    /// True if a command is signed by its group's name, and not its own.
    private(set) var isForGroup = false

    /// The token that the input describes.
    init(_ input: inout FuzzInput) {
        let choice = input.octet()
        let isSigned = choice & 0x60 != 0x60
        switch choice & 7 {
        case 0: self.init(raw: input.block())
        case 1, 2: self.init(ForgedCredential(&input), isSigned: isSigned)
        case 3: self.init(identifier: input.octet() & 1 == 0 ? ForgedToken.identifier : input.block(), isSigned)
        default: self.init(ForgedToken.command(&input), isForGroup: input.octet() & 1 == 1, isSigned: isSigned)
        }
        // Whatever follows the message is padding.
        if choice & 0x80 != 0 { plaintext += input.block() }
    }

    /// The `PING` that a sound reader answers.
    static let ping = ForgedToken(
        message(named: "CRED000002", .ping, (january(1), january(9999)), []), isForGroup: false, isSigned: true)

    /// The credential that opens a sound reader's door.
    static let credential = ForgedToken(ForgedCredential.plain, isSigned: true)

    private init(raw octets: [UInt8]) { (plaintext, content, isSigned) = (octets, .raw, false) }

    private init(_ credential: ForgedCredential, isSigned: Bool) {
        (content, self.isSigned) = (.standardOffline(credential), isSigned && credential.message != nil)
        var signed: [UInt8] = []
        credential.message?.appendSigned(to: &signed)
        encode(credential.message.map { .ossSo($0) }, signed)
    }

    private init(identifier file: [UInt8], _ isSigned: Bool) {
        let info = BoundedBytes<32>(copying: file.span)
        (content, self.isSigned) = (.identifier(file), isSigned && info != nil)
        encode(info.map { .ossSid(OssSidMobile(infoFile: $0)) }, file)
    }

    private init(_ message: SessionTokenCommand, isForGroup: Bool, isSigned: Bool) {
        content = .command(message)
        self.isForGroup = isForGroup
        var text: [UInt8] = []
        let command = message.command.ascii.map { CommandName(rawValue: $0) }
        if let command, let credential = message.credentialId.id.ascii {
            let isInGroup = command.group != nil || command == .maintenanceGroup
            self.isSigned = isSigned && (!isForGroup || isInGroup)
            TokenText.append(
                credentialID: credential, command: isForGroup ? .maintenanceGroup : command,
                validity: TokenValidity(message), to: &text)
        } else {
            // There is no text that could be signed.
            self.isSigned = false
        }
        encode(.command(message), text, isSigned: isSigned)
    }

    private mutating func encode(_ payload: SessionToken.Payload?, _ signed: [UInt8], isSigned: Bool? = nil) {
        let signature = isSigned ?? self.isSigned ? QuickSignatureKey.signature(of: signed) : [1, 2, 3]
        SessionToken(signature: ForgedToken.bounded(signature), payload: payload).encodeDelimited(into: &plaintext)
    }

    /// The command that it names; nil if it shows a credential.
    var command: CommandName? {
        guard case .command(let message) = content else { return nil }
        return message.command.ascii.map { CommandName(rawValue: $0) }
    }

    // MARK: Commands

    private static func command(_ input: inout FuzzInput) -> SessionTokenCommand {
        let choice = input.octet()
        let octets =
            choice < 0xF0
            ? Array(CommandName.all[Int(choice) % CommandName.all.count].rawValue.utf8) : input.consume(8)
        let name = CommandName(rawValue: String(decoding: octets, as: UTF8.self))
        let who = input.octet()
        let credential =
            who < 0xF0
            ? Array(ForgedCredential.names[Int(who) % ForgedCredential.names.count].utf8) : input.consume(10)
        var validity = (january(2020), january(2030))
        if who & 0x0C == 0x0C { validity = (january(Int(input.word())), january(Int(input.word()))) }
        var data: [UInt8]
        if who & 0x20 != 0 {
            let time = RigClock.noon + shift(&input)
            data = timeData(of: name, time)
            // The day that it is in, as an issuer signs for a time.
            if who & 0x40 != 0 { validity = day(of: time) }
        } else {
            data = input.block()
            // Its length in front, most often, so that nothing but the message has to be guessed.
            if who & 0x10 == 0 { data = delimited(data) }
        }
        return message(named: String(decoding: credential, as: UTF8.self), name, validity, data)
    }

    /// Seconds, back or ahead, by much or by little.
    static func shift(_ input: inout FuzzInput) -> Int64 {
        let unit: [Int64] = [1, 60, 1024, 32_768]
        return unit[input.number(below: 4)] * Int64(Int16(bitPattern: input.word()))
    }

    private static func timeData(of name: CommandName, _ time: Int64) -> [UInt8] {
        var data: [UInt8] = []
        let message = SystemTimeUnix(epoch: UInt32(clamping: time))
        if name == .update {
            SystemUpdate(timeUnix: message).encodeDelimited(into: &data)
        } else {
            message.encodeDelimited(into: &data)
        }
        return data
    }

    private static func day(of time: Int64) -> (LocalTimestamp, LocalTimestamp) {
        let midnight = Int64(UInt32(clamping: time)) / 86_400 * 86_400
        return (
            LocalTimestamp(CivilTime(epochSeconds: midnight)),
            LocalTimestamp(CivilTime(epochSeconds: midnight + 86_400))
        )
    }

    private static func january(_ year: Int) -> LocalTimestamp {
        LocalTimestamp(CivilTime(year: year, month: 1, day: 1))
    }

    private static func message(
        named credential: String, _ command: CommandName, _ validity: (start: LocalTimestamp, end: LocalTimestamp),
        _ data: [UInt8]
    ) -> SessionTokenCommand {
        SessionTokenCommand(
            credentialId: CredentialId(id: bounded(Array(credential.utf8))), validityStart: validity.start,
            validityEnd: validity.end, command: bounded(Array(command.rawValue.utf8)), data: bounded(data))
    }

    /// A Secure Identifier that the reader lists.
    static let identifier: [UInt8] = [1, 0, 0] + Array(ForgedCredential.names[0].utf8)

    private static func delimited(_ octets: [UInt8]) -> [UInt8] {
        octets.count < 0x80
            ? [UInt8(octets.count)] + octets : [UInt8(octets.count & 0x7F | 0x80), UInt8(octets.count >> 7)] + octets
    }

    /// As many of the octets as there is room for.
    private static func bounded<let count: Int>(_ octets: [UInt8]) -> BoundedBytes<count> {
        BoundedBytes(copying: Array(octets.prefix(count)).span) ?? BoundedBytes()
    }
}

/// A signature that costs nothing, and that no input makes by chance: eight octets that depend on all of the message.
struct QuickSignatureKey: SignatureKey {
    let point = FuzzKeys.terminal.publicPoint

    func isValid(signature: Span<UInt8>, for message: Span<UInt8>) -> Bool {
        signature.array == QuickSignatureKey.signature(of: message.array)
    }

    static func signature(of message: [UInt8]) -> [UInt8] {
        // FNV-1a.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for octet in message { hash = (hash ^ UInt64(octet)) &* 0x100_0000_01B3 }
        return (0..<8).map { UInt8(truncatingIfNeeded: hash >> (8 * UInt64($0))) }
    }
}

/// A key for handshakes and envelopes that does no arithmetic: all that have one share the same secret.
struct QuickPrivateKey: HeldPrivateKey {
    let publicKey = FuzzKeys.terminal.publicKey

    func sharedSecret(with point: Span<UInt8>) throws(CryptoError) -> [32 of UInt8] {
        guard point.count == 65, point[0] == 4 else { throw .invalidPoint }
        return [32 of UInt8](repeating: 0x5A)
    }

    func sign(_ message: Span<UInt8>, into signature: inout [UInt8]) throws(CryptoError) {
        signature += [0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01]
    }
}
