// SPDX-License-Identifier: Apache-2.0

import Octets
import Timekeeping

/// The identifier of a question to the device. An answer to an ended link or question has no effect.
public struct AttributeRequest: Hashable, Sendable {
    /// The client's bearer; 0 is the fixed channel.
    public let bearer: Int
    /// The number of the question, counted by the server.
    public let serial: UInt64
}

/// A question to the device about a dynamic value, which must be answered before a request can be completed.
struct AttributeQuestion: Equatable {
    /// The remaining work after the answer of the device. Values are ranges of the events' octets.
    enum Rest: Equatable {
        case read
        case readBlob(offset: Int)
        /// Continue from the attribute of the question.
        case readByType(HandleRange, BluetoothUUID)
        /// Continue with the handles of the request.
        case readMultiple(withLengths: Bool)
        case write(Range<Int>)
        /// Continue the queue after the part of the question.
        case execute(part: Int, value: Range<Int>)
    }

    /// The attribute's index in the database.
    var index: Int
    var rest: Rest

    /// The value to be written; nil for a read.
    var written: Range<Int>? {
        switch rest {
        case .write(let value), .execute(_, let value): value
        case .read, .readBlob, .readByType, .readMultiple: nil
        }
    }
}

/// The state of a bearer's present request: the question to the device, the values given so far, and the requests that
/// arrived meanwhile (Core 5.4, Vol 3, Part F, 3.3.2).
struct Transaction {
    /// The maximum number of held requests of a client that does not wait for responses, as it must; further ones are
    /// dropped. One is for clients that send the next request while the response is sent.
    static let heldRequests = 4

    /// The phase of the request.
    enum Phase: Equatable {
        case idle
        /// The device has a question to answer.
        case asking(AttributeQuestion, serial: UInt64)
        /// The request is answered with this error.
        case failed(ATTErrorCode)
    }

    private struct Value {
        var index: Int
        var range: Range<Int>
    }

    private(set) var phase = Phase.idle
    /// The opcode of the waiting request, and its first handle; 0 if it has none.
    private(set) var request = (opcode: ATTOpcode.readRequest, handle: UInt16(0))
    /// The handles of a waiting Read Multiple request.
    private(set) var handles: [UInt8] = []
    /// The deadline of the complete request.
    private var limit = Instant.origin
    /// The values given by the device, in `octets`.
    private var values: [Value] = []
    private var octets: [UInt8] = []
    /// The attribute whose value is retained for subsequent Read Blob requests, so that all parts belong to one value.
    private var keptHandle: UInt16?
    /// Held requests, each after its length in two octets.
    private var held: [UInt8] = []
    private(set) var heldCount = 0

    /// False in the initial state, which most requests never leave.
    private(set) var isInvolved = false

    /// True if a new request must wait.
    var isBusy: Bool { isInvolved && (phase != .idle || heldCount > 0) }

    /// The deadline of the device's answer; nil if there is no question.
    var deadline: Instant? {
        if case .asking = phase { limit } else { nil }
    }

    /// Begins a new request: a value retained for another one is discarded.
    mutating func begin(_ pdu: Span<UInt8>) {
        guard isInvolved else { return }
        if let keptHandle, case .readBlob(keptHandle, 1...)? = try? ATTRequest(pdu) { return }
        forget()
    }

    /// Suspends the request for the device. All its questions have one deadline.
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

    /// Records a question to the device.
    mutating func begin(_ question: AttributeQuestion, serial: UInt64) { phase = .asking(question, serial: serial) }

    /// Marks the waiting request as failed.
    mutating func fail(_ code: ATTErrorCode) {
        guard case .asking = phase else { return }
        phase = .failed(code)
    }

    /// Handles a change of the database: a waiting request fails, and a retained value is discarded.
    mutating func failOrForget(_ code: ATTErrorCode) {
        switch phase {
        case .asking: fail(code)
        case .failed: break
        case .idle: if isInvolved { forget() }
        }
    }

    /// Stores the value given by the device for an attribute.
    mutating func keep(_ value: Span<UInt8>, of index: Int) {
        let start = octets.count
        octets.append(value)
        values.append(Value(index: index, range: start..<octets.count))
    }

    /// The value given by the device, as a range for `append`; nil if the device has given none.
    func value(of index: Int) -> Range<Int>? {
        for value in values where value.index == index { return value.range }
        return nil
    }

    /// Appends a part of a value given by the device.
    func append(_ range: Range<Int>, to response: inout [UInt8]) {
        response.append(octets.span.extracting(range))
    }

    /// Handles the answer to the request. A long value is retained for Read Blob if `keeping` is its handle.
    mutating func finish(keeping handle: UInt16? = nil) {
        guard isInvolved else { return }
        if let handle, values.count == 1 {
            phase = .idle
            keptHandle = handle
        } else {
            forget()
        }
    }

    /// Returns to the initial state, except for held requests.
    private mutating func forget() {
        phase = .idle
        keptHandle = nil
        values.removeAll(keepingCapacity: true)
        octets.removeAll(keepingCapacity: true)
        isInvolved = heldCount > 0
    }

    /// Holds a request; false if the maximum is exceeded and it is dropped.
    mutating func hold(_ pdu: Span<UInt8>) -> Bool {
        guard heldCount < Transaction.heldRequests else { return false }
        isInvolved = true
        held.append(littleEndian: UInt16(clamping: pdu.count))
        held.append(pdu)
        heldCount += 1
        return true
    }

    /// Removes the next held request.
    mutating func takeHeld(into pdu: inout [UInt8]) {
        guard heldCount > 0, held.count >= 2 else { return }
        let end = min(held.count, 2 + (Int(held[0]) | Int(held[1]) << 8))
        pdu.removeAll(keepingCapacity: true)
        pdu.append(contentsOf: held[2..<end])
        held.removeSubrange(..<end)
        heldCount -= 1
    }

    /// Resets the state of a closed bearer.
    mutating func removeAll() {
        held.removeAll(keepingCapacity: true)
        heldCount = 0
        forget()
    }
}
