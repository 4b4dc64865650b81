// SPDX-License-Identifier: Apache-2.0

import Glibc
import Octets
public import Reader

/// The file beside the log that keeps the newest record's place, so that truncation is detected. It is written after
/// each commit, so it is never ahead of an unmodified log.
///
/// It is written in place, and synchronised only at the opening of the log and before the oldest records are removed:
/// after a power cut it may be behind by some records. Its octets lie in one sector, so it is the former or the new
/// one.
///
/// It also keeps the newest record's time, for a start at which the log cannot be read: the clock must not be set to a
/// time before. The file's first version lacks it.
struct HeadFile: ~Copyable {
    static let name = "events.head"
    /// `rdhead2` and a line feed.
    private static let signature: [UInt8] = [0x72, 0x64, 0x68, 0x65, 0x61, 0x64, 0x32, 0x0A]
    private static let formerSignature: [UInt8] = [0x72, 0x64, 0x68, 0x65, 0x61, 0x64, 0x31, 0x0A]
    private static let formerCount = signature.count + 8 + 2 * ChainValue.count
    private static let count = formerCount + 8 + ChainValue.count

    private let descriptor: Int32

    /// Opens the file in the directory, or creates it.
    init(in directory: String) throws(DiskFault) {
        descriptor = open("\(directory)/\(HeadFile.name)", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw DiskFault(errno: errno, opening: true) }
    }

    deinit { close(descriptor) }

    /// Writes the head and the time of its record; false if that fails.
    func write(_ head: ChainPlace, _ time: ChainPlace) -> Bool {
        var octets = HeadFile.signature
        octets.append(littleEndian: head.sequence)
        octets += head.chain.octets + head.tag.octets
        octets.append(littleEndian: time.sequence)
        octets += time.tag.octets
        return pwrite(descriptor, octets, octets.count, 0) == octets.count
    }

    /// Waits until the written head is on the disk.
    func synchronize() { fdatasync(descriptor) }

    /// The file's contents.
    enum Contents: Equatable {
        case none
        case unreadable
        /// The head, and its record's time as a place of role `headTime`.
        case head(ChainPlace, time: ChainPlace?)
    }

    /// Reads the file in the directory; `none` if it is missing or empty.
    static func read(in directory: String) -> Contents {
        let descriptor = open("\(directory)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return errno == ENOENT ? .none : .unreadable }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return .unreadable }
        var octets = [UInt8](repeating: 0, count: count + 1)
        let got = Glibc.read(descriptor, &octets, octets.count)
        guard got != 0 else { return .none }
        let found = Array(octets.prefix(max(0, got)))
        return parse(found)
    }

    private static func parse(_ octets: [UInt8]) -> Contents {
        let isFormer = octets.count == formerCount && octets.starts(with: formerSignature)
        guard isFormer || octets.count == count && octets.starts(with: signature) else { return .unreadable }
        let start = signature.count + 8
        guard let chain = ChainValue(Array(octets[start..<start + ChainValue.count])),
            let tag = ChainValue(Array(octets[start + ChainValue.count..<formerCount]))
        else { return .unreadable }
        let head = ChainPlace(sequence: number(octets, at: signature.count), chain: chain, tag: tag)
        guard !isFormer, let timeTag = ChainValue(Array(octets[(formerCount + 8)...])) else {
            return .head(head, time: nil)
        }
        return .head(head, time: ChainPlace(sequence: number(octets, at: formerCount), chain: chain, tag: timeTag))
    }

    private static func number(_ octets: [UInt8], at place: Int) -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(octets[place + $1]) << (8 * UInt64($1)) }
    }
}

extension EventStore {
    /// Returns the time of the newest record whose clock was set, in seconds since 1970; nil if the file beside the log
    /// states none or this device did not write it. Reads only that file.
    public static func timeOfHead(in directory: String, key: AuditKey) -> Int64? {
        HeadFile.read(in: directory).time(key: key)
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
