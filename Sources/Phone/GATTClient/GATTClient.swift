import Octets
import Peripheral
public import Timekeeping

/// The client's side of one ATT bearer (Core 5.4, Vol 3, Part F and G), as a value: PDUs and times go in, PDUs and
/// events come out.
///
/// One request is outstanding at a time (3.3.2); operations wait for their turn, in the order in which they were
/// started. After each input, take what is to be sent by `nextPDU` and what happened by `nextEvent`, until both have
/// nothing; and call `timePassed` when `deadline` has come.
///
/// The server is not trusted. What is not asked for is ignored: a response with nothing outstanding, an error response
/// that names another request, a notification or indication that is too short or longer than the ATT_MTU, an empty
/// PDU. A server's own requests are refused, since there is no server on this side.
public struct GATTClient: Sendable {
    /// A transaction that takes longer has failed, and the bearer with it (3.3.3).
    public static let transactionTimeout: Duration = .seconds(30)
    /// Operations that may wait.
    public static let maximumWaitingCount = 64
    /// The most attributes that one search brings; far more than any device has, far fewer than handles.
    public static let maximumFoundCount = 512
    /// Octets of an attribute's value (3.2.9).
    public static let maximumValueCount = 512
    /// The ATT_MTU before it is exchanged, and the least there is, on LE (Part G, 5.2.1).
    public static let defaultMTU = 23

    /// A request that is outstanding, or about to be sent.
    private struct Transaction {
        var id: GATTOperationID
        var step: GATTStep
        var opcode: UInt8
        var deadline: Instant
    }

    /// The ATT_MTU.
    public private(set) var mtu = GATTClient.defaultMTU

    private let ownMTU: Int
    private var hasExchanged = false
    private var waiting: [(id: GATTOperationID, operation: GATTOperation)] = []
    private var current: Transaction?
    private var nextID: UInt64 = 0
    /// Why nothing is sent any more.
    private var end: GATTClientError?
    private var outgoing = PDUQueue()
    private var events: [GATTClientEvent] = []
    private var firstEvent = 0

    /// A client on a new link that takes PDUs of up to `maximumMTU` octets: 23 to 517, where the longest value still
    /// comes in one PDU.
    public init(maximumMTU: Int = 517) {
        ownMTU = min(max(maximumMTU, GATTClient.defaultMTU), 517)
    }

    /// Whether an operation is under way or waits.
    public var isBusy: Bool { current != nil || !waiting.isEmpty }

    /// When the outstanding request will have failed; nil without one.
    public var deadline: Instant? { current?.deadline }

    // MARK: In

    /// Starts an operation, or lets it wait for its turn. Its `completed` event follows in every case.
    @discardableResult
    public mutating func start(_ operation: GATTOperation, at now: Instant) -> GATTOperationID {
        timePassed(now)
        let id = GATTOperationID(rawValue: nextID)
        nextID &+= 1
        if let end {
            complete(id, .failure(end))
        } else if waiting.count >= GATTClient.maximumWaitingCount {
            complete(id, .failure(.tooManyWaiting))
        } else {
            waiting.append((id, operation))
            startNext(at: now)
        }
        return id
    }

    /// Takes an ATT PDU from the server.
    public mutating func receive(_ pdu: Span<UInt8>, at now: Instant) {
        timePassed(now)
        guard end == nil, pdu.count > 0 else { return }
        switch pdu[0] {
        case ClientPDU.notification, ClientPDU.indication:
            receiveValue(pdu)
        case ClientPDU.errorResponse:
            receiveError(pdu, at: now)
        case let opcode where ClientPDU.isResponse(opcode):
            receiveResponse(pdu, opcode, at: now)
        case let opcode where ClientPDU.isRequest(opcode):
            outgoing.append { $0 += [ClientPDU.errorResponse, opcode, 0, 0, ClientPDU.requestNotSupported] }
        default:
            return
        }
    }

    /// Tells what time it is: a request that was not answered in time ends the client.
    public mutating func timePassed(_ now: Instant) {
        guard let current, now >= current.deadline else { return }
        finish(.timedOut)
    }

    /// Tells that the link is gone: every operation fails.
    public mutating func linkLost() {
        finish(.linkLost)
    }

    // MARK: Out

    /// Replaces the contents of `pdu` by the next PDU to be sent; false if there is none.
    public mutating func nextPDU(into pdu: inout [UInt8]) -> Bool {
        outgoing.removeFirst(into: &pdu)
    }

    /// The next thing that happened; nil if there is none.
    public mutating func nextEvent() -> GATTClientEvent? {
        guard firstEvent < events.count else { return nil }
        let event = events[firstEvent]
        firstEvent += 1
        if firstEvent == events.count {
            events.removeAll(keepingCapacity: true)
            firstEvent = 0
        }
        return event
    }

    // MARK: Operations

