internal import Octets

/// Why octets are no message.
public enum DNSError: Error, Equatable, Sendable {
    /// There are more than `DNSMessage.maximumCount`.
    case tooLong(count: Int)
    /// They end inside what begins at `offset`.
    case truncated(offset: Int)
    /// The label at `offset` is of a kind that does not exist.
    case unknownLabel(offset: Int)
    /// The pointer at `offset` does not lead to what stood before.
    case pointerForward(offset: Int)
    /// The name at `offset` has more than 255 octets.
    case nameTooLong(offset: Int)
    /// There are more questions and records than `DNSMessage.maximumEntries`.
    case tooMany(count: Int)
    /// The record whose data begins at `offset` has another length than its type.
    case wrongLength(offset: Int)
    /// The message ends at `offset`, and something follows.
    case trailing(offset: Int)
}

/// Where reading has come to.
struct DNSCursor {
    var position = 0

    mutating func u16(_ octets: Span<UInt8>) throws(DNSError) -> UInt16 {
        guard octets.count - position >= 2 else { throw .truncated(offset: position) }
        defer { position += 2 }
        return UInt16(octets[position]) << 8 | UInt16(octets[position + 1])
    }

    mutating func u32(_ octets: Span<UInt8>) throws(DNSError) -> UInt32 {
        let high = try u16(octets)
        return UInt32(high) << 16 | UInt32(try u16(octets))
    }
}

/// A message (RFC 1035, 4.1), as multicast DNS has them (RFC 6762, 18).
public struct DNSMessage: Equatable, Sendable {
    /// The most octets of a message (RFC 6762, 17).
    public static let maximumCount = 9000
    /// The most questions and records of a message that is read: a full network's known answers are a tenth of it, and
    /// names that are pointers cannot make a packet cost more than this many names.
    public static let maximumEntries = 512

    /// The number of query and answer; 0 with multicast.
    public var identifier: UInt16
    /// Answer, operation, authoritative, truncated and so on.
    public var flags: UInt16
    /// What is asked.
    public var questions: [DNSQuestion] = []
    /// What is answered, or known already by the one who asks.
    public var answers: [DNSRecord] = []
    /// What the one who asks means to say.
    public var authorities: [DNSRecord] = []
    /// What goes with the answers.
    public var additionals: [DNSRecord] = []

    /// An empty message.
    public init(identifier: UInt16 = 0, flags: UInt16 = 0) {
        self.identifier = identifier
        self.flags = flags
    }

    /// The flags of an answer: QR and AA (RFC 6762, 18.2 and 18.4).
    public static let answer: UInt16 = 0x8400

    /// Whether it answers.
    public var isAnswer: Bool { flags & 0x8000 != 0 }
    /// Whether more known answers follow (RFC 6762, 7.2).
    public var isTruncated: Bool { flags & 0x0200 != 0 }
    /// Whether operation and code are 0; all others are ignored (RFC 6762, 18.3 and 18.11).
    public var isStandard: Bool { flags & 0x780F == 0 }

    /// Reads the message that is all of `octets`.
    public init(_ octets: Span<UInt8>) throws(DNSError) {
        guard octets.count <= DNSMessage.maximumCount else { throw .tooLong(count: octets.count) }
        var cursor = DNSCursor()
        self.init(identifier: try cursor.u16(octets), flags: try cursor.u16(octets))
        var counts: [Int] = []
        for _ in 0..<4 { counts.append(Int(try cursor.u16(octets))) }
        let sum = counts.reduce(0, +)
        guard sum <= DNSMessage.maximumEntries else { throw .tooMany(count: sum) }
        for _ in 0..<counts[0] { questions.append(try DNSQuestion(octets, at: &cursor)) }
        for _ in 0..<counts[1] { answers.append(try DNSRecord(octets, at: &cursor)) }
        for _ in 0..<counts[2] { authorities.append(try DNSRecord(octets, at: &cursor)) }
        for _ in 0..<counts[3] { additionals.append(try DNSRecord(octets, at: &cursor)) }
        guard cursor.position == octets.count else { throw .trailing(offset: cursor.position) }
    }

    /// The message as it is sent, names that end alike written once.
    public var octets: [UInt8] {
        var writer = DNSWriter()
        writer.put(identifier)
        writer.put(flags)
        for count in [questions.count, answers.count, authorities.count, additionals.count] {
            writer.put(UInt16(truncatingIfNeeded: count))
        }
        for question in questions { writer.put(question) }
        for record in answers + authorities + additionals { writer.put(record) }
        return writer.octets
    }
}

extension DNSQuestion {
    fileprivate init(_ message: Span<UInt8>, at cursor: inout DNSCursor) throws(DNSError) {
        let name = try DNSName(message, at: &cursor)
        let type = DNSType(rawValue: try cursor.u16(message))
        let code = try cursor.u16(message)
        self.init(name, type, wantsUnicast: code & 0x8000 != 0, classCode: code & 0x7FFF)
    }
}

extension DNSRecord {
    fileprivate init(_ message: Span<UInt8>, at cursor: inout DNSCursor) throws(DNSError) {
        let name = try DNSName(message, at: &cursor)
        let type = DNSType(rawValue: try cursor.u16(message))
        let code = try cursor.u16(message)
        let lifetime = try cursor.u32(message)
        let count = Int(try cursor.u16(message))
        let start = cursor.position
        guard count <= message.count - start else { throw .truncated(offset: start) }
        let data = try DNSData(type, message, start..<start + count)
        cursor.position = start + count
        self.init(name, data, lifetime: lifetime, flushesCache: code & 0x8000 != 0, classCode: code & 0x7FFF)
    }
}

extension DNSData {
    fileprivate init(_ type: DNSType, _ message: Span<UInt8>, _ range: Range<Int>) throws(DNSError) {
        var cursor = DNSCursor(position: range.lowerBound)
        switch type {
        case .a:
            guard let address = IPv4Address(Array(copying: message.extracting(range))) else {
                throw .wrongLength(offset: range.lowerBound)
            }
            self = .address(address)
            return
        case .ptr: self = .pointer(try DNSName(message, at: &cursor))
        case .srv:
            let priority = try cursor.u16(message), weight = try cursor.u16(message), port = try cursor.u16(message)
            self = .service(
                priority: priority, weight: weight, port: port, host: try DNSName(message, at: &cursor))
        case .txt:
            self = .text(Array(copying: message.extracting(range)))
            return
        default:
            self = .other(type, Array(copying: message.extracting(range)))
            return
        }
        guard cursor.position == range.upperBound else { throw .wrongLength(offset: range.lowerBound) }
    }
}

extension [UInt8] {
    /// A copy of `span`.
    init(copying span: Span<UInt8>) {
        self.init()
        append(span)
    }
}
