// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Glibc
import LabRuns
import LoadGenerator
import MQTT

/// `readerlab bench fleet`.
struct BenchFleetCommand: BenchLoadCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "Bring thousands of links to an MQTT broker, and have them come back after it was killed.",
        discussion: """
            COMMAND is the broker, started with {port} replaced by a free port of this machine, or with --port; it is \
            killed (SIGKILL) and started again. Each link is the session of readerd-link, with its will, its retained \
            state, its subscriptions and its own back-off; the back end is one more client, which publishes the marks.

              readerlab bench fleet -k 5000 -- mosquitto -p {port}
              readerlab bench fleet -k 1000 --ca ca.pem --certificate link.pem \\
                --key link-key.pem --port 8883 -- mosquitto -c mosquitto.conf

            Processor time and memory are the broker's. With TLS all links show one certificate: the broker must not \
            take the client's identifier from it. A link needs \(FleetPlan.descriptorsPerLink) descriptors.

            Exit code 0 if all links were there twice, all events arrived, and no figure is worse than that of \
            --baseline, else 1; 2 for wrong use.
            """)

    @Option(name: [.customShort("k"), .long], help: "Links, 1 to \(FleetPlan.maximumLinks).")
    var links = 1000

    @Option(help: "Events per second, of all links together.")
    var rate = 100

    @Option(help: "The time with these events, in seconds.")
    var seconds = 10

    @Option(help: "The time over which first attempts are spread, in seconds, as of readerd-link.")
    var spread = 10

    @Option(help: "The longest time for all links to be there, in seconds.")
    var wait = 120

    @Option(help: "The broker's port; by default a free one, which is put in the place of {port}.")
    var port: UInt16?

    @Option(
        help: ArgumentHelp(
            "The authorities of the broker's certificate, PEM; TLS with these three.", valueName: "file"))
    var ca: String?

    @Option(help: ArgumentHelp("The certificate of all links, PEM.", valueName: "file"))
    var certificate: String?

    @Option(help: ArgumentHelp("Its key, PEM without a passphrase.", valueName: "file"))
    var key: String?

    @Option(help: "Seed of the random delays.")
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("Where all of the broker's log goes.", valueName: "FILE"))
    var log: String?

    @OptionGroup var reports: ReportOptions

    @Argument(parsing: .postTerminator, help: "The broker's command, with {port} in it.")
    var command: [String] = []

    func validate() throws {
        _ = try plan()
    }

    /// The plan from the options.
    func plan() throws -> FleetPlan {
        let numbers = [
            ("-k", links, 1...FleetPlan.maximumLinks), ("--rate", rate, 0...100_000), ("--seconds", seconds, 0...3600),
            ("--spread", spread, 0...3600), ("--wait", wait, 1...3600),
        ]
        for (name, value, range) in numbers where !range.contains(value) {
            throw ValidationError("\(name) \(value): write \(range.lowerBound) to \(range.upperBound)")
        }
        guard !command.isEmpty else { throw ValidationError("give the broker's command after --: mosquitto -p {port}") }
        guard port != nil || command.contains(where: { $0.contains(FleetPlan.placeholder) }) else {
            throw ValidationError("the broker's command has no {port}; put it there, or give --port")
        }
        guard let port = port ?? LoopbackPort.free() else { throw ValidationError("no port is free; give --port") }
        let files = [ca, certificate, key]
        let tls: Broker.TLS?
        do {
            tls = try Broker.TLS(
                authorities: ca, certificate: certificate, key: key, isPlain: files.allSatisfy { $0 == nil })
            // The address is the name for which the certificate is issued.
            let host = tls == nil ? "127.0.0.1" : "localhost"
            return FleetPlan(
                links: links, rate: rate, seconds: seconds, spread: spread, wait: wait, seed: seed,
                broker: try Broker("\(host):\(port)", tls: tls), command: command)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    func run() throws {
        let former = try reports.former()
        let ending = try RunEnding()
        let output = try BenchLog.ofOption(log)
        let plan: FleetPlan
        do { plan = try self.plan() } catch { throw CommandError.misuse("\(error)") }
        try plan.raiseLimit()
        let report = try FleetBench(plan, output, isEnding: ending.look).run()
        if report.fault != nil { for line in output.tail() { ConsoleOutput.write(line, to: STDERR_FILENO) } }
        try show(report.lines, json: report.json, report.run(command: RepeatedCommand.text()), former)
    }
}
