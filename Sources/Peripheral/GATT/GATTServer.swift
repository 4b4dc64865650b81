public import Timekeeping
import Octets

/// The ATT and GATT server of a peripheral, for all its links (Core 5.4, Vol 3, Parts F and G).
///
/// A value without I/O: a client's PDU goes in, at most one PDU comes out, and what the device should know is added to
/// the events. Links are slots, 0 up to the capacity; each has its ATT_MTU, its security, its client configurations
/// and its prepared writes, all of which end with `close`. Stored values are the same for all links.
///
/// What the server wants to send without having received anything is taken with `nextOutput`: errors in place of answers
/// that the device did not give, answers to requests that had to wait, and Service Changed.
///
/// Handling a PDU allocates nothing once the arrays passed in have grown to what they need.
public struct GATTServer {
    /// The ATT_MTU of a link on which none was exchanged (Core 5.4, Vol 3, Part G, 5.2.1).
    public static let defaultMTU = 23
    /// How long a client may take to confirm an indication (Core 5.4, Vol 3, Part F, 3.3.3).
    public static let transactionTimeout = Duration.seconds(30)

    /// What the server keeps of one link.
    struct Link {
        var isOpen = false
        var security = LinkSecurity()
        var prepared = PreparedWriteQueue()
        /// The bearer whose Execute Write waits for the device.
        var executing: Int?
        /// Bearers besides the fixed channel.
        var enhancedBearers = 0
        var features: ClientFeatures = []
        /// Whether the client knows the database (Core 5.4, Vol 3, Part G, 2.5.2.1).
        var isChangeAware = true
        /// The Database Hash was read since the client became change-unaware.
        var hasReadHash = false
        /// The client is to be told that the database has changed.
        var owesServiceChanged = false
    }

    let limits: Configuration
    var database: AttributeDatabase
    var links: [Link]
    /// The bearers: for each link, one after the other, the fixed channel and then the enhanced ones.
    var bearers: [BearerState]
    /// The client configurations: for each link, one after the other, those of the database in order.
    var configurations: [ClientConfiguration]
    /// What all links have prepared together.
    var preparedParts = 0
    var preparedOctets = 0
    /// Where a value is put together out of its parts.
    var assembly: [UInt8] = []
    /// Where a request is while it is handled again.
    var replayed: [UInt8] = []
    var lastSerial: UInt64 = 0
    /// Whether a deadline may be set anywhere, so that without one none is looked for.
    var mayHaveDeadline = false
    /// Whether `nextOutput` may find something.
    var mayHaveOutput = false

    /// A server of `database` for slots 0 up to `linkCapacity`, all closed.
    public init(database: AttributeDatabase, linkCapacity: Int, configuration: Configuration = .init()) {
        limits = configuration.limited
        self.database = database
        links = Array(repeating: Link(), count: max(0, linkCapacity))
        bearers = Array(repeating: BearerState(), count: max(0, linkCapacity) * (1 + limits.enhancedBearers))
        configurations = Array(repeating: [], count: max(0, linkCapacity) * database.configurations.count)
        sayFeatures()
    }

    /// A link has come up in `slot`: it starts with nothing of the one before. A slot that is not there is ignored.
    public mutating func open(slot: Int) {
        guard links.indices.contains(slot) else { return }
        clear(slot)
        links[slot].isOpen = true
        bearers[place(slot, 0)].reset(isOpen: true)
    }

    /// The link in `slot` is gone, with its bearers, configurations, prepared writes, and questions to the device.
    public mutating func close(slot: Int) {
        guard links.indices.contains(slot) else { return }
        clear(slot)
    }

    /// How the link is protected from now on; takes effect on open links only, and ends with `close`.
    public mutating func setSecurity(_ security: LinkSecurity, slot: Int) {
        guard isOpen(slot) else { return }
        links[slot].security = security
        mayHaveOutput = mayHaveOutput || links[slot].owesServiceChanged
    }

    /// The ATT_MTU of a link's bearer; 23 for a slot without a link, or a bearer that is not open.
    public func mtu(slot: Int, bearer: Int = 0) -> Int {
        origin(slot, bearer).map { bearers[$0.place].mtu } ?? GATTServer.defaultMTU
    }

    /// Takes one ATT PDU of the link in `slot`, appends at most one PDU to `response`, and what the device should know
    /// to `events`.
    ///
    /// Ignored are: PDUs for a slot without a link, empty ones, commands that are unknown or cannot be carried out,
    /// signed writes, responses and notifications. Every request is answered, with an error if need be (3.4.1.1). A
    /// request that is longer than the ATT_MTU, or whose length is not one it can have, is an Invalid PDU.
    ///
    /// A request for which the device is asked is answered later, and one that the same bearer sends meanwhile is held
    /// until then: `Transaction.heldRequests` at most, further ones are dropped (3.3.2 forbids them).
    public mutating func receive(
        _ pdu: Span<UInt8>, slot: Int, bearer: Int = 0, at now: Instant, response: inout [UInt8],
        events: inout GATTEvents
    ) {
        guard pdu.count > 0, let origin = origin(slot, bearer) else { return }
        if ATTOpcode(rawValue: pdu[0]).isRequest {
            if bearers[origin.place].transaction.isBusy {
                if bearers[origin.place].transaction.hold(pdu) { mayHaveOutput = true }
                return
            }
            bearers[origin.place].transaction.begin(pdu)
        }
        serve(pdu, origin, at: now, response: &response, events: &events)
    }

