// SPDX-License-Identifier: Apache-2.0

import Devices
import TestSupport
import Testing
import Timekeeping
import WiFi
import WiFiStation
import WiFiTestSupport

@Suite struct CameraCredentialsTests {
    private static let forms: [(CameraCredentialsForm, String)] = [
        (.lines, "Home\ncorrect horse\nann\nt0k3n\n"),
        (.equals, "SSID=Home\nPASS=correct horse\nUID=ann\nKEY=t0k3n"),
        (.equals, "SSID=Home\nPASS=correct horse\nUID=ann\nKEY=t0k3n\n"),
        (.colons, "SSID:Home\nPASS:correct horse\nUID:ann\nKEY:t0k3n"),
        (.colons, "SSID:Home\nPASS:correct horse\nUID:ann\nKEY:t0k3n\n"),
    ]
    private static let expected = CameraCredentials(
        name: "Home", passphrase: "correct horse", userID: "ann", token: "t0k3n")

    @Test(arguments: forms)
    func everyFormInTwoWritesSplitAtEveryOctet(_ form: CameraCredentialsForm, _ text: String) throws {
        let octets = Array(text.utf8)
        for split in 0...octets.count {
            var rig = CameraRig()
            try rig.write(Array(octets[..<split]))
            if split < octets.count { try rig.write(Array(octets[split...])) }
            rig.run(.milliseconds(600))
            let writes = split < octets.count ? 2 : 1
            #expect(rig.others == [.understood(Self.expected, form, writes: writes)], "split at \(split)")
        }
    }

    @Test(arguments: forms)
    func everyFormOctetForOctet(_ form: CameraCredentialsForm, _ text: String) throws {
        var rig = CameraRig()
        for octet in text.utf8 {
            try rig.write([octet])
            rig.run(.milliseconds(5))
        }
        rig.run(.milliseconds(600))
        #expect(rig.others == [.understood(Self.expected, form, writes: text.utf8.count)])
    }

    /// Credentials that end with the published line feed are complete at once; others after a pause.
    @Test func theLineFeedEndsTheWaiting() throws {
        var rig = CameraRig()
        try rig.write(Self.forms[0].1)
        #expect(rig.others.count == 1)
        rig = CameraRig()
        try rig.write(Self.forms[1].1)
        rig.run(.milliseconds(499))
        #expect(rig.others.isEmpty)
        rig.run(.milliseconds(1))
        #expect(rig.others.count == 1)
    }

    @Test(arguments: forms)
    func cutAtEveryLengthItIsNotUnderstood(_ form: CameraCredentialsForm, _ text: String) throws {
        let octets = Array(text.utf8)
        // A keyed form is complete without its last line feed, and a truncated token looks like a shorter one.
        let whole = form == .lines ? octets.count - 1 : (octets.firstIndex(of: 0x30) ?? 0) - 1
        for count in 0...whole {
            var rig = CameraRig()
            try rig.write(Array(octets[..<count]))
            rig.run(.milliseconds(600))
            let isMisunderstood = rig.others.contains { if case .misunderstood = $0 { true } else { false } }
            #expect(isMisunderstood && rig.notifications == [203], "\(count) octets")
        }
    }

    @Test func linesWithoutTheLastLineFeedAreTakenIfThatIsSet() throws {
        for demands in [true, false] {
            var settings = CameraSettings()
            settings.demandsNewline = demands
            var rig = CameraRig(settings: settings)
            try rig.write("Home\ncorrect horse\nann\nt0k3n")
            rig.run(.milliseconds(600))
            let expected: CameraAction =
                demands
                ? .misunderstood(.noTrailingNewline, writes: 1) : .understood(Self.expected, .lines, writes: 1)
            #expect(rig.others == [expected])
        }
    }

    @Test(
        arguments: [
            ("\ncorrect horse\nann\nt0k3n\n", .empty(line: 1)),
            ("Home\ncorrect horse\n\nt0k3n\n", .empty(line: 3)),
            ("Home\ncorrect horse\nann\n\n", .empty(line: 4)),
            (String(repeating: "x", count: 33) + "\np\nann\nt\n", .fieldTooLong(line: 1, maximum: 32)),
            ("Home\n" + String(repeating: "x", count: 65) + "\nann\nt\n", .fieldTooLong(line: 2, maximum: 64)),
            ("Home\np\n" + String(repeating: "x", count: 129) + "\nt\n", .fieldTooLong(line: 3, maximum: 128)),
            ("Home\np\nann\n" + String(repeating: "x", count: 257) + "\n", .fieldTooLong(line: 4, maximum: 256)),
            ("Home\np\nann\nt\nmore", .trailing(count: 4)),
            (String(repeating: "x", count: 513), .tooLong),
            ("SSID=Home\nPASS=p\nUSER=ann\nKEY=t\n", .key(line: 3)),
            ("SSID=Home\nPASS=p\nUID:ann\nKEY=t\n", .key(line: 3)),
            ("SSID=Home\nPASS=p\nUID=ann\nt\n", .key(line: 4)),
            ("SSID=\nPASS=p\nUID=ann\nKEY=t\n", .empty(line: 1)),
        ] as [(String, CameraCredentialsFault)])
    func whatIsWrongIsSaid(_ text: String, _ fault: CameraCredentialsFault) throws {
        var reader = CameraCredentialsReader()
        #expect(throws: fault) { _ = try reader.append(Array(text.utf8).span) }
        // All of it is discarded.
        #expect(reader.isEmpty)
        #expect(try reader.append(Array(CameraRig.good.utf8).span)?.0 == Self.expected)
    }

    @Test func whatIsNoUTF8IsSaid() {
        var reader = CameraCredentialsReader()
        let octets = Array("Home\np\n".utf8) + [0xFF, 0x0A] + Array("t\n".utf8)
        #expect(throws: CameraCredentialsFault.notText(line: 3)) { _ = try reader.append(octets.span) }
    }

    @Test func aPassphraseMayBeEmptyAndANameMayLookLikeAKey() throws {
        var reader = CameraCredentialsReader()
        let open = try #require(try reader.append(Array("SSID=Home\n\nann\nt\n".utf8).span))
        #expect(open.1 == .lines)
        #expect(open.0.name == "SSID=Home")
        #expect(open.0.passphrase.count == 0)
        let keyed = try #require(try reader.append(Array("SSID=SSID=\nPASS=a=b:c\nUID=\u{1F600}\nKEY==\n".utf8).span))
        #expect(keyed.1 == .equals)
        #expect(keyed.0 == CameraCredentials(name: "SSID=", passphrase: "a=b:c", userID: "\u{1F600}", token: "="))
    }

    @Test func theFieldsAtTheirLimitsAreTaken() throws {
        var reader = CameraCredentialsReader()
        let text = [32, 64, 128, 256].map { String(repeating: "x", count: $0) + "\n" }.joined()
        let credentials = try #require(try reader.append(Array(text.utf8).span)).0
        #expect(credentials.name.octets.count == 32)
        #expect(credentials.token.count == 256)
    }

    @Test func noDescriptionShowsASecret() {
        for text in ["\(Self.expected)", "\(CameraAction.keep(Self.expected))", String(reflecting: Self.expected)] {
            #expect(!text.contains("horse"))
            #expect(!text.contains("t0k3n"))
        }
    }
}
