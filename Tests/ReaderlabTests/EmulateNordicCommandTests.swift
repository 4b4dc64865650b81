import ArgumentParser
import Peripheral
import Protobuf
import Provisioning
import TestSupport
import Testing

@testable import readerlab

/// `readerlab emulate nordic-wifi`: its options, its lines, and where it keeps its networks.
@Suite struct EmulateNordicCommandTests {
    private func parse(_ options: String...) throws -> EmulateNordicCommand {
        try EmulateNordicCommand.parse(["--hci", "hci-socket:0"] + options)
    }

    @Test func optionsBecomeSettings() throws {
        #expect(try parse().settings == NordicSettings(profile: .exact))
        #expect(try parse("--profile", "nordic-exact").settings.profile == .exact)
        #expect(try parse("--profile", "gateway").settings.profile == .gateway)
        #expect(try parse("--name", "Attic").settings.name == "Attic")
        #expect(try parse("--ios-flags").settings.repeatsFlags)
    }

    @Test(arguments: [
        ["--hci", "virtual"], ["--hci", "hci0"], ["--hci", "hci-socket:0", "--profile", "helpful"],
        ["--hci", "hci-socket:0", "--name", ""], ["--hci", "hci-socket:0", "--address", "00:11:22:33:44:55"],
        ["--hci", "hci-socket:0", "--name", String(repeating: "n", count: 249)], [],
    ])
    func wrongUse(arguments: [String]) {
        #expect(throws: (any Error).self) { try EmulateNordicCommand.parse(arguments) }
    }

    @Test func withoutAFileThereAreTwoNetworks() {
        #expect(NordicWorld.usual.accessPoints.map(\.name) == [WiFiName("Home"), WiFiName("Guests")])
    }

    // MARK: - Lines

    private static let link = LinkID(slot: 0, generation: 7)

    @Test func aRequestIsToldWithoutItsPassphrase() throws {
        let request = octets("08045a260a160a064d79576946691206aabbccddeeff180120062803120a6d7970617373776f72641800")
        let line = NordicLine(.requested(Self.link, try NordicRequest(decoding: request.span)))
        #expect(line.sentence == #"link 7: wrote SET_CONFIG for "MyWiFi""#)
        #expect(line.operation == 4)
        #expect(!"\(line)".contains("mypassword") && !"\(line)".contains("6d7970"))
    }

    @Test func whatIsSentIsToldWithItsStep() throws {
        let message = NordicMessage(
            step: .connectionFailed, characteristic: .dataOut, link: Self.link, octets: [0x10, 0x05])
        #expect(NordicLine(.sent(message)).sentence == "link 7: was sent connection-failed: 1005")
        let told = NordicLine(.notSent(message, .tooLong(limit: 20))).sentence
        #expect(told.hasPrefix("link 7: was not sent connection-failed (1005): longer than the 20 octets"))
    }

    /// Every notice has a sentence of its own.
    @Test func noSentenceIsTheNameOfItsEvent() throws {
        let name = try #require(WiFiName("Home"))
        let message = NordicMessage(step: .status, characteristic: .controlPoint, link: Self.link, octets: [])
        let notices: [NordicNotice] = [
            .informationRead(Self.link), .requested(Self.link, NordicRequest()),
            .undecodable(Self.link, .truncated(offset: 0), count: 1), .subscribed(Self.link, .dataOut, .notification),
            .subscribed(Self.link, .dataOut, []), .confirmed(Self.link), .sent(message), .notSent(message, .gone),
            .notSent(message, .notConfirmed), .notSent(message, .notSubscribed), .joining(name, .rollBack),
            .joined(name, nil), .joinFailed(name, .timeout), .lost, .stored(name, isVolatile: true), .notStored(name),
            .forgotten, .recordLeftOut(name),
        ]
        for notice in notices {
            let line = NordicLine(notice)
            #expect(line.sentence != line.event && line.sentence.contains(" "), "\(notice)")
        }
        let events: [HostEvent] = [
            .disconnected(Self.link, reason: .remoteUserTerminated), .mtuExchanged(Self.link, 147),
            .securityChanged(Self.link, LinkSecurityLevel()), .paired(Self.link, notKept: nil),
            .pairingFailed(Self.link, .timedOut), .controllerFailed(.transportLost),
        ]
        for event in events {
            let line = try #require(NordicLine(event))
            #expect(line.sentence != line.event && line.sentence.contains(" "), "\(event)")
        }
        #expect(NordicLine(.writable(Self.link)) == nil)
    }

    // MARK: - The state

    private static func network(_ name: String) throws -> StoredNetwork {
        StoredNetwork(
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
        let error = try #require(throws: EmulationError.self) { try file.load(into: &networks) }
        #expect(error.code == 2)
        #expect(error.text.contains("nordic-wifi.json:1: networks:"), "\(error.text)")
        #expect(directory.size(of: "nordic-wifi.json") == 15)
    }

    @Test func aDirectoryThatCannotBe() throws {
        #expect(throws: EmulationError.self) { try NordicStateFile(directory: "/proc/nowhere/state") }
        let directory = try TemporaryDirectory()
        let file = try NordicStateFile(directory: directory.path + "/state")
        TemporaryDirectory.remove(directory.path + "/state")
        #expect(throws: EmulationError.self) { try file.save(StoredNetworks(capacity: 1, whenFull: .refuse)) }
    }
}
