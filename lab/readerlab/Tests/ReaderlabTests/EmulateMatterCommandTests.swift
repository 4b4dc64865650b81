// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Crypto
import Devices
import Glibc
import MatterNode
import MulticastDNS
import TestSupport
import Testing

@testable import Console
@testable import DevicePrograms
@testable import readerlab

/// The options, codes, files and services of `readerlab emulate matter`.
@Suite struct EmulateMatterCommandTests {
    private func parse(_ options: String...) throws -> EmulateMatterCommand { try EmulateMatterCommand.parse(options) }

    @Test func theNetworkFollowsTheRadio() throws {
        #expect(try parse().networkKind == .ethernet)
        #expect(try parse("--hci", "hci-socket:0").networkKind == .wifi)
        #expect(try parse("--hci", "hci-socket:0", "--network", "thread").networkKind == .thread)
    }

    @Test func theLockHasItsOptions() throws {
        let traits = try parse("--latch", "--door-contact", "--relock", "5").product.traits
        #expect(traits.hasLatch && traits.hasDoorContact && traits.relockSeconds == 5)
    }

    @Test(arguments: [
        ["--network", "wifi"], ["--network", "thread"], ["--btsnoop", "a"], ["--wifi-sim", "a"], ["--device", "fan"],
        ["--discriminator", "4096"], ["--passcode", "0"], ["--passcode", "11111111"], ["--passcode", "99999999"],
        ["--passcode", "12345678"], ["--vendor", "0"], ["--vendor", "0x10000"], ["--product", "x"],
        ["--attestation", "none"], ["--fail-safe", "0"], ["--fail-safe", "901"], ["--device", "light", "--latch"],
        ["--device", "plug", "--aliro"],
        ["--name", ""], ["--hci", "nonsense"],
    ])
    func otherOptionsAreRefused(_ options: [String]) {
        #expect(throws: (any Error).self) { try EmulateMatterCommand.parse(options) }
    }

    /// The codes of the CHIP project's examples, as found on the network.
    @Test func theCodesAreThoseOfTheOptions() throws {
        let codes = try MatterCodes(try parse("--product", "0x8000"))
        #expect(codes.qr == "MT:Y.K90AFN00KA0648G00")
        #expect(codes.manual == "34970112332")
        #expect(try MatterCodes(try parse("--hci", "hci-socket:0")).qr != MatterCodes(try parse()).qr)
    }

    // MARK: - Files

    @Test func theDirectoryIsMadeAndKept() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/lock"
        var random = SystemRandomSource()
        let first = try MatterStateFiles(directory: path)
        let identity = try first.identity(&random)
        try first.save([1, 2, 3])
        let certificate = try InputFile.octets(first.authorityPath, maximum: 4096, "")
        #expect(certificate == first.authority.certificate)
        let second = try MatterStateFiles(directory: path)
        #expect(try second.identity(&random) == identity)
        #expect(try second.load() == [1, 2, 3])
        #expect(try InputFile.octets(second.authorityPath, maximum: 4096, "") == certificate)
        var status = stat()
        #expect(stat("\(path)/paa-key.pem", &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test func damagedFilesAreNamed() throws {
        let directory = try TemporaryDirectory()
        _ = try MatterStateFiles(directory: directory.path)
        try directory.write("paa-key.pem", "no key")
        #expect(throws: CommandError.self) { try MatterStateFiles(directory: directory.path) }
        #expect(throws: CommandError.self) { try MatterStateFiles(directory: "/proc/nowhere") }
    }
}
