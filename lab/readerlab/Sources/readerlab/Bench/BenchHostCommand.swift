// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LabRuns
import LoadGenerator

/// `readerlab bench host`.
struct BenchHostCommand: BenchLoadCommand {
    static let configuration = CommandConfiguration(
        commandName: "host",
        abstract: "Load a BLE host, ours or another's: this is the controller, with phones behind it.",
        discussion: """
            COMMAND is started with {hci} replaced by the transport's name, unix:PATH or tcp-client:127.0.0.1:PORT. It \
            speaks H4 there, advertises, goes on advertising while connected, and serves this table:

              6E400001-B5A3-F393-E0A9-E50E24DCCA9E: the service. Characteristics: 6E4000NN-…
              02  read: 20 octets
              03  write: keeps up to 244 octets
              04  write without response
              05  notify: begins with how often 04 was written, four octets
              06  write: how many notifications to send (four octets), of how many
                  octets each (two)

            Processor time is that of the process that connects, with all its threads, divided by operations; of all \
            figures it suffers least on a busy machine. p50 and p99 are from a request's write to its answer's read.

            Example: readerlab bench host -k 8 --tests read,notify244 -- bench-host {hci}

            Exit code 0 if all tests were carried out, nothing was answered wrongly, and no figure is worse than that \
            of --baseline, else 1; 2 for wrong use.
            """)

    /// The types of socket.
    enum Socket: String, CaseIterable, ExpressibleByArgument {
        case unix, tcp
    }

    @Option(name: [.customShort("k"), .long], help: "Phones, each with a link, 1 to \(LoadPlan.maximumPhones).")
    var phones = 1

    @Option(name: [.customShort("n"), .long], help: "Operations of each test.")
    var operations = 20_000

    @Option(help: "Reconnects.")
    var reconnects = 300

    @Option(help: "Tests, with commas: \(LoadTest.allCases.map(\.rawValue).joined(separator: ",")).")
    var tests = LoadTest.allCases.map(\.rawValue).joined(separator: ",")

    @Option(help: "Where the host connects: unix or tcp.")
    var socket = Socket.unix

    @Flag(help: "A controller without extended advertising.")
    var legacy = false

    @Option(help: "Octets of an ACL packet, 27 to 251.")
    var packetLength = LoadPlan.maximumPacketLength

    @Option(help: "ACL packets that the controller holds, 1 to 255.")
    var packets = 15

    @Flag(help: "Write each packet separately, instead of a turn's packets at once: more work for both sides.")
    var separate = false

    @Option(help: "Seed of addresses and written values.")
    var seed: UInt64 = 1

    @Option(help: "The most seconds of one test.")
    var seconds = 20

    @Option(help: "The library that counts allocations in the host: libAllocationCounter.so of this build.")
    var allocationCounter: String?

    @OptionGroup var reports: ReportOptions

    @Argument(parsing: .postTerminator, help: "The host's command, with {hci} in it.")
    var command: [String] = []

    /// The plan from the options.
    func plan() throws -> LoadPlan {
        var plan = LoadPlan()
        plan.phones = phones
        plan.operations = operations
        plan.reconnects = min(reconnects, operations)
        plan.tests = try LoadTest.list(tests)
        plan.listening = socket == .unix ? .unix : .tcp
        plan.extendedAdvertising = !legacy
        plan.packetLength = packetLength
        plan.packetCount = packets
        plan.joinsPackets = !separate
        plan.seed = seed
        plan.secondsPerTest = seconds
        try plan.validate()
        return plan
    }

    func run() throws {
        let former = try reports.former()
        let ending = try RunEnding()
        let report = try HostLoad.run(
            HostCommand(command), plan: plan(), allocationCounter: allocationCounter, isEnding: ending.look)
        try show(
            BenchTableText.lines(report), json: { try BenchJSON.text(report) },
            BenchRuns.run(report, command: RepeatedCommand.text()), former)
    }
}
