// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Peripheral
import TestSupport
import Testing

@testable import readerd

/// The process that takes the adapter: it decides by its configuration, whatever the reader asks for.
@Suite struct AdapterCommandTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// The answer to a line of the reader.
    private func answer(_ configuration: String, to line: String) throws -> AdapterReply? {
        try directory.write("readerd.toml", Array(configuration.utf8), mode: 0o600)
        var pair: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &pair) == 0)
        defer { for end in pair { readerd_close(end) } }
        let octets = Array(line.utf8)
        try #require(readerd_write(pair[0], octets, octets.count) == octets.count)
        shutdown(pair[0], CInt(SHUT_WR))
        let command = AdapterCommand(configuration: directory.path + "/readerd.toml")
        #expect(throws: ReaderdError.self) { try command.answer(pair[1]) }
        var reply = [UInt8](repeating: 0, count: AdapterReply.maximumCount)
        var passed: CInt = -1
        let count = readerd_receive_passed(pair[0], &reply, reply.count, &passed)
        #expect(passed == -1)
        return AdapterReply(Array(reply.prefix(Int(max(count, 0)))))
    }

    @Test func theConfiguredAdapterAlone() throws {
        let configuration = "hci = \"hci-socket:60000\"\nhci-take = true\n"
        let absent: [AdapterReply] = [.failed(.noBluetooth), .failed(.noSuchAdapter), .failed(.notPermitted)]
        let own = try answer(configuration, to: "60000\n")
        #expect(own.map { absent.contains($0) } == true)
        for line in ["0\n", "00:1A:7D:DA:71:13\n", "60000", "", "\n", String(repeating: "6", count: 100) + "\n"] {
            #expect(try answer(configuration, to: line) == .failed(.adapterIsNotConfigured), "\(line)")
        }
    }

    @Test(arguments: ["hci = \"serial:/dev/ttyS1,115200\"\n", "hci = \"nothing\"\n", "[doors]\n", "not TOML"])
    func noneIsConfigured(_ configuration: String) throws {
        #expect(try answer(configuration, to: "0\n") == .failed(.adapterIsNotConfigured))
    }

    @Test func isStartedByASocketOnly() throws {
        let terminal = open("/dev/null", O_RDONLY)
        defer { readerd_close(terminal) }
        let error = #expect(throws: ReaderdError.self) { try AdapterCommand().perform(at: terminal) }
        #expect(error.map { "\($0)".contains("it is started by readerd-adapter.socket") } == true)
    }
}
