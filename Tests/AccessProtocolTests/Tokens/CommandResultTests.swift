// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Protobuf
import Testing
import Timekeeping

@testable import ReaderTestSupport

@Suite("Results and times in messages (access protocol, 5 and 8.3)")
struct CommandResultTests {
    @Test("the recorded answer to PING, down to the plaintext of the response")
    func versionInfo() throws {
        var data: [UInt8] = []
        VersionInfo(buildTime: 1_713_468_604, version: 1, testVersion: 19).encodeDelimited(into: &data)
        #expect(data == octets("0a08bce985b10610011813"))
        var plaintext: [UInt8] = []
        SessionResult(data: try BoundedBytes(data)).encodeDelimited(into: &plaintext)
        #expect(plaintext + [0, 0] == SessionOctets.responsePlaintext)
    }

    @Test("the recorded token, field by field")
    func token() throws {
        let plaintext = SessionOctets.requestPlaintext
        let token = try SessionToken(decodingDelimitedPrefixOf: plaintext.span)
        #expect(token.signature.count == 72)
        guard case .command(let command) = token.payload else { throw StatusCode.test }
        #expect(command.credentialId.id.ascii == "CRED000001")
        #expect(command.command.ascii == "PING")
        #expect(command.data.isEmpty)
        #expect(
            TokenValidity(command)
                == TokenValidity(
                    from: CivilTime(year: 2023, month: 1, day: 1), through: CivilTime(year: 2030, month: 1, day: 1)))
    }

    @Test("times there and back, and what no time is stays what it is")
    func times() {
        let time = CivilTime(year: 2026, month: 5, day: 4, hour: 23, minute: 58, second: 59)
        #expect(CivilTime(LocalTimestamp(time)) == time)
        let none = LocalTimestamp(year: 0, month: 13, date: 32, hours: 25, minutes: 60, seconds: .max)
        #expect(LocalTimestamp(CivilTime(none)) == none)
        #expect(!CivilTime(none).isValid)
    }

    @Test("status codes are the published numbers, and those without a name are kept")
    func statusCodes() {
        let published: [(StatusCode, Int16)] = [
            (.ok, 0), (.pending, 1), (.error, -1), (.invalidArguments, -3), (.invalidState, -4), (.notSupported, -5),
            (.overflow, -7), (.storageFull, -8), (.crc, -9), (.signature, -12), (.validity, -13), (.cryptography, -14),
            (.timeout, -18), (.unavailable, -21), (.encode, -30), (.decode, -32), (.salt, -150), (.ownSalt, -153),
            (.encrypt, -155), (.decrypt, -156), (.currentTime, -157), (.peerStatus, -170), (.credentialID, -200),
            (.standardOfflineMajorVersion, -230), (.standardOfflineScheduleNumber, -239), (.extensionTooLarge, -243),
            (.extensionTag, -248), (.tooManyBlacklistEntries, -250), (.siteIDCredentialType, -281),
            (.desfireKeyType, -300), (.desfireApplicationID, -304),
        ]
        for (code, number) in published {
            #expect(code.rawValue == number)
        }
        #expect(StatusCode(rawValue: -9999).rawValue == -9999)
    }
}
