// SPDX-License-Identifier: Apache-2.0

import WiFi

import WiFiStation
import NordicProvisioning

#if NetworkDevices
    import ArgumentParser
    import DevicePrograms
    import Devices
    import NetworkDevices
    import WiFi
    import WiFiStation
    import Testing

    @testable import readerlab

    /// The options of `readerlab emulate nordic-softap`.
    @Suite struct EmulateSoftAPCommandTests {
        private static func command(_ words: String...) throws -> EmulateSoftAPCommand {
            let parsed = try Readerlab.parseAsRoot(["emulate", "nordic-softap"] + words)
            return try #require(parsed as? EmulateSoftAPCommand)
        }

        private static func complaint(_ words: String...) -> String? {
            Readerlab.complaint(["emulate", "nordic-softap"] + words)
        }

        @Test func isTheFirmwareAtItsAddressWithoutOptions() throws {
            let command = try Self.command()
            let (ip, port) = try command.address()
            #expect(ip == IPv4Address(192, 168, 0, 1) && port == 443)
            #expect(command.profile.profile == .exact)
            #expect(try command.faults().isEmpty)
            let (options, expected) = (try command.configured(), SoftAPProgram.Options())
            #expect(options.address == expected.address && options.port == expected.port)
            #expect(options.profile == expected.profile && options.isAnnounced && options.certificate == nil)
        }

        @Test func theProgramHasItsOptions() throws {
            let options = try Self.command(
                "--wifi-sim", "w", "--interface", "i", "--home-interface", "h", "--no-mdns", "--certificate", "c",
                "--key", "k", "--state", "d", "--scenario", "s", "--fault", "networks:close"
            ).configured()
            #expect(options.simulation == "w" && options.interface == "i" && options.homeInterface == "h")
            #expect(!options.isAnnounced && options.certificate?.path == "c" && options.certificate?.key == "k")
            #expect(options.stateDirectory == "d" && options.scenario == "s" && options.faults.count == 1)
        }

        @Test func takesWhatIsGiven() throws {
            let command = try Self.command(
                "--listen", "127.0.0.1:8443", "--profile", "gateway", "--fault", "configure:status=503*1", "--fault",
                "networks:close")
            let (ip, port) = try command.address()
            #expect(ip == IPv4Address(127, 0, 0, 1) && port == 8443)
            #expect(command.profile.profile == .gateway)
            #expect(
                try command.faults() == [
                    SoftAPFault(.configure, .status(503), times: 1), SoftAPFault(.networks, .close),
                ])
        }

        @Test(arguments: [
            "", "1.2.3.4", "1.2.3.4:", "1.2.3.4:0", "1.2.3.4:65536", "host:443", "[::1]:443", "1.2.3:443",
        ])
        func refusesWhatIsNoPlaceToListen(_ text: String) {
            #expect(Self.complaint("--listen", text)?.contains("write an IPv4 address and a port") == true)
        }

        /// A place that the firmware does not have, and a fault behind one that is taken every time.
        @Test func refusesWhatCanNeverHappen() {
            #expect(Self.complaint("--fault", "scan:close")?.contains("take --profile gateway") == true)
            #expect(Self.complaint("--fault", "status:delay=1")?.contains("nordic-exact has no status") == true)
            #expect(Self.complaint("--fault", "scan:close", "--profile", "gateway") == nil)
            let shadowed = ["--fault", "networks:close", "--fault", "configure:lost", "--fault", "networks:cut=1*2"]
            let complaint = Readerlab.complaint(["emulate", "nordic-softap"] + shadowed)
            #expect(complaint?.contains("networks:cut=1 is never reached: networks:close is taken every time") == true)
            #expect(Self.complaint("--fault", "networks:close*2", "--fault", "networks:cut=1") == nil)
        }

        @Test func refusesWhatItDoesNotKnow() {
            #expect(Self.complaint("--fault", "networks:what")?.contains("write PLACE:KIND") == true)
            #expect(Self.complaint("--certificate", "a.pem")?.contains("go together") == true)
            #expect(Self.complaint("--key", "a.pem")?.contains("go together") == true)
            #expect(Self.complaint("--profile", "nordic")?.contains("nordic-exact") == true)
        }
    }

    extension Readerlab {
        fileprivate static func complaint(_ words: [String]) -> String? {
            do {
                _ = try Readerlab.parseAsRoot(words)
                return nil
            } catch {
                return Readerlab.message(for: error)
            }
        }
    }
#endif
