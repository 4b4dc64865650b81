// SPDX-License-Identifier: Apache-2.0

import Glibc
import Journal
import Logging
import Peripheral
import Reader
import TestSupport
import Testing
import Timekeeping

@testable import readerd

/// `--rssi-trace`.
@Suite struct SignalTraceTests {
    private let directory: TemporaryDirectory
    private let lines = LoggedLines()

    init() throws { directory = try TemporaryDirectory() }

    private var path: String { directory.path + "/trace.csv" }
    private static let peer = BluetoothAddress(kind: .random, value: 0xC010_8BB6_E201)

    private func trace(maximumCount: Int = SignalTrace.maximumCount) throws -> SignalTrace {
        try SignalTrace(
            path: path, maximumCount: maximumCount,
            log: lines.logger())
    }

    private func link(_ number: UInt32) -> LinkID { LinkID(slot: 0, generation: number) }
    private func at(_ milliseconds: Int64) -> Instant { .origin + .seconds(50) + .milliseconds(milliseconds) }

    private func contents() throws -> String {
        let contents = try #require(try FileContents.read(path, maximumCount: 1 << 20))
        return String(decoding: contents.octets, as: UTF8.self)
    }

    @Test func aLinkIsATakeOfItsOwn() throws {
        try directory.write("trace.csv", "of an earlier run")
        let trace = try trace()
        trace.receive(.connected(link(7), .access, peer: Self.peer), at: at(0))
        trace.receive(.measured(link(7), dBm: -57), at: at(30))
        trace.receive(.connected(link(8), nil, peer: Self.peer), at: at(40))
        trace.receive(.traced(link(7), dBm: -58), at: at(60))
        trace.receive(.traced(link(8), dBm: -90), at: at(65))
        // Not while a link is up.
        trace.pause()
        #expect(try contents() == "trace,seconds,distance_m,condition,rssi_dbm\n")
        trace.receive(.disconnected(link(7), reason: 0x13), at: at(70))
        trace.receive(.disconnected(link(8), reason: 0x13), at: at(70))
        trace.receive(.traced(link(8), dBm: -90), at: at(75))
        trace.pause()
        #expect(
            try contents() == """
                trace,seconds,distance_m,condition,rssi_dbm
                7,0.030,,access,-57
                7,0.060,,access,-58
                8,0.025,,unknown,-90

                """)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    /// A full buffer is written although a link is up; a full file ends the trace, once.
    @Test func theFileIsBounded() throws {
        let trace = try trace(maximumCount: 100_000)
        trace.receive(.connected(link(1), .access, peer: Self.peer), at: at(0))
        for number in 0..<10_000 { trace.receive(.traced(link(1), dBm: -100), at: at(Int64(number))) }
        let count = try contents().utf8.count
        #expect((99_900...100_000).contains(count))
        #expect(
            lines.all.split(separator: "\n").count { $0.contains("RSSI trace ended: 100000 octets are the most") } == 1)
    }

    @Test func aFileThatCannotBeMadeIsOneLine() {
        let place = directory.path + "/none/trace.csv"
        #expect(
            throws: ReaderdError.failed(
                "--rssi-trace: \(place): cannot open it: No such file or directory; use an existing directory")
        ) { try SignalTrace(path: place, log: Logger(label: "test")) }
        #expect(throws: Never.self) { try Command(["run", "--rssi-trace", "x.csv"]) }
    }
}
