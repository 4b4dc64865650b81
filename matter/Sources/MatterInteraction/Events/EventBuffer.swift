// SPDX-License-Identifier: Apache-2.0

public import MatterTLV

/// The latest events of the node with their numbers.
///
/// Numbers always rise, even across restarts: they are taken from blocks, and a block is used only after its end is
/// persistent. After a restart, the rest of the block is lost.
public struct EventBuffer: Sendable {
    /// The number of event numbers that one write to storage reserves.
    public static let reservedNumbers: UInt64 = 1 << 16

    /// The maximum number of stored events of a priority; at least 32 critical ones are required.
    public static func capacity(of priority: EventPriority) -> Int {
        switch priority {
        case .debug: 8
        case .info: 24
        case .critical: 32
        }
    }

    /// An event with its number and decoded fields.
    struct Stored: Sendable {
        let number: UInt64
        let record: EventRecord
        let data: TLVElement
    }

    /// The stored events, in the order of their numbers.
    private(set) var stored: [Stored] = []
    /// The number of the next event.
    public private(set) var nextNumber: UInt64
    /// The first number that is not reserved.
    private var reservedEnd: UInt64

    /// The buffer of a node that has never emitted an event.
    public init() { (nextNumber, reservedEnd) = (1, 1) }

    /// Appends an event, and removes the oldest event of its priority if necessary.
    ///
    /// - Returns: nil if the fields are not a structure, or are too large.
    mutating func append(_ record: EventRecord) -> EventReceipt? {
        guard record.data.count <= EventRecord.largestData, let data = try? TLVElement(record.data),
            (try? data.structure()) != nil
        else { return nil }
        let number = nextNumber
        nextNumber += 1
        let isNewBlock = number >= reservedEnd
        if isNewBlock { reservedEnd = number + EventBuffer.reservedNumbers }
        insert(Stored(number: number, record: record, data: data))
        return EventReceipt(number: number, mustPersist: isNewBlock || record.priority == .critical)
    }

    /// Removes the events that only `fabric` could read.
    mutating func remove(of fabric: FabricIndex) { stored.removeAll { $0.record.fabric == fabric } }

    /// The first event whose number is at least `number`.
    func first(from number: UInt64) -> Stored? { stored.first { $0.number >= number } }

    private mutating func insert(_ event: Stored) {
        let priority = event.record.priority
        if stored.count(where: { $0.record.priority == priority }) >= EventBuffer.capacity(of: priority),
            let oldest = stored.firstIndex(where: { $0.record.priority == priority })
        {
            stored.remove(at: oldest)
        }
        stored.append(event)
    }
}

/// The acknowledgement of a recorded event.
public struct EventReceipt: Equatable, Sendable {
    /// The number of the event.
    public let number: UInt64
    /// True if `EventBuffer.encoded()` must be persistent before the event or its consequences become visible.
    public let mustPersist: Bool

    /// A receipt.
    public init(number: UInt64, mustPersist: Bool) {
        self.number = number
        self.mustPersist = mustPersist
    }
}

extension EventBuffer {
    private static let version: UInt8 = 1

    /// The reservation and the critical events, for storage.
    public func encoded() -> [UInt8] {
        TLVWriter.structure { document in
            document.unsigned(EventBuffer.version, as: 0)
            document.unsigned(reservedEnd, as: 1)
            document.array(as: 2) { list in
                for event in stored where event.record.priority == .critical {
                    list.structure(as: .anonymous) { event.write(into: &$0) }
                }
            }
        }
    }

    /// The buffer after a restart.
    ///
    /// - Throws: if `octets` are not the result of `encoded()`.
    public init(restoring octets: [UInt8]) throws(TLVError) {
        let document = try TLVElement(octets).structure()
        guard try document.required(0).unsigned(UInt8.self) == EventBuffer.version else { throw .outOfRange(0) }
        let end: UInt64 = try document.required(1).unsigned()
        // A greater number is damaged, and would overflow in use.
        guard end <= UInt64.max / 2 else { throw .outOfRange(1) }
        (nextNumber, reservedEnd) = (end, end)
        for element in try document.required(2).array() {
            let event = try Stored(element)
            let previous = stored.last?.number ?? 0
            guard event.number < end, previous < event.number else { throw .outOfRange(2) }
            insert(event)
        }
    }
}

extension EventBuffer.Stored {
    fileprivate func write(into writer: inout TLVWriter) {
        writer.unsigned(number, as: 0)
        writer.unsigned(record.path.endpoint.rawValue, as: 1)
        writer.unsigned(record.path.cluster.rawValue, as: 2)
        writer.unsigned(record.path.event.rawValue, as: 3)
        if let fabric = record.fabric { writer.unsigned(fabric.rawValue, as: 4) }
        record.time.write(into: &writer, epoch: 5, system: 6)
        writer.element(data, as: 7)
    }

    fileprivate init(_ element: TLVElement) throws(TLVError) {
        let fields = try element.structure()
        number = try fields.required(0).unsigned()
        let path = EventPath(
            EndpointNumber(rawValue: try fields.required(1).unsigned()),
            ClusterID(rawValue: try fields.required(2).unsigned()),
            EventID(rawValue: try fields.required(3).unsigned()))
        let time: EventTime
        if let epoch: UInt64 = try fields.optional(5) {
            time = .epoch(milliseconds: epoch)
        } else {
            time = .system(milliseconds: try fields.required(6).unsigned())
        }
        data = try fields.required(7)
        _ = try data.structure()
        var anonymous = TLVWriter()
        anonymous.element(data, as: .anonymous)
        guard anonymous.count <= EventRecord.largestData else { throw .outOfRange(7) }
        record = EventRecord(
            path, priority: .critical, fabric: try fields.identifier(4), time: time, data: anonymous.octets)
    }
}

extension EventTime {
    /// Writes the time as the member `epoch` or `system`.
    func write(into writer: inout TLVWriter, epoch: TLVTag, system: TLVTag) {
        switch self {
        case .epoch(let milliseconds): writer.unsigned(milliseconds, as: epoch)
        case .system(let milliseconds): writer.unsigned(milliseconds, as: system)
        }
    }
}
