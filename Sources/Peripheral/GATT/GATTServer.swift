public import Timekeeping
import Octets

/// The ATT and GATT server of a peripheral, for all its links (Core 5.4, Vol 3, Parts F and G).
///
/// A value without I/O: a client's PDU goes in, at most one PDU comes out, and what the device should know is added to
/// the events. Links are slots, 0 up to the capacity; each has its ATT_MTU, its security, its client configurations
/// and its prepared writes, all of which end with `close`. Stored values are the same for all links.
///
/// Handling a PDU allocates nothing once the arrays passed in have grown to what they need.
public struct GATTServer {
    /// What a server allows its clients.
    public struct Configuration: Equatable, Sendable {
        /// The ATT_MTU that is offered, at least 23. 517 carries the longest value in every PDU: 512 octets and the five
        /// of a prepared write.
        public var maximumMTU = 517
        /// How much may be prepared.
        public var preparedWrites = PreparedWriteLimits()

        /// The defaults.
        public init() {}
    }

    /// The ATT_MTU of a link on which none was exchanged (Core 5.4, Vol 3, Part G, 5.2.1).
    public static let defaultMTU = 23
    /// How long a client may take to confirm an indication (Core 5.4, Vol 3, Part F, 3.3.3).
    public static let transactionTimeout = Duration.seconds(30)

    /// What the server keeps of one link.
    struct Link {
        var isOpen = false
        var mtu = GATTServer.defaultMTU
        var mtuExchanged = false
        var security = LinkSecurity()
        var prepared = PreparedWriteQueue()
        /// By when the outstanding indication is to be confirmed.
        var confirmationDeadline: Instant?
    }

    let limits: Configuration
    var database: AttributeDatabase
    var links: [Link]
    /// The client configurations: for each link, one after the other, those of the database in order.
    var configurations: [ClientConfiguration]
    /// What all links have prepared together.
    var preparedParts = 0
    var preparedOctets = 0
    /// Where a value is put together out of its parts.
    var assembly: [UInt8] = []

    /// A server of `database` for slots 0 up to `linkCapacity`, all closed.
    public init(database: AttributeDatabase, linkCapacity: Int, configuration: Configuration = .init()) {
        var limits = configuration
        limits.maximumMTU = max(GATTServer.defaultMTU, min(limits.maximumMTU, Int(UInt16.max)))
        self.limits = limits
        self.database = database
        links = Array(repeating: Link(), count: max(0, linkCapacity))
        configurations = Array(repeating: [], count: max(0, linkCapacity) * database.configurations.count)
    }

    /// A link has come up in `slot`: it starts with nothing of the one before. A slot that is not there is ignored.
    public mutating func open(slot: Int) {
        guard links.indices.contains(slot) else { return }
        clear(slot)
        links[slot].isOpen = true
    }

    /// The link in `slot` is gone, with its configurations and prepared writes.
    public mutating func close(slot: Int) {
        guard links.indices.contains(slot) else { return }
        clear(slot)
    }

    /// How the link is protected from now on; takes effect on open links only, and ends with `close`.
    public mutating func setSecurity(_ security: LinkSecurity, slot: Int) {
        guard isOpen(slot) else { return }
        links[slot].security = security
    }

    /// The link's ATT_MTU; 23 for a slot without a link.
    public func mtu(slot: Int) -> Int {
        isOpen(slot) ? links[slot].mtu : GATTServer.defaultMTU
    }

    /// Takes one ATT PDU of the link in `slot`, appends at most one PDU to `response`, and what the device should know
    /// to `events`.
    ///
    /// Ignored are: PDUs for a slot without a link, empty ones, commands that are unknown or cannot be carried out,
    /// signed writes, responses and notifications. Every request is answered, with an error if need be (3.4.1.1). A
    /// request that is longer than the ATT_MTU, or whose length is not one it can have, is an Invalid PDU.
    public mutating func receive(
        _ pdu: Span<UInt8>, slot: Int, at now: Instant, response: inout [UInt8], events: inout GATTEvents
    ) {
        guard isOpen(slot), pdu.count > 0 else { return }
        let start = response.count
        do throws(ATTFault) {
            try answer(pdu, slot: slot, at: now, response: &response, events: &events)
        } catch {
            let opcode = ATTOpcode(rawValue: pdu[0])
            guard opcode.isRequest else { return }
            response.removeSubrange(start...)
            error.append(answering: opcode, to: &response)
        }
    }

    /// When `advance` is next to be called; nil if nothing is waited for.
    public var nextDeadline: Instant? {
        var next: Instant?
        for slot in links.indices {
            if let deadline = links[slot].confirmationDeadline { next = min(next ?? deadline, deadline) }
            if !links[slot].prepared.isEmpty {
                next = min(next ?? links[slot].prepared.deadline, links[slot].prepared.deadline)
            }
        }
        return next
    }