    /// Begins the operations that wait, up to the first that has to wait for an answer.
    private mutating func startNext(at now: Instant) {
        while current == nil, end == nil, !waiting.isEmpty {
            let (id, operation) = waiting.removeFirst()
            do throws(GATTClientError) {
                if case .writeCommand(let handle, let value) = operation {
                    try check(handle, value)
                    outgoing.append { pdu in
                        pdu.append(ClientPDU.writeCommand)
                        pdu.append(littleEndian: handle.rawValue)
                        pdu += value
                    }
                    complete(id, .success(.sent))
                } else {
                    request(try step(operation), of: id, at: now)
                }
            } catch {
                complete(id, .failure(error))
            }
        }
    }

    /// The first step of an operation that takes requests.
    private mutating func step(_ operation: GATTOperation) throws(GATTClientError) -> GATTStep {
        switch operation {
        case .exchangeMTU:
            guard !hasExchanged else { throw .alreadyExchanged }
            hasExchanged = true
            return .exchangeMTU(own: ownMTU)
        case .discoverServices:
            return .services(from: 1, [])
        case .discoverServicesByUUID(let uuid):
            return .servicesByUUID(uuid, from: 1, [])
        case .discoverCharacteristics(let handles):
            try check(handles.lowerBound)
            return .characteristics(from: handles.lowerBound.rawValue, to: handles.upperBound.rawValue, [])
        case .discoverDescriptors(let handles):
            try check(handles.lowerBound)
            return .descriptors(from: handles.lowerBound.rawValue, to: handles.upperBound.rawValue, [])
        case .read(let handle):
            try check(handle)
            return .read(handle)
        case .readLong(let handle):
            try check(handle)
            return .readLong(handle, [])
        case .write(let handle, let value), .writeCommand(let handle, let value):
            try check(handle, value)
            return .write(handle, value)
        case .subscribe(let handle, let configuration):
            try check(handle)
            let bits = configuration.rawValue
            return .write(handle, [UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8)])
        }
    }

    private func check(_ handle: AttributeHandle, _ value: [UInt8] = []) throws(GATTClientError) {
        guard handle.rawValue != 0 else { throw .invalidHandle }
        guard value.count <= mtu - 3 else { throw .valueTooLong(count: value.count, limit: mtu - 3) }
    }

    private mutating func request(_ step: GATTStep, of id: GATTOperationID, at now: Instant) {
        outgoing.append { step.appendRequest(to: &$0) }
        current = Transaction(
            id: id, step: step, opcode: step.opcode, deadline: now + GATTClient.transactionTimeout)
    }

    private mutating func complete(_ id: GATTOperationID, _ result: Result<GATTOutcome, GATTClientError>) {
        if case .success(.mtu(let agreed)) = result { mtu = agreed }
        events.append(.completed(id, result))
    }

    /// Ends the client: nothing is sent or heard any more, and every operation fails.
    private mutating func finish(_ error: GATTClientError) {
        guard end == nil else { return }
        end = error
        outgoing.removeAll()
        if let transaction = current { complete(transaction.id, .failure(error)) }
        current = nil
        for (id, _) in waiting { complete(id, .failure(error)) }
        waiting.removeAll()
    }

    // MARK: Answers

    private mutating func receiveResponse(_ pdu: Span<UInt8>, _ opcode: UInt8, at now: Instant) {
        guard let transaction = current else { return }
        guard opcode == transaction.opcode + 1 else { return finish(.outOfStep(opcode: opcode)) }
        let mtu = mtu
        proceed(transaction, at: now) { (step) throws(GATTClientError) in
            guard pdu.count <= mtu else { throw .malformed(opcode: opcode) }
            return try step.advanced(by: pdu, mtu: mtu)
        }
    }

    private mutating func receiveError(_ pdu: Span<UInt8>, at now: Instant) {
        guard let transaction = current, pdu.count >= 2, pdu[1] == transaction.opcode else { return }
        proceed(transaction, at: now) { (step) throws(GATTClientError) in
            guard pdu.count == 5 else { throw .malformed(opcode: ClientPDU.errorResponse) }
            let handle = AttributeHandle(rawValue: UInt16(pdu[2]) | UInt16(pdu[3]) << 8)
            return try step.refused(handle, code: pdu[4])
        }
    }

    private mutating func proceed(
        _ transaction: Transaction, at now: Instant,
        _ advance: (consuming GATTStep) throws(GATTClientError) -> GATTStep.Progress
    ) {
        current = nil
        do throws(GATTClientError) {
            switch try advance(transaction.step) {
            case .next(let step): request(step, of: transaction.id, at: now)
            case .completed(let outcome): complete(transaction.id, .success(outcome))
            }
        } catch {
            complete(transaction.id, .failure(error))
        }
        startNext(at: now)
    }

    private mutating func receiveValue(_ pdu: Span<UInt8>) {
        guard (3...mtu).contains(pdu.count) else { return }
        let handle = AttributeHandle(rawValue: UInt16(pdu[1]) | UInt16(pdu[2]) << 8)
        guard handle.rawValue != 0 else { return }
        var value: [UInt8] = []
        value.append(pdu.extracting(3..<pdu.count))
        if pdu[0] == ClientPDU.indication {
            outgoing.append { $0.append(ClientPDU.confirmation) }
            events.append(.indication(handle, value))
        } else {
            events.append(.notification(handle, value))
        }
    }
}
