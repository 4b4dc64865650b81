// SPDX-License-Identifier: Apache-2.0

import Crypto
import System
import Glibc
public import Reader

/// The files of the policy: two copies, and the witness of the last generation. Each is replaced as a whole.
public struct PolicyFiles {
    /// The copies, in the order in which they are written.
    static let copyNames = ["policy.a", "policy.b"]
    /// The witness, written after them.
    static let countName = "policy.count"
    /// Exists from before the first start until the first policy is complete.
    static let firstStartName = "policy.first"

    let directory: String
    let key: AuditKey
    /// Called with the name of each file that was written to the disk; for tests.
    var watcher: (String) throws(DiskFault) -> Void = { _ in }

    /// Creates access to the files in a state directory. No file is created.
    public init(directory: String, key: AuditKey) {
        self.directory = directory
        self.key = key
    }

    // MARK: Reading

    /// Reads the files. The witness is read first: with a concurrent writer it is then behind the copies, not ahead.
    ///
    /// - Throws: The fault of a file that cannot be read, unless the others are sufficient.
    func read() throws(DiskFault) -> FoundPolicy {
        var fault: DiskFault?
        func octets(_ name: String, atMost limit: Int) -> [UInt8]? {
            do throws(DiskFault) { return try contents(name, atMost: limit) } catch {
                fault = error
                return []
            }
        }
        let count: FoundPolicy.Count =
            if let octets = octets(PolicyFiles.countName, atMost: PolicyCount.octetCount) {
                PolicyCount(octets, key: key).map(FoundPolicy.Count.sound) ?? .damaged
            } else {
                .missing
            }
        let copies: [FoundPolicy.Copy] = PolicyFiles.copyNames.map { name in
            guard let octets = octets(name, atMost: SealedPolicy.octetLimit) else { return .missing }
            return SealedPolicy(octets, key: key).map(FoundPolicy.Copy.sound) ?? .damaged
        }
        let found = FoundPolicy(copies: copies, count: count)
        if let fault, case .refused = found.verdict(logged: 0) { throw fault }
        return found
    }

    /// Returns the verdict about the policy, for a reader while another process may write. `logged` is the generation
    /// stated by the event log, read before this call.
    public func verdict(logged: UInt64) throws(DiskFault) -> FoundPolicy.Verdict {
        // A writer may have written several generations between two reads.
        for _ in 1..<PolicyFiles.attempts {
            let verdict = try read().verdict(logged: logged)
            guard case .refused = verdict else { return lostUnlessFirst(verdict) }
        }
        return lostUnlessFirst(try read().verdict(logged: logged))
    }

    /// After the first start, a missing policy counts as lost.
    private func lostUnlessFirst(_ verdict: FoundPolicy.Verdict) -> FoundPolicy.Verdict {
        verdict == .none && !isFirstStart ? .refused(.copiesLost) : verdict
    }

    private static let attempts = 3

    /// Returns the file's octets; nil if it does not exist. A file longer than `limit` is cut after `limit` + 1 octets,
    /// so that it counts as damaged; likewise an entry that is not a regular file.
    private func contents(_ name: String, atMost limit: Int) throws(DiskFault) -> [UInt8]? {
        let descriptor = open("\(directory)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: return nil
            case ELOOP, ENXIO: return []
            default: throw DiskFault(errno: errno, opening: true)
            }
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw DiskFault(errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { return [] }
        var octets = [UInt8](repeating: 0, count: min(max(0, Int(status.st_size)), limit) + 1)
        var count = 0
        while count < octets.count {
            let got = octets.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw DiskFault(errno: errno) }
            if got == 0 { break }
            count += got
        }
        octets.removeLast(octets.count - count)
        return octets
    }

    // MARK: Writing

    /// Writes both copies.
    func write(_ policy: SealedPolicy) throws(DiskFault) {
        for name in PolicyFiles.copyNames { try replace(name, with: policy.octets) }
    }

    /// Writes the witness, after the copies; the policy is then valid.
    func write(_ count: PolicyCount) throws(DiskFault) {
        let octets: [UInt8]
        do throws(CryptoError) { octets = try count.octets(key: key) } catch { throw .other }
        try replace(PolicyFiles.countName, with: octets)
    }

    private func replace(_ name: String, with octets: [UInt8]) throws(DiskFault) {
        do throws(DurableFile.Failure) { try DurableFile.replace("\(directory)/\(name)", with: octets) } catch {
            throw DiskFault(errno: error.errno)
        }
        try watcher(name)
    }

    func sealed(_ document: PolicyDocument) throws(DiskFault) -> SealedPolicy {
        do throws(CryptoError) { return try SealedPolicy(document, key: key) } catch { throw .other }
    }

    /// Replaces the policy with an empty one, of a generation above all known ones. The next start records
    /// `actor` as its author. The new policy refuses orders from before `now`, in seconds since 1970, and all orders
    /// with `PolicyTime.unknown`.
    public func begin(by actor: String, at now: Int64, logged: UInt64) throws(DiskFault) -> PolicyDocument {
        let found = try read()
        // The greatest generation has no successor.
        let (generation, overflows) = max(found.highestGeneration, logged).addingReportingOverflow(1)
        guard !overflows else { throw .full }
        var document = PolicyDocument(generation: generation - 1)
        do throws(PolicyError) {
            try document.apply(.setting(PolicyDocument.begunBy, Array(actor.utf8.prefix(PolicyDocument.nameLimit))))
            try document.apply(.setting(PolicyDocument.begunAt, PolicyTime.octets(now)))
        } catch {
            throw .other
        }
        // The changes are of one generation.
        document.generation = generation
        let policy = try sealed(document)
        try write(policy)
        try write(PolicyCount(policy))
        try endFirstStart()
        return document
    }

    // MARK: The first start

    /// Marks the directory as one in which no reader has run, unless it contains a file of the log or the policy or one
    /// named in `signs`, which a first start creates. To be called before any of these is created, so that a first
    /// start interrupted by a power cut remains a first start.
    public static func markFirstStart(in directory: String, signs: Set<String>) throws(DiskFault) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DiskFault(errno: errno, opening: true) }
        defer { close(descriptor) }
        // The list closes its own.
        guard let names = DirectoryNames.list(fcntl(descriptor, F_DUPFD_CLOEXEC, 0)) else {
            throw DiskFault(errno: errno, opening: true)
        }
        let hasRun = names.contains { $0.hasPrefix("events.") || $0.hasPrefix("policy.") || signs.contains($0) }
        guard !hasRun else { return }
        // Empty, so that its creation is atomic.
        let marker = openat(descriptor, firstStartName, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard marker >= 0 else { throw DiskFault(errno: errno, opening: true) }
        close(marker)
        guard fsync(descriptor) == 0 else { throw DiskFault(errno: errno) }
    }

    /// True if no reader has completed its first start here.
    var isFirstStart: Bool {
        var status = stat()
        return lstat("\(directory)/\(PolicyFiles.firstStartName)", &status) == 0
            && status.st_mode & S_IFMT == S_IFREG
    }

    /// Removes the mark: the first policy is complete.
    func endFirstStart() throws(DiskFault) {
        // Checked first: a read-only file system refuses to remove even a missing file.
        guard isFirstStart else { return }
        guard unlink("\(directory)/\(PolicyFiles.firstStartName)") == 0 else { throw DiskFault(errno: errno) }
        do throws(DurableFile.Failure) { try DurableFile.synchronize(directory: directory) } catch {
            throw DiskFault(errno: error.errno)
        }
        try watcher(PolicyFiles.firstStartName)
    }
}
