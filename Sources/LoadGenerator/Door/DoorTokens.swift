import AccessProtocol
import Crypto
import Phone
import Timekeeping

/// Tokens that the published identity's backend signs, and how much of each is signed.
struct DoorTokens {
    struct Token {
        var octets: [UInt8]
        var signedCount: Int
    }

    let command: Token
    let credential: Token
    let secure: Token
    let ping: Token
    /// The reader's key, which everybody has.
    let terminal: P256PublicKey

    init() throws(StatusCode) {
        let issuer = try TokenIssuer.demo()
        command = try DoorTokens.command(.open, issuer)
        secure = try DoorTokens.command(.officeOff, issuer)
        ping = try DoorTokens.command(.ping, issuer)
        guard let name = OSSCredentialID("BENCH00001"),
            let end = OSSTimestamp(CivilTime(year: 2099, month: 12, day: 31))
        else { throw .credentialID }
        let files = try StandardOfflineCredential(
            info: OSSInfoFile(credentialID: name),
            data: OSSDataContents(validityEnd: end, siteID: 1, doors: [OSSDoorEntry(id: 1)], schedules: [[]])
        ).files()
        var signed: [UInt8] = []
        files.appendSigned(to: &signed)
        credential = Token(octets: try issuer.standardOfflineToken(files), signedCount: signed.count)
        let point = DemoIdentity.terminalPoint
        do throws(CryptoError) { terminal = try P256PublicKey(point: point.span) } catch { throw .cryptography }
    }

    private static func command(_ name: CommandName, _ issuer: TokenIssuer) throws(StatusCode) -> Token {
        let validity = TokenValidity(
            from: CivilTime(year: 2020, month: 1, day: 1), through: CivilTime(year: 2099, month: 12, day: 31))
        var text: [UInt8] = []
        TokenText.append(credentialID: "BENCH00001", command: name, validity: validity, to: &text)
        let octets = try issuer.commandToken(credentialID: "BENCH00001", command: name, validity: validity)
        return Token(octets: octets, signedCount: text.count)
    }

    func token(_ opening: DoorPlan.Opening) -> Token {
        switch opening {
        case .command: command
        case .credential: credential
        }
    }
}
