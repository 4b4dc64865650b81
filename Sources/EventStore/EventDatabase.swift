// SPDX-License-Identifier: Apache-2.0

import Crypto
import System
import Glibc
import Reader

/// The log's database, for its only writer: one thread of one process.
///
/// It is in WAL mode with full synchronisation (SQLite, "PRAGMA synchronous"): a completed commit survives the
/// process's death and a power cut. The key and the order of records are checked by `ChainVerifier`, not here.
final class EventDatabase {
    /// "RDEV"; distinguishes the log from databases of other programs.
    static let applicationID: Int64 = 0x5244_4556
    /// The version of the tables. The first, never released, contained the blacklist as well.
    static let formVersion: Int64 = 2

    let directory: String
    let key: AuditKey
    let capacity: LogCapacity
    let connection: Connection
    private let head: HeadFile
    private let lock: FileLock

    /// The log's state after the last commit.
    var state: LogState
    /// The generation of the policy that the head states.
    private(set) var policyGeneration: UInt64
    /// The record of a loss that was found at the opening, to be written with the next one and at its time: the clock
    /// may not be known yet. The head remains as it was left until then.
    var unrecordedLoss: AuditEvent?
    /// The identifier of the log, after the first question for it.
    var identifier: [UInt8]?
    /// The value for no page limit. Tests of a full disk set a limit.
    static let noPageLimit: Int64 = 0
    /// SQLite's page cache. The default of 2 MB would fill up with a long log; appending and reading the newest records
    /// need a few pages.
    private static let cacheKibibytes = 256

    /// Opens the log, or creates it. A log that is damaged or of another version is renamed, and a new log is created
    /// with the records that can be read. With `replaces`, the log counts as damaged in any case.
    init(
        directory: String, key: AuditKey, capacity: LogCapacity, at time: AuditTime, pageLimit: Int64 = noPageLimit,
        replaces: Bool = false
    ) throws(DiskFault) {
        self.directory = directory
        self.key = key
        self.capacity = capacity
        let files = try LogFiles(directory)
        let displaced = files.clearTheWay().map {
            ReplacedLog(name: $0, fault: .damaged, path: "\(directory)/\($0)")
        }
        lock = try FileLock("\(directory)/\(LogFiles.lockName)")
        // Read before the file is created.
        let left = HeadFile.read(in: directory)
        let opened: Opened
        do throws(DiskFault) {
            guard !replaces else { throw .damaged }
            opened = try Opened(try EventDatabase.open(directory, key, pageLimit: pageLimit, head: left), displaced)
        } catch {
            guard error == .damaged || error == .laterVersion, let name = files.putAside(error) else { throw error }
            var replaced = ReplacedLog(name: name, fault: error, path: "\(directory)/\(name)")
            let fresh = try EventDatabase.open(directory, key, pageLimit: pageLimit, head: left)
            replaced.restore(to: fresh, key, head: left)
            opened = try Opened(fresh, replaced)
        }
        (connection, state) = (opened.connection, opened.state)
        head = try HeadFile(in: directory)
        state.lastTime = state.lastTime ?? left.time(key: key)
        policyGeneration = left.generation(key: key)
        try resume(from: left, opened.replaced, files, at: time)
        // Before the first record is written: otherwise a power cut could lose the head and leave the records.
        refreshHead()
        head.synchronize()
        if left == .none { try? DurableFile.synchronize(directory: directory) }
    }

    // MARK: Opening

    /// The log's database, and the replaced one.
    private struct Opened {
        let connection: Connection
        let state: LogState
        let replaced: ReplacedLog?

        init(_ connection: Connection, _ replaced: ReplacedLog? = nil) throws(DiskFault) {
            (self.connection, state, self.replaced) = (connection, try LogState(connection), replaced)
            // A page that was overwritten in part may have rows without contents, which SQLite does not notice.
            let lowest = Int64(clamping: state.checkpoint.sequence)
            let rows = try connection.number(
                "SELECT count(*) FROM event WHERE length(chain) IS NOT \(ChainValue.count) OR sequence <= \(lowest)")
            guard rows == 0 else { throw .damaged }
        }
    }

