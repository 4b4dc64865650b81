import CLinux
import Glibc
import Octets

/// The way to a controller: a descriptor that does not block, with HCI packets in both directions, each with the type
/// octet of H4 before it (Core 5.4, Vol 4, Part A, 2).
///
/// It waits for nothing: whoever owns it watches `descriptor` for reading, and for writing while `wantsWrite`, and
/// calls `readReady` and `writeReady`. After an error it is of no use but to be closed; cancel the watch, then close.
/// One thread uses it, and `deliver` does not call `readReady` again.
public final class HCITransport {
    /// Reads in one call of `readReady`: what is left is told again by the descriptor, and others get their turn.
    public static let readsPerCall = 16
    /// Octets that may wait to be written. A host sends no more than the controller has buffers for, so this many
    /// wait only when the controller takes nothing any more.
    public static let maximumQueuedCount = 256 * 1024
    /// Octets of one read; more than any packet of the user channel.
    static let readCount = 16 * 1024

    private enum Phase {
        case connecting, open, closed
    }

    /// What was opened.
    public let name: TransportName
    /// The descriptor to watch; −1 once closed.
    public private(set) var descriptor: CInt

    private let isSocket: Bool
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    private var phase: Phase
    private var framer = H4Framer(receiver: .host)
    private var queue: SendQueue
    private var failure: TransportError?
    private var failureIsTold = false

    /// Takes over a descriptor that does not block. With `keepsPackets`, one write is one packet.
    init(_ name: TransportName, descriptor: CInt, isConnecting: Bool, isSocket: Bool = true, keepsPackets: Bool = false)
    {
        self.name = name
        self.descriptor = descriptor
        self.isSocket = isSocket
        phase = isConnecting ? .connecting : .open
        queue = SendQueue(keepsPackets: keepsPackets)
        buffer = .allocate(capacity: HCITransport.readCount)
        buffer.initialize(repeating: 0)
    }

    deinit {
        close()
        buffer.deallocate()
    }

    /// Whether the descriptor is to be watched for writing: octets wait, the connection is being made, or a write has
    /// failed and `writeReady` is to say so.
    public var wantsWrite: Bool {
        guard phase != .closed else { return false }
        return failure == nil ? phase == .connecting || !queue.isEmpty : !failureIsTold
    }

    /// Reads what is there, up to `readsPerCall` reads, and hands on each complete packet, valid during the call only.
    /// Throws when the transport is lost, then and each time after.
    public func readReady(deliver: (Span<UInt8>) -> Void) throws(TransportError) {
        try throwFailure()
        try finishConnecting()
        for _ in 0..<HCITransport.readsPerCall where phase == .open {
            let count = readerd_read(descriptor, buffer.baseAddress, buffer.count)
            if count == -Int64(EAGAIN) { return }
            guard count > 0 else { throw fail(count == 0 ? .ended : .failed(code: CInt(-count))) }
            try frame(Int(count), deliver)
            // A stream that gave less than asked for has no more; packets come one by one.
            if !queue.keepsPackets, count < buffer.count { return }
        }
    }

    private func frame(_ count: Int, _ deliver: (Span<UInt8>) -> Void) throws(TransportError) {
        do {
            try framer.receive(UnsafeBufferPointer(buffer.extracting(0..<count)).span, deliver: deliver)
        } catch {
            throw fail(.outOfStep(error))
        }
        if queue.keepsPackets, !framer.isBetweenPackets { throw fail(.outOfStep(H4Error(.incomplete, at: 0))) }
    }

    /// Sends one packet, with its type octet, after those sent before: at once if the descriptor takes it, otherwise
    /// when it does. A failure is told by `writeReady` or `readReady`; what is sent after it is dropped.
    public func send(_ packet: Span<UInt8>) {
        guard failure == nil, phase != .closed, packet.count > 0 else { return }
        var written = 0
        if phase == .open, queue.isEmpty {
            let count = write(packet)
            if count >= 0 {
                written = Int(count)
            } else if count != -Int64(EAGAIN) {
                return failLater(.failed(code: CInt(-count)))
            }
        }
        guard written < packet.count else { return }
        guard queue.count + packet.count <= HCITransport.maximumQueuedCount else {
            return failLater(.stalled(count: queue.count))
        }
        queue.append(packet.extracting(written..<packet.count))
    }

    /// Keeps one packet, with its type octet, until `flush`, which writes all that were kept with one call: what a host
    /// sends after one input goes together. Where one write has to be one packet, it is sent at once.
    public func enqueue(_ packet: Span<UInt8>) {
        guard !queue.keepsPackets else { return send(packet) }
        if queue.count + packet.count > HCITransport.maximumQueuedCount { flush() }
        guard failure == nil, phase != .closed, packet.count > 0 else { return }
        guard queue.count + packet.count <= HCITransport.maximumQueuedCount else {
            return failLater(.stalled(count: queue.count))
        }
        queue.append(packet)
    }

    /// Writes what was enqueued, as far as the descriptor takes it; the rest is for `writeReady`. A failure is told by
    /// `writeReady` or `readReady`.
    public func flush() {
        guard failure == nil, phase == .open else { return }
        while !queue.isEmpty {
            let count = queue.withNext(write)
            if count == -Int64(EAGAIN) { return }
            guard count >= 0 else { return failLater(.failed(code: CInt(-count))) }
            queue.consume(Int(count))
        }
    }

    /// Writes what waits, as far as the descriptor takes it. Throws when the transport is lost, then and each time
    /// after.
    public func writeReady() throws(TransportError) {
        try throwFailure()
        try finishConnecting()
        while phase == .open, !queue.isEmpty {
            let count = queue.withNext(write)
            if count == -Int64(EAGAIN) { return }
            guard count >= 0 else { throw fail(.failed(code: CInt(-count))) }
            queue.consume(Int(count))
        }
    }

    /// Closes the descriptor; what waited to be sent is dropped. May be called again, and from `deliver`.
    public func close() {
        guard phase != .closed else { return }
        phase = .closed
        readerd_close(descriptor)
        descriptor = -1
    }

    private func write(_ octets: Span<UInt8>) -> Int64 {
        octets.withUnsafeBufferPointer { octets in
            isSocket
                ? readerd_send(descriptor, octets.baseAddress, octets.count)
                : readerd_write(descriptor, octets.baseAddress, octets.count)
        }
    }

    private func finishConnecting() throws(TransportError) {
        guard phase == .connecting else { return }
        let result = readerd_connect_result(descriptor)
        if result == -EINPROGRESS { return }
        guard result == 0 else { throw fail(.cannotConnect(code: -result)) }
        phase = .open
    }

    private func fail(_ fault: TransportFault) -> TransportError {
        let error = TransportError(transport: name, fault: fault)
        failure = error
        failureIsTold = true
        return error
    }

    /// Fails where nothing can be thrown.
    private func failLater(_ fault: TransportFault) {
        _ = fail(fault)
        failureIsTold = false
    }

    private func throwFailure() throws(TransportError) {
        guard let failure else { return }
        failureIsTold = true
        throw failure
    }
}
