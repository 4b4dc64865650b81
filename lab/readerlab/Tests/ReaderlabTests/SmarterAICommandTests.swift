// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Emulation
import Peripheral
import Devices
import WiFi
import WiFiStation
import TestSupport
import Testing

import Commands
@testable import Console
@testable import DevicePrograms
@testable import readerlab

/// `readerlab emulate smarter-ai`: its options, and the location of its network.
@Suite struct SmarterAICommandTests {
    private func parse(_ options: String...) throws -> EmulateSmarterAICommand {
        try EmulateSmarterAICommand.parse(["--hci", "hci-socket:0"] + options)
    }

    @Test func optionsBecomeAProfile() throws {
        let usual = try parse().camera.profile()
        #expect(usual.settings == CameraSettings())
        #expect(usual.name.contains("Smarter AI"))
        #expect(usual.write == nil)
        #expect(usual.error(.busy).rawValue == 0xFE)
        #expect(usual.error(.online).rawValue == 0xFC)
        let other = try parse(
            "--service", "FF00", "--characteristic", "FF01", "--write", "FF02", "--layout", "onboarding,notification",
            "--overflow", "leave-out", "--indicate", "--lenient-newline", "--close-after-failure", "--refusal-error",
            "0x80", "--quiet-ms", "100", "--diagnostics-ms", "200", "--closing-ms", "300"
        ).camera.profile()
        #expect(other.service == BluetoothUUID(0xFF00))
        #expect(other.write == BluetoothUUID(0xFF02))
        #expect(other.settings.layout.description == "onboarding:int32le,notification:int32le")
        #expect(other.settings.overflow == .leaveOut)
        #expect(other.isIndicated && !other.settings.demandsNewline && other.settings.closesAfterFailure)
        #expect(other.error(.busy).rawValue == 0x80)
        #expect(other.settings.quietTime == .milliseconds(100))
        #expect(other.settings.diagnosticsTime == .milliseconds(200))
        #expect(other.settings.closingTime == .milliseconds(300))
    }

    @Test(arguments: [
        ["--service", "FF0"], ["--layout", "text"], ["--refusal-error", "0"], ["--refusal-error", "0x100"],
        ["--count", "0"], ["--count", "17"], ["--quiet-ms", "0"], ["--closing-ms", "600001"], ["--name", ""],
        ["--state", "waiting", "--state-dir", "/tmp"], ["--pairing", "maybe"], ["--overflow", "drop"],
        ["--links", "65"], ["--address", "00:11:22:33:44:55"],
    ])
    func wrongUse(arguments: [String]) {
        #expect(throws: (any Error).self) {
            try EmulateSmarterAICommand.parse(["--hci", "hci-socket:0"] + arguments)
        }
    }

    @Test func everyStepHasAName() throws {
        let unit = try parse().camera.unit(1, of: 3)
        #expect(unit.name == "Smarter AI camera 2")
        let names = unit.steps.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.contains("server-closing") && names.contains("credentials") && !names.contains("busy"))
    }

    // MARK: - The state

    private static func credentials() throws -> CameraCredentials {
        var reader = CameraCredentialsReader()
        return try #require(try reader.append(octets("486f6d650a636f727265637420686f7273650a616e6e0a740a").span)).0
    }

    @Test func theNetworkIsKeptForItsOwnerAndTheTokenIsNot() throws {
        let directory = try TemporaryDirectory()
        let file = try CameraFile(directory: directory.path + "/state", number: 1)
        #expect(try file.load() == nil)
        #expect(directory.mode(of: "state") == 0o700)
        #expect(file.save(try Self.credentials()) == nil)
        #expect(directory.mode(of: "state/camera-2.credentials") == 0o600)
        let kept = try #require(try CameraFile(directory: directory.path + "/state", number: 1).load())
        #expect(kept.name == WiFiName("Home"))
        #expect(kept.passphrase == WiFiPassphrase(Array("correct horse".utf8)))
        #expect(kept.token == PairingToken(Array("redeemed".utf8)))
    }

    @Test func aFileThatOthersMayReadOrThatIsNoneIsRefused() throws {
        let directory = try TemporaryDirectory()
        let file = try CameraFile(directory: directory.path, number: 0)
        try directory.write("camera-1.credentials", "SSID=Home\nPASS=p\nUID=u\nKEY=k\n", mode: 0o644)
        var error = try #require(throws: CommandError.self) { try file.load() }
        #expect(error.text.contains("chmod 600") && !error.text.contains("PASS"))
        TemporaryDirectory.remove(directory.path + "/camera-1.credentials")
        try directory.write("camera-1.credentials", "SSID=Home\n", mode: 0o600)
        error = try #require(throws: CommandError.self) { try file.load() }
        #expect(error.text.contains("1 of 4 lines"))
        TemporaryDirectory.remove(directory.path + "/camera-1.credentials")
    }
}
