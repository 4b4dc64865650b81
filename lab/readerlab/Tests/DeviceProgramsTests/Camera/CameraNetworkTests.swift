// SPDX-License-Identifier: Apache-2.0

import AirRig
import Devices
import Emulation
import Testing
import Timekeeping

@testable import DevicePrograms

/// The networks that a camera joins, and commands to them.
@Suite struct CameraNetworkTests {
    private typealias Rig = EmulatedCameraRig

    private func onboards(_ network: String, _ credentials: String = Rig.good) throws -> Bool {
        let rig = try Rig(networks: #"{"networks": [{"ssid": "Home", \#(network)}]}"#)
        try rig.write(credentials, rig.app())
        rig.run(.seconds(10))
        return rig.sent.map(\.step).contains("onboarded")
    }

    @Test(arguments: [#""wpa3-psk""#, #""wpa2-psk""#, #"["wpa2-psk", "wpa3-psk"]"#])
    func hiddenAndTransitionNetworksAreJoined(_ security: String) throws {
        for isHidden in [true, false] {
            #expect(
                try onboards(#""security": \#(security), "hidden": \#(isHidden), "passphrase": "correct horse""#))
        }
        #expect(try !onboards(#""security": \#(security), "hidden": true, "passphrase": "another one""#))
    }

    /// The key of "password" in the network Home (IEEE 802.11-2020, J.4.1), computed by Python's hashlib.
    @Test func aKeyIsAPassphrase() throws {
        let key = "e73550102e12a3328959f66713ca8d1e393643502666bdf6d416db71750f6f6a"
        let credentials = "Home\n\(key)\nann\nt0k3n\n"
        #expect(try onboards(#""security": "wpa2-psk", "passphrase": "password""#, credentials))
        #expect(try !onboards(#""security": "wpa3-psk", "passphrase": "password""#, credentials))
        #expect(try !onboards(#""security": "wpa2-psk", "passphrase": "passw0rd""#, credentials))
    }

    /// One of two access points is taken down; the camera loses the one that it uses.
    @Test func anAccessPointIsTakenDown() throws {
        let rig = try Rig(
            networks: """
                {"networks": [{"ssid": "Home", "bssid": "02:00:00:00:01:01", "rssi": -40},
                              {"ssid": "Home", "bssid": "02:00:00:00:01:02", "rssi": -60}]}
                """)
        try rig.write(Rig.good, rig.app())
        rig.run(.seconds(20))
        let lost = "says to nobody: 113 onboarded, 113 onboarded, 1505 down"
        func isLost() -> Bool { rig.session.timeline.entries.contains { $0.event == .device(lost) } }
        #expect(rig.type("ap 02:00:00:00:01:02 down") == ["access point 02:00:00:00:01:02 is gone"])
        #expect(!isLost())
        #expect(rig.type("ap 02:00:00:00:01:01 down") == ["access point 02:00:00:00:01:01 is gone"])
        #expect(isLost(), "\(rig.session.timeline.entries.suffix(4))")
        #expect(rig.type("ap 02:00:00:00:01:09 up") == ["there is no access point 02:00:00:00:01:09"])
        #expect(rig.type("network Home signal -80") == ["\"Home\" is received with -80 dBm"])
        #expect(
            rig.type("network Home passphrase short") == [
                "there is no network \"Home\" with a passphrase, or the new one does not suit its security"
            ])
    }
}
