import ArgumentParser
import FoundationEssentials
import LoadGenerator

/// `readerlab bench door`.
struct BenchDoorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "door",
        abstract: "Open a reader's door again and again: from a token's last octet to the edge of the lock's line.",
        discussion: """
            COMMAND is a readerd, started with {hci} replaced by the transport's name. Its configuration has

              allow-demo-identity = true      gpio.lock = "gpiochip0:0"
              proximity.gate = []             door.re-arm-ms = 3, or less

            and what else is to be measured, as events.audit. The line is no real one: the library that --line-clock \
            names stands for libgpiod in the reader, and notes when the reader sets it, and when the token's last octet \
            was in the process. The bare operations are those that libcrypto has to do for an opening. Another process \
            does them, woken as the reader is, once before or after each opening in turn.

            Prints one JSON object, times in microseconds. Exit code 0 if everything was carried out, else 1.
            """)

    @Option(name: [.customShort("k"), .long], help: "Phones, each with a link, 1 to \(LoadPlan.maximumPhones).")
    var phones = 1

    @Option(name: [.customShort("n"), .long], help: "Openings of each kind.")
    var openings = 1000

    @Option(help: "The library that stands for the lock's line: libLineClock.so of this build.")
    var lineClock: String

    @Option(help: "The library that counts allocations in the reader: libAllocationCounter.so of this build.")
    var allocationCounter: String?

    @Argument(parsing: .postTerminator, help: "The reader's command, with {hci} in it.")
    var command: [String] = []

    /// The plan from the options.
    func plan() throws -> DoorPlan {
        var plan = DoorPlan()
        (plan.phones, plan.openings, plan.exchanges) = (phones, openings, openings)
        try plan.validate()
        return plan
    }

    func validate() throws {
        do {
            _ = try plan()
            _ = try HostCommand(command)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    func run() throws {
        let report = try DoorLoad.run(
            HostCommand(command), plan: plan(), bare: HostCommand(["/proc/self/exe", "bench", "bare", "{hci}"]),
            lineClock: lineClock, allocationCounter: allocationCounter)
        print(try BenchDoorJSON.text(report))
        if report.fault != nil { throw ExitCode(1) }
    }
}

/// A report as JSON. Figures that were not measured are omitted.
enum BenchDoorJSON {
    private struct Report: Encodable {
        var phones: Int
        var openings: [Opening]
        var parts: [Part]
        var memory: Memory?
        var fault: String?
    }

    private struct Memory: Encodable {
        var resident: Int
        var proportional: Int
        var own: Int

        init(_ memory: HostMemory) {
            (resident, proportional, own) = (memory.resident, memory.proportional, memory.own)
        }

        enum CodingKeys: String, CodingKey {
            case resident = "resident-kB"
            case proportional = "proportional-kB"
            case own = "own-kB"
        }
    }

    private struct Times: Encodable {
        var p50: Double
        var p99: Double
        var maximum: Double

        init(_ summary: LatencySummary) { (p50, p99, maximum) = (summary.median, summary.p99, summary.maximum) }
    }

    private struct Allocations: Encodable {
        var serving: Double
        var disk: Double
        var libcrypto: Double
        /// The median of ten parts of the run.
        var steady: Double

        init(_ report: AllocationReport) {
            (serving, disk, libcrypto) = (report.mean.serving, report.mean.disk, report.mean.libcrypto)
            steady = report.steady.serving
        }

        enum CodingKeys: String, CodingKey {
            case serving, disk, libcrypto
            case steady = "serving-steady"
        }
    }

    private struct Opening: Encodable {
        var opening: String
        var edge: Times
        var wake: Times
        var inside: Times
        var bare: Times
        var insideProcessor: Times
        var bareProcessor: Times
        var answer: Times
        /// The quotients of `inside` and `bare`, by tenths of the openings.
        var quotients: [Double]
        var processor: Double?
        var allocations: Allocations?

        enum CodingKeys: String, CodingKey {
            case opening, edge, wake, inside, bare, answer, quotients, allocations
            case insideProcessor = "inside-cpu"
            case bareProcessor = "bare-cpu"
            case processor = "host-cpu-us"
        }
    }

    private struct Part: Encodable {
        var part: String
        var count: Int
        var allocations: Allocations?
    }

    static func text(_ report: DoorReport) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let value = Report(
            phones: report.phones,
            openings: report.openings.map {
                Opening(
                    opening: $0.opening.rawValue, edge: Times($0.edge), wake: Times($0.wake), inside: Times($0.inside),
                    bare: Times($0.bare), insideProcessor: Times($0.insideProcessor),
                    bareProcessor: Times($0.bareProcessor), answer: Times($0.answer), quotients: $0.rounds,
                    processor: $0.hostMicroseconds, allocations: $0.allocations.map(Allocations.init))
            },
            parts: report.parts.map {
                Part(part: $0.part.rawValue, count: $0.count, allocations: $0.allocations.map(Allocations.init))
            },
            memory: report.memory.map(Memory.init), fault: report.fault.map { "\($0)" })
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
