import Timekeeping
import Octets

/// One question to the device, by which its answer finds the way back. An answer to a link or a question that is gone
/// changes nothing.
public struct AttributeRequest: Hashable, Sendable {
    /// The slot of the client's link.
    public let slot: Int
    /// The bearer of this link; 0 is the fixed channel.
    public let bearer: Int
    /// Counts the questions of a server.
    public let serial: UInt64
}

/// What a bearer knows of the request in its turn: the questions to the device, the answers, and the requests of a client
/// that has not waited (Core 5.4, Vol 3, Part F, 3.3.2).
///
/// A request whose answers are not all there is kept and handled again from its beginning when one has come.
struct Transaction {
    /// Requests of a client that does not wait for answers, as it must; more are dropped. One is for clients that ask
    /// again in the moment in which the answer goes out.
    static let heldRequests = 4

    /// Where the request is.
    enum Phase: Equatable {
        case idle
        /// The device is asked, and is to have answered by then.
        case asking(AttributeQuestion, serial: UInt64, deadline: Instant)
        /// It is to be answered with this error.
        case failed(ATTErrorCode)
    }

    /// What the device has answered about an attribute.
    struct Answer {
        enum Content: Equatable {
            /// The value is this range of `octets`.
            case value(Range<Int>)
            /// The value is taken.
            case accepted
            case refused(ATTErrorCode)
        }

        var index: Int
        var isWrite: Bool
        var content: Content
    }

    var phase = Phase.idle
    /// The request that waits, whole.
    private(set) var request: [UInt8] = []
    /// By when all of it is to be answered.
    private(set) var deadline: Instant?
    private(set) var answers: [Answer] = []
    private var octets: [UInt8] = []
    /// The attribute whose value is kept for the Read Blob requests that follow, so that all parts are of one value.
    private var keptHandle: UInt16?
    /// Requests that came too early, each behind two octets of length.
    private var held: [UInt8] = []
    private(set) var heldCount = 0

    /// Whether there is anything at all in it. Most requests never set it.
    private(set) var isInvolved = false

    /// Whether a new request has to wait.
    var isBusy: Bool {
        guard isInvolved else { return false }
        if case .idle = phase { return heldCount > 0 }
        return true
    }

    /// Begins with a new request: what was kept for another one is forgotten.
    mutating func begin(_ pdu: Span<UInt8>) {
        guard isInvolved else { return }
        if let keptHandle, pdu.count == 5, pdu[0] == ATTOpcode.readBlobRequest.rawValue,
            UInt16(pdu[1]) | UInt16(pdu[2]) << 8 == keptHandle, pdu[3] != 0 || pdu[4] != 0
        {
            return
        }
        forget()
    }

    /// Waits for the device. All questions about one request have one deadline.
    mutating func ask(
        _ question: AttributeQuestion, _ pdu: Span<UInt8>, serial: UInt64, at now: Instant, within time: Duration
    ) {
        isInvolved = true
        request.removeAll(keepingCapacity: true)
        request.append(pdu)
        let until = deadline ?? now + time
        deadline = until
        phase = .asking(question, serial: serial, deadline: until)
    }

    /// Gives the request away to be handled again, and takes memory for it.
    mutating func swapRequest(with octets: inout [UInt8]) { swap(&request, &octets) }

    /// The request that waits is to be answered with an error.
    mutating func fail(_ code: ATTErrorCode) {
        guard case .asking = phase else { return }
        phase = .failed(code)
    }

    /// The attributes are others now: a request that waits fails, and a value that was kept is forgotten.
    mutating func failOrForget(_ code: ATTErrorCode) {
        switch phase {
        case .asking: fail(code)
        case .failed: break
        case .idle: if isInvolved { forget() }
        }
    }

    /// Keeps an answer; the request can be handled again.
    mutating func answered(_ question: AttributeQuestion, _ content: Answer.Content) {
        phase = .idle
        answers.append(Answer(index: question.index, isWrite: question.isWrite, content: content))
    }

    /// Keeps a value; the request can be handled again.
    mutating func answered(_ question: AttributeQuestion, value: Span<UInt8>) {
        let start = octets.count
        octets.append(value)
        answered(question, .value(start..<octets.count))
    }

    /// What the device has answered, if it has.
    func answer(_ index: Int, isWrite: Bool) -> Answer.Content? {
        for answer in answers where answer.index == index && answer.isWrite == isWrite { return answer.content }
        return nil
    }

    /// Appends a part of an answered value.
    func append(_ range: Range<Int>, to response: inout [UInt8]) {
        response.append(octets.span.extracting(range))
    }

    /// The request is answered. A long value that was read stays for Read Blob, if `keeping` is its handle.
    mutating func finish(keeping handle: UInt16? = nil) {
        guard isInvolved else { return }
        if let handle, answers.count == 1, case .value = answers[0].content {
            phase = .idle
            deadline = nil
            keptHandle = handle
        } else {
            forget()
        }
    }

    /// Ends as if nothing had been asked; what is held stays.
    private mutating func forget() {
        phase = .idle
        deadline = nil
        keptHandle = nil
        answers.removeAll(keepingCapacity: true)
        octets.removeAll(keepingCapacity: true)
        isInvolved = heldCount > 0
    }

    /// Keeps a request for later; false if there are too many, and it is dropped.
    mutating func hold(_ pdu: Span<UInt8>) -> Bool {
        guard heldCount < Transaction.heldRequests else { return false }
        isInvolved = true
        held.append(littleEndian: UInt16(clamping: pdu.count))
        held.append(pdu)
        heldCount += 1
        return true
    }

    /// The next request that was held.
    mutating func takeHeld(into pdu: inout [UInt8]) {
        guard heldCount > 0, held.count >= 2 else { return }
        let end = min(held.count, 2 + (Int(held[0]) | Int(held[1]) << 8))
        pdu.removeAll(keepingCapacity: true)
        pdu.append(contentsOf: held[2..<end])
        held.removeSubrange(..<end)
        heldCount -= 1
    }

    /// The bearer is gone.
    mutating func removeAll() {
        request.removeAll(keepingCapacity: true)
        held.removeAll(keepingCapacity: true)
        heldCount = 0
        forget()
    }
}
