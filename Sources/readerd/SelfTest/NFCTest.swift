// SPDX-License-Identifier: Apache-2.0

import CLinux
import Configuration
import Glibc
import NFC
import System
import Timekeeping

/// The test of the NFC front end: opens the chip as the reader does, and releases it.
enum NFCTest {
    /// Returns the outcome after at most `timeout`.
    static func outcome(_ settings: ReaderSettings, timeout: Duration) -> SelfTestOutcome {
        guard let connection = settings.nfc.connection else { return .notConfigured("no nfc.connection") }
        let frontEnd: NFCFrontEnd
        do throws(NFCFrontEndError) { frontEnd = try NFCFrontEnd(connection: connection) } catch {
            return .failed("\(error)")
        }
        // A chip that does not answer now is released by the end of the process.
        defer { frontEnd.close(within: closeTimeoutMilliseconds) }
        return outcome(connection, firstEvent(of: frontEnd, within: timeout), timeout: timeout)
    }

    /// Returns the outcome for the front end's first event; nil for none in time.
    static func outcome(_ connection: String, _ event: NFCFrontEndEvent?, timeout: Duration) -> SelfTestOutcome {
        switch event {
        case .opened(let name): .ok("\(connection): \(name)")
        case .failed(let why): .failed(why)
        case .activated, .command, .released: .ok(connection)
        case nil:
            .failed(
                "\(connection): not open within \(timeout.components.seconds) s; check power and wiring")
        }
    }

    /// The time for releasing the chip.
    private static let closeTimeoutMilliseconds = 300

    private static func firstEvent(of frontEnd: NFCFrontEnd, within timeout: Duration) -> NFCFrontEndEvent? {
        let end = MonotonicClock.now + timeout
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