    /// Drops prepared writes whose lifetime is over, and appends to `timedOut` the slots in which an indication was
    /// not confirmed in time: no more PDUs may be exchanged there, so their links are to be disconnected (3.3.3).
    public mutating func advance(to now: Instant, timedOut: inout [Int]) {
        for slot in links.indices {
            if !links[slot].prepared.isEmpty, links[slot].prepared.deadline <= now { dropPrepared(slot) }
            if let deadline = links[slot].confirmationDeadline, deadline <= now {
                links[slot].confirmationDeadline = nil
                timedOut.append(slot)
            }
        }
    }

    /// Changes a stored value for all links, at most to the length that the attribute was given.
    public mutating func setValue(_ value: Span<UInt8>, of handle: AttributeHandle) throws(AttributeValueError) {
        guard let index = database.index(of: handle.rawValue) else { throw .unknownHandle }
        guard database.attributes[index].kind == .stored else { throw .notStored }
        let maximum = database.attributes[index].maximumCount
        guard value.count <= maximum else { throw .tooLong(maximum: maximum) }
        database.store(value, at: index)
    }

    func isOpen(_ slot: Int) -> Bool {
        links.indices.contains(slot) && links[slot].isOpen
    }

    private mutating func answer(
        _ pdu: Span<UInt8>, slot: Int, at now: Instant, response: inout [UInt8], events: inout GATTEvents
    ) throws(ATTFault) {
        guard pdu.count <= links[slot].mtu else { throw ATTFault(.invalidPDU) }
        switch try GATTServer.request(pdu) {
        case .read(let handle):
            try read(handle, slot, &response)
        case .write(let handle, let value):
            try write(handle, pdu.extracting(value), slot, withResponse: true, &events)
            response.append(ATTOpcode.writeResponse.rawValue)
        case .writeCommand(let handle, let value):
            try write(handle, pdu.extracting(value), slot, withResponse: false, &events)
        case .readBlob(let handle, let offset):
            try readBlob(handle, Int(offset), slot, &response)
        case .prepareWrite(let handle, let offset, let value):
            try prepare(handle, Int(offset), pdu.extracting(value), slot, at: now)
            response.append(pdu)
            response[response.count - pdu.count] = ATTOpcode.prepareWriteResponse.rawValue
        case .executeWrite(let flags):
            try execute(flags, slot, &events)
            response.append(ATTOpcode.executeWriteResponse.rawValue)
        case .exchangeMTU(let client):
            try exchangeMTU(Int(client), slot, &response, &events)
        case .confirmation:
            links[slot].confirmationDeadline = nil
        case .findInformation(let range):
            try findInformation(range, slot, &response)
        case .findByTypeValue(let range, let type, let value):
            try findByTypeValue(range, BluetoothUUID(type), pdu.extracting(value), slot, &response)
        case .readByType(let range, let type):
            try readByType(range, type, slot, &response)
        case .readByGroupType(let range, let type):
            try readByGroupType(range, type, slot, &response)
        case .readMultiple(let handles):
            try readMultiple(pdu.extracting(handles), slot, withLengths: false, &response)
        case .readMultipleVariable(let handles):
            try readMultiple(pdu.extracting(handles), slot, withLengths: true, &response)
        case .unsupported:
            throw ATTFault(.requestNotSupported)
        case .ignored:
            break
        }
    }

    private static func request(_ pdu: Span<UInt8>) throws(ATTFault) -> ATTRequest {
        do throws(OctetError) { return try ATTRequest(pdu) } catch { throw ATTFault(.invalidPDU) }
    }

    /// Once per link; a client that asks again keeps the MTU it has (Core 5.4, Vol 3, Part F, 3.4.2.1). One that asks
    /// for less than 23 gets an answer, and 23 (3.4.2.2).
    private mutating func exchangeMTU(
        _ client: Int, _ slot: Int, _ response: inout [UInt8], _ events: inout GATTEvents
    ) throws(ATTFault) {
        guard !links[slot].mtuExchanged else { throw ATTFault(.requestNotSupported) }
        links[slot].mtuExchanged = true
        links[slot].mtu = max(GATTServer.defaultMTU, min(client, limits.maximumMTU))
        response.append(ATTOpcode.exchangeMTUResponse.rawValue)
        response.append(littleEndian: UInt16(limits.maximumMTU))
        events.events.append(.mtuExchanged(slot: slot, links[slot].mtu))
    }

    private mutating func clear(_ slot: Int) {
        dropPrepared(slot)
        links[slot].isOpen = false
        links[slot].mtu = GATTServer.defaultMTU
        links[slot].mtuExchanged = false
        links[slot].security = LinkSecurity()
        links[slot].confirmationDeadline = nil
        let count = database.configurations.count
        for index in slot * count..<(slot + 1) * count { configurations[index] = [] }
    }
}
