// SPDX-License-Identifier: Apache-2.0

import Devices
import TestSupport
import Testing
import Timekeeping
import WiFi
import WiFiStation
import WiFiTestSupport

/// "Camera Onboarding and Pairing": the order of the signals, octet for octet in the assumed layout: notification
/// state, onboarding state and connectivity state as 32-bit numbers, least significant octet first, then text.
@Suite struct CameraSequenceTests {
    private static func expect(
        _ rig: CameraRig, _ expected: [(Int64, [UInt8])], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(rig.values.map(\.ms) == expected.map(\.0), sourceLocation: sourceLocation)
        #expect(rig.values.map(\.octets) == expected.map(\.1), sourceLocation: sourceLocation)
    }

    private static let read: [(Int64, [UInt8])] = [
        (0, CameraRig.value("c9000000 9b000000 e1050000", "1 credentials read\n")),
        (0, CameraRig.value("2d010000 9b000000 e1050000", "2 setting up wi-fi\n")),
    ]
    private static let online: [(Int64, [UInt8])] =
        read + [
            (550, CameraRig.value("79000000 9b000000 e1050000", "3 checking whether it is online\n")),
            (850, CameraRig.value("7b000000 9b000000 dd050000", "4 it is online\n")),
            (850, CameraRig.value("2e010000 9b000000 dd050000", "5 wi-fi is set up\n")),
            (850, CameraRig.value("f5010000 9b000000 dd050000", "6 redeeming the token\n")),
        ]

