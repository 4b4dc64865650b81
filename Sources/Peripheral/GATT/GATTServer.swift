// SPDX-License-Identifier: Apache-2.0

public import Timekeeping
import Octets

/// The ATT and GATT server of a peripheral (Core 5.4, Vol 3, Parts F and G).
///
/// A value without I/O: it handles a client's PDU, appends at most one PDU in response, and appends events for the
/// device. The state of a client is a `Client`, which belongs to the client's connection and is passed to each call.
/// Static values are common to all clients.
///
/// `nextOutput` returns PDUs without a preceding PDU: errors for requests that the device has not answered, responses
/// to held requests, and Service Changed.
///
/// Handling a PDU does not allocate once the arrays passed in have reached their size.
public struct GATTServer {
    /// The ATT_MTU before the exchange (Core 5.4, Vol 3, Part G, 5.2.1).
    public static let defaultMTU = 23
    /// The time limit for the confirmation of an indication (Core 5.4, Vol 3, Part F, 3.3.3).
    public static let transactionTimeout = Duration.seconds(30)

    let limits: Configuration
    var database: AttributeDatabase
    /// The number of prepared parts of all clients.
    var preparedParts = 0
    var preparedOctets = 0
    /// The buffer for the assembly of a value from its parts.
    var assembly: [UInt8] = []
    var lastSerial: UInt64 = 0

    /// A server of `database`, without clients.
    public init(database: AttributeDatabase, configuration: Configuration = .init()) {
        limits = configuration.limited
        self.database = database
        storeFeatures()
    }

    /// Opens a client on a new link, without any state of the previous client in this memory.
    public mutating func open(_ client: inout Client) {
        close(&client)
        if client.bearers.count != 1 + limits.enhancedBearers {
            client.bearers = Array(repeating: BearerState(), count: 1 + limits.enhancedBearers)
        }
        client.isOpen = true
        client.bearers[0].reset(isOpen: true)
    }

    /// Closes a client with its bearers, configurations, prepared writes and questions to the device.
    public mutating func close(_ client: inout Client) {
        dropPrepared(&client)
        client.reset(configurations: database.configurations.count)
    }

    /// Handles one ATT PDU of a client, and appends at most one PDU to `response`, and events for the device to
    /// `events`.
    ///
    /// Ignored are PDUs on a closed bearer, empty PDUs, commands that are unknown or cannot be executed, signed writes,
    /// responses and notifications. Every request is answered, if necessary with an error (3.4.1.1). A request longer
    /// than the ATT_MTU, or with an invalid length, is an Invalid PDU.
    ///
    /// A request that requires the device is answered later, and further requests of the same bearer are held until
    /// then: at most `Transaction.heldRequests`, others are dropped (3.3.2 forbids them).
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

    /// Changes a static value for all clients, within the maximum length of the attribute.
    ///
    /// - Throws: `AttributeValueError`.
    public mutating func setValue(_ value: Span<UInt8>, of handle: AttributeHandle) throws(AttributeValueError) {
        guard let index = database.index(of: handle.rawValue) else { throw .unknownHandle }
        guard database.attributes[index].kind == .static else { throw .notStatic }
        let maximum = database.attributes[index].maximumCount
        guard value.count <= maximum else { throw .tooLong(maximum: maximum) }
        database.store(value, at: index)
    }

    /// Handles a PDU that need not wait.
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
            request(question, &client, bearer, &events)
        } catch {
            guard opcode.isRequest else { return }
            response.removeSubrange(start...)
            client.bearers[bearer].transaction.finish()
            error.append(answering: opcode, to: &response)
            report(error, answering: opcode, &events)
        }
    }

    /// Emits a refusal of the server as an event, if these are wanted.
    func report(_ fault: ATTFault, answering opcode: ATTOpcode, _ events: inout GATTEvents) {
        guard limits.reportsRefusals, fault.code != .attributeNotFound else { return }
        events.events.append(
            .refused(
                RefusedRequest(opcode: opcode, handle: AttributeHandle(rawValue: fault.handle), error: fault.code)))
    }

    /// The handle in a Read or Read Blob request; nil for others.
    private func readRequest(_ pdu: Span<UInt8>) -> UInt16? {
        switch ATTOpcode(rawValue: pdu[0]) {
        case .readRequest where pdu.count == 3, .readBlobRequest where pdu.count == 5:
            UInt16(pdu[1]) | UInt16(pdu[2]) << 8
        default: nil
        }
    }

    /// Appends the response to a PDU, or returns the question to the device.
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

    /// Exchanges the ATT_MTU once per link; a repeated request receives the same response and changes nothing (Core
    /// 5.4, Vol 3, Part F, 3.4.2.1): some apps repeat it. A client MTU below 23 is answered and treated as 23
    /// (3.4.2.2). An enhanced bearer has the MTU of its channel (Part G, 5.3.1).
    private func exchangeMTU(
        _ asked: Int, _ client: inout Client, _ bearer: Int, _ response: inout [UInt8], _ events: inout GATTEvents
    ) throws(ATTFault) {
        guard bearer == 0 else { throw ATTFault(.requestNotSupported) }
        ATTResponse.exchangeMTU(server: UInt16(limits.maximumMTU)).append(to: &response)
        guard !client.bearers[bearer].mtuExchanged else { return }
        let mtu = max(GATTServer.defaultMTU, min(asked, limits.maximumMTU))
        client.bearers[bearer].mtuExchanged = true
        client.bearers[bearer].mtu = mtu
        events.events.append(.mtuExchanged(mtu))
    }
}
