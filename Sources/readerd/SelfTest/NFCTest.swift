// SPDX-License-Identifier: Apache-2.0

import CardPolling
import CLinux
import Configuration
import Glibc
import NFC
import System
import Timekeeping

/// The test of the NFC front end: opens the chip as the reader does, polls once if the reader polls, and releases it.
enum NFCTest {
    /// Returns the outcome after at most `timeout`.
    static func outcome(_ settings: ReaderSettings, timeout: Duration) -> SelfTestOutcome {
        guard let connection = settings.nfc.connection else { return .notConfigured("no nfc.connection") }
        let frontEnd: NFCFrontEnd
        do throws(NFCFrontEndError) {
            frontEnd = try NFCFrontEnd(connection: connection, settings: settings.polling)
        } catch {
            return .failed("\(error)")
        }
        // A chip that does not answer now is released by the end of the process.
        defer { frontEnd.close(within: closeTimeoutMilliseconds) }
        let end = MonotonicClock.now + timeout
        let event = firstEvent(of: frontEnd, until: end)
        let opened = outcome(connection, event, timeout: timeout)
        guard case .ok = opened, settings.nfc.role != .target else { return opened }
        return polled(connection, opened, rounds(of: frontEnd, until: end))
    }

    /// Returns the outcome of a chip that was opened, and has completed this number of rounds.
    static func polled(_ connection: String, _ opened: SelfTestOutcome, _ rounds: UInt64) -> SelfTestOutcome {
        rounds > 0 ? opened : .failed("\(connection): the chip is open, but completes no round of polling")
    }

    /// The number of completed rounds, as soon as there is one.
    private static func rounds(of frontEnd: NFCFrontEnd, until end: Instant) -> UInt64 {
        while frontEnd.pollCounts.rounds == 0, MonotonicClock.now < end { usleep(20_000) }
        return frontEnd.pollCounts.rounds
    }

    /// Returns the outcome for the front end's first event; nil for none in time.
    static func outcome(_ connection: String, _ event: NFCFrontEndEvent?, timeout: Duration) -> SelfTestOutcome {
        switch event {
        case .opened(let name): .ok("\(connection): \(name)")
        case .failed(let why): .failed(why)
        case .activated, .command, .released, .card, .response, .cardLost, .cardRejected, .fieldEmpty: .ok(connection)
        case nil:
            .failed(
                "\(connection): not open within \(timeout.components.seconds) s; check power and wiring")
        }
    }

    /// The time for releasing the chip.
    private static let closeTimeoutMilliseconds = 300

    private static func firstEvent(of frontEnd: NFCFrontEnd, until end: Instant) -> NFCFrontEndEvent? {
        var events: [NFCFrontEndEvent] = []
        while events.isEmpty {
            let left = end - MonotonicClock.now
            guard left > .zero else { return nil }
            // Rounded up: a wait that ends slightly too early would cause a busy loop.
            var watched = pollfd(fd: frontEnd.descriptor, events: Int16(POLLIN), revents: 0)
            poll(&watched, 1, Int32(clamping: left.wholeMilliseconds + 1))
            frontEnd.takeEvents(into: &events)
        }
        return events.first
    }
}
