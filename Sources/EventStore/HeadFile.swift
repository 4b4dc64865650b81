// SPDX-License-Identifier: Apache-2.0

import Glibc
import Octets
public import Reader

/// The file next to the log that keeps the newest record's place, so that truncation is detected. It is written after
/// each commit, so it is never ahead of an unmodified log.
///
/// It is overwritten, and synchronised only when the log is opened and before the oldest records are removed: after a
/// power cut it may be behind by some records. Its octets lie in one sector, so a power cut leaves either the previous
/// or the new content.
///
/// It also keeps the newest record's time, for a start at which the log cannot be read: the clock must not be set to
/// an earlier time. It also records the policy's generation independently of the log and the policy, so that older
/// copies of both are detected. For this purpose it is synchronised after each change of the policy, and is never ahead
/// of it. The file's first version has neither, the second no generation.
struct HeadFile: ~Copyable {
    static let name = "events.head"
    /// `rdhead`, the version and a line feed.
    private static func signature(_ version: UInt8) -> [UInt8] {
        [0x72, 0x64, 0x68, 0x65, 0x61, 0x64, 0x30 + version, 0x0A]
    }

    private static let version: UInt8 = 3
    private static let signatureCount = 8
    /// The length of a number and its tag.
    private static let partCount = 8 + ChainValue.count

    /// The length of a version's file: the head with its chain value, and a part more with each version.
    private static func count(_ version: UInt8) -> Int {
        signatureCount + ChainValue.count + Int(version) * partCount
    }

    private let descriptor: Int32

    /// Opens the file in the directory, or creates it.
    init(in directory: String) throws(DiskFault) {
        descriptor = open("\(directory)/\(HeadFile.name)", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw DiskFault(errno: errno, opening: true) }
    }

    deinit { close(descriptor) }

    /// Writes the head, the time of its record, and the generation of the policy; false if that fails.
    func write(_ head: ChainPlace, time: ChainPlace, generation: ChainPlace) -> Bool {
        var octets = HeadFile.signature(HeadFile.version)
        octets.append(littleEndian: head.sequence)
        octets += head.chain.octets + head.tag.octets
        for part in [time, generation] {
            octets.append(littleEndian: part.sequence)
            octets += part.tag.octets
        }
        return pwrite(descriptor, octets, octets.count, 0) == octets.count
    }

    /// Waits until the written head is on the disk.
    func synchronize() { fdatasync(descriptor) }

    /// The file's contents.
    enum Contents: Equatable {
        case none
        case unreadable
        /// The head, its record's time (role `headTime`) and the policy's generation (role `headGeneration`).
        case head(ChainPlace, time: ChainPlace?, generation: ChainPlace?)
    }

    /// Reads the file in the directory; `none` if it is missing or empty.
    static func read(in directory: String) -> Contents {
        let descriptor = open("\(directory)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return errno == ENOENT ? .none : .unreadable }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return .unreadable }
        var octets = [UInt8](repeating: 0, count: count(version) + 1)
        let got = Glibc.read(descriptor, &octets, octets.count)
        guard got != 0 else { return .none }
        let found = Array(octets.prefix(max(0, got)))
        return parse(found)
    }

    private static func parse(_ octets: [UInt8]) -> Contents {
        let versions = 1...version
        guard let found = versions.first(where: { octets.count == count($0) && octets.starts(with: signature($0)) }),
            let chain = value(octets, at: signatureCount + 8)
        else { return .unreadable }
        let begin = signatureCount + partCount + ChainValue.count
        guard let tag = value(octets, at: signatureCount + 8 + ChainValue.count) else { return .unreadable }
        let parts = (0..<Int(found) - 1).map { index -> ChainPlace? in
            let start = begin + index * partCount
            return value(octets, at: start + 8).map {
                ChainPlace(sequence: number(octets, at: start), chain: chain, tag: $0)
            }
        }
        return .head(
            ChainPlace(sequence: number(octets, at: signatureCount), chain: chain, tag: tag),
            time: parts.first ?? nil, generation: parts.count > 1 ? parts[1] : nil)
    }

    private static func value(_ octets: [UInt8], at place: Int) -> ChainValue? {
        ChainValue(Array(octets[place..<place + ChainValue.count]))
    }

    private static func number(_ octets: [UInt8], at place: Int) -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(octets[place + $1]) << (8 * UInt64($1)) }
    }
}

extension EventStore {
    /// Returns the time of the newest record whose clock was set, in seconds since 1970; nil if the head file
    /// states none or this device did not write it. Reads only that file.
    public static func timeOfHead(in directory: String, key: AuditKey) -> Int64? {
        HeadFile.read(in: directory).time(key: key)
    }

    /// Returns the generation of the policy that the head file states; 0 if it states none or this device did
    /// not write it. Reads only that file.
    public static func generationOfHead(in directory: String, key: AuditKey) -> UInt64 {
        HeadFile.read(in: directory).generation(key: key)
    }
}

extension DiskFault {
    /// The fault for an error number of the system.
    init(errno: Int32, opening: Bool = false) {
        switch errno {
        case ENOSPC, EDQUOT, EFBIG: self = .full
        case EIO: self = .inputOutput
        case EROFS: self = .readOnly
        case EWOULDBLOCK: self = .inUse
        default: self = opening ? .cannotOpen : .other
        }
    }
}
