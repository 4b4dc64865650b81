// SPDX-License-Identifier: Apache-2.0

import Reader
import TestSupport
import Testing

@testable import readerd

/// The parts that a running reader tells as missing (docs/operate/wall-reader.md, "The package").
@Suite struct ReaderProcessMissingTests {
    private static let connected =
        "bssid=02:00:00:00:00:00\nfreq=2412\nssid=Home\nid=0\nmode=station\nkey_mgmt=WPA2-PSK\n"
        + "wpa_state=COMPLETED\nip_address=192.168.7.2\naddress=02:00:00:00:01:00\n"
    private static let disconnected = "wpa_state=DISCONNECTED\naddress=02:00:00:00:01:00\n"

    /// The parts once they are as wanted, or after the time-out. Nobody answers at the rig's controller.
    private func missing(
        _ configuration: String, tells: Bool = true, until wanted: MissingParts?
    ) throws -> MissingParts? {
        var trouble = ProcessRig.Trouble()
        trouble.tellsMissing = tells
        let rig = try ProcessRig(configuration: configuration, trouble: trouble)
        nonisolated(unsafe) var found: MissingParts?
        try rig.run { path, rig in
            // Once it answers, the loop has gone round.
            let client = try BlockingClient(path)
            #expect(client.ask(#"{"get":"status"}"#) != nil)
            _ = eventually {
                rig.onLoop { found = rig.process.service(ReaderMissing.self)?.shown }
                return found == wanted
            }
        }
        return found
    }

    @Test func theDemoIdentityAndASimulatedLock() throws {
        #expect(try missing("", until: [.identity, .lock]) == [.identity, .lock])
    }

    @Test func aBenchLacksNoIdentity() throws {
        #expect(try missing("allow-demo-identity = true\n", until: .lock) == .lock)
    }

    /// The lock is the panel's.
    @Test func aBoardWhosePanelDecidesLacksNoLock() throws {
        let panel = "[osdp]\nline = \"/nowhere/tty\"\nmode = "
        #expect(try missing(panel + "\"panel\"\n", until: .identity) == .identity)
        #expect(try missing(panel + "\"report\"\n", until: [.identity, .lock]) == [.identity, .lock])
    }

    @Test func withoutTheOptionNothingIsTold() throws {
        #expect(try missing("", tells: false, until: nil) == nil)
    }

    @Test(arguments: [(status: disconnected, lacks: true), (connected, false)])
    func aGatewayLacksANetworkUntilItIsConnected(status: String, lacks: Bool) throws {
        let directory = try TemporaryDirectory()
        let supplicant = try FakeSupplicant(directory.path + "/wlan0", status: status)
        defer { supplicant.end() }
        let wanted: MissingParts = lacks ? [.identity, .lock, .network] : [.identity, .lock]
        let wifi = "[provisioning]\nwifi = \"wpa-supplicant:\(supplicant.path)\"\n"
        #expect(try missing(wifi, until: wanted) == wanted)
    }

    @Test func aGatewayWithoutASupplicantLacksANetwork() throws {
        let directory = try TemporaryDirectory()
        let wanted: MissingParts = [.identity, .lock, .network]
        let wifi = "[provisioning]\nwifi = \"wpa-supplicant:\(directory.path)/wlan0\"\n"
        #expect(try missing(wifi, until: wanted) == wanted)
    }
}
