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
    private var lookTimer: Timer?
    private var tell: (DoorInput, [Reading]) -> Void = { _, _ in }

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
        _ reactor: Reactor, tell: @escaping (_ input: DoorInput, _ readings: [Reading]) -> Void
    ) throws(SystemError) {
        lookTimer = reactor.schedule(at: reactor.now + InputLines.retry) { [self] in look() }
        self.reactor = reactor
        self.tell = tell
        for entry in entries {
            if let error = entry.error {
                tell(entry.input, [.lost(error)])
                lose(entry, reactor)
            } else {
                try watch(entry, reactor)
            }
        }
    }

    /// Ends all watches.
    func stop() {
        for entry in entries { entry.watch?.cancel() }
        tell = { _, _ in }
        lookTimer?.cancel()
        lookTimer = nil
        reactor = nil
    }

    private func watch(_ entry: Entry, _ reactor: Reactor) throws(SystemError) {
        guard let descriptor = entry.line?.descriptor else { return }
        entry.watch = try reactor.watch(descriptor, .readable) { [self] _ in read(entry) }
        read(entry)
    }

    /// Checks that the lines exist: Linux 6.1 does not report the removal of a chip.
    private func look() {
        guard let reactor else { return }
        for entry in entries {
            do throws(GPIOError) { _ = try entry.line?.get() } catch {
                lose(entry, reactor)
                tell(entry.input, [.lost(error)])
            }
        }
        lookTimer?.reschedule(at: reactor.now + InputLines.retry)
    }

    private func read(_ entry: Entry) {
        guard let reactor else { return }
        var readings: [Reading] = []
        do throws(GPIOError) {
            try InputLines.drain(&entry.line, at: reactor.now, into: &readings)
        } catch {
            readings.append(.lost(error))
            lose(entry, reactor)
        }
        tell(entry.input, readings)
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

    private func lose(_ entry: Entry, _ reactor: Reactor) {
        // Before the descriptor is closed with the line.
        entry.watch?.cancel()
        entry.watch = nil
        entry.line = nil
        reactor.schedule(at: reactor.now + InputLines.retry) { [self] in restore(entry) }
    }

    private func restore(_ entry: Entry) {
        guard let reactor else { return }
        do {
            try entry.open()
            tell(entry.input, [.restored])
            try watch(entry, reactor)
        } catch {
            lose(entry, reactor)
        }
    }
}
