// SPDX-License-Identifier: Apache-2.0

internal import Octets

/// The reason why octets are not a DNS message.
public enum DNSError: Error, Equatable, Sendable {
    /// The message exceeds `DNSMessage.maximumCount`.
    case tooLong(count: Int)
    /// The message ends inside the element at `offset`.
    case truncated(offset: Int)
    /// The label at `offset` has an unknown type.
    case unknownLabel(offset: Int)
    /// The pointer at `offset` does not refer to a prior position.
    case pointerForward(offset: Int)
    /// The name at `offset` has more than 255 octets.
    case nameTooLong(offset: Int)
    /// The number of questions and records exceeds `DNSMessage.maximumEntries`.
    case tooMany(count: Int)
    /// The data at `offset` does not have the length of its type.
    case wrongLength(offset: Int)
    /// Octets follow the end of the message at `offset`.
    case trailing(offset: Int)
}

/// The reading position in a message.
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

/// A DNS message (RFC 1035, 4.1) as used in multicast DNS (RFC 6762, 18).
public struct DNSMessage: Equatable, Sendable {
    /// The maximum length of a message in octets (RFC 6762, 17).
    public static let maximumCount = 9000
    /// The maximum number of questions and records in a received message: ten times the known answers of a full
    /// network, and a bound for the names that compression pointers can make a packet cost.
    public static let maximumEntries = 512

    /// The query identifier; 0 with multicast.
    public var identifier: UInt16
    /// The header flags: response, opcode, authoritative, truncated and so on.
    public var flags: UInt16
    /// The question section.
    public var questions: [DNSQuestion] = []
    /// The answer section; in a query the known answers.
    public var answers: [DNSRecord] = []
    /// The authority section; in a probe the proposed records.
    public var authorities: [DNSRecord] = []
    /// The additional section.
    public var additionals: [DNSRecord] = []

    /// An empty message.
    public init(identifier: UInt16 = 0, flags: UInt16 = 0) {
        self.identifier = identifier
        self.flags = flags
    }

    /// The flags of a response: QR and AA (RFC 6762, 18.2 and 18.4).
    public static let answer: UInt16 = 0x8400

    /// True if the message is a response.
    public var isAnswer: Bool { flags & 0x8000 != 0 }
    /// True if more known answers follow (RFC 6762, 7.2).
    public var isTruncated: Bool { flags & 0x0200 != 0 }
    /// True if opcode and response code are 0; other messages are ignored (RFC 6762, 18.3 and 18.11).
    public var isStandard: Bool { flags & 0x780F == 0 }

    /// Parses a message from all of `octets`.
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

    /// The encoded message, with compressed names.
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
        case .a, .aaaa:
            let octets = Array(copying: message.extracting(range))
            guard octets.count == (type == .a ? 4 : 16), let address = HostAddress(octets) else {
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
