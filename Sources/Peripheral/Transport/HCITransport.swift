// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Octets
public import Timekeeping

/// The transport to a controller: a non-blocking descriptor with HCI packets in both directions, each with the H4 type
/// octet (Core 5.4, Vol 4, Part A, 2).
///
/// It never blocks: the owner watches `descriptor` for reading, and for writing while `wantsWrite`, and calls
/// `readReady` and `writeReady`, and `readReady` also at `nextDeadline`.
///
/// A serial line may lose and corrupt octets, so each Reset resynchronizes it: received octets are skipped up to its
/// answer (Core 5.4, Vol 4, Part A, 4). After an error it can only be closed; cancel the watch first. Must be used on
/// one thread; `deliver` must not call `readReady`.
public final class HCITransport {
    /// The maximum number of reads per call of `readReady`: the descriptor stays readable, and other work proceeds.
    public static let readsPerCall = 16
    /// The maximum number of queued octets. A host sends within the controller's buffers, so the maximum is only
    /// reached when the controller accepts nothing.
    public static let maximumQueuedCount = 256 * 1024
    /// The length of one read in octets; more than any packet of the user channel.
    static let readCount = 16 * 1024

    private enum Phase {
        case connecting, open, closed
    }

    /// The name of the transport.
    public let name: TransportName
    /// The descriptor to watch; −1 once closed.
    public private(set) var descriptor: CInt

    private let isSocket: Bool
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    private var phase: Phase
    private var framer = H4Framer(receiver: .host)
    private var queue: SendQueue
    private var gap = PacketGap()
    /// Reset was sent on a serial line, and nothing was received since.
    private var resetIsSent = false
    /// The octets skipped on a serial line since Reset; 0 after its answer.
    private var skippedCount = 0
    private var failure: TransportError?
    private var failureIsTold = false

    /// Takes ownership of a non-blocking descriptor. With `keepsPackets`, one write is one packet.
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

    /// Takes ownership of a socket that is bound to the adapter's user channel.
    public convenience init(_ adapter: AdapterName, userChannel descriptor: CInt) {
        self.init(.hciSocket(adapter), descriptor: descriptor, isConnecting: false, keepsPackets: true)
    }

    deinit {
        close()
        buffer.deallocate()
    }

    /// True if the descriptor must be watched for writing: octets are queued, the connection is in progress, or a
    /// failure of a write must be thrown by `writeReady`.
    public var wantsWrite: Bool {
        guard phase != .closed else { return false }
        return failure == nil ? phase == .connecting || !queue.isEmpty : !failureIsTold
    }

    /// The time at which `readReady` must be called without input; nil without a deadline.
    public var nextDeadline: Instant? { phase == .open && failure == nil ? gap.deadline : nil }

    /// Reads available octets, at most `readsPerCall` reads, and delivers each complete packet, valid during the call
    /// only.
    ///
    /// - Throws: `TransportError` when the transport is lost, and at each later call.
    public func readReady(at now: Instant, deliver: (Span<UInt8>) -> Void) throws(TransportError) {
        try throwFailure()
        try finishConnecting()
        for _ in 0..<HCITransport.readsPerCall where phase == .open {
            let count = readerd_read(descriptor, buffer.baseAddress, buffer.count)
            if count == -Int64(EAGAIN) { break }
            guard count > 0 else { throw fail(count == 0 ? .ended : .failed(code: CInt(-count))) }
            try frame(Int(count), at: now, deliver)
            // A short read means that the stream is empty; a packet socket delivers packet by packet.
            if !queue.keepsPackets, count < buffer.count { break }
        }
        if gap.isOver(at: now) { throw fail(.lostSynchronization(H4Error(.incomplete, at: 0))) }
    }

    private func frame(_ count: Int, at now: Instant, _ deliver: (Span<UInt8>) -> Void) throws(TransportError) {
        if resetIsSent {
            resetIsSent = false
            framer.resynchronise()
        }
        do {
            try framer.receive(UnsafeBufferPointer(buffer.extracting(0..<count)).span, deliver: deliver)
        } catch {
            throw fail(.lostSynchronization(error))
        }
        if queue.keepsPackets, !framer.isBetweenPackets {
            throw fail(.lostSynchronization(H4Error(.incomplete, at: 0)))
        }
        guard isLine else { return }
        skippedCount = framer.isSeeking ? framer.skippedCount : 0
        gap.received(isWithinPacket: !framer.isSeeking && !framer.isBetweenPackets, at: now)
    }

    private var isLine: Bool { !isSocket }

    /// True if the packet may be sent; Reset starts resynchronization. The framer is not changed here: `deliver` may be
    /// the caller.
    private func admits(_ packet: Span<UInt8>) -> Bool {
        guard isLine, packet.count == 4, packet[0] == H4PacketType.command.rawValue,
            UInt16(packet[1]) | UInt16(packet[2]) << 8 == HCIOpcode.reset.rawValue
        else { return true }
        // Octets arrived after the previous Reset, but not its answer: the line is unusable.
        guard skippedCount == 0 else {
            failLater(.lostSynchronization(H4Error(.noAnswerToReset(skipped: skippedCount), at: 0)))
            return false
        }
        resetIsSent = true
        gap = PacketGap()
        return true
    }

    /// Sends one packet, with its type octet, after those sent before: at once if the descriptor accepts it, otherwise
    /// later. A failure is thrown by `writeReady` or `readReady`; subsequent packets are dropped.
    public func send(_ packet: Span<UInt8>) {
        guard failure == nil, phase != .closed, packet.count > 0, admits(packet) else { return }
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

    /// Queues one packet, with its type octet, until `flush`, which writes all queued packets with one call. Where one
    /// write is one packet, it is sent at once.
    public func enqueue(_ packet: Span<UInt8>) {
        guard !queue.keepsPackets else { return send(packet) }
        if queue.count + packet.count > HCITransport.maximumQueuedCount { flush() }
        guard failure == nil, phase != .closed, packet.count > 0, admits(packet) else { return }
        guard queue.count + packet.count <= HCITransport.maximumQueuedCount else {
            return failLater(.stalled(count: queue.count))
        }
        queue.append(packet)
    }

    /// Writes the queued packets until the descriptor accepts no more; `writeReady` writes the rest. `writeReady` or
    /// `readReady` throws a failure.
    public func flush() {
        guard failure == nil, phase == .open else { return }
        while !queue.isEmpty {
            let count = queue.withNext(write)
            if count == -Int64(EAGAIN) { return }
            guard count >= 0 else { return failLater(.failed(code: CInt(-count))) }
            queue.consume(Int(count))
        }
    }

    /// Writes the queued octets until the descriptor accepts no more.
    ///
    /// - Throws: `TransportError` when the transport is lost, and at each later call.
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

    /// Closes the descriptor and drops the queue. May be called repeatedly, and from `deliver`.
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
        guard result == 0 else { throw fail(connectFault(-result)) }
        phase = .open
    }

    private func connectFault(_ code: CInt) -> TransportFault {
        guard code == ECONNREFUSED, case .netsim(let instance) = name, let place = try? NetsimPlace(instance: instance)
        else { return .cannotConnect(code: code) }
        return place.absence()
    }

    private func fail(_ fault: TransportFault) -> TransportError {
        let error = TransportError(transport: name, fault: fault)
        failure = error
        failureIsTold = true
        return error
    }

    /// Records a failure to be thrown later.
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
