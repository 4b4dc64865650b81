// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Protobuf
import Reader
import Testing
import Timekeeping

@testable import ReaderTestSupport

@Suite("The decision about a Secure Identifier (access protocol, 6.3): nobody who is not listed")
struct SecureIdentifierTests {
    @Test func rows() throws {
        let listed: Set = [credentialID("CRED000001")]
        let noon = LocalClock.certain(wednesday(12, 0))
        typealias Outcome = CredentialDecision.Outcome
        let rows: [(String, Set<OSSCredentialID>, LocalClock, Blacklist, Outcome, Int32, [String])] = [
            ("010000 43524544303030303031", listed, noon, Blacklist(), .granted(.defaultTime), 1, ["10/2"]),
            ("000900 43524544303030303031", listed, noon, Blacklist(), .granted(.defaultTime), 1, ["10/2"]),
            ("010000 43524544303030303031", [], noon, Blacklist(), .denied(.notListed), 6, ["11/128"]),
            ("010000 43524544303030303032", listed, noon, Blacklist(), .denied(.notListed), 6, ["11/128"]),
            (
                "010000 43524544303030303031", listed, noon, Blacklist("CRED000001"), .denied(.blacklisted),
                8, ["8/0", "11/130"]
            ),
            ("010000 43524544303030303031", listed, .unset, Blacklist(), .denied(.clockUnset), 6, []),
            (
                "020000 43524544303030303031", listed, noon, Blacklist(), .failed(.siteIDMajorVersion), 1,
                ["15/-280"]
            ),
            (
                "010001 43524544303030303031", listed, noon, Blacklist(), .failed(.siteIDCredentialType), 1,
                ["15/-281"]
            ),
            (
                "010080 43524544303030303031", listed, noon, Blacklist(), .failed(.siteIDCredentialType), 1,
                ["15/-281"]
            ),
            (
                "010000 00000000000000000000", listed, noon, Blacklist(), .failed(.credentialID), 1,
                ["15/-200"]
            ),
            ("010000 435245443030303030", listed, noon, Blacklist(), .failed(.endOfFile), 1, ["15/-6"]),
            ("010000 43524544303030303031 01", listed, noon, Blacklist(), .failed(.decode), 1, ["15/-32"]),
        ]
        for (number, row) in rows.enumerated() {
            let (hex, allowed, clock, blacklist, outcome, type, recorded) = row
            let policy = CredentialPolicy(secureIdentifiers: allowed)
            let decision = policy.decide(
                OssSidMobile(infoFile: try BoundedBytes(octets(hex))), clock: clock, blacklist: blacklist)
            #expect(decision.outcome == outcome, "row \(number)")
            #expect(decision.accessType.rawValue == type, "row \(number)")
            #expect(events(decision) == recorded, "row \(number)")
            #expect(doorRequest(for: decision) == (decision.isGranted ? .pulse : nil), "row \(number)")
            #expect(decision.kind == .secureIdentifier)
        }
    }
}
