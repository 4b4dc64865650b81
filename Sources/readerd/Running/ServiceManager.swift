import CLinux
import Glibc
import Timekeeping

/// Tells systemd, or what takes its place, how the service is (sd_notify(3)): datagrams to a Unix socket. None is
/// waited for, and one that does not get through is no fault of the door's.
final class ServiceManager {
    private let descriptor: CInt
    /// Messages that found no room.
    private var unsent: [String] = []
    /// So many are kept: a reload and the end, and what is shown meanwhile.
    private static let unsentLimit = 8
    /// How often the watchdog is to be fed: three times in the period after which it bites; nil without a watchdog.
    let watchdogInterval: Duration?

    /// The service manager that the environment names; nil if there is none.
    ///
    /// NOTIFY_SOCKET is a path or, with @ before it, an abstract name; WATCHDOG_PID, if there is one, must be this
    /// process's for WATCHDOG_USEC to count (sd_watchdog_enabled(3)).
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

    /// A variable of the process's environment.
    static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// The door works, and clients are served.
    func ready(status: String) { send("READY=1\nSTATUS=\(ServiceManager.line(status))") }

    /// What a person who looks at the service is shown.
    func status(_ text: String) { send("STATUS=\(ServiceManager.line(text))") }

    /// The configuration is being read again, since `now` on CLOCK_MONOTONIC; `ready` follows.
    func reloading(at now: Instant) { send("RELOADING=1\nMONOTONIC_USEC=\(now.nanoseconds / 1000)") }

    /// The end has begun.
    func stopping() { send("STOPPING=1\nSTATUS=closing links, settling the door") }

    /// The service makes progress.
    func watchdog() { send("WATCHDOG=1", isKept: false) }

    /// A value is one line: what is in it must not become another assignment.
    private static func line(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }

    /// Sends a message behind what found no room before. One that finds none is kept, since a service that is not
    /// heard to be ready is ended; all that follows tries again, the watchdog's beat among it.
    private func send(_ text: String, isKept: Bool = true) {
        while let first = unsent.first, offer(first) { unsent.removeFirst() }
        if unsent.isEmpty, offer(text) { return }
        if isKept, unsent.count < ServiceManager.unsentLimit { unsent.append(text) }
    }

    /// False if there is no room now; any other failure lasts, and nothing is kept for it.
    private func offer(_ text: String) -> Bool {
        let octets = Array(text.utf8)
        return readerd_send(descriptor, octets, octets.count) != Int64(-EAGAIN)
    }
}
