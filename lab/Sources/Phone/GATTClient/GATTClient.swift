// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral
public import Timekeeping

/// The client of one ATT bearer (Core 5.4, Vol 3, Part F and G), as a value: PDUs and times go in, PDUs and events
/// come out.
///
/// One request is outstanding at a time (3.3.2); further operations are queued in order. After each input, drain
/// `nextPDU` and `nextEvent`; call `timePassed` at `deadline`.
///
/// The server is not trusted. Unsolicited PDUs are ignored: a response without a request, an error response that
/// names another request, a notification or indication that is too short or longer than the ATT_MTU, an empty PDU.
/// The server's own requests are refused, since there is no server on this side.
public struct GATTClient: Sendable {
    /// The transaction time-out; the bearer fails with the transaction (3.3.3).
    public static let transactionTimeout: Duration = .seconds(30)
    /// The maximum number of queued operations.
    public static let maximumWaitingCount = 64
    /// The maximum number of attributes that one discovery returns; far more than any device has, far fewer than
    /// handles.
    public static let maximumFoundCount = 512
    /// The maximum length of an attribute value (3.2.9).
    public static let maximumValueCount = 512
    /// The default ATT_MTU on LE, which is also the minimum (Part G, 5.2.1).
    public static let defaultMTU = 23
    /// The largest ATT_MTU that is asked for: the longest attribute value, and the header of a prepared write.
    public static let largestMTU = 517

    /// The outstanding request.
    private struct Transaction {
        var id: GATTOperationID
        var step: GATTStep
        var opcode: ATTOpcode
        var deadline: Instant
    }

    /// The ATT_MTU.
    public private(set) var mtu = GATTClient.defaultMTU

    private let ownMTU: Int
    private var hasExchanged = false
    private var waiting: [(id: GATTOperationID, operation: GATTOperation)] = []
    private var current: Transaction?
    private var nextID: UInt64 = 0
    /// The reason why the bearer is no longer used.
    private var end: GATTClientError?
    private var outgoing = PacketQueue()
    private var events: [GATTClientEvent] = []
    private var firstEvent = 0

    /// A client on a new link whose ATT_MTU is at most `maximumMTU`: 23 to 517, at which the longest value fits one
    /// PDU.
    public init(maximumMTU: Int = GATTClient.largestMTU) {
        ownMTU = min(max(maximumMTU, GATTClient.defaultMTU), GATTClient.largestMTU)
    }

    /// A client on a link whose ATT_MTU has been exchanged.
    public init(exchangedMTU: Int) {
        self.init(maximumMTU: exchangedMTU)
        mtu = ownMTU
        hasExchanged = true
    }

    /// True if an operation is in progress or queued.
    public var isBusy: Bool { current != nil || !waiting.isEmpty }

    /// The time-out of the outstanding request, or nil.
    public var deadline: Instant? { current?.deadline }

    // MARK: Input

    /// Starts or queues an operation. Its `completed` event follows in every case.
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

    /// Handles an ATT PDU from the server.
    public mutating func receive(_ pdu: Span<UInt8>, at now: Instant) {
        timePassed(now)
        guard end == nil, pdu.count > 0 else { return }
        switch ATTOpcode(rawValue: pdu[0]) {
        case .handleValueNotification, .handleValueIndication:
            receiveValue(pdu)
        case .errorResponse:
            receiveError(pdu, at: now)
        case let opcode where opcode.isResponse:
            receiveResponse(pdu, opcode, at: now)
        case let opcode where opcode.isRequest:
            outgoing.append { ATTResponse.error(opcode, handle: 0, .requestNotSupported).append(to: &$0) }
        default:
            return
        }
    }

    /// Applies the transaction time-out, which ends the client.
    public mutating func timePassed(_ now: Instant) {
        guard let current, now >= current.deadline else { return }
        finish(.timedOut)
    }

    /// Fails all operations: the link has ended.
    public mutating func linkLost() {
        finish(.linkLost)
    }

    // MARK: Output

    /// Replaces the contents of `pdu` with the next PDU to send; false if no PDU is pending.
    public mutating func nextPDU(into pdu: inout [UInt8]) -> Bool {
        outgoing.popFirst(into: &pdu)
    }

    /// Removes and returns the next event, or nil.
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

    /// Starts queued operations, up to the first that requires a response.
    private mutating func startNext(at now: Instant) {
        while current == nil, end == nil, !waiting.isEmpty {
            let (id, operation) = waiting.removeFirst()
            do throws(GATTClientError) {
                if case .writeCommand(let handle, let value) = operation {
                    try check(handle, value)
                    outgoing.append {
                        ATTRequest.writeCommand(handle.rawValue, value: value.indices).append(to: &$0, value.span)
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

    /// The first step of an operation that consists of requests.
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
        var opcode = ATTOpcode.errorResponse
        outgoing.append { pdu in
            let start = pdu.count
            step.appendRequest(to: &pdu)
            opcode = ATTOpcode(rawValue: pdu[start])
        }
        current = Transaction(id: id, step: step, opcode: opcode, deadline: now + GATTClient.transactionTimeout)
    }

    private mutating func complete(_ id: GATTOperationID, _ result: Result<GATTOutcome, GATTClientError>) {
        if case .success(.mtu(let agreed)) = result { mtu = agreed }
        events.append(.completed(id, result))
    }

    /// Ends the client: nothing further is sent or received, and every operation fails.
    private mutating func finish(_ error: GATTClientError) {
        guard end == nil else { return }
        end = error
        outgoing.removeAll()
        if let transaction = current { complete(transaction.id, .failure(error)) }
        current = nil
        for (id, _) in waiting { complete(id, .failure(error)) }
        waiting.removeAll()
    }

    // MARK: Responses

    private mutating func receiveResponse(_ pdu: Span<UInt8>, _ opcode: ATTOpcode, at now: Instant) {
        guard let transaction = current else { return }
        guard opcode == transaction.opcode.response else { return finish(.outOfStep(opcode: opcode.rawValue)) }
        let mtu = mtu
        proceed(transaction, at: now) { (step) throws(GATTClientError) in
            guard pdu.count <= mtu else { throw .malformed(opcode: opcode.rawValue) }
            return try step.advanced(by: pdu, mtu: mtu)
        }
    }

    private mutating func receiveError(_ pdu: Span<UInt8>, at now: Instant) {
        guard let transaction = current, pdu.count >= 2, pdu[1] == transaction.opcode.rawValue else { return }
        proceed(transaction, at: now) { (step) throws(GATTClientError) in
            let answer = try AnswerReader(pdu)
            guard case .error(_, let handle, let code) = answer.response else { throw answer.malformed }
            try answer.finish()
            return try step.refused(AttributeHandle(rawValue: handle), code: code)
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
        guard pdu.count <= mtu, var answer = try? AnswerReader(pdu) else { return }
        var value: [UInt8] = []
        value.append(pdu.extracting(answer.rest()))
        switch answer.response {
        case .indication(let handle) where handle.rawValue != 0:
            outgoing.append { ATTRequest.confirmation.append(to: &$0) }
            events.append(.indication(handle, value))
        case .notification(let handle) where handle.rawValue != 0: events.append(.notification(handle, value))
        default: return
        }
    }
}