    @Test func successHasEverySignalAndThenTheServerCloses() throws {
        var rig = CameraRig()
        #expect(
            rig.camera.status
                == CameraStatus(notification: .waiting, onboarding: .waiting, connectivity: .connectivityDown))
        #expect(rig.camera.isAdvertised)
        try rig.write(CameraRig.good)
        rig.run(.seconds(10))
        Self.expect(
            rig,
            Self.online + [
                (1150, CameraRig.value("f6010000 9b000000 dd050000", "7 paired\n")),
                (1150, CameraRig.value("71000000 71000000 dd050000", "8 onboarded\n")),
                (2150, CameraRig.value("1b050000 71000000 dd050000", "9 diagnostics end\n")),
            ])
        #expect(rig.notifications == [201, 301, 121, 123, 302, 501, 502, 113, 1307])
        #expect(rig.others.count == 4)
        #expect(rig.others.last == .close)
        #expect(!rig.camera.isAdvertised)
        #expect(rig.camera.kept?.userID == "ann")
    }

    @Test func theLinksEndAWhileAfter1307() throws {
        var rig = CameraRig()
        try rig.write(CameraRig.good)
        rig.run(.milliseconds(2649))
        #expect(rig.others.last != .close)
        #expect(rig.camera.isAdvertised)
        rig.run(.milliseconds(1))
        #expect(rig.others.last == .close)
    }

    @Test func whatIsNotReadableEndsWith203() throws {
        var rig = CameraRig()
        try rig.write("Home\n\n\n\n")
        rig.run(.seconds(60))
        Self.expect(
            rig, [(0, CameraRig.value("cb000000 6f000000 e1050000", "1 credentials not readable: line 3 is empty\n"))])
        #expect(rig.others == [.misunderstood(.empty(line: 3), writes: 1)])
        #expect(rig.camera.isAdvertised)
        // Other credentials may be tried.
        try rig.write(CameraRig.good)
        rig.run(.seconds(10))
        #expect(rig.notifications == [203, 201, 301, 121, 123, 302, 501, 502, 113, 1307])
    }

    @Test func aWrongPassphraseEndsWith303BeforeTheCheck() throws {
        var rig = CameraRig()
        try rig.write("Home\nwrong horse\nann\nt0k3n\n")
        rig.run(.seconds(60))
        Self.expect(
            rig,
            Self.read + [(450, CameraRig.value("2f010000 6f000000 e1050000", "3 wi-fi failed: wrong passphrase\n"))])
    }

    @Test func anUnknownNetworkEndsWith303BeforeTheCheck() throws {
        var rig = CameraRig()
        try rig.write("Elsewhere\ncorrect horse\nann\nt0k3n\n")
        rig.run(.seconds(60))
        Self.expect(
            rig, Self.read + [(350, CameraRig.value("2f010000 6f000000 e1050000", "3 wi-fi failed: no such network\n"))]
        )
    }

    @Test func aFailedCheckEndsWith303After123() throws {
        var settings = CameraSettings()
        settings.connectivityScript = .init(failure: .timeout, delay: .seconds(2))
        var rig = CameraRig(settings: settings)
        try rig.write(CameraRig.good)
        rig.run(.seconds(60))
        Self.expect(
            rig,
            Self.read + [
                (550, CameraRig.value("79000000 9b000000 e1050000", "3 checking whether it is online\n")),
                (2550, CameraRig.value("7b000000 9b000000 e1050000", "4 it is not online\n")),
                (
                    2550,
                    CameraRig.value("2f010000 6f000000 e1050000", "5 wi-fi failed: nothing is behind the network\n")
                ),
            ])
        #expect(try rig.station.status().state == .disconnected)
    }

    @Test func anAccessPointThatGoesDuringTheCheckEndsWith303After123() throws {
        var rig = CameraRig()
        try rig.write(CameraRig.good)
        rig.run(.milliseconds(600))
        rig.station.drop()
        rig.run(.seconds(5))
        #expect(rig.notifications == [201, 301, 121, 123, 303])
    }

    @Test(
        arguments: [
            (PairingServer.Policy.none, "the server takes none"),
            (.issued([.init("other")]), "the server does not know the token"),
            (.issued([.init("t0k3n", expiry: .milliseconds(1150))]), "the token is too old"),
            (.issued([.init("t0k3n", userID: "bob")]), "the token is another user's"),
        ] as [(PairingServer.Policy, String)])
    func aTokenThatIsNoGoodEndsWith503(_ policy: PairingServer.Policy, _ why: String) throws {
        var rig = CameraRig(server: policy)
        try rig.write(CameraRig.good)
        rig.run(.seconds(60))
        Self.expect(
            rig,
            Self.online + [(1150, CameraRig.value("f7010000 6f000000 e1050000", "7 pairing failed: \(why)\n"))])
        #expect(rig.camera.kept == nil)
        #expect(rig.camera.isAdvertised)
    }

    @Test func aServerThatDoesNotAnswerEndsWith503() throws {
        var settings = CameraSettings()
        settings.pairingScript = .init(failure: .timeout, delay: .seconds(5))
        var rig = CameraRig(settings: settings)
        try rig.write(CameraRig.good)
        rig.run(.seconds(60))
        let text = "7 pairing failed: the server does not answer\n"
        Self.expect(rig, Self.online + [(5850, CameraRig.value("f7010000 6f000000 e1050000", text))])
    }

    @Test func aTokenIsGoodOnce() throws {
        var rig = CameraRig()
        try rig.write(CameraRig.good)
        rig.run(.seconds(10))
        rig.station.drop()
        rig.camera.advance(to: rig.now, &rig.station)
        rig.settle()
        #expect(
            rig.camera.status
                == CameraStatus(notification: .onboarded, onboarding: .onboarded, connectivity: .connectivityDown))
        #expect(rig.camera.isAdvertised)
        try rig.write(CameraRig.good)
        rig.run(.seconds(5))
        #expect(rig.notifications.suffix(2) == [501, 503])
        #expect(
            rig.values.last?.octets
                == CameraRig.value("f7010000 71000000 e1050000", "17 pairing failed: the token has been used\n"))
    }

    // MARK: - Other beginnings

    @Test func oneThatIsOnboardedAndOfflineTakesCredentials() throws {
        var rig = CameraRig(.onboardedOffline)
        #expect(
            rig.camera.settings.layout.encodedNumbers(rig.camera.status)
                == CameraRig.value("71000000 71000000 e1050000", ""))
        #expect(rig.camera.isAdvertised)
        try rig.write(CameraRig.good)
        rig.run(.seconds(10))
        #expect(rig.notifications == [201, 301, 121, 123, 302, 501, 502, 113, 1307])
        #expect(rig.values.first?.octets == CameraRig.value("c9000000 9b000000 e1050000", "1 credentials read\n"))
    }

    @Test func oneThatIsOnboardedAndOfflineStaysThatWhenItFails() throws {
        var rig = CameraRig(.onboardedOffline)
        try rig.write("Home\nwrong horse\nann\nt0k3n\n")
        rig.run(.seconds(60))
        #expect(
            rig.values.last?.octets
                == CameraRig.value("2f010000 71000000 e1050000", "3 wi-fi failed: wrong passphrase\n"))
    }

    @Test func oneThatHasCredentialsTriesThem() throws {
        var rig = CameraRig(.kept(try Self.credentials()))
        #expect(
            rig.camera.settings.layout.encodedNumbers(rig.camera.status)
                == CameraRig.value("6d000000 6d000000 e1050000", ""))
        #expect(throws: CameraRefusal.notReady) { try rig.write(CameraRig.good) }
        rig.run(.seconds(5))
        Self.expect(rig, [(550, CameraRig.value("71000000 71000000 dd050000", "1 online\n"))])
        #expect(!rig.camera.isAdvertised)
        #expect(throws: CameraRefusal.online) { try rig.write(CameraRig.good) }
    }

    @Test func oneWhoseNetworkIsGoneTriesItAgain() throws {
        var rig = CameraRig(.kept(try Self.credentials()), simulation: WiFiSimulation())
        rig.run(.seconds(30))
        // Reported once, however often it is tried.
        Self.expect(rig, [(300, CameraRig.value("71000000 71000000 e1050000", "1 offline: no such network\n"))])
        rig.station.simulation = CameraRig.simulation
        rig.run(.seconds(15))
        #expect(rig.values.last?.octets == CameraRig.value("71000000 71000000 dd050000", "2 online\n"))
    }

    @Test func aClientNeedNotWaitUntilItHasTriedAgain() throws {
        var rig = CameraRig(.kept(try Self.credentials()), simulation: WiFiSimulation())
        rig.run(.milliseconds(10_350))
        #expect(rig.station.deadline != nil)
        rig.station.simulation = CameraRig.simulation
        try rig.write(CameraRig.good)
        rig.run(.seconds(5))
        #expect(rig.notifications == [113, 201, 301, 121, 123, 302, 501, 502, 113, 1307])
    }

    private static func credentials() throws -> CameraCredentials {
        var reader = CameraCredentialsReader()
        return try #require(try reader.append(Array(CameraRig.good.utf8).span)).0
    }

    // MARK: - Refusing

    @Test func nobodyInterruptsAnOnboarding() throws {
        var rig = CameraRig()
        try rig.write(CameraRig.good)
        for _ in 0..<11 {
            #expect(throws: CameraRefusal.busy) { try rig.write(CameraRig.good) }
            #expect(rig.camera.status.onboarding == .busy)
            rig.run(.milliseconds(100))
        }
        rig.run(.milliseconds(100))
        #expect(throws: CameraRefusal.closing) { try rig.write(CameraRig.good) }
        rig.run(.seconds(1))
        #expect(throws: CameraRefusal.closing) { try rig.write(CameraRig.good) }
        rig.run(.seconds(1))
        #expect(throws: CameraRefusal.online) { try rig.write(CameraRig.good) }
        #expect(rig.notifications == [201, 301, 121, 123, 302, 501, 502, 113, 1307])
    }

    @Test func oneClientAtATimeSendsCredentials() throws {
        var rig = CameraRig()
        try rig.write("Home\ncorrect", client: 1)
        #expect(throws: CameraRefusal.busy) { try rig.write("x", client: 2) }
        rig.camera.clientGone(2, at: rig.now)
        #expect(throws: CameraRefusal.busy) { try rig.write("x", client: 2) }
        rig.camera.clientGone(1, at: rig.now)
        try rig.write(CameraRig.good, client: 2)
        rig.run(.seconds(10))
        #expect(rig.notifications.last == 1307)
    }

    @Test func itClosesAfterAFailureIfThatIsSet() throws {
        var settings = CameraSettings()
        settings.closesAfterFailure = true
        var rig = CameraRig(settings: settings)
        try rig.write("\n\n\n\n")
        rig.run(.seconds(10))
        #expect(rig.notifications == [203, 1307])
        #expect(rig.others.last == .close)
        #expect(rig.camera.isAdvertised)
        #expect(rig.camera.status.notification == .waiting)
    }

    // MARK: - Other beginnings

    /// 113 with 1501 at first contact: it is not paired, so that it is found, and it takes no credentials.
    @Test func oneThatIsOnboardedAndOnlineIsFoundAndTakesNothing() throws {
        var rig = CameraRig(.onboardedOnline)
        #expect(
            rig.camera.status
                == CameraStatus(notification: .onboarded, onboarding: .onboarded, connectivity: .connectivityUp))
        #expect(rig.camera.isAdvertised)
        #expect(throws: CameraRefusal.online) { try rig.write(CameraRig.good) }
        rig.run(.seconds(60))
        #expect(rig.values.isEmpty)
    }

    /// 109, then 111: "get ready for onboard".
    @Test func oneThatIsNotReadySaysWhenItIs() throws {
        var rig = CameraRig(.preparing)
        #expect(rig.camera.status.onboarding == .notReady)
        #expect(throws: CameraRefusal.notReady) { try rig.write(CameraRig.good) }
        rig.run(.milliseconds(2999))
        #expect(rig.values.isEmpty)
        rig.run(.seconds(1))
        Self.expect(rig, [(3000, CameraRig.value("6f000000 6f000000 e1050000", "1 get ready for onboarding\n"))])
        try rig.write(CameraRig.good)
        rig.run(.seconds(10))
        #expect(rig.notifications.last == 1307)
    }

    /// With kept credentials that are wrong now: 109, then 111, if it is set so.
    @Test func keptCredentialsThatFailAreAskedForAgain() throws {
        var settings = CameraSettings()
        settings.waitsAfterFailedStart = true
        var reader = CameraCredentialsReader()
        let octets = Array("Gone\ncorrect horse\nann\nt0k3n\n".utf8)
        let kept = try #require(try reader.append(octets.span)).0
        var rig = CameraRig(.kept(kept), settings: settings)
        #expect(rig.camera.status.onboarding == .notReady)
        rig.run(.seconds(60))
        Self.expect(
            rig,
            [(350, CameraRig.value("6f000000 6f000000 e1050000", "1 get ready for onboarding: no such network\n"))])
        try rig.write(CameraRig.good)
        rig.run(.seconds(10))
        #expect(rig.notifications.last == 1307)
    }

    /// An empty SSID is for the mobile network: no Wi-Fi is joined.
    @Test func aCameraWithASIMNeedsNoNetwork() throws {
        var settings = CameraSettings()
        settings.hasSIM = true
        var rig = CameraRig(simulation: WiFiSimulation(), settings: settings)
        try rig.write("\n\nann\nt0k3n\n")
        rig.run(.seconds(10))
        #expect(rig.notifications == [201, 301, 121, 123, 302, 501, 502, 113, 1307])
        #expect(try rig.station.status().state == .disconnected)
        // At its next start it is online at once.
        let again = CameraRig(.kept(try #require(rig.camera.kept)), simulation: WiFiSimulation(), settings: settings)
        #expect(again.camera.status.connectivity == .connectivityUp)
        settings.connectivityScript = .init(failure: .timeout)
        var offline = CameraRig(simulation: WiFiSimulation(), settings: settings)
        try offline.write("\n\nann\nt0k3n\n")
        offline.run(.seconds(10))
        #expect(offline.notifications == [201, 301, 121, 123, 303])
        // Without a SIM it is not readable.
        var other = CameraRig()
        try other.write("\n\nann\nt0k3n\n")
        #expect(other.notifications == [203])
    }
}
