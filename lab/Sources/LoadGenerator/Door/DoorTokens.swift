// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Phone
import Timekeeping

/// Tokens signed with the published demo identity, and the length of the signed part of each.
struct DoorTokens {
    struct Token {
        var octets: [UInt8]
        var signedCount: Int
    }

    /// The number of credentials used in turn, as by different phones at a door: a credential is repeated only when
    /// it counts as a new request.
    static let credentials = 16

    private let commands: [Token]
    private let standardOffline: [Token]
    let secure: Token
    let ping: Token
    /// The reader's public key of the published identity.
    let terminal: P256PublicKey

    init() throws(StatusCode) {
        let issuer = try TokenIssuer.demo()
        var (commands, standardOffline): ([Token], [Token]) = ([], [])
        for number in 10..<10 + DoorTokens.credentials {
            let name = "BENCH000\(number)"
            commands.append(try DoorTokens.command(.open, of: name, issuer))
            standardOffline.append(try DoorTokens.standardOffline(name, issuer))
        }
        (self.commands, self.standardOffline) = (commands, standardOffline)
        secure = try DoorTokens.command(.officeOff, of: "BENCH00001", issuer)
        ping = try DoorTokens.command(.ping, of: "BENCH00001", issuer)
        let point = DemoIdentity.terminalPoint
        do throws(CryptoError) { terminal = try P256PublicKey(point: point.span) } catch { throw .cryptography }
    }

    private static func standardOffline(_ name: String, _ issuer: TokenIssuer) throws(StatusCode) -> Token {
        guard let name = OSSCredentialID(name),
            let end = OSSTimestamp(CivilTime(year: 2099, month: 12, day: 31))
        else { throw .credentialID }
        let files = try StandardOfflineCredential(
            info: OSSInfoFile(credentialID: name),
            data: OSSDataContents(validityEnd: end, siteID: 1, doors: [OSSDoorEntry(id: 1)], schedules: [[]])
        ).files()
        var signed: [UInt8] = []
        files.appendSigned(to: &signed)
        return Token(octets: try issuer.standardOfflineToken(files), signedCount: signed.count)
    }

    private static func command(
        _ name: CommandName, of credential: String, _ issuer: TokenIssuer
    ) throws(StatusCode) -> Token {
        let validity = TokenValidity(
            from: CivilTime(year: 2020, month: 1, day: 1), through: CivilTime(year: 2099, month: 12, day: 31))
        var text: [UInt8] = []
        TokenText.append(credentialID: credential, command: name, validity: validity, to: &text)
        let octets = try issuer.commandToken(credentialID: credential, command: name, validity: validity)
        return Token(octets: octets, signedCount: text.count)
    }

    /// The token for the opening with this number.
    func token(_ opening: DoorPlan.Opening, _ number: Int) -> Token {
        let tokens = opening == .command ? commands : standardOffline
        return tokens[number % tokens.count]
    }
}
