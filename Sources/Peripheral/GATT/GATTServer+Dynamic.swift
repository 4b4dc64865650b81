public import Timekeeping
import Octets

/// What became of an answer of the device.
public enum AnswerOutcome: Equatable, Sendable {
    /// It is taken; what follows from it was appended, unless the device was asked something further.
    case taken
    /// The link is gone, the question was answered before, or its time is over: nothing was done.
    case gone
    /// An attribute's value has at most 512 octets: nothing was done, and an answer is still due.
    case tooLong
    /// A value answers no question about a write, and an acceptance none about a read: nothing was done.
    case mismatched
}

/// Values that the device handles itself.
extension GATTServer {
    /// Answers `readRequested` with the whole value, whatever the client's offset: the server cuts it. What the client
    /// reads of it by Read Blob afterwards is of this value.
    public mutating func respond(
        to request: AttributeRequest, value: Span<UInt8>, at now: Instant, response: inout [UInt8],
        events: inout GATTEvents
    ) -> AnswerOutcome {
        guard let (origin, question) = question(request) else { return .gone }
        guard !question.isWrite else { return .mismatched }
        guard value.count <= AttributeDatabase.maximumValueCount else { return .tooLong }
        bearers[origin.place].transaction.answered(question, value: value)
        serveAgain(origin, at: now, response: &response, events: &events)
        return .taken
    }

    /// Answers `writeRequested`: the device has taken the value.
    public mutating func accept(
        _ request: AttributeRequest, at now: Instant, response: inout [UInt8], events: inout GATTEvents
    ) -> AnswerOutcome {
        guard let (origin, question) = question(request) else { return .gone }
        guard question.isWrite else { return .mismatched }
        bearers[origin.place].transaction.answered(question, .accepted)
        serveAgain(origin, at: now, response: &response, events: &events)
        return .taken
    }

    /// Answers either question with an error for the client; 0x80 to 0x9F are the device's own (Core 5.4, Vol 3, Part F,
    /// 3.4.1.1).
    public mutating func refuse(
        _ request: AttributeRequest, _ code: ATTErrorCode, at now: Instant, response: inout [UInt8],
        events: inout GATTEvents
    ) -> AnswerOutcome {
        guard let (origin, question) = question(request) else { return .gone }
        bearers[origin.place].transaction.answered(question, .refused(code))
        serveAgain(origin, at: now, response: &response, events: &events)
        return .taken
    }

    /// Throws what is to be asked before the value can be read, or why the device refuses; nothing for a value that the
    /// device does not handle, or has given.
    func ensureAnswered(_ index: Int, _ origin: Origin, offset: Int = 0) throws(ATTFault) {
        guard database.attributes[index].kind == .dynamic else { return }
        let handle = database.attributes[index].handle
        switch bearers[origin.place].transaction.answer(index, isWrite: false) {
        case nil: throw ATTFault(asking: .read(index: index, offset: offset), handle)
        case .refused(let code): throw ATTFault(code, handle)
        case .value, .accepted: break
        }
    }

    /// Throws what is to be asked before the value is written, or why the device refuses; nothing if it has accepted.
    func ensureAccepted(
        _ value: Span<UInt8>, _ index: Int, _ origin: Origin, _ events: inout GATTEvents
    ) throws(ATTFault) {
        let handle = database.attributes[index].handle
        switch bearers[origin.place].transaction.answer(index, isWrite: true) {
        case nil:
            let start = events.octets.count
            events.octets.append(value)
            throw ATTFault(asking: .write(index: index, value: start..<events.octets.count), handle)
        case .refused(let code): throw ATTFault(code, handle)
        case .value, .accepted: break
        }
    }

    /// What the device has said the value is, as a range of the transaction's octets.
    func answeredValue(_ index: Int, _ origin: Origin) -> Range<Int> {
        guard case .value(let range) = bearers[origin.place].transaction.answer(index, isWrite: false) else {
            return 0..<0
        }
        return range
    }

    /// Tells the device what it is asked, and lets the request wait.
    mutating func ask(
        _ question: AttributeQuestion, _ pdu: Span<UInt8>, _ origin: Origin, _ handle: UInt16, at now: Instant,
        _ events: inout GATTEvents
    ) {
        lastSerial &+= 1
        mayHaveDeadline = true
        bearers[origin.place].transaction.ask(question, pdu, serial: lastSerial, at: now, within: limits.answerTime)
        let request = AttributeRequest(
            slot: origin.slot, bearer: origin.place - place(origin.slot, 0), serial: lastSerial)
        let handle = AttributeHandle(rawValue: handle)
        switch question {
        case .read(_, let offset): events.events.append(.readRequested(request, handle, offset: offset))
        case .write(_, let value): events.events.append(.writeRequested(request, handle, value: value))
        }
    }

    /// The request is answered.
    mutating func finish(_ pdu: Span<UInt8>, _ origin: Origin, responseCount: Int) {
        guard bearers[origin.place].transaction.isInvolved else { return }
        // A response of full length may be the beginning of a longer value.
        let opcode = ATTOpcode(rawValue: pdu[0])
        guard opcode == .readRequest || opcode == .readBlobRequest, pdu.count >= 3,
            responseCount == bearers[origin.place].mtu
        else { return bearers[origin.place].transaction.finish() }
        bearers[origin.place].transaction.finish(keeping: UInt16(pdu[1]) | UInt16(pdu[2]) << 8)
    }

    /// Handles the request of a bearer again, now that there is one more answer.
    private mutating func serveAgain(
        _ origin: Origin, at now: Instant, response: inout [UInt8], events: inout GATTEvents
    ) {
        mayHaveOutput = true
        var pdu: [UInt8] = []
        swap(&pdu, &replayed)
        bearers[origin.place].transaction.swapRequest(with: &pdu)
        if !pdu.isEmpty { serve(pdu.span, origin, at: now, response: &response, events: &events) }
        swap(&pdu, &replayed)
    }

    private func question(_ request: AttributeRequest) -> (Origin, AttributeQuestion)? {
        guard let origin = origin(request.slot, request.bearer),
            case .asking(let question, let serial, _) = bearers[origin.place].transaction.phase,
            serial == request.serial
        else { return nil }
        return (origin, question)
    }
}
