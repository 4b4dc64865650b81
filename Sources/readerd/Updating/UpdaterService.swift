// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Glibc
import Logging
import System
import Reader
import Timekeeping

/// The link between the reader and the platform's updater: starts it after the phone's answer was sent, one run at a
/// time, and reports its end.
final class UpdaterService {
    private let command: [String]
    private let device: String
    private let reactor: Reactor
    private let log: Logger
    private var program: UpdaterProgram?
    private var waiting: (request: UpdateRequest, timer: Timer)?
    /// The end of the last run; nil before.
    private(set) var last: UpdaterProgram.Ending?
    /// Called when the updater becomes ready or busy.
    var onChange: (UpdaterState) -> Void = { _ in }
    /// Called at the end of a run.
    var onEnd: (UpdaterProgram.Ending) -> Void = { _ in }
    /// Stores the identity of the running process, for a readerd that starts meanwhile; nil for none.
    var keep: ([UInt8]?) -> Void = { _ in }

    /// The age at which a start that is due has become void.
    var lateness = Lateness.limit

    /// The setting that keeps the identity.
    static let setting = "updater-process"
    /// The delay between the phone's answer and the updater's start: a few connection intervals, since the updater may
    /// end readerd.
    static let delay = Duration.milliseconds(300)
    /// The updater's PATH; no variable of readerd's own environment is passed on.
    static let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

    /// Creates the service for this program with its arguments; an empty list for none.
    init(_ command: [String], device: String, reactor: Reactor, log: Logger) {
        self.command = command
        self.device = device
        self.reactor = reactor
        self.log = log
        guard let path = command.first, access(path, X_OK) != 0 else { return }
        log.warning("updater.command: \(path) cannot be executed now: \(String(cString: strerror(errno)))")
    }

    var state: UpdaterState {
        if program != nil || waiting != nil { return .busy }
        return command.isEmpty ? .absent : .ready
    }

    /// Starts the updater after `delay`. Ignored while it is busy; the reader has refused the request then.
    func start(_ request: UpdateRequest) {
        guard state == .ready else { return }
        let timer = reactor.schedule(at: reactor.now + UpdaterService.delay) { [weak self] in self?.begin(request) }
        waiting = (request, timer)
        let asking =
            request.file == nil ? "credential \(OSSCredentialID.redacted(request.credential))" : request.credential
        log.notice("updater: requested by \(asking) (\(request.command))")
    }

    private func begin(_ request: UpdateRequest) {
        let due = waiting?.timer.deadline ?? .origin
        waiting = nil
        // The sender of the request no longer waits.
        guard reactor.now - due < lateness else { return ended(.notStarted(ETIME)) }
        var environment = [
            ("PATH", UpdaterService.path), ("READERD_DEVICE", device),
            ("READERD_ASKED_BY", UpdaterService.printable(request.credential)),
        ]
        if let file = request.file { environment.append(("READERD_FILE", file)) }
        do throws(SystemError) {
            let program = try UpdaterProgram(command, environment: environment, on: reactor)
            program.onBegin = { [weak self, weak program] in self?.begun(program?.identity) }
            run(program)
        } catch {
            ended(.notStarted(error.code))
        }
    }

    private func begun(_ identity: ProcessIdentity?) {
        keep(identity?.octets)
        log.notice("updater: started \(command[0]) (process \(identity?.process ?? 0))")
    }

    private func run(_ program: UpdaterProgram) {
        self.program = program
        program.onLine = { [log] line in log.info("updater: \(line)") }
        program.onEnd = { [weak self] ending in self?.ended(ending) }
        onChange(state)
    }

    /// Adopts a run started by an earlier readerd, from its stored identity.
    func adopt(_ kept: [UInt8]?) {
        guard let kept else { return }
        guard program == nil, let identity = ProcessIdentity(kept),
            let adopted = UpdaterProgram(adopting: identity, on: reactor)
        else { return keep(nil) }
        log.notice("updater: still running since an earlier run (process \(identity.process))")
        run(adopted)
    }

    private func ended(_ ending: UpdaterProgram.Ending) {
        program = nil
        last = ending
        keep(nil)
        log.log(level: ending == .exited(0) ? .notice : .warning, "updater: \(ending.summary)")
        onEnd(ending)
        onChange(state)
    }

    /// Cancels a pending start at the end of readerd; a run that has begun continues.
    func close() {
        if let waiting {
            waiting.timer.cancel()
            self.waiting = nil
            ended(.notStarted(ECANCELED))
        }
        if program != nil { log.notice("updater: continues without readerd") }
        program = nil
    }

    /// Returns a credential's name for an environment variable.
    private static func printable(_ text: String) -> String {
        String(decoding: text.utf8.map { (0x21...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}

extension UpdaterProgram.Ending {
    /// The info of the event `updater-ended`: the status, 256 plus the signal, a negated errno if never
    /// started, or 512 if unknown.
    var auditInfo: Int32 {
        switch self {
        case .exited(let status): status
        case .killed(let signal): 256 + signal
        case .notStarted(let errno): -errno
        case .unknown: 512
        }
    }

    /// A description in one line.
    var summary: String {
        switch self {
        case .exited(let status): "ended with status \(status)"
        case .killed(let signal): "ended by signal \(signal)"
        case .notStarted(ECANCELED): "not started: readerd stopped before"
        case .notStarted(ETIME): "not started: readerd was suspended meanwhile; ask again"
        case .notStarted(let errno): "cannot be started: \(String(cString: strerror(errno)))"
        case .unknown: "ended with unknown status; started by an earlier readerd"
        }
    }
}
