// SPDX-License-Identifier: Apache-2.0

import GPIO
import System
import Reader
import Timekeeping

/// The lines of the door's inputs. Their events are passed to the door's owner.
///
/// A line that is lost, for example with its chip, or that cannot be opened at the start, is reported once, and opened
/// again as soon as it is available.
final class InputLines {
    /// The state of a line.
    enum Reading: Equatable {
        /// Its level, with the time of the change.
        case level(Bool, since: Instant)
        /// Lost, so that its level is unknown.
        case lost(GPIOError)
        /// Available again.
        case restored
    }

    /// One input and its line.
    private final class Entry {
        let input: DoorInput
        let reference: LineReference
        let isActiveLow: Bool
        let bias: InputLine.Bias
        /// Nil while the line is lost.
        var line: InputLine?
        var watch: Watch?
        /// The error of the first attempt to open it.
        private(set) var error: GPIOError?

        init(_ input: DoorInput, _ reference: LineReference, _ settings: ReaderSettings.GPIO) {
            self.input = input
            self.reference = reference
            isActiveLow = settings.isActiveLow(input)
            bias =
                settings.pulledUp.contains(input)
                ? .pullUp : settings.pulledDown.contains(input) ? .pullDown : .asIs
            do throws(GPIOError) { try open() } catch { self.error = error }
        }

        func open() throws(GPIOError) {
            line = try InputLine(reference, activeLow: isActiveLow, bias: bias)
        }
    }

    /// The interval of attempts to reopen a lost line, and of checks of a silent one.
    private static let retry = Duration.seconds(5)
    /// The maximum number of edges of one line read at once, so that a chattering line does not delay the others. The
    /// rest is signalled again.
    private static let edgesAtOnce = 64

    private var entries: [Entry] = []
    private var reactor: Reactor?
    private var checkTimer: Timer?
    private var report: (DoorInput, [Reading]) -> Void = { _, _ in }

    /// Opens the configured lines, as far as they are available.
    init(_ settings: ReaderSettings) throws(ReaderdError) {
        for input in DoorInput.allCases {
            guard let text = settings.gpio.text(of: input) else { continue }
            let reference: LineReference
            do throws(LineReferenceError) { reference = try LineReference(text) } catch {
                throw .failed("gpio.\(input.rawValue): \(error)")
            }
            entries.append(Entry(input, reference, settings.gpio))
        }
    }

    /// Reports the level of each line, and its changes from now on.
    func start(
        _ reactor: Reactor, report: @escaping (_ input: DoorInput, _ readings: [Reading]) -> Void
    ) throws(SystemError) {
        checkTimer = reactor.schedule(at: reactor.now + InputLines.retry) { [self] in checkLines() }
        self.reactor = reactor
        self.report = report
        for entry in entries {
            if let error = entry.error {
                report(entry.input, [.lost(error)])
                handleLoss(entry, reactor)
            } else {
                try watch(entry, reactor)
            }
        }
    }

    /// Ends all watches.
    func stop() {
        for entry in entries { entry.watch?.cancel() }
        report = { _, _ in }
        checkTimer?.cancel()
        checkTimer = nil
        reactor = nil
    }

    private func watch(_ entry: Entry, _ reactor: Reactor) throws(SystemError) {
        guard let descriptor = entry.line?.descriptor else { return }
        entry.watch = try reactor.watch(descriptor, .readable) { [self] _ in read(entry) }
        read(entry)
    }

    /// Checks that the lines exist: Linux 6.1 does not report the removal of a chip.
    private func checkLines() {
        guard let reactor else { return }
        for entry in entries {
            do throws(GPIOError) { _ = try entry.line?.get() } catch {
                handleLoss(entry, reactor)
                report(entry.input, [.lost(error)])
            }
        }
        checkTimer?.reschedule(at: reactor.now + InputLines.retry)
    }

    private func read(_ entry: Entry) {
        guard let reactor else { return }
        var readings: [Reading] = []
        do throws(GPIOError) {
            try InputLines.drain(&entry.line, at: reactor.now, into: &readings)
        } catch {
            readings.append(.lost(error))
            handleLoss(entry, reactor)
        }
        report(entry.input, readings)
    }

    /// Reads the edges in order, then the level, since the kernel drops edges that are not read in time.
    private static func drain(
        _ line: inout InputLine?, at now: Instant, into readings: inout [Reading]
    ) throws(GPIOError) {
        for _ in 0..<edgesAtOnce {
            guard let edge = try line?.nextEdge() else { break }
            readings.append(.level(edge.isActive, since: Instant(nanoseconds: Int64(clamping: edge.nanoseconds))))
        }
        if let level = try line?.get() { readings.append(.level(level, since: now)) }
    }

    private func handleLoss(_ entry: Entry, _ reactor: Reactor) {
        // Before the descriptor is closed with the line.
        entry.watch?.cancel()
        entry.watch = nil
        entry.line = nil
        reactor.schedule(at: reactor.now + InputLines.retry) { [self] in reopen(entry) }
    }

    private func reopen(_ entry: Entry) {
        guard let reactor else { return }
        do {
            try entry.open()
            report(entry.input, [.restored])
            try watch(entry, reactor)
        } catch {
            handleLoss(entry, reactor)
        }
    }
}
