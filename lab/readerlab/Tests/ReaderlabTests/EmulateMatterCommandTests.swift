// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DevicePrograms
import Devices
import MatterNode
import MatterTLV
import Peripheral
import Testing

@testable import readerlab

/// The options of `readerlab emulate matter`.
@Suite struct EmulateMatterCommandTests {
    private func parse(_ options: String...) throws -> EmulateMatterCommand { try EmulateMatterCommand.parse(options) }

    @Test func theNetworkFollowsTheRadio() throws {
        #expect(try parse().networkKind == .ethernet)
        #expect(try parse("--hci", "hci-socket:0").networkKind == .wifi)
        #expect(try parse("--hci", "hci-socket:0", "--network", "thread").networkKind == .thread)
    }

    @Test func theLockHasItsOptions() throws {
        let traits = try parse("--latch", "--door-contact", "--relock", "5").product.emulated.traits
        #expect(traits.hasLatch && traits.hasDoorContact && !traits.hasAliro && traits.relockSeconds == 5)
        #expect(!traits.hasPINs)
        #expect(try parse("--aliro").product.emulated.traits.hasAliro)
        #expect(try parse("--pin").product.emulated.traits.hasPINs)
    }

    /// The defaults of the options are the program's.
    @Test func isTheLockWithoutOptions() throws {
        let (options, expected) = (try parse().configured(), MatterProgram.Options())
        #expect(options.product.vendor == expected.product.vendor)
        #expect(options.product.product == expected.product.product)
        #expect(options.product.attestation == expected.product.attestation)
        #expect(options.product.name == "Matter lock" && options.network == .ethernet && options.hci == nil)
    }

    @Test func theProgramHasItsOptions() throws {
        let options = try parse(
            "--device", "light", "--name", "Lamp", "--vendor", "65522", "--product", "0x8002", "--discriminator", "7",
            "--passcode", "20202022", "--attestation", "dac-expired", "--fail-safe", "90", "--battery", "--hci",
            "unix:/c", "--btsnoop", "b", "--wifi-sim", "w", "--interface", "i", "--port", "1", "--state-dir", "d",
            "--qr-svg", "q", "--scenario", "s"
        ).configured()
        #expect(options.product.device == .light && options.product.name == "Lamp" && options.product.hasBattery)
        #expect(options.product.vendor == 0xFFF2 && options.product.product == 0x8002)
        #expect(options.product.discriminator == 7 && options.product.passcode == 20_202_022)
        #expect(options.product.attestation.rawValue == "dac-expired" && options.product.failSafeSeconds == 90)
        #expect(options.network == .wifi && options.hci == .unix(path: "/c") && options.capture == "b")
        #expect(options.simulation == "w" && options.interface == "i" && options.port == 1)
        #expect(options.stateDirectory == "d" && options.drawing == "q" && options.scenario == "s")
    }

    @Test(arguments: [
        ["--network", "wifi"], ["--network", "thread"], ["--btsnoop", "a"], ["--wifi-sim", "a"], ["--device", "fan"],
        ["--discriminator", "4096"], ["--passcode", "0"], ["--passcode", "11111111"], ["--passcode", "99999999"],
        ["--passcode", "12345678"], ["--vendor", "0"], ["--vendor", "0x10000"], ["--product", "x"],
        ["--attestation", "none"], ["--fail-safe", "0"], ["--fail-safe", "901"], ["--device", "light", "--latch"],
        ["--device", "plug", "--aliro"], ["--device", "light", "--pin"],
        ["--name", ""], ["--hci", "nonsense"],
    ])
    func otherOptionsAreRefused(_ options: [String]) {
        #expect(throws: (any Error).self) { try EmulateMatterCommand.parse(options) }
    }
}
