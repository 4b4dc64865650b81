// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Protobuf
import Testing
import Timekeeping

@testable import Phone

/// A phone's reading of its tokens.
@Suite struct PhoneCredentialTests {
    private static let year = TokenValidity(
        from: CivilTime(year: 2026, month: 1, day: 1), through: CivilTime(year: 2026, month: 12, day: 31))
    private static let noon: UInt32 = 1_795_262_400

    private static func credential(
        _ command: CommandName, data: [UInt8] = [], signedAs: CommandName? = nil
    ) throws -> (PhoneCredential, [UInt8]) {
        let token = try TokenIssuer.demo().commandToken(
            credentialID: "ALICE00001", command: command, data: data, validity: year, signedAs: signedAs)
        let key = try P256PrivateKey.generate().publicKey
        return (
            try PhoneCredential(deviceID: "AAAAAAAA", readerName: "front", terminal: key, token: token), token
        )
    }

    private static func contents(_ token: [UInt8]) throws -> (SessionToken, SessionTokenCommand) {
        let message = try SessionToken(decodingDelimited: token.span)
        guard case .command(let contents) = message.payload else { throw StatusCode.notSupported }
        return (message, contents)
    }

    @Test func aTokenIsShownAsItWasIssued() throws {
        let (credential, token) = try Self.credential(.open)
        #expect(credential.request == .open && !credential.isDemo)
        #expect(try credential.token(for: .open, epochSeconds: Self.noon) == token)
        // With the data that it brings.
        let (query, issued) = try Self.credential(.eventQuery, data: [2, 8, 1])
        #expect(try query.token(for: .command(.eventQuery, .none), epochSeconds: Self.noon) == issued)
    }

    /// Access profile, 6: another command of the group, and the signature stays.
    @Test func aMaintenanceTokenIsMadeForAnotherCommand() throws {
        let (credential, token) = try Self.credential(.ping, data: [9], signedAs: .maintenanceGroup)
        let status = try Self.contents(credential.token(for: .status, epochSeconds: Self.noon))
        #expect(status.0.signature == (try Self.contents(token).0.signature))
        #expect(status.1.command.ascii == "STATUS" && status.1.data.isEmpty)
        let time = try Self.contents(
            credential.token(for: .command(.setTime, .time(.now)), epochSeconds: Self.noon))
        var data: [UInt8] = []
        time.1.data.append(to: &data)
        #expect(try SystemTimeUnix(decodingDelimited: data.span).epoch == Self.noon)
    }

    @Test func theDemoIdentitySignsAnyCommandOnTheSpot() throws {
        let demo = try PhoneCredential.demo()
        #expect(demo.isDemo && demo.deviceID == "wa0y1YwS")
        let open = try Self.contents(demo.token(for: .open, epochSeconds: Self.noon))
        #expect(
            open.1.command.ascii == "tokn" && TokenValidity(open.1).contains(CivilTime(epochSeconds: Int64(Self.noon))))
        // Signed for a day at most that has the time (docs/protocol/commands.md, A wrong clock).
        let clock = try Self.contents(
            demo.token(for: .command(.setClock, .time(.now)), epochSeconds: Self.noon))
        let validity = TokenValidity(clock.1)
        #expect(validity.contains(CivilTime(epochSeconds: Int64(Self.noon))))
        #expect(validity.end.epochSeconds - validity.start.epochSeconds <= 86_400)
        #expect(throws: StatusCode.notSupported) { try demo.token(for: .standardOffline, epochSeconds: Self.noon) }
    }

    @Test func whatIsNoTokenIsRefused() throws {
        let key = try P256PrivateKey.generate().publicKey
        #expect(throws: StatusCode.decode) {
            try PhoneCredential(deviceID: "AAAAAAAA", readerName: "front", terminal: key, token: [3, 1, 2, 3])
        }
        // A signature alone.
        #expect(throws: StatusCode.notSupported) {
            try PhoneCredential(deviceID: "AAAAAAAA", readerName: "front", terminal: key, token: [3, 0x0A, 1, 0x30])
        }
    }

    @Test func theClockGoesOnBetweenStartAndRequest() {
        let clock = PhoneClock(100, at: .origin + .seconds(50))
        #expect(clock.epochSeconds(at: .origin + .milliseconds(52_900)) == 102)
    }
}
