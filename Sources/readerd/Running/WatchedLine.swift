// SPDX-License-Identifier: Apache-2.0

import GPIO
import System
import Timekeeping

/// An input line whose events are passed to its owner.
///
/// A line that is lost, for example with its chip, or that cannot be opened at the start, is reported once, and opened
/// again as soon as it is available.
final class WatchedLine {
    /// The state of a line.
    enum Reading: Equatable {
        /// Its level, with the time of the change.
        case level(Bool, since: Instant)
        /// Lost, so that its level is unknown.
        case lost(GPIOError)
        /// Available again; its level follows.
        case restored
    }

    /// The interval of attempts to reopen a lost line, and of checks of a silent one.
    private static let retry = Duration.seconds(5)
    /// The maximum number of edges read at once, so that a chattering line does not delay the others. The rest is
    /// signalled again.
    private static let edgesAtOnce = 64

    private let reference: LineReference
    private let isActiveLow: Bool
    private let bias: InputLine.Bias
    /// Nil while the line is lost.
    private var line: InputLine?
    /// The error of the first attempt to open it.
    private var error: GPIOError?
    private var reactor: Reactor?
    private var watch: Watch?
    private var checkTimer: Timer?
    private var report: ([Reading]) -> Void = { _ in }

    /// Opens the line, if it is available.
    init(_ reference: LineReference, activeLow: Bool, bias: InputLine.Bias) {
        (self.reference, isActiveLow, self.bias) = (reference, activeLow, bias)
        do throws(GPIOError) { try open() } catch { self.error = error }
    }

    /// Reports the level, and its changes: the last reading is the present one.
    func start(_ reactor: Reactor, report: @escaping ([Reading]) -> Void) throws(SystemError) {
        self.reactor = reactor
        self.report = report
        checkTimer = reactor.schedule(at: reactor.now + WatchedLine.retry) { [weak self] in self?.check() }
        guard let error else { return try startWatch() }
        lose()
        report([.lost(error)])
    }

    /// Ends the watch, and closes the line.
    func stop() {
        close()
        report = { _ in }
        checkTimer?.cancel()
        reactor = nil
    }

    private func open() throws(GPIOError) {
        line = try InputLine(reference, activeLow: isActiveLow, bias: bias)
    }

    private func startWatch() throws(SystemError) {
        guard let descriptor = line?.descriptor else { return }
        watch = try reactor?.watch(descriptor, .readable) { [weak self] _ in self?.read() }
        read()
    }

    /// Checks that the line exists: Linux 6.1 does not report the removal of a chip.
    private func check() {
        guard let reactor else { return }
        checkTimer?.reschedule(at: reactor.now + WatchedLine.retry)
        do throws(GPIOError) { _ = try line?.get() } catch {
            lose()
            report([.lost(error)])
        }
    }

    private func read() {
        guard let reactor else { return }
        var readings: [Reading] = []
        do throws(GPIOError) {
            try drain(into: &readings, at: reactor.now)
        } catch {
            readings.append(.lost(error))
            lose()
        }
        report(readings)
    }

    /// Reads the edges in order, then the level, since the kernel drops edges that are not read in time.
    private func drain(into readings: inout [Reading], at now: Instant) throws(GPIOError) {
        // Some kernels and drivers give other times.
        let earliest = now + (.zero - (reactor?.inputAge ?? .zero))
        for _ in 0..<WatchedLine.edgesAtOnce {
            guard let edge = try line?.nextEdge() else {
                watch?.drained()
                break
            }
            let since = Instant(nanoseconds: Int64(clamping: edge.nanoseconds))
            readings.append(.level(edge.isActive, since: max(since, earliest)))
        }
        if let level = try line?.get() { readings.append(.level(level, since: now)) }
    }

    private func lose() {
        close()
        guard let reactor else { return }
        reactor.schedule(at: reactor.now + WatchedLine.retry) { [weak self] in self?.reopen() }
    }

    private func reopen() {
        guard reactor != nil else { return }
        do {
            try open()
            report([.restored])
            try startWatch()
        } catch {
            lose()
        }
    }

    private func close() {
        // Before the descriptor is closed with the line.
        watch?.cancel()
        watch = nil
        line = nil
    }
}
