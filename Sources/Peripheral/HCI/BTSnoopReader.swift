// SPDX-License-Identifier: Apache-2.0

import Octets

/// One packet of a capture.
public struct BTSnoopRecord: Equatable, Sendable {
    /// The direction.
    public var direction: BTSnoop.Direction
    /// The time in microseconds since 1970-01-01 UTC.
    public var microseconds: Int64
    /// The original length in octets; larger than the captured length if the capture was limited.
    public var originalCount: Int
    /// The flags of the record. Their meaning depends on the datalink type.
    public var flags: UInt32
    /// The range of its octets in the file, with the H4 type octet if the datalink type is H4; then never empty.
    public var packet: Range<Int>
}

/// The reason that a file cannot be read as a capture.
public enum BTSnoopError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The magic octets differ.
    case notACapture
    /// The version is not 1.
    case version(UInt32)
    /// The datalink type is none of the accepted ones.
    case datalink(UInt32)
    /// The file ends within the record that begins at this octet.
    case truncated(offset: Int)
    /// The lengths of the record at this octet are invalid.
    case length(offset: Int)

    /// The fault and its remedy.
    public var description: String {
        switch self {
        case .notACapture: "not a btsnoop file: use a capture of --btsnoop or Android"
        case .version(let number): "btsnoop version \(number) is not supported: use a capture of version 1"
        case .datalink(let number):
            "datalink \(number) is not H4 (\(BTSnoop.h4Datalink)): use a capture of H4 packets"
        case .truncated(let offset): "incomplete record at octet \(offset): truncate the file there"
        case .length(let offset):
            "invalid record length at octet \(offset): truncate the file there"
        }
    }
}

/// A reader of a capture, record by record. The file's octets are passed to each call.
///
/// ```swift
/// var reader = try BTSnoopReader(file)
/// while let record = try reader.next(file) { … file.extracting(record.packet) … }
/// ```
public struct BTSnoopReader: Sendable {
    /// The datalink type of the file.
    public let datalink: UInt32
    private var cursor: OctetCursor

    /// Reads the file header.
    ///
    /// - Parameter accepted: the datalink types that the caller can read.
    /// - Throws: `BTSnoopError`.
    public init(_ file: Span<UInt8>, accepting accepted: [UInt32] = [BTSnoop.h4Datalink]) throws(BTSnoopError) {
        cursor = OctetCursor(file)
        let version: UInt32
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
        guard accepted.contains(datalink) else { throw .datalink(datalink) }
    }

    /// The next record; nil after the last. Drops and all flags except the direction are ignored: the type octet
    /// identifies the packet. The reader must not be used after an error.
    ///
    /// - Throws: `BTSnoopError`.
    public mutating func next(_ file: Span<UInt8>) throws(BTSnoopError) -> BTSnoopRecord? {
        guard cursor.remaining > 0 else { return nil }
        let offset = cursor.position
        do throws(OctetError) {
            let original = Int(try cursor.u32(file).byteSwapped)
            let included = Int(try cursor.u32(file).byteSwapped)
            let flags = try cursor.u32(file).byteSwapped
            _ = try cursor.u32(file)
            let time = Int64(bitPattern: try cursor.u64(file).byteSwapped)
            let isEmpty = included == 0 && datalink == BTSnoop.h4Datalink
            guard !isEmpty, included <= original, original <= BTSnoop.maximumPacketCount else {
                throw OctetError.trailing(offset: offset, count: included)
            }
            return BTSnoopRecord(
                direction: flags & BTSnoop.receivedFlag == 0 ? .sent : .received,
                microseconds: time &- BTSnoop.epochMicroseconds, originalCount: original, flags: flags,
                packet: try cursor.consume(included, of: file))
        } catch .trailing {
            throw .length(offset: offset)
        } catch {
            throw .truncated(offset: offset)
        }
    }
}
