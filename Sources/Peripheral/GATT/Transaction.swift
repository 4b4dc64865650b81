import Octets
import Timekeeping

/// One question to the device, by which its answer finds the way back. An answer to a link or a question that is gone
/// changes nothing.
public struct AttributeRequest: Hashable, Sendable {
    /// The client's bearer; 0 is the fixed channel.
    public let bearer: Int
    /// Counts the questions of a server.
    public let serial: UInt64
}

/// What the device is asked about a dynamic value before a request can be answered: the result of handling the request.
struct AttributeQuestion: Equatable {
    /// What is left to do when the device has answered. Values are ranges of the events' octets.
    enum Rest: Equatable {
        case read
        case readBlob(offset: Int)
        /// From the attribute on that the question is about.
        case readByType(HandleRange, BluetoothUUID)
        /// The handles are those of the request.
        case readMultiple(withLengths: Bool)
        case write(Range<Int>)
        /// The queue, from the part on that is behind this one.
        case execute(part: Int, value: Range<Int>)
    }

    /// The attribute's index in the database.
    var index: Int
    var rest: Rest

    /// The value that the device is to take; nil if it is to give one.
    var written: Range<Int>? {
        switch rest {
        case .write(let value), .execute(_, let value): value
        case .read, .readBlob, .readByType, .readMultiple: nil
        }
    }
}

/// What a bearer knows of the request in its turn: the question to the device, the values that it has given, and the
/// requests of a client that has not waited (Core 5.4, Vol 3, Part F, 3.3.2).
struct Transaction {
    /// Requests of a client that does not wait for answers, as it must; more are dropped. One is for clients that ask
    /// again in the moment in which the answer goes out.
    static let heldRequests = 4

    /// Where the request is.
    enum Phase: Equatable {
        case idle
        /// The device is asked.
        case asking(AttributeQuestion, serial: UInt64)
        /// It is to be answered with this error.
        case failed(ATTErrorCode)
    }

    private struct Value {
        var index: Int
        var range: Range<Int>
    }

    private(set) var phase = Phase.idle
    /// The opcode of the request that waits, and the handle that it begins with; 0 if it names none.
    private(set) var request = (opcode: ATTOpcode.readRequest, handle: UInt16(0))
    /// The handles of a Read Multiple request that waits.
    private(set) var handles: [UInt8] = []
    /// By when all of the request is to be answered.
    private var limit = Instant.origin
    /// What the device has said the values are, in `octets`.
    private var values: [Value] = []
    private var octets: [UInt8] = []
    /// The attribute whose value is kept for the Read Blob requests that follow, so that all parts are of one value.
    private var keptHandle: UInt16?
    /// Requests that came too early, each behind two octets of length.
    private var held: [UInt8] = []
    private(set) var heldCount = 0

    /// True if there is anything at all in it. Most requests never set it.
    private(set) var isInvolved = false

    /// True if a new request has to wait.
    var isBusy: Bool { isInvolved && (phase != .idle || heldCount > 0) }

    /// By when the device is to answer; nil if it is not asked.
    var deadline: Instant? {
        if case .asking = phase { limit } else { nil }
    }

    /// Begins with a new request: what was kept for another one is forgotten.
    mutating func begin(_ pdu: Span<UInt8>) {
        guard isInvolved else { return }
        if let keptHandle, case .readBlob(keptHandle, 1...)? = try? ATTRequest(pdu) { return }
        forget()
    }

    /// The request has to wait for the device. All questions about it have one deadline.
    mutating func wait(_ pdu: Span<UInt8>, until limit: Instant) {
        isInvolved = true
        self.limit = limit
        let opcode = ATTOpcode(rawValue: pdu[0])
        request = (opcode, opcode == .executeWriteRequest ? 0 : UInt16(pdu[1]) | UInt16(pdu[2]) << 8)
        handles.removeAll(keepingCapacity: true)
        if opcode == .readMultipleRequest || opcode == .readMultipleVariableRequest {
            handles.append(pdu.extracting(1..<pdu.count))
        }
    }

    /// The device is asked.
    mutating func ask(_ question: AttributeQuestion, serial: UInt64) { phase = .asking(question, serial: serial) }

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

    /// Keeps the value that the device has given for an attribute.
    mutating func keep(_ value: Span<UInt8>, of index: Int) {
        let start = octets.count
        octets.append(value)
        values.append(Value(index: index, range: start..<octets.count))
    }

    /// What the device has said the value is, as a range for `append`; nil if it has not.
    func value(of index: Int) -> Range<Int>? {
        for value in values where value.index == index { return value.range }
        return nil
    }

    /// Appends a part of a value that the device has given.
    func append(_ range: Range<Int>, to response: inout [UInt8]) {
        response.append(octets.span.extracting(range))
    }

    /// The request is answered. A long value that was read stays for Read Blob, if `keeping` is its handle.
    mutating func finish(keeping handle: UInt16? = nil) {
        guard isInvolved else { return }
        if let handle, values.count == 1 {
            phase = .idle
            keptHandle = handle
        } else {
            forget()
        }
    }

    /// Ends as if nothing had been asked; what is held stays.
    private mutating func forget() {
        phase = .idle
        keptHandle = nil
        values.removeAll(keepingCapacity: true)
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
        held.removeAll(keepingCapacity: true)
        heldCount = 0
        forget()
    }
}