    private static func open(
        _ directory: String, _ key: AuditKey, pageLimit: Int64, head: HeadFile.Contents
    ) throws(DiskFault) -> Connection {
        let path = "\(directory)/\(LogFiles.name)"
        // SQLite would create it readable for every user.
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw DiskFault(errno: errno, opening: true) }
        close(descriptor)
        let connection = try Connection(path: path, .writing)
        try connection.execute("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON")
        // The answer is the actual mode, which differs where WAL is impossible.
        guard try connection.text("PRAGMA journal_mode=WAL") == "wal" else { throw .readOnly }
        try connection.execute("PRAGMA synchronous=FULL")
        try connection.execute("PRAGMA cache_size=-\(cacheKibibytes)")
        if pageLimit != noPageLimit { try connection.execute("PRAGMA max_page_count=\(pageLimit)") }
        let form = try connection.number("PRAGMA user_version") ?? 0
        let application = try connection.number("PRAGMA application_id") ?? 0
        if form == 0, application == 0 {
            try make(connection, key, after: head)
        } else {
            try connection.requireLog(application, form)
        }
        return connection
    }

    /// Creates the tables of a new log. Sequence numbers continue after an older log of this device, so that none is
    /// used twice.
    private static func make(
        _ connection: Connection, _ key: AuditKey, after head: HeadFile.Contents
    ) throws(DiskFault) {
        var start: UInt64 = 0
        if case .head(let place, _, _) = head, (try? key.made(place, .head)) ?? false { start = place.sequence }
        let checkpoint = try checkpoint(key, start, freshChain())
        try connection.transaction { () throws(DiskFault) in
            try connection.execute(
                """
                CREATE TABLE event (
                    sequence INTEGER PRIMARY KEY, kind INTEGER NOT NULL, record BLOB NOT NULL, chain BLOB NOT NULL
                ) STRICT;
                CREATE TABLE checkpoint (
                    id INTEGER PRIMARY KEY CHECK (id = 1), sequence INTEGER NOT NULL, chain BLOB NOT NULL,
                    tag BLOB NOT NULL
                ) STRICT;
                CREATE TABLE system_line (
                    sequence INTEGER PRIMARY KEY AUTOINCREMENT, epoch INTEGER NOT NULL, offset INTEGER NOT NULL,
                    severity INTEGER NOT NULL, line INTEGER NOT NULL, file TEXT NOT NULL, message TEXT NOT NULL
                ) STRICT;
                PRAGMA application_id = \(applicationID);
                PRAGMA user_version = \(formVersion);
                """)
            try connection.write(checkpoint)
        }
    }

    private static func freshChain() throws(DiskFault) -> ChainValue {
        var random = SystemRandomSource()
        guard let chain = ChainValue(random.octets(ChainValue.count)) else { throw .other }
        return chain
    }

    static func checkpoint(
        _ key: AuditKey, _ sequence: UInt64, _ chain: ChainValue
    ) throws(DiskFault) -> ChainPlace {
        do throws(CryptoError) {
            return try key.place(.checkpoint, sequence: sequence, chain: chain)
        } catch {
            throw .other
        }
    }

    /// Compares the log with the head written last by this device, and records a difference or a replacement.
    private func resume(
        from left: HeadFile.Contents, _ replaced: ReplacedLog?, _ files: borrowing LogFiles, at time: AuditTime
    ) throws(DiskFault) {
        let difference = try difference(from: left)
        guard replaced != nil || difference != nil else { return }
        var event = AuditEvent(.logLost, at: time, detail: replaced?.detail ?? difference?.text ?? "")
        event.mark = max(state.last, difference?.mark ?? 0)
        state.last = event.mark
        state.loss = replaced?.summary ?? difference?.text
        // The first record overwrites what a damaged journal has behind its last sound page.
        if replaced == nil, difference?.isShort == true, let name = files.copyJournal() {
            state.loss? += "; what its journal held is in \(name)"
        }
        unrecordedLoss = event
    }

    /// A difference from the log as this device left it, and the last record of that.
    private struct Difference {
        var text: String
        var mark: UInt64
        /// True if records are missing at the end.
        var isShort = false
    }

    private func difference(from left: HeadFile.Contents) throws(DiskFault) -> Difference? {
        switch left {
        case .none:
            // A power cut came while the log was created, before its head was.
            return state.last > 0 ? Difference(text: "events.head is missing", mark: state.last) : nil
        case .unreadable: return Difference(text: "events.head is damaged", mark: state.last)
        case .head(let place, _, _):
            guard (try? key.made(place, .head)) ?? false else {
                return Difference(text: "events.head is of another device", mark: state.last)
            }
            let isAnotherBeginning = state.count == 0 && place.chain != state.chain
            if place.sequence > state.last || isAnotherBeginning {
                return Difference(text: "the log ended before its head", mark: place.sequence, isShort: true)
            }
            guard let chain = try connection.chain(at: place.sequence), chain != place.chain else { return nil }
            return Difference(text: "the record at the head differs", mark: place.sequence)
        }
    }

    /// Updates the head to the newest record, or to the checkpoint if the log is empty. A failure is no fault: the head
    /// then lags behind.
    func refreshHead() {
        guard unrecordedLoss == nil else { return }
        let time = UInt64(clamping: state.lastTime ?? 0)
        guard let place = try? key.place(.head, sequence: state.last, chain: state.chain),
            let timePlace = try? key.place(.headTime, sequence: time, chain: state.chain),
            let generation = try? key.place(.headGeneration, sequence: policyGeneration, chain: state.chain)
        else { return }
        _ = head.write(place, time: timePlace, generation: generation)
    }

    /// Makes the head a witness of a generation of the policy that is on the disk. An earlier one changes nothing.
    func witness(policyGeneration generation: UInt64) {
        guard generation > policyGeneration else { return }
        policyGeneration = generation
        refreshHead()
        head.synchronize()
    }

    /// Records a loss that is not on record yet, updates the head and writes it to the disk, for an orderly end.
    func finish() {
        if unrecordedLoss != nil { _ = try? append([] as [AuditEvent]) }
        refreshHead()
        head.synchronize()
    }

    /// Writes the head to the disk. Required before the checkpoint moves: after a power cut, a head before the
    /// checkpoint would look like another log's.
    func synchronizeHead() { head.synchronize() }
}

/// A lock that the kernel releases at the process's end.
private struct FileLock: ~Copyable {
    private let descriptor: Int32

    init(_ path: String) throws(DiskFault) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw DiskFault(errno: errno, opening: true) }
        var attempts = FileLock.attempts
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let fault = DiskFault(errno: errno)
            attempts -= 1
            guard fault == .inUse, attempts > 0 else {
                close(descriptor)
                throw fault
            }
            usleep(FileLock.pauseMicroseconds)
        }
    }

    /// A child process holds its parent's lock between fork and exec, so a lock just released may be held for some
    /// milliseconds more.
    private static let attempts = 100
    private static let pauseMicroseconds: UInt32 = 5000

    deinit { close(descriptor) }
}
