// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import ActionCamera
    import ArgumentParser
    import NetworkDevices
    import Testing
    import WiFi

    @testable import readerlab

    /// The options of `readerlab emulate bandit`.
    @Suite struct EmulateBanditCommandTests {
        @Test func isTheCameraAtItsAddressWithoutOptions() throws {
            let (options, expected) = (try EmulateBanditCommand.parse([]).configured(), BanditProgram.Options())
            #expect(options.choices.serialNumber == expected.choices.serialNumber)
            #expect(options.choices.backchannelPort == expected.choices.backchannelPort)
            #expect(options.address == expected.address && options.port == expected.port)
            #expect(options.card == nil && !options.hasEmptyCard && !options.hasPictures && !options.keepsEntries)
        }

        @Test func theProgramHasItsOptions() throws {
            let options = try EmulateBanditCommand.parse([
                "--listen", "127.0.0.1:8080", "--backchannel-port", "4101", "--card", "c", "--serial", "S", "--ssid",
                "N", "--split", "5", "--one-stream", "--natural-wrap", "--keep-sending", "--scenario", "s", "--seed",
                "7", "--pictures", "--transcript", "t",
            ]).configured()
            #expect(options.address == IPv4Address(127, 0, 0, 1) && options.port == 8080 && options.card == "c")
            #expect(options.choices.backchannelPort == 4101 && options.choices.serialNumber == "S")
            #expect(options.choices.ssid == "N" && options.choices.splitSeconds == 5)
            #expect(options.choices.viewfinderWithPreviewStatus == 409)
            #expect(options.wrapsNumbers && options.keepsSending && options.scenario == "s" && options.seed == 7)
            #expect(options.hasPictures && options.keepsEntries)
        }

        @Test(arguments: [
            ["--listen", "host:80"], ["--backchannel-port", "0"], ["--split", "0"], ["--conflict-status", "199"],
            ["--preview-pace", "1001"], ["--serial", ""], ["--ssid", ""], ["--card", "c", "--empty-card"],
        ]) func otherOptionsAreRefused(_ options: [String]) {
            #expect(throws: (any Error).self) { try EmulateBanditCommand.parse(options) }
        }
    }
#endif
