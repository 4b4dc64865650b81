// SPDX-License-Identifier: Apache-2.0

import AirRig
import Devices
import Emulation
import Testing
import Timekeeping

@testable import DevicePrograms

/// The findings of an emulated camera, each with the nearest behaviour that is none of the app's.
@Suite struct CameraFindingTests {
    private typealias Rig = EmulatedCameraRig

    @Test func aGoodAppHasNoFindings() throws {
        let rig = try Rig()
        try rig.write(Rig.good, rig.app())
        rig.run(.seconds(100))
        #expect(rig.sent.map(\.step).contains("onboarded") && rig.found == [])
    }

    /// The camera closes in its own time, and a fault keeps its values back: they go before the link.
    @Test(arguments: ["wifi-succeeded", "onboarded"])
    func aDelayedValueIsNotLostWithTheLink(_ step: String) throws {
        let rig = try Rig()
        let app = try rig.app()
        _ = rig.type("fault delay \(step) 60000")
        try rig.write(Rig.good, app)
        rig.run(.seconds(100))
        let last = try #require(rig.sent.last)
        let end = rig.session.timeline.entries.first { if case .disconnected = $0.event { true } else { false } }
        #expect(rig.sent.map(\.step).contains(step) && last.at > 60_000)
        #expect(try #require(end).at.wholeMilliseconds >= last.at + 100)
    }

    /// Two apps at once: the one that only looks on is not to blame for what the other does.
    @Test func anAppThatLooksOnIsNotFound() throws {
        let rig = try Rig()
        _ = try rig.app(subscribes: false)
        let other = try rig.app()
        _ = try rig.app()
        try rig.write("Home\nwrong\nann\nt0k3n\n", other)
        rig.run(.seconds(40))
        #expect(rig.sent.map(\.step).contains("wifi-failed"))
        // Its own links alone: the failure was told to the third app too.
        #expect(rig.found == ["ignored-failure 2"])
    }

    /// Credentials of another app came first, so shortly before that the state cannot be known.
    @Test func aRaceBetweenAppsIsNotFound() throws {
        let rig = try Rig()
        let (first, second) = try (rig.app(), rig.app())
        try rig.write(Rig.good, first)
        try rig.write(Rig.good, second)
        #expect(rig.found == [])
        // It has been told since.
        let late = try Rig(networks: #"{"networks": [{"ssid": "Home"}], "steps": {"address": {"delay-ms": 5000}}}"#)
        let (owner, intruder) = try (late.app(), late.app())
        try late.write(Rig.good, owner)
        late.run(.seconds(2))
        try late.write(Rig.good, intruder)
        #expect(late.found == ["wrote-while-busy 2"])
    }

    @Test func anAppThatWritesTwiceIsFound() throws {
        let rig = try Rig()
        let app = try rig.app()
        try rig.write(Rig.good, app)
        try rig.write(Rig.good, app)
        #expect(rig.found == ["wrote-while-busy 1"])
    }

    /// The camera takes longer than a minute: the app waits.
    @Test func aCameraThatTakesItsTimeIsWaitedFor() throws {
        let rig = try Rig(networks: #"{"networks": [{"ssid": "Home"}], "steps": {"address": {"delay-ms": 200000}}}"#)
        try rig.write(Rig.good, rig.app())
        rig.run(.seconds(150))
        #expect(rig.sent.last?.step == "wifi-in-progress" && rig.found == [])
    }

    @Test func onlyTextThatIsLostIsFound() throws {
        let cut = try Rig()
        try cut.write(Rig.good, cut.app(hasMTU: false), isSmall: true)
        cut.run(.seconds(10))
        #expect(cut.found == ["small-mtu 1"])
        // In further values, or typed.
        let split = try Rig { $0.overflow = .split }
        try split.write(Rig.good, split.app(hasMTU: false), isSmall: true)
        split.run(.seconds(10))
        #expect(split.found == [])
        let typed = try Rig()
        typed.session.mtu = 23
        try typed.write(Rig.good, typed.app())
        typed.run(.seconds(10))
        #expect(typed.found == [])
    }

    @Test func linesThatEndWithCRLFAreFound() throws {
        for text in [Rig.good, "SSID=Home\nPASS=correct horse\nUID=ann\nKEY=t0k3n"] {
            let rig = try Rig()
            try rig.write(text.replacing("\n", with: "\r\n"), rig.app())
            rig.run(.seconds(1))
            #expect(
                rig.sentences("carriage-returns") == [
                    "ended its lines with CR LF: the CR belongs to the name, the passphrase and the user; "
                        + "end them with LF alone"
                ])
        }
        // A passphrase may end with anything.
        let rig = try Rig()
        try rig.write("Home\ncorrect horse\r\nann\nt0k3n\n", rig.app())
        rig.run(.seconds(1))
        #expect(rig.sentences("carriage-returns") == [])
    }

    @Test func aPauseInCredentialsIsTold() throws {
        let rig = try Rig()
        try rig.write("Home\ncorrect", rig.app())
        rig.run(.seconds(1))
        #expect(
            rig.sentences("unreadable-credentials").first?.hasPrefix(
                "wrote credentials that cannot be read, 2 of 4 lines, and no more for 500 ms:") == true)
    }

    /// An app that has left before its values came has lost nothing that it missed.
    @Test func anAppWithoutASubscriptionIsFoundByWhatItLoses() throws {
        let rig = try Rig()
        let app = try rig.app(subscribes: false)
        try rig.write(Rig.good, app)
        #expect(rig.found == ["not-subscribed 1"])
        _ = try rig.send([0x12, 0x13, 0x00, 0x01, 0x00], app)
        #expect(rig.found == ["not-subscribed 1", "subscribed-late 1"])
    }
}
