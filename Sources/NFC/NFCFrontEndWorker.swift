// SPDX-License-Identifier: Apache-2.0

import CardPolling
import CNFC
import Glibc

/// The front end's thread.
final class NFCFrontEndWorker {
    /// The result of serving a phone.
    private enum Turn {
        /// No phone came, or it has left.
        case over
        /// The chip is faulty.
        case failed(String)
    }

    /// The duration in ms of one wait for a phone. The chip is queried after each, so that a failure is noticed.
    private static let listening: Int32 = 5000
    /// A wait without a phone that ends earlier than this means a silent chip.
    private static let shortestWait = Duration.milliseconds(4500)
    /// The time in ms after which a silent phone counts as gone: longer than any presence check.
    private static let silence: Int32 = 5000
    /// The time-out in ms for the chip to send a response.
    private static let sending: Int32 = 500
    /// The time-out for the reader's response. It responds within 100 ms; the phone waits for 155 ms.
    private static let answering = Duration.milliseconds(1000)
    /// The number of consecutive activations without a command after which the chip is queried: a phone may cause them,
    /// and so may a chip that reports what is not there.
    private static let emptyActivations = 16

    private let connection: String
    private var settings: PollSettings
    private let queue: NFCFrontEndQueue
    private let library: Library
    private var pause = ReopenPause()
    private var recovery = ChipRecovery()
    private var counts = PollCounts()
    private let began = ContinuousClock.now
    /// The longest response of a card: one short APDU with the chip's status.
    private var buffer = [UInt8](repeating: 0, count: 272)
    private var empty = 0

    init(_ connection: String, _ settings: PollSettings, _ queue: NFCFrontEndQueue, _ library: Library) {
        self.connection = connection
        self.settings = settings
        self.queue = queue
        self.library = library
    }

    func run() {
        while !queue.isEnding {
            let why = open() ?? serveOpened()
            // The chip's field goes off with it.
            readerd_nfc_close(library.pointer)
            guard let why else { break }
            guard !recovery.isRecoverable(at: now) else {
                counts.recoveries &+= 1
                continue
            }
            queue.post(.failed(why))
            queue.pause(pause.failed())
        }
        queue.hasFinished()
    }

    /// The time since the thread's start.
    private var now: Duration { ContinuousClock.now - began }

    /// The reason why the chip cannot be opened; nil if it was.
    private func open() -> String? {
        if let problem = missingDevice { return problem }
        guard readerd_nfc_open(library.pointer, connection) == 0 else {
            return "no answer from a chip at \(connection): check power, wiring and mode switches"
        }
        return nil
    }

    /// The problem of the device file in the connection string, if it contains one.
    private var missingDevice: String? {
        let parts = connection.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count > 1, parts[1].hasPrefix("/") else { return nil }
        let path = String(parts[1])
        guard access(path, R_OK | W_OK) != 0 else { return nil }
        return errno == EACCES || errno == EPERM
            ? "\(path): permission denied; give the user access to it, usually by a group"
            : "\(path): no such device"
    }

    private func serveOpened() -> String? {
        queue.post(.opened(String(cString: readerd_nfc_name(library.pointer))))
        guard settings.role != .target else { return serve() }
        recovery.opened(at: now)
        return poll()
    }

    // MARK: The poll role

    /// Polls until the chip fails, and returns the reason; nil at the end.
    private func poll() -> String? {
        guard NFCFrontEnd.canPoll(connection) else { return "\(connection): the driver of this chip cannot poll" }
        var loop = PollLoop(settings, counts: counts)
        var step = loop.start(at: now)
        while !queue.isEnding {
            loop.removeEvents().forEach(queue.post)
            if loop.counts.rounds != counts.rounds { pause.worked() }
            counts = loop.counts
            if let frame = queue.takePollingFrame() {
                settings.pollingFrame = frame
                loop.nextPollingFrame = frame
            }
            queue.publish(counts)
            if case .fail(let why) = step { return "\(why) at \(connection)" }
            guard let result = execute(step) else { continue }
            step = loop.next(result, at: now)
        }
        return nil
    }

