import Octets

/// One packet of a capture.
public struct BTSnoopRecord: Equatable, Sendable {
    /// Which way it went.
    public var direction: BTSnoop.Direction
    /// When it passed, in microseconds since 1970-01-01 UTC.
    public var microseconds: Int64
    /// How many octets it had; more than are kept if the capture was made with a limit.
    public var originalCount: Int
    /// Where its octets are in the file, the H4 type octet first; never empty.
    public var packet: Range<Int>
}

/// Why a file is no capture that can be read.
public enum BTSnoopError: Error, Equatable, Sendable, CustomStringConvertible {
    /// It does not begin as a capture does.
    case notACapture
    /// The version is not 1.
    case version(UInt32)
    /// The packets are not H4's.
    case datalink(UInt32)
    /// The file ends within the record that begins at this octet.
    case truncated(offset: Int)
    /// The lengths of the record at this octet cannot be a packet's.
    case length(offset: Int)

    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .notACapture: "not a btsnoop file: name a capture made with --btsnoop, btmon -w or Android"
        case .version(let number): "btsnoop version \(number) is not known: make the capture with version 1"
        case .datalink(let number):
            "datalink \(number) is not H4 (\(BTSnoop.h4Datalink)): make the capture with H4 packets"
        case .truncated(let offset): "the file ends within the record at octet \(offset): drop what follows that octet"
        case .length(let offset):
            "the record at octet \(offset) has a length that no packet has: drop what follows that octet"
        }
    }
}

/// Reads a capture, record by record. The file's octets are passed to each call.
///
/// ```swift
/// var reader = try BTSnoopReader(file)
/// while let record = try reader.next(file) { … file.extracting(record.packet) … }
/// ```
public struct BTSnoopReader: Sendable {
    private var cursor: OctetCursor

    /// Reads the file's header.
    public init(_ file: Span<UInt8>) throws(BTSnoopError) {
        cursor = OctetCursor(file)
        let (version, datalink): (UInt32, UInt32)
        do throws(OctetError) {
            for octet in BTSnoop.magic where try cursor.u8(file) != octet {
                throw OctetError.trailing(offset: 0, count: file.count)
            }
            version = try cursor.u32(file).byteSwapped
            datalink = try cursor.u32(file).byteSwapped
        } catch {
            throw .notACapture
        }
        guard version == BTSnoop.version else { throw .version(version) }
        guard datalink == BTSnoop.h4Datalink else { throw .datalink(datalink) }
    }

    /// The next record; nil after the last. Drops and all flags but the direction are passed over: the type octet says
    /// what the packet is. After an error the reader is of no more use.
    public mutating func next(_ file: Span<UInt8>) throws(BTSnoopError) -> BTSnoopRecord? {
        guard cursor.remaining > 0 else { return nil }
        let offset = cursor.position
        do throws(OctetError) {
            let original = Int(try cursor.u32(file).byteSwapped)
            let included = Int(try cursor.u32(file).byteSwapped)
            let flags = try cursor.u32(file).byteSwapped
            _ = try cursor.u32(file)
            let time = Int64(bitPattern: try cursor.u64(file).byteSwapped)
            guard included > 0, included <= original, original <= BTSnoop.maximumPacketCount else {
                throw OctetError.trailing(offset: offset, count: included)
            }
            return BTSnoopRecord(
                direction: flags & BTSnoop.receivedFlag == 0 ? .sent : .received,
                microseconds: time &- BTSnoop.epochMicroseconds, originalCount: original,
                packet: try cursor.take(included, of: file))
        } catch .trailing {
            throw .length(offset: offset)
        } catch {
            throw .truncated(offset: offset)
        }
    }
}
