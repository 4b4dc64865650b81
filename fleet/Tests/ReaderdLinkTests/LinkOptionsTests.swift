// SPDX-License-Identifier: Apache-2.0

import Logging
import MQTT
import System
import Testing

@testable import readerd_link

/// The command line.
struct LinkOptionsTests {
    static let files = ["--ca", "ca.pem", "--certificate", "reader.pem", "--key", "key.pem"]

    @Test
    func commands() throws {
        #expect(try LinkOptions(["--help"]) == .help)
        #expect(try LinkOptions(["run", "-h"]) == .help)
        let identity = Broker.TLS(authorities: "ca.pem", certificate: "reader.pem", key: "key.pem")
        #expect(
            try LinkOptions(["run", "--broker", "mqtt.example"] + LinkOptionsTests.files)
                == .run(LinkOptions.Run(broker: Broker("mqtt.example", tls: identity))))
        var run = LinkOptions.Run(broker: try Broker("192.0.2.1:1884", tls: nil))
        (run.reader, run.spreadSeconds, run.tellsHomeAssistant, run.logLevel) = ("/r", 60, true, .debug)
        run.broker.keepaliveSeconds = 5
        #expect(
            try LinkOptions([
                "run", "--broker", "192.0.2.1:1884", "--plain", "--reader", "/r", "--spread", "60", "--home-assistant",
                "--log-level", "debug", "--keepalive", "5",
            ]) == .run(run))
    }

    @Test
    func aDeviceIsNamedByItsIDOrItsDigits() throws {
        let files = EnrolmentFiles(device: "7761307931597753", key: "k", request: "r")
        for device in ["wa0y1YwS", "7761307931597753"] {
            #expect(try LinkOptions(["enrol", "--device", device, "--key", "k", "--csr", "r"]) == .enrol(files))
        }
    }

    @Test(arguments: [
        [], ["walk"], ["run"], ["run", "--broker"], ["run", "--broker", "mqtt.example"],
        ["run", "--broker", "mqtt.example", "--plain", "--ca", "ca.pem"],
        ["run", "--broker", "mqtt.example", "--plain", "--keepalive", "4"],
        ["run", "--broker", "mqtt.example", "--plain", "--keepalive", "3601"],
        ["run", "--broker", "mqtt.example", "--plain", "now"], ["enrol"],
        ["enrol", "--device", "wa0y1YwS", "--key", "k"],
        ["enrol", "--device", "wa0y1Yw", "--key", "k", "--csr", "r"],
    ])
    func wrongUseEndsWithTwo(arguments: [String]) {
        let error = #expect(throws: ProgramFailure.self) { try LinkOptions(arguments) }
        #expect(error?.exitCode == 2)
    }

    @Test
    func theHelpFitsATerminalOf120Columns() {
        for line in LinkOptions.helpText.split(separator: "\n") { #expect(line.count <= 120) }
    }
}
