// SPDX-License-Identifier: Apache-2.0

import Crypto
import Devices
import Glibc
import TestSupport
import Testing

import Commands
@testable import Console
@testable import DevicePrograms

@Suite struct MatterStateFilesTests {
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