    /// Changes a stored value for all links, at most to the length that the attribute was given.
    public mutating func setValue(_ value: Span<UInt8>, of handle: AttributeHandle) throws(AttributeValueError) {
        guard let index = database.index(of: handle.rawValue) else { throw .unknownHandle }
        guard database.attributes[index].kind == .static else { throw .notStatic }
        let maximum = database.attributes[index].maximumCount
        guard value.count <= maximum else { throw .tooLong(maximum: maximum) }
        database.store(value, at: index)
    }

    func isOpen(_ slot: Int) -> Bool {
        links.indices.contains(slot) && links[slot].isOpen
    }

    /// Where the bearer's state is; nil if it is not open.
    func origin(_ slot: Int, _ bearer: Int) -> Origin? {
        guard isOpen(slot), bearer >= 0, bearer <= limits.enhancedBearers else { return nil }
        let place = place(slot, bearer)
        return bearers[place].isOpen ? Origin(slot: slot, place: place) : nil
    }

    func place(_ slot: Int, _ bearer: Int) -> Int { slot * (1 + limits.enhancedBearers) + bearer }

    /// Handles a PDU, be it for the first time or again.
    mutating func serve(
        _ pdu: Span<UInt8>, _ origin: Origin, at now: Instant, response: inout [UInt8], events: inout GATTEvents
    ) {
        let start = response.count
        let opcode = ATTOpcode(rawValue: pdu[0])
        do throws(ATTFault) {
            if !links[origin.slot].isChangeAware { try admit(pdu, origin, &events) }
            try answer(pdu, origin, at: now, response: &response, events: &events)
            if opcode.isRequest { finish(pdu, origin, responseCount: response.count - start) }
        } catch {
            guard opcode.isRequest else { return }
            response.removeSubrange(start...)
            if let question = error.question {
                ask(question, pdu, origin, error.handle, at: now, &events)
            } else {
                bearers[origin.place].transaction.finish()
                error.append(answering: opcode, to: &response)
            }
        }
    }

    private mutating func answer(
        _ pdu: Span<UInt8>, _ origin: Origin, at now: Instant, response: inout [UInt8], events: inout GATTEvents
    ) throws(ATTFault) {
        guard pdu.count <= bearers[origin.place].mtu else { throw ATTFault(.invalidPDU) }
        switch try GATTServer.request(pdu) {
        case .read(let handle):
            try read(handle, origin, &response)
        case .write(let handle, let value):
            try write(handle, pdu.extracting(value), origin, withResponse: true, &events)
            response.append(ATTOpcode.writeResponse.rawValue)
        case .writeCommand(let handle, let value):
            try write(handle, pdu.extracting(value), origin, withResponse: false, &events)
        case .readBlob(let handle, let offset):
            try readBlob(handle, Int(offset), origin, &response)
        case .prepareWrite(let handle, let offset, let value):
            try prepare(handle, Int(offset), pdu.extracting(value), origin, at: now)
            response.append(pdu)
            response[response.count - pdu.count] = ATTOpcode.prepareWriteResponse.rawValue
        case .executeWrite(let flags):
            try execute(flags, origin, &events)
            response.append(ATTOpcode.executeWriteResponse.rawValue)
        case .exchangeMTU(let client):
            try exchangeMTU(Int(client), origin, &response, &events)
        case .confirmation:
            confirmed(origin, &events)
        case .findInformation(let range):
            try findInformation(range, origin, &response)
        case .findByTypeValue(let range, let type, let value):
            try findByTypeValue(range, BluetoothUUID(type), pdu.extracting(value), origin, &response)
        case .readByType(let range, let type):
            try readByType(range, type, origin, &response)
        case .readByGroupType(let range, let type):
            try readByGroupType(range, type, origin, &response)
        case .readMultiple(let handles):
            try readMultiple(pdu.extracting(handles), origin, withLengths: false, &response)
        case .readMultipleVariable(let handles):
            try readMultiple(pdu.extracting(handles), origin, withLengths: true, &response)
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
    /// for less than 23 gets an answer, and 23 (3.4.2.2). An enhanced bearer has its MTU from its channel (Part G,
    /// 5.3.1).
    private mutating func exchangeMTU(
        _ client: Int, _ origin: Origin, _ response: inout [UInt8], _ events: inout GATTEvents
    ) throws(ATTFault) {
        guard !bearers[origin.place].mtuExchanged, origin.place == place(origin.slot, 0) else {
            throw ATTFault(.requestNotSupported)
        }
        let mtu = max(GATTServer.defaultMTU, min(client, limits.maximumMTU))
        bearers[origin.place].mtuExchanged = true
        bearers[origin.place].mtu = mtu
        response.append(ATTOpcode.exchangeMTUResponse.rawValue)
        response.append(littleEndian: UInt16(limits.maximumMTU))
        events.events.append(.mtuExchanged(slot: origin.slot, mtu))
    }

    private mutating func clear(_ slot: Int) {
        dropPrepared(slot)
        links[slot].isOpen = false
        links[slot].security = LinkSecurity()
        links[slot].enhancedBearers = 0
        links[slot].features = []
        links[slot].isChangeAware = true
        links[slot].hasReadHash = false
        links[slot].owesServiceChanged = false
        for place in place(slot, 0)...place(slot, limits.enhancedBearers) { bearers[place].reset(isOpen: false) }
        let count = database.configurations.count
        for index in slot * count..<(slot + 1) * count { configurations[index] = [] }
    }
}
