// SPDX-License-Identifier: Apache-2.0

import EventStore
import Glibc
import Reader
import System
import TapBench
import Timekeeping

/// The reader's event store in its own directory, which is removed at its end.
final class TapStore {
    private let directory: String
    private let store: EventStore

    /// A store in a new directory in `TMPDIR`, or in /var/tmp: its disk is the one that is measured.
    init() throws {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/var/tmp"
        var template = Array("\(parent)/readerlab-tap-XXXXXX".utf8).map { CChar(bitPattern: $0) } + [0]
        guard mkdtemp(&template) != nil, let key = AuditKey([UInt8](repeating: 7, count: AuditKey.count)) else {
            throw BenchTapFault("no directory can be made in \(parent)")
        }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let log = LogCapacity(records: 100_000, whenFull: .overwrite)
        store = try EventStore(.init(directory: directory, key: key, capacity: log))
    }

    deinit {
        store.close(within: 5)
        let names = DirectoryNames.list(open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) ?? []
        for name in names { unlink("\(directory)/\(name)") }
        rmdir(directory)
    }

    /// Stores an event; the time until it is on the disk, in nanoseconds.
    func record(_ event: AuditEvent) throws -> Int {
        let began = MonotonicClock.now
        guard store.submit(.unawaited, .append(event)) else { throw BenchTapFault("the event store is full") }
        while true {
            var ready = pollfd(fd: store.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, 10_000) > 0 || errno == EINTR else { throw BenchTapFault("the disk does not answer") }
            guard let result = store.results().first else { continue }
            guard case .appended = result.answer else { throw BenchTapFault("the event was not stored: \(result)") }
            return Int((MonotonicClock.now - began).components.attoseconds / 1_000_000_000)
        }
    }
}

/// A measurement that cannot be carried out.
package struct BenchTapFault: Error, CustomStringConvertible {
    /// The reason in one line.
    package let description: String

    init(_ description: String) { self.description = description }
}
