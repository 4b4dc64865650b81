import AccessProtocol
import Crypto
import Protobuf
import Timekeeping

/// A token as the input describes it, signed or not by a key that costs nothing.
struct ForgedToken {
    /// The delimited message, and what follows it.
    var plaintext: [UInt8]
    /// Whether it may do what it asks for: signed, and within its time. Nil if nobody knows.
    var mayAct: Bool?
    /// The command that it names; nil if it shows a credential, or nobody knows.
    var command: CommandName?
    /// What the reader's clock showed when it was made.
    var clock: CivilTime?

    /// What the input describes, for a reader whose clock shows `clock`.
    init(_ input: inout FuzzInput, clock: CivilTime?) {
        let choice = input.octet()
        switch choice & 7 {
        case 0: self.init(raw: input.block())
        case 1, 2:
            let credential = ForgedCredential(&input)
            var signed: [UInt8] = []
            credential.message?.appendSigned(to: &signed)
            self.init(credential.message.map { .ossSo($0) }, signed, choice)
        case 3:
            let file = input.octet() & 1 == 0 ? ForgedToken.identifier : input.block()
            let info = BoundedBytes<32>(copying: file.span)
            self.init(info.map { .ossSid(OssSidMobile(infoFile: $0)) }, file, choice)
        default:
            self.init(command: ForgedToken.command(&input), input.octet(), choice, clock)
        }
        self.clock = clock
        // Whatever follows the message is padding.
        if choice & 0x80 != 0 { plaintext += input.block() }
    }

    /// The `PING` that a sound reader answers.
    static let ping = ForgedToken(
        command: message(named: "CRED000002", .ping, (1, 9999), []), 0, 0,
        CivilTime(year: 2026, month: 5, day: 6, hour: 12))

    private init(raw octets: [UInt8]) { plaintext = octets }

    private init(_ payload: SessionToken.Payload?, _ signed: [UInt8], _ choice: UInt8) {
        (plaintext, mayAct) = ([], choice & 0x60 != 0x60)
        let signature = mayAct == true ? QuickSignatureKey.signature(of: signed) : [1, 2, 3]
        SessionToken(signature: ForgedToken.bounded(signature), payload: payload).encodeDelimited(into: &plaintext)
    }

    private init(command message: SessionTokenCommand, _ way: UInt8, _ choice: UInt8, _ clock: CivilTime?) {
        guard let name = message.command.ascii, let credential = message.credentialId.id.ascii else {
            self.init(.command(message), [], 0x60)
            return
        }
        let command = CommandName(rawValue: name)
        let validity = TokenValidity(message)
        var text: [UInt8] = []
        let isForGroup = way & 1 == 1
        TokenText.append(
            credentialID: credential, command: isForGroup ? .maintenanceGroup : command, validity: validity, to: &text)
        self.init(.command(message), text, choice)
        let isInTime = clock.map { validity.contains($0) } ?? command.setsClock
        self.clock = clock
        mayAct = mayAct == true && isInTime && (!isForGroup || command.group != nil || command == .maintenanceGroup)
        self.command = command
    }

    private static func command(_ input: inout FuzzInput) -> SessionTokenCommand {
        let choice = input.octet()
        let name =
            choice < 0xF0
            ? Array(CommandName.all[Int(choice) % CommandName.all.count].rawValue.utf8) : input.take(8)
        let who = input.octet()
        let credential =
            who < 0xF0
            ? Array(ForgedCredential.names[Int(who) % ForgedCredential.names.count].utf8) : input.take(10)
        let years = who & 0x0C == 0x0C ? (Int(input.word()), Int(input.word())) : (2020, 2030)
        var data = input.block()
        // Its length in front, most often, so that nothing but the message has to be guessed.
        if who & 0x10 == 0 { data = delimited(data) }
        return message(
            named: String(decoding: credential, as: UTF8.self),
            CommandName(rawValue: String(decoding: name, as: UTF8.self)),
            years, data)
    }

    private static func message(
        named credential: String, _ command: CommandName, _ years: (Int, Int), _ data: [UInt8]
    ) -> SessionTokenCommand {
        func january(_ year: Int) -> LocalTimestamp {
            LocalTimestamp(CivilTime(year: year, month: 1, day: 1))
        }
        return SessionTokenCommand(
            credentialId: CredentialId(id: bounded(Array(credential.utf8))), validityStart: january(years.0),
            validityEnd: january(years.1), command: bounded(Array(command.rawValue.utf8)), data: bounded(data))
    }

    /// A Secure Identifier that the reader lists.
    private static let identifier: [UInt8] = [1, 0, 0] + Array(ForgedCredential.names[0].utf8)

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
