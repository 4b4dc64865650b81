// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reader
import System

/// The files of the log in the state directory, without their contents.
struct LogFiles: ~Copyable {
    /// The database; SQLite adds `-wal` and `-shm` to the name.
    static let name = "events.db"
    static let lockName = "events.lock"
    private static let journalName = name + "-wal"
    private static let indexName = name + "-shm"

    private let directory: Int32

    init(_ path: String) throws(DiskFault) {
        directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw DiskFault(errno: errno, opening: true) }
    }

    deinit { close(directory) }

    /// Renames what is in the way of the log: entries that are no files, files that this process may not read and
    /// write, and the journal of a database that is gone, which SQLite would remove. Returns the new name of the log;
    /// nil if it remains.
    func clearTheWay() -> String? {
        for name in [LogFiles.lockName, HeadFile.name, LogFiles.journalName, LogFiles.indexName]
        where !DamagedFile.isUsable(name, in: directory) {
            _ = DamagedFile.putAside(name, in: directory)
        }
        let name = DamagedFile.isUsable(LogFiles.name, in: directory) ? nil : putAside(.damaged)
        if size(LogFiles.name) == 0, size(LogFiles.journalName) > 0 {
            _ = DamagedFile.putAside(LogFiles.journalName, in: directory)
        }
        return name
    }

    /// Renames a log that cannot be used, with its journal. Returns its new name; nil if that fails.
    func putAside(_ fault: DiskFault) -> String? {
        let reason = fault == .laterVersion ? "later" : "damaged"
        let other = DamagedFile.freeName(for: LogFiles.name, reason, in: directory)
        for suffix in ["-wal", "-shm", ""] {
            // The two others are optional.
            let code = renameat(directory, LogFiles.name + suffix, directory, other + suffix)
            guard code == 0 || errno == ENOENT else { return nil }
        }
        return other
    }

    /// Copies the journal. Returns the copy's name; nil if the log has no journal, or if copying fails.
    ///
    /// Closing a file's descriptor releases the locks that SQLite holds on the file. It holds none on the journal.
    func copyJournal() -> String? {
        let source = openat(directory, LogFiles.journalName, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard source >= 0 else { return nil }
        defer { close(source) }
        let count = size(LogFiles.journalName)
        guard count > 0 else { return nil }
        let name = DamagedFile.freeName(for: LogFiles.journalName, in: directory)
        let target = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard target >= 0 else { return nil }
        defer { close(target) }
        var copied = 0
        while copied < count {
            let step = sendfile(target, source, nil, count - copied)
            guard step > 0 else { break }
            copied += step
        }
        guard copied == count, fsync(target) == 0 else {
            unlinkat(directory, name, 0)
            return nil
        }
        return name
    }

    /// The size of a file in octets; 0 if it does not exist.
    private func size(_ name: String) -> Int {
        var status = stat()
        return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? Int(status.st_size) : 0
    }
}
