// SPDX-License-Identifier: Apache-2.0

/// The result of an answer of the device.
public enum AnswerOutcome: Equatable, Sendable {
    /// The answer is accepted; the response was appended, unless the device has a further request.
    case taken
    /// No effect: the link has ended, the request was answered before, or its time is over.
    case gone
    /// No effect: the value exceeds 512 octets. An answer is still due.
    case tooLong
    /// No effect: a value does not answer a write, and an acceptance does not answer a read.
    case mismatched
}

/// Dynamic values, handled by the device.
extension GATTServer {
    /// Answers `readRequested` with the complete value, whatever the client's offset. Subsequent Read Blob requests
    /// read from this value.
    public mutating func respond(
        to request: AttributeRequest, of client: inout Client, value: Span<UInt8>, response: inout [UInt8],
        events: inout GATTEvents
    ) -> AnswerOutcome {
        guard let question = client.question(request) else { return .gone }
        guard question.written == nil else { return .mismatched }
        guard value.count <= AttributeDatabase.maximumValueCount else { return .tooLong }
        client.bearers[request.bearer].transaction.keep(value, of: question.index)
        proceed(question, &client, request.bearer, response: &response, events: &events)
        return .taken
    }

    /// Answers `writeRequested` with success.
    public mutating func accept(
        _ request: AttributeRequest, of client: inout Client, response: inout [UInt8], events: inout GATTEvents
    ) -> AnswerOutcome {
        guard let question = client.question(request) else { return .gone }
        guard question.written != nil else { return .mismatched }
        proceed(question, &client, request.bearer, response: &response, events: &events)
        return .taken
    }

    /// Answers either request with an error; 0x80 to 0x9F are application errors (Core 5.4, Vol 3, Part F, 3.4.1.1).
    public mutating func refuse(
        _ request: AttributeRequest, _ code: ATTErrorCode, of client: inout Client, response: inout [UInt8]
    ) -> AnswerOutcome {
        guard let question = client.question(request) else { return .gone }
        let handle = database.attributes[question.index].handle
        fail(&client, request.bearer, ATTFault(code, handle), &response)
        return .taken
    }

    /// Emits the request to the device; the client's request waits.
    mutating func request(
        _ question: AttributeQuestion, _ client: inout Client, _ bearer: Int, _ events: inout GATTEvents
    ) {
        lastSerial &+= 1
        client.mayHaveDeadline = true
        client.bearers[bearer].transaction.begin(question, serial: lastSerial)
        let request = AttributeRequest(bearer: bearer, serial: lastSerial)
        let handle = AttributeHandle(rawValue: database.attributes[question.index].handle)
        if let value = question.written {
            events.events.append(.writeRequested(request, handle, value: value))
        } else {
            var offset = 0
            if case .readBlob(let asked) = question.rest { offset = asked }
            events.events.append(.readRequested(request, handle, offset: offset))
        }
    }

    /// Completes a request after the device's answer.
    private mutating func proceed(
        _ question: AttributeQuestion, _ client: inout Client, _ bearer: Int, response: inout [UInt8],
        events: inout GATTEvents
    ) {
        let start = response.count
        do throws(ATTFault) {
            if let next = try rest(of: question, &client, bearer, &response, &events) {
                response.removeSubrange(start...)
                return request(next, &client, bearer, &events)
            }
        } catch {
            response.removeSubrange(start...)
            report(error, answering: client.bearers[bearer].transaction.request.opcode, &events)
            return fail(&client, bearer, error, &response)
        }
        var handle: UInt16?
        switch question.rest {
        case .read, .readBlob: handle = database.attributes[question.index].handle
        default: break
        }
        client.bearers[bearer].finish(handle, responseCount: response.count - start)
        client.mayHaveOutput = true
    }

    private mutating func rest(
        of question: AttributeQuestion, _ client: inout Client, _ bearer: Int, _ response: inout [UInt8],
        _ events: inout GATTEvents
    ) throws(ATTFault) -> AttributeQuestion? {
        let handle = database.attributes[question.index].handle
        switch question.rest {
        case .read: return try read(handle, client, bearer, &response)
        case .readBlob(let offset): return try readBlob(handle, offset, client, bearer, &response)
        case .readByType(let range, let type): return try readByType(range, type, client, bearer, &response)
        case .readMultiple(let withLengths):
            let handles = client.bearers[bearer].transaction.handles
            return try readMultiple(handles.span, client, bearer, withLengths: withLengths, &response)
        case .write:
            ATTResponse.bare(.writeResponse).append(to: &response)
            return nil
        case .execute(let part, _): return try execute(from: part + 1, &client, bearer, &response, &events)
        }
    }

    /// Answers the waiting request with an error.
    mutating func fail(_ client: inout Client, _ bearer: Int, _ fault: ATTFault, _ response: inout [UInt8]) {
        let request = client.bearers[bearer].transaction.request
        client.bearers[bearer].transaction.finish()
        if client.executing == bearer { dropPrepared(&client) }
        client.mayHaveOutput = true
        fault.append(answering: request.opcode, to: &response)
    }
}

extension GATTServer.Client {
    /// The unanswered question; nil if it was answered.
    fileprivate func question(_ request: AttributeRequest) -> AttributeQuestion? {
        guard isOpen(request.bearer),
            case .asking(let question, request.serial) = bearers[request.bearer].transaction.phase
        else { return nil }
        return question
    }
}
