public import Timekeeping
import Octets

/// The ATT and GATT server of a peripheral (Core 5.4, Vol 3, Parts F and G).
///
/// A value without I/O: a client's PDU goes in, at most one PDU comes out, and what the device should know is added to
/// the events. What the server keeps of a client is a `Client`, which belongs to the client's connection and is passed
/// to each call. Static values are the same for all clients.
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

    let limits: Configuration
    var database: AttributeDatabase
    /// What all clients have prepared together.
    var preparedParts = 0
    var preparedOctets = 0
    /// Where a value is put together out of its parts.
    var assembly: [UInt8] = []
    var lastSerial: UInt64 = 0

    /// A server of `database`, without clients.
    public init(database: AttributeDatabase, configuration: Configuration = .init()) {
        limits = configuration.limited
        self.database = database
        sayFeatures()
    }

    /// A link has come up: the client starts with nothing of the one that had this memory before.
    public mutating func open(_ client: inout Client) {
        close(&client)
        if client.bearers.count != 1 + limits.enhancedBearers {
            client.bearers = Array(repeating: BearerState(), count: 1 + limits.enhancedBearers)
        }
        client.isOpen = true
        client.bearers[0].reset(isOpen: true)
    }

    /// The link is gone, with its bearers, configurations, prepared writes, and questions to the device.
    public mutating func close(_ client: inout Client) {
        dropPrepared(&client)
        client.reset(configurations: database.configurations.count)
    }

    /// Takes one ATT PDU of a client, appends at most one PDU to `response`, and what the device should know to `events`.
    ///
    /// Ignored are: PDUs on a bearer that is not open, empty ones, commands that are unknown or cannot be carried out,
    /// signed writes, responses and notifications. Every request is answered, with an error if need be (3.4.1.1). A
    /// request that is longer than the ATT_MTU, or whose length is not one it can have, is an Invalid PDU.
    ///
    /// A request for which the device is asked is answered later, and one that the same bearer sends meanwhile is held
    /// until then: `Transaction.heldRequests` at most, further ones are dropped (3.3.2 forbids them).
    public mutating func receive(
        _ pdu: Span<UInt8>, from client: inout Client, bearer: Int = 0, at now: Instant, response: inout [UInt8],
        events: inout GATTEvents
    ) {
        guard pdu.count > 0, client.isOpen(bearer) else { return }
        if ATTOpcode(rawValue: pdu[0]).isRequest {
            if client.bearers[bearer].transaction.isBusy {
                if client.bearers[bearer].transaction.hold(pdu) { client.mayHaveOutput = true }
                return
            }
            client.bearers[bearer].transaction.begin(pdu)
        }
        serve(pdu, &client, bearer, at: now, response: &response, events: &events)
    }

    /// Changes a static value for all clients, at most to the length that the attribute was given.
    public mutating func setValue(_ value: Span<UInt8>, of handle: AttributeHandle) throws(AttributeValueError) {
        guard let index = database.index(of: handle.rawValue) else { throw .unknownHandle }
        guard database.attributes[index].kind == .static else { throw .notStatic }
        let maximum = database.attributes[index].maximumCount
        guard value.count <= maximum else { throw .tooLong(maximum: maximum) }
        database.store(value, at: index)
    }

    /// Handles a PDU whose turn has come.
    mutating func serve(
        _ pdu: Span<UInt8>, _ client: inout Client, _ bearer: Int, at now: Instant, response: inout [UInt8],
        events: inout GATTEvents
    ) {
        let start = response.count
        let opcode = ATTOpcode(rawValue: pdu[0])
        do throws(ATTFault) {
            if !client.isChangeAware { try admit(pdu, &client, bearer, &events) }
            let question = try answer(pdu, &client, bearer, at: now, response: &response, events: &events)
            guard opcode.isRequest else { return }
            guard let question else {
                return client.bearers[bearer].finish(readRequest(pdu), responseCount: response.count - start)
            }
            response.removeSubrange(start...)
            client.bearers[bearer].transaction.wait(pdu, until: now + limits.answerTime)
            ask(question, &client, bearer, &events)
        } catch {
            guard opcode.isRequest else { return }
            response.removeSubrange(start...)
            client.bearers[bearer].transaction.finish()
            error.append(answering: opcode, to: &response)
        }
    }

    /// The attribute that a Read or Read Blob request is about; nil for others.
    private func readRequest(_ pdu: Span<UInt8>) -> UInt16? {
        switch ATTOpcode(rawValue: pdu[0]) {
        case .readRequest where pdu.count == 3, .readBlobRequest where pdu.count == 5:
            UInt16(pdu[1]) | UInt16(pdu[2]) << 8
        default: nil
        }
    }

    /// Appends the answer to a PDU, or returns what the device is to be asked first.
    private mutating func answer(
        _ pdu: Span<UInt8>, _ client: inout Client, _ bearer: Int, at now: Instant, response: inout [UInt8],
        events: inout GATTEvents
    ) throws(ATTFault) -> AttributeQuestion? {
        guard pdu.count <= client.bearers[bearer].mtu else { throw ATTFault(.invalidPDU) }
        switch try GATTServer.request(pdu) {
        case .read(let handle):
            return try read(handle, client, bearer, &response)
        case .write(let handle, let value):
            if let question = try write(handle, pdu.extracting(value), &client, withResponse: true, &events) {
                return question
            }
            ATTResponse.bare(.writeResponse).append(to: &response)
        case .writeCommand(let handle, let value):
            _ = try write(handle, pdu.extracting(value), &client, withResponse: false, &events)
        case .readBlob(let handle, let offset):
            return try readBlob(handle, Int(offset), client, bearer, &response)
        case .prepareWrite(let handle, let offset, let value):
            try prepare(handle, Int(offset), pdu.extracting(value), &client, at: now)
            ATTResponse.prepareWrite(handle, offset: offset).append(to: &response)
            response.append(pdu.extracting(value))
        case .executeWrite(let flags):
            return try execute(flags, &client, bearer, &response, &events)
        case .exchangeMTU(let mtu):
            try exchangeMTU(Int(mtu), &client, bearer, &response, &events)
        case .confirmation:
            confirmed(&client, bearer, &events)
        case .findInformation(let range):
            try findInformation(range, client, bearer, &response)
        case .findByTypeValue(let range, let type, let value):
            try findByTypeValue(range, type, pdu.extracting(value), client, bearer, &response)
        case .readByType(let range, let type):
            return try readByType(range, type, client, bearer, &response)
        case .readByGroupType(let range, let type):
            try readByGroupType(range, type, client, bearer, &response)
        case .readMultiple(let handles):
            return try readMultiple(pdu.extracting(handles), client, bearer, withLengths: false, &response)
        case .readMultipleVariable(let handles):
            return try readMultiple(pdu.extracting(handles), client, bearer, withLengths: true, &response)
        case .unsupported:
            throw ATTFault(.requestNotSupported)
        case .ignored:
            break
        }
        return nil
    }

    static func request(_ pdu: Span<UInt8>) throws(ATTFault) -> ATTRequest {
        do throws(OctetError) { return try ATTRequest(pdu) } catch { throw ATTFault(.invalidPDU) }
    }

    /// Once per link; a client that asks again keeps the MTU it has (Core 5.4, Vol 3, Part F, 3.4.2.1). One that asks
    /// for less than 23 gets an answer, and 23 (3.4.2.2). An enhanced bearer has its MTU from its channel (Part G,
    /// 5.3.1).
    private func exchangeMTU(
        _ asked: Int, _ client: inout Client, _ bearer: Int, _ response: inout [UInt8], _ events: inout GATTEvents
    ) throws(ATTFault) {
        guard !client.bearers[bearer].mtuExchanged, bearer == 0 else { throw ATTFault(.requestNotSupported) }
        let mtu = max(GATTServer.defaultMTU, min(asked, limits.maximumMTU))
        client.bearers[bearer].mtuExchanged = true
        client.bearers[bearer].mtu = mtu
        ATTResponse.exchangeMTU(server: UInt16(limits.maximumMTU)).append(to: &response)
        events.events.append(.mtuExchanged(mtu))
    }
}
