// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Timekeeping

/// Notifications to systemd or a compatible service manager (sd_notify(3)), as datagrams to a Unix socket. Sending
/// never blocks, and errors do not affect the reader.
final class ServiceManager {
    private let descriptor: CInt
    /// Messages that could not be sent yet.
    private var unsent: [String] = []
    /// The maximum number of queued messages: a reload, the end, and a status in between.
    private static let unsentLimit = 8
    /// The interval of watchdog notifications, a third of the watchdog's time-out; nil without a watchdog.
    let watchdogInterval: Duration?

    /// Creates the connection described by the environment; nil for none.
    ///
    /// NOTIFY_SOCKET is a path or, after @, an abstract name. WATCHDOG_USEC counts only if WATCHDOG_PID is absent or
    /// this process's (sd_watchdog_enabled(3)).
    init?(environment: (String) -> String? = ServiceManager.variable) throws(ReaderdError) {
        guard let address = environment("NOTIFY_SOCKET"), !address.isEmpty else { return nil }
        let isAbstract = address.hasPrefix("@")
        guard isAbstract || address.hasPrefix("/") else {
            throw .failed("NOTIFY_SOCKET \"\(address)\": only a path or an abstract name (@…) is supported")
        }
        let name = isAbstract ? String(address.dropFirst()) : address
        let descriptor = readerd_datagram_unix(name, name.utf8.count, isAbstract)
        guard descriptor >= 0 else {
            throw .file(address, "reach the service manager (NOTIFY_SOCKET)", errno: -descriptor)
        }
        self.descriptor = descriptor
        watchdogInterval = ServiceManager.watchdogInterval(environment)
    }

    deinit { readerd_close(descriptor) }

    private static func watchdogInterval(_ environment: (String) -> String?) -> Duration? {
        if let process = environment("WATCHDOG_PID"), process != "\(getpid())" { return nil }
        guard let text = environment("WATCHDOG_USEC"), let period = Int64(text), period > 0 else { return nil }
        return .microseconds(max(period / 3, 1))
    }

    /// Returns a variable of the process's environment.
    static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Notifies that the door works and clients are served.
    func ready(status: String) { send("READY=1\nSTATUS=\(ServiceManager.line(status))") }

    /// Sets the status text.
    func status(_ text: String) { send("STATUS=\(ServiceManager.line(text))") }

    /// Notifies a reload that began at `now` on CLOCK_MONOTONIC; `ready` follows.
    func reloading(at now: Instant) { send("RELOADING=1\nMONOTONIC_USEC=\(now.nanoseconds / 1000)") }

    /// Notifies the beginning of the end.
    func stopping() { send("STOPPING=1\nSTATUS=closing links, securing the door") }

    /// Notifies the watchdog.
    func watchdog() { send("WATCHDOG=1", isKept: false) }

    /// Returns the text in one line, so that it cannot contain another assignment.
    private static func line(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }

    /// Sends a message after the queued ones. A message that cannot be sent is queued, since a service without
    /// `READY=1` is killed; every later message, the watchdog's included, tries again.
    private func send(_ text: String, isKept: Bool = true) {
        while let first = unsent.first, offer(first) { unsent.removeFirst() }
        if unsent.isEmpty, offer(text) { return }
        if isKept, unsent.count < ServiceManager.unsentLimit { unsent.append(text) }
    }

    /// Returns false if the socket's buffer is full. Any other error is permanent, so the message is not kept.
    private func offer(_ text: String) -> Bool {
        let octets = Array(text.utf8)
        return readerd_send(descriptor, octets, octets.count) != Int64(-EAGAIN)
    }
}
