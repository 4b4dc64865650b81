// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing
import Timekeeping

@testable import readerd

/// The reader with a Wi-Fi that phones may provision (docs/operate/gateway.md).
@Suite struct GatewayServiceTests {
    @Test func withoutAWiFiThereIsNothing() throws {
        let rig = try ProcessRig()
        try rig.serve { client, _ in
            #expect(client.ask(#"{"provisioning":300}"#)?.contains(#""refused":"no-provisioning""#) == true)
            #expect(client.ask(#"{"get":"status"}"#)?.contains("provisioning") == false)
        }
    }

    @Test func windowIsOpenedAndClosedByAnOperatorAndOnRecord() throws {
        let directory = try TemporaryDirectory()
        let supplicant = try FakeSupplicant(directory.path + "/wlan0")
        defer { supplicant.end() }
        let rig = try ProcessRig(
            configuration: "[provisioning]\nwifi = \"wpa-supplicant:\(supplicant.path)\"\nwindow-s = 60\n")
        try rig.run { path, rig in
            #expect(
                supplicant.commands(6) == [
                    "ATTACH", "GET_CAPABILITY key_mgmt", "GET_CAPABILITY freq", "LIST_NETWORKS", "SIGNAL_POLL",
                    "STATUS",
                ])
            let client = try BlockingClient(path)
            #expect(client.ask(#"{"provisioning":0}"#)?.contains(#""refused":"window-closed""#) == true)
            #expect(client.ask(#"{"provisioning":120}"#) == #"{"ok":true}"#)
            let open = client.ask(#"{"get":"status"}"#) ?? ""
            let shown = try #require(
                open.firstMatch(
                    of:
                        /"provisioning":\{"open":true,"opened-by":"control","remaining-s":([0-9]+),"wifi":"disconnected"\}/
                ))
            #expect((1...119).contains(try #require(Int(shown.1))))
            #expect(client.ask(#"{"provisioning":0}"#) == #"{"ok":true}"#)
            let closed = client.ask(#"{"get":"status"}"#) ?? ""
            #expect(closed.contains(#""provisioning":{"open":false,"wifi":"disconnected"}"#))
        }
        #expect(rig.lines.all.contains("wifi: the supplicant is connected, and knows 0 networks"))
        #expect(rig.lines.all.contains("provisioning: open for 120 s (an operator)"))
        let events = try rig.events().filter { $0.contains(#""command":"wifi""#) }
        #expect(events.contains { $0.contains(#""detail":"opened, control, 120 s""#) })
        #expect(events.contains { $0.contains(#""detail":"closed, control""#) })
        // The name under which it was answered is gone with it.
        #expect(access(rig.directory.path + "/wifi", F_OK) == -1)
    }

    @Test func firstBootOpensTheWindowWhenTheSupplicantKnowsNothing() throws {
        let directory = try TemporaryDirectory()
        let supplicant = try FakeSupplicant(directory.path + "/wlan0")
        defer { supplicant.end() }
        let rig = try ProcessRig(
            configuration: "[provisioning]\nwifi = \"wpa-supplicant:\(supplicant.path)\"\nfirst-boot = true\n")
        try rig.serve { client, _ in
            var status = ""
            let isOpen = eventually {
                status = client.ask(#"{"get":"status"}"#) ?? ""
                return status.contains(#""opened-by":"first-boot""#)
            }
            #expect(isOpen, "\(status)")
        }
        #expect(rig.lines.all.contains("provisioning: open for 300 s (no network is known)"))
    }

    /// The door does not care.
    @Test func supplicantThatIsNotThere() throws {
        let directory = try TemporaryDirectory()
        let rig = try ProcessRig(
            configuration: "[provisioning]\nwifi = \"wpa-supplicant:\(directory.path)/wlan0\"\nfirst-boot = true\n")
        try rig.serve { client, _ in
            let status = client.ask(#"{"get":"status"}"#) ?? ""
            #expect(status.contains(#""provisioning":{"open":false,"wifi":"no-supplicant"}"#))
            #expect(client.ask(#"{"unlock":"pulse"}"#) == #"{"ok":true}"#)
        }
    }
}
