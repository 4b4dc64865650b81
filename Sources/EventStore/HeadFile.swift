import Glibc
import Octets
public import Reader

/// The file beside the log that tells how far it went, so that a cut at its end is seen. It is written after each
/// commit and never before, so it is never ahead of a log that was left alone.
///
/// It is written in place and synchronised only when the log is opened, and before the oldest records go: after a power
/// cut it may be behind, which costs nothing but what it is behind by. Its octets lie in one sector, so it is the former
/// or the new one.
///
/// It also tells when the newest record was, for a start at which the log cannot be read: nobody may set the clock to
/// before that. The first form of the file did not.
struct HeadFile: ~Copyable {
    static let name = "events.head"
    /// `rdhead2` and a line feed.
    private static let signature: [UInt8] = [0x72, 0x64, 0x68, 0x65, 0x61, 0x64, 0x32, 0x0A]
    private static let formerSignature: [UInt8] = [0x72, 0x64, 0x68, 0x65, 0x61, 0x64, 0x31, 0x0A]
    private static let formerCount = signature.count + 8 + 2 * ChainValue.count
    private static let count = formerCount + 8 + ChainValue.count

    private let descriptor: Int32

    /// The file in the directory, made if it is missing.
    init(in directory: String) throws(DiskFault) {
        descriptor = open("\(directory)/\(HeadFile.name)", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw DiskFault(errno: errno, opening: true) }
    }

    deinit { close(descriptor) }

    /// Puts the head into the file, and when its record was; whether it could be.
    func write(_ head: ChainPlace, _ time: ChainPlace) -> Bool {
        var octets = HeadFile.signature
        octets.append(littleEndian: head.sequence)
        octets += head.chain.octets + head.tag.octets
        octets.append(littleEndian: time.sequence)
        octets += time.tag.octets
        return pwrite(descriptor, octets, octets.count, 0) == octets.count
    }

    /// Waits until what was written is on the disk.
    func synchronize() { fdatasync(descriptor) }

    /// What the file says.
    enum Contents: Equatable {
        case none
        case unreadable
        /// The head, and when its record was as the place of role `headTime`.
        case head(ChainPlace, time: ChainPlace?)
    }

    /// What the file in the directory says; `none` if it is missing or empty.
    static func read(in directory: String) -> Contents {
        let descriptor = open("\(directory)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return errno == ENOENT ? .none : .unreadable }
        defer { close(descriptor) }
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
    /// When the newest record was whose clock was set, in seconds since 1970, as the file beside the log says; nil if it
    /// does not, or this device did not write it. Reads that one file and nothing of the log.
    public static func timeOfHead(in directory: String, key: AuditKey) -> Int64? {
        HeadFile.read(in: directory).time(key: key)
    }
}

extension DiskFault {
    /// What an error of the system comes to.
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