    /// Executes a step; nil if it was aborted.
    private func execute(_ step: PollStep) -> PollResult? {
        switch step {
        case .command(let command, let milliseconds): return send(command, milliseconds)
        case .pause(let duration):
            queue.pause(duration)
            return .elapsed
        case .ask(let question, let duration): return .order(queue.order(for: question, within: duration))
        case .listen(let duration): return listen(duration)
        case .fail: return nil
        }
    }

    private func send(_ command: [UInt8], _ milliseconds: Int32) -> PollResult? {
        let count = buffer.withUnsafeMutableBufferPointer {
            readerd_nfc_command(library.pointer, command, command.count, $0.baseAddress, $0.count, milliseconds)
        }
        guard count < 0 else { return .response(Array(buffer[..<Int(count)])) }
        return switch Int(count) {
        case Int(READERD_NFC_RELEASED.rawValue): .exchangeFailed
        case Int(READERD_NFC_ABORTED.rawValue): nil
        case Int(READERD_NFC_TIMED_OUT.rawValue): .noResponse
        default: .failed
        }
    }

    /// Plays the card once for `duration`, longer with a phone; nil if it was aborted.
    private func listen(_ duration: Duration) -> PollResult? {
        let outcome = readerd_nfc_listen(library.pointer, Int32(duration / .milliseconds(1)))
        switch Int(outcome) {
        case 0:
            queue.post(.activated)
            if case .failed = servePhone() { return .failed }
        case Int(READERD_NFC_TIMED_OUT.rawValue): break
        case Int(READERD_NFC_ABORTED.rawValue): return nil
        default: return .failed
        }
        // A silent chip shows in the next command.
        return readerd_nfc_idle(library.pointer) == 0 ? .elapsed : .failed
    }

    // MARK: The card role

    /// Serves phones until the chip fails, and returns the reason; nil at the end.
    private func serve() -> String? {
        while !queue.isEnding {
            let start = ContinuousClock.now
            let outcome = readerd_nfc_listen(library.pointer, NFCFrontEndWorker.listening)
            let waited = ContinuousClock.now - start
            switch Int(outcome) {
            case 0:
                queue.post(.activated)
                if case .failed(let why) = servePhone() { return why }
            case Int(READERD_NFC_TIMED_OUT.rawValue):
                guard waited >= NFCFrontEndWorker.shortestWait else {
                    return "no answer from the chip at "
                        + "\(connection)"
                }
                pause.worked()
            case Int(READERD_NFC_ABORTED.rawValue): break
            default: return "the chip at \(connection) does not enter card emulation: unexpected or no answer"
            }
        }
        return nil
    }

    /// Serves one phone until it leaves.
    private func servePhone() -> Turn {
        var commands = 0
        defer { queue.post(.released) }
        while !queue.isEnding {
            let count = buffer.withUnsafeMutableBufferPointer {
                readerd_nfc_receive(library.pointer, $0.baseAddress, $0.count, NFCFrontEndWorker.silence)
            }
            guard count >= 0 else { return left(Int(count), after: commands) }
            commands += 1
            empty = 0
            guard let response = queue.exchange(Array(buffer[..<Int(count)]), within: NFCFrontEndWorker.answering),
                1...NFCFrontEnd.responseLimit ~= response.count
            else { return .over }
            let sent = readerd_nfc_send(library.pointer, response, response.count, NFCFrontEndWorker.sending)
            guard sent == 0 else { return left(Int(sent), after: commands) }
            pause.worked()
        }
        return .over
    }

    private func left(_ outcome: Int, after commands: Int) -> Turn {
        guard outcome != Int(READERD_NFC_FAILED.rawValue) else {
            return .failed("unexpected or no answer from the chip at \(connection)")
        }
        if commands == 0 { empty += 1 }
        guard empty >= NFCFrontEndWorker.emptyActivations else { return .over }
        empty = 0
        guard readerd_nfc_idle(library.pointer) == 0 else {
            return .failed("the chip at \(connection) reports activations without commands, and does not answer")
        }
        return .over
    }
}
