// SPDX-License-Identifier: Apache-2.0

import Configuration
import TestSupport
import Logging
import Peripheral
import Testing

@testable import readerd

@Suite struct PacketCaptureTests {
    @Test func keepsPacketsInOrder() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/c.btsnoop"
        let capture = try PacketCapture(path: path, log: Logger(label: "test"))
        let command: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
        let event: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]
        capture.record(command.span, .sent)
        capture.record(event.span, .received)
        capture.flush()
        let octets = try directory.octets(of: "c.btsnoop")
        #expect(octets.count == 16 + 24 + 4 + 24 + 7)
        #expect(Array(octets[40..<44]) == command)
        #expect(Array(octets[68...]) == event)
    }

    /// A link's key goes to the controller in clear, and so does a passphrase that a phone hands over.
    @Test func withProvisioningItIsRefusedUnlessItIsMeant() throws {
        let configuration = "[provisioning]\nwifi = \"wpa-supplicant:/run/wpa\"\n"
        let settings = SettingsFile.decode(Array(configuration.utf8).span).settings
        var options = RunOptions()
        #expect(try !PacketCapture.hasSecrets(options, settings))
        options.capture = "c.btsnoop"
        let error = #expect(throws: ReaderdError.self) { try PacketCapture.hasSecrets(options, settings) }
        #expect(error?.exitCode == 2 && error?.description.hasSuffix("permit them with --btsnoop-with-secrets") == true)
        #expect(try !PacketCapture.hasSecrets(options, ReaderSettings()))
        options.capturesSecrets = true
        #expect(try PacketCapture.hasSecrets(options, settings))
        #expect(try Command(["run", "--btsnoop=c.btsnoop", "--btsnoop-with-secrets"]) == .run(options))
        #expect(throws: ReaderdError.usage("--btsnoop-with-secrets needs --btsnoop")) {
            try Command(["run", "--btsnoop-with-secrets"])
        }
    }

    @Test func thatThereIsNoFileIsSaidInOneLine() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/none/c.btsnoop"
        let error = #expect(throws: ReaderdError.self) {
            try PacketCapture(path: path, log: Logger(label: "test"))
        }
        #expect(
            error
                == .failed(
                    "--btsnoop: \(path): cannot open it: No such file or directory; use an existing directory"))
    }
}
