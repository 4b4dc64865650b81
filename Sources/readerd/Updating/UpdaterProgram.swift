import CLinux
import Glibc
import System
import Reader

/// The platform's updater as a running program. Belongs to the reactor's thread, waits for nothing, and lets the program
/// live when it goes itself.
final class UpdaterProgram {
    /// How a run ended.
    enum Ending: Equatable {
        /// By itself, with this status.
        case exited(Int32)
        /// By this signal.
        case killed(Int32)
        /// It never was started, for this errno.
        case notStarted(Int32)
        /// It was started by an earlier readerd: the system tells only its parent how it ended.
        case unknown
    }

    /// Which process it is: the number alone may be another's after a while. Nil until it has begun.
    private(set) var identity: ProcessIdentity?
    private let process: Int32
    private let descriptor: CInt
    private let output: CInt
    private let report: CInt
    private var endWatch: Watch?
    private var outputWatch: Watch?
    private var reportWatch: Watch?
    private var failure: CInt?
    private var lines = UpdaterOutput()
    /// Told once that it has become the program; not of one that was taken over.
    var onBegin: () -> Void = {}
    /// Told each line that it writes.
    var onLine: (String) -> Void = { _ in }
    /// Told once when it has ended.
    var onEnd: (Ending) -> Void = { _ in }

    /// How many octets are read at once, and how many pieces in one turn: more than a pipe holds.
    private static let pieceCount = 4096
    private static let pieces = 32

    /// Starts it. The errors are those of clone(2) and pipe(2); a program that is not there is told by `onEnd`.
    init(_ command: [String], environment: [(name: String, value: String)], on reactor: Reactor) throws(SystemError) {
        var program = readerd_program()
        let arguments = CStrings(command)
        let variables = CStrings(environment.map { "\($0.name)=\($0.value)" })
        let result = withExtendedLifetime((arguments, variables)) {
            readerd_program_start(arguments.pointers, variables.pointers, &program)
        }
        guard result == 0 else { throw SystemError(call: "clone", code: -result) }
        (descriptor, output, report) = (program.descriptor, program.output, program.report)
        process = program.process
        try watch(on: reactor)
    }

    /// Takes over the one that an earlier readerd has started; nil if it is gone.
    init?(adopting identity: ProcessIdentity, on reactor: Reactor) {
        let descriptor = readerd_process_open(identity.process)
        guard descriptor >= 0 else { return nil }
        // After it was opened: then it is the same one that is looked at.
        guard ProcessIdentity(of: identity.process) == identity else {
            readerd_close(descriptor)
            return nil
        }
        self.identity = identity
        process = identity.process
        (self.descriptor, output, report) = (descriptor, -1, -1)
        do throws(SystemError) { try watch(on: reactor) } catch { return nil }
    }

    deinit {
        endWatch?.cancel()
        outputWatch?.cancel()
        reportWatch?.cancel()
        for descriptor in [descriptor, output, report] where descriptor >= 0 { readerd_close(descriptor) }
    }

    private func watch(on reactor: Reactor) throws(SystemError) {
        endWatch = try reactor.watch(descriptor, .readable) { [weak self] _ in self?.end() }
        guard output >= 0 else { return }
        outputWatch = try reactor.watch(output, .readable) { [weak self] _ in self?.read() }
        reportWatch = try reactor.watch(report, .readable) { [weak self] _ in self?.hearReport() }
    }

    /// It is the program now, or never. Not before may it be looked at: until then it is a copy of this process, whose
    /// memory is closed, and which a /proc with hidepid= hides.
    private func hearReport() {
        guard reportWatch != nil else { return }
        var told: CInt = 0
        let count = withUnsafeMutableBytes(of: &told) { readerd_read(report, $0.baseAddress, $0.count) }
        guard count != -Int64(readerd_error_again) else { return }
        reportWatch?.cancel()
        reportWatch = nil
        guard count == 0 else { return failure = told }
        identity = ProcessIdentity(of: process)
        onBegin()
    }

    private func read() {
        var piece = [UInt8](repeating: 0, count: UpdaterProgram.pieceCount)
        for _ in 0..<UpdaterProgram.pieces {
            let count = readerd_read(output, &piece, piece.count)
            // The end of the pipe is not the program's: it may have closed its output.
            guard count > 0 else { return }
            lines.append(piece[..<Int(count)], tell: onLine)
        }
    }

    private func end() {
        // Before it is waited for: afterwards there is nothing left to be looked at.
        hearReport()
        var status: CInt = 0
        let result = readerd_program_ended(descriptor, &status)
        guard result != 0 else { return }
        endWatch?.cancel()
        outputWatch?.cancel()
        if output >= 0 { read() }
        lines.finish(tell: onLine)
        if lines.omitted > 0 { onLine("\(lines.omitted) further lines were left out") }
        onEnd(ending(result, status))
    }

    private func ending(_ result: CInt, _ status: CInt) -> Ending {
        guard result > 0 else { return .unknown }
        if let failure { return .notStarted(failure) }
        return status < 256 ? .exited(status) : .killed(status - 256)
    }
}

/// A process, told apart from a later one with the same number.
struct ProcessIdentity: Equatable {
    /// Its number.
    var process: Int32
    /// When it was started, in ticks since the system was.
    var start: UInt64
    /// Which start of the system that was.
    var boot: String

    /// The process with this number; nil if there is none.
    init?(of process: Int32) {
        guard let line = ProcessIdentity.line("/proc/\(process)/stat"), let end = line.lastIndex(of: ")"),
            let boot = ProcessIdentity.line("/proc/sys/kernel/random/boot_id")
        else { return nil }
        // proc_pid_stat(5): the name, in parentheses, may have anything in it; the start is the 20th field behind it.
        let fields = line[line.index(after: end)...].split(separator: " ")
        guard fields.count >= 20, let start = UInt64(fields[19]) else { return nil }
        self.process = process
        self.start = start
        self.boot = boot
    }

    /// What `octets` has written; nil for anything else.
    init?(_ octets: [UInt8]) {
        let words = String(decoding: octets, as: UTF8.self).split(separator: " ").map(String.init)
        guard words.count == 3, let process = Int32(words[0]), process > 0, let start = UInt64(words[1]) else {
            return nil
        }
        self.process = process
        self.start = start
        boot = words[2]
    }

    /// To be kept.
    var octets: [UInt8] { Array("\(process) \(start) \(boot)".utf8) }

    private static func line(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { readerd_close(descriptor) }
        var octets = [UInt8](repeating: 0, count: 1024)
        let count = readerd_read(descriptor, &octets, octets.count)
        guard count > 0 else { return nil }
        return String(decoding: octets[..<Int(count)].prefix { $0 != 0x0A }, as: UTF8.self)
    }
}

/// Texts as C has them, with a NULL behind the last; gone with the object.
private final class CStrings {
    let pointers: UnsafeMutablePointer<UnsafePointer<CChar>?>
    private let count: Int

    init(_ texts: [String]) {
        count = texts.count
        pointers = .allocate(capacity: count + 1)
        for (place, text) in texts.enumerated() { (pointers + place).initialize(to: UnsafePointer(strdup(text))) }
        (pointers + count).initialize(to: nil)
    }

    deinit {
        for place in 0..<count { free(UnsafeMutablePointer(mutating: pointers[place])) }
        pointers.deallocate()
    }
}
