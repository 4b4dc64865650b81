// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Devices
import Emulation
import NordicProvisioning
import Peripheral
import Protobuf
import WiFi
import WiFiStation
import TestSupport
import Testing

import Commands
@testable import Console
@testable import DevicePrograms
@testable import readerlab

/// `readerlab emulate nordic-wifi`: its options, its lines, and the location of its networks.
@Suite struct EmulateNordicCommandTests {
    private func parse(_ options: String...) throws -> EmulateNordicCommand {
        try EmulateNordicCommand.parse(["--hci", "hci-socket:0"] + options)
    }

    @Test func optionsBecomeSettings() throws {
        #expect(try parse().chip.settings() == NordicSettings(profile: .exact))
        #expect(try parse("--profile", "nordic-exact").chip.settings().profile == .exact)
        #expect(try parse("--profile", "gateway").chip.settings().profile == .gateway)
        #expect(try parse("--name", "Attic").chip.settings().name == "Attic")
        #expect(try parse("--ios-flags").chip.settings().repeatsFlags)
        #expect(try parse("--protocol-version", "1").chip.settings().version == 1)
        #expect(try parse("--links", "1").options.links == 1)
        #expect(try parse("--profile", "gateway", "--links", "3").options.links == 3)
    }

    @Test(arguments: [
        ["--hci", "virtual"], ["--hci", "hci0"], ["--hci", "hci-socket:0", "--profile", "helpful"],
        ["--hci", "hci-socket:0", "--name", ""], ["--hci", "hci-socket:0", "--address", "00:11:22:33:44:55"],
        ["--hci", "hci-socket:0", "--name", String(repeating: "n", count: 249)], [],
        ["--hci", "hci-socket:0", "--links", "3"], ["--hci", "hci-socket:0", "--profile", "gateway", "--links", "65"],
        ["--hci", "hci-socket:0", "--protocol-version", "3"], ["--hci", "hci-socket:0", "--service", "14387800"],
        ["--hci", "hci-socket:0", "--data-out", "14387800-130C-49E7-B877-2881C89CB258"],
    ])
    func wrongUse(arguments: [String]) {
        #expect(throws: (any Error).self) { try EmulateNordicCommand.parse(arguments) }
    }

    /// A product's own service: its characteristics follow it as Nordic's do, or have UUIDs of their own.
    @Test func ownUUIDs() throws {
        let service = "00000000-0000-4000-8000-00000000ABCD"
        var expected = NordicUUIDs(service: try #require(BluetoothUUID(service)))
        #expect(try parse("--service", service).chip.settings().uuids == expected)
        #expect("\(expected.dataOut)" == "00000003-0000-4000-8000-00000000ABCD")
        expected.dataOut = BluetoothUUID(0xFFF3)
        let options = ["--service", service, "--data-out", "FFF3"]
        #expect(try EmulateNordicCommand.parse(["--hci", "hci-socket:0"] + options).chip.settings().uuids == expected)
    }

    /// A capture is readable by its owner, and has more in it than its owner may want to show.
    @Test func aCaptureIsWarnedOf() {
        let warning = EmulationRun.captureWarning("/tmp/x.btsnoop")
        #expect(warning.hasPrefix("readerlab: /tmp/x.btsnoop") && warning.contains("passphrases"))
    }

    @Test func withoutAFileThereAreTwoNetworks() {
        #expect(NordicWorld.usual.accessPoints.map(\.name) == [WiFiName("Home"), WiFiName("Guests")])
    }

    // MARK: - The timeline

    @Test func aRequestIsToldWithoutItsPassphrase() throws {
        let request = octets("08045a260a160a064d79576946691206aabbccddeeff180120062803120a6d7970617373776f72641800")
        #expect(EmulatedNordic.step(request) == ("set-config", #"network "MyWiFi""#))
        #expect(EmulatedNordic.step([0x08, 0x01]) == ("get-status", ""))
        #expect(EmulatedNordic.step([0x08, 0x06]) == ("other-request", "operation 6"))
        #expect(EmulatedNordic.step([]) == ("other-request", "no operation"))
        #expect(EmulatedNordic.step([0xFF]) == ("other-request", "what is no request"))
    }

    /// The session reports what is visible to the app; every other event has a sentence.
    @Test func whatTheAppDoesNotSeeHasASentence() throws {
        let name = try #require(WiFiName("Home"))
        let notices: [NordicNotice] = [
            .joining(name, .rollBack), .joined(name, nil), .joinFailed(name, .timeout), .lost,
            .stored(name, isVolatile: true), .notStored(name), .forgotten, .recordLeftOut(name),
        ]
        let sentences = notices.compactMap(EmulatedNordic.words)
        #expect(Set(sentences).count == notices.count)
        #expect(EmulatedNordic.words(.joining(name, .rollBack)) == #"Wi-Fi: tries "Home" (roll-back)"#)
        #expect(EmulatedNordic.words(.informationRead(LinkID(slot: 0, generation: 7))) == nil)
    }

    /// Every step of the device can be named in a fault rule.
    @Test func everyStepHasAName() throws {
        let unit = try parse().chip.unit(0, of: 1)
        let names = unit.steps.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.contains("set-config") && names.contains("connection-failed") && names.contains("connect"))
    }

    // MARK: - The state

    private static func network(_ name: String) throws -> WiFiJoin {
        WiFiJoin(
            name: try #require(WiFiName(name)), security: .wpa2PSK, passphrase: WiFiPassphrase(Array("mypassword".utf8))
        )
    }

    @Test func theStateIsTheOwnersOnly() throws {
        let directory = try TemporaryDirectory()
        let file = try NordicStateFile(directory: directory.path + "/state")
        #expect(directory.mode(of: "state") == 0o700)
        var networks = StoredNetworks(capacity: 8, whenFull: .replaceOldest)
        try file.load(into: &networks)
        #expect(networks.isEmpty)
        networks.store(try Self.network("Home"))
        try file.save(networks)
        #expect(directory.mode(of: "state/nordic-wifi.json") == 0o600)
        var again = StoredNetworks(capacity: 8, whenFull: .replaceOldest)
        try NordicStateFile(directory: directory.path + "/state").load(into: &again)
        #expect(again == networks)
    }

    @Test func aStateWithAFaultIsToldAndKept() throws {
        let directory = try TemporaryDirectory()
        try directory.write("nordic-wifi.json", #"{"networks": 5}"#, mode: 0o600)
        let file = try NordicStateFile(directory: directory.path)
        var networks = StoredNetworks(capacity: 8, whenFull: .replaceOldest)
        let error = try #require(throws: CommandError.self) { try file.load(into: &networks) }
        #expect(error.code == 2)
        #expect(error.text.contains("nordic-wifi.json:1: networks:"), "\(error.text)")
        #expect(directory.size(of: "nordic-wifi.json") == 15)
    }

    @Test func aDirectoryThatCannotBe() throws {
        #expect(throws: CommandError.self) { try NordicStateFile(directory: "/proc/nowhere/state") }
        let directory = try TemporaryDirectory()
        let file = try NordicStateFile(directory: directory.path + "/state")
        TemporaryDirectory.remove(directory.path + "/state")
        #expect(throws: CommandError.self) { try file.save(StoredNetworks(capacity: 1, whenFull: .refuse)) }
    }
}
