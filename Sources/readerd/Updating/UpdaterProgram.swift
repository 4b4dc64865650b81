// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import System
import Reader

/// A run of the platform's updater. On the reactor's thread; never blocks. The program continues after this object's
/// end.
final class UpdaterProgram {
    /// The end of a run.
    enum Ending: Equatable {
        /// Exited with this status.
        case exited(Int32)
        /// Killed by this signal.
        case killed(Int32)
        /// Never started, for this errno.
        case notStarted(Int32)
        /// Started by an earlier readerd: only the parent of a process gets its status.
        case unknown
    }

    /// The identity of the process, since numbers are reused. Nil until the program has been executed.
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
    /// Called once after the program was executed; not for an adopted one.
    var onBegin: () -> Void = {}
    /// Called with each line of output.
    var onLine: (String) -> Void = { _ in }
    /// Called once at the end.
    var onEnd: (Ending) -> Void = { _ in }

    /// The number of octets per read, and the maximum number of reads in one turn: together more than a pipe's
    /// capacity.
    private static let pieceCount = 4096
    private static let pieces = 32

    /// Starts the program.
    ///
    /// - Throws: Errors of clone(2) and pipe(2); a failed execve(2) is reported by `onEnd`.
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

    /// Adopts the program started by an earlier readerd; nil if it has ended.
    init?(adopting identity: ProcessIdentity, on reactor: Reactor) {
        let descriptor = readerd_process_open(identity.process)
        guard descriptor >= 0 else { return nil }
        // After the descriptor is open, so that the same process is compared.
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
        reportWatch = try reactor.watch(report, .readable) { [weak self] _ in self?.readReport() }
    }

    /// Handles the report of execve(2). The process cannot be identified before: until then it is a copy of this one,
    /// whose memory is not accessible, so /proc with hidepid= hides it.
    private func readReport(hasEnded: Bool = false) {
        guard reportWatch != nil else { return }
        var told: CInt = 0
        let count = withUnsafeMutableBytes(of: &told) { readerd_read(report, $0.baseAddress, $0.count) }
        // A program that has ended without a failure of execve(2) was executed: another process that is being started
        // may still have a copy of the pipe.
        let isOpen = count == -Int64(readerd_error_again)
        guard !isOpen || hasEnded else { return }
        reportWatch?.cancel()
        reportWatch = nil
        guard count == 0 || isOpen else { return failure = told }
        identity = ProcessIdentity(of: process)
        onBegin()
    }

    private func read() {
        var piece = [UInt8](repeating: 0, count: UpdaterProgram.pieceCount)
        for _ in 0..<UpdaterProgram.pieces {
            let count = readerd_read(output, &piece, piece.count)
            // The end of the pipe is not the program's end: it may have closed its output.
            guard count > 0 else { return }
            lines.append(piece[..<Int(count)], report: onLine)
        }
    }

    private func end() {
        // Before the process is reaped: afterwards it cannot be identified.
        readReport(hasEnded: true)
        var status: CInt = 0
        let result = readerd_program_ended(descriptor, &status)
        guard result != 0 else { return }
        endWatch?.cancel()
        outputWatch?.cancel()
        if output >= 0 { read() }
        lines.finish(report: onLine)
        if lines.omitted > 0 { onLine("\(lines.omitted) further lines omitted") }
        onEnd(ending(result, status))
    }

    private func ending(_ result: CInt, _ status: CInt) -> Ending {
        guard result > 0 else { return .unknown }
        if let failure { return .notStarted(failure) }
        return status < 256 ? .exited(status) : .killed(status - 256)
    }
}

/// The identity of a process, unique despite reused numbers.
struct ProcessIdentity: Equatable {
    /// The process id.
    var process: Int32
    /// The start time in clock ticks since the system's start.
    var start: UInt64
    /// The boot id of the system's start.
    var boot: String

    /// Looks up the process with this id; nil for none.
    init?(of process: Int32) {
        guard let line = ProcessIdentity.line("/proc/\(process)/stat"), let end = line.lastIndex(of: ")"),
            let boot = ProcessIdentity.line("/proc/sys/kernel/random/boot_id")
        else { return nil }
        // proc_pid_stat(5): the name in parentheses may contain anything; the start time is the 20th field after it.
        let fields = line[line.index(after: end)...].split(separator: " ")
        guard fields.count >= 20, let start = UInt64(fields[19]) else { return nil }
        self.process = process
        self.start = start
        self.boot = boot
    }

    /// Decodes `octets`; nil for anything else than an encoding.
    init?(_ octets: [UInt8]) {
        let words = String(decoding: octets, as: UTF8.self).split(separator: " ").map(String.init)
        guard words.count == 3, let process = Int32(words[0]), process > 0, let start = UInt64(words[1]) else {
            return nil
        }
        self.process = process
        self.start = start
        boot = words[2]
    }

    /// The encoding: process id, start time and boot id as text.
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

/// A NULL-terminated array of C strings; freed with the object.
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
