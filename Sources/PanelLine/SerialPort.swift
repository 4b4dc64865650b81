// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
public import System
public import Timekeeping

/// A serial line on a reactor: received octets, and octets to send while they are in time. 8 data bits, no parity, 1
/// stop bit. Never blocks. Closed on deinitialization, with unsent octets dropped.
public final class SerialPort {
    /// A call that failed.
    public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
        /// The device's path.
        public let path: String
        /// The errno.
        public let errno: CInt
        /// True if the driver of the line cannot turn it for RS-485.
        public let isTurning: Bool

        /// The failure in one line, without a remedy.
        public var description: String {
            let reason = String(cString: strerror(errno))
            return isTurning
                ? "\(path): its driver does not turn an RS-485 line: \(reason)" : "\(path): cannot be used: \(reason)"
        }
    }

    /// The maximum number of consecutive calls whose octets were discarded because the line accepts nothing.
    static let stallLimit = 8
    /// The octets of one read: more than a panel sends in a turn of the loop.
    private static let readCount = 1024
    /// The maximum number of octets of one call: a terminal's buffer.
    private static let readLimit = 4 * readCount

    /// The device's path.
    public let path: String
    private let descriptor: CInt
    private var watch: Watch?
    /// Octets that the driver has not taken yet, and the time until which they may be sent.
    private var queue: [UInt8] = []
    private var queueEnd = Instant.origin
    private var stalls = 0

    /// Opens the device at `path`, which is then closed to other programs. `turns`: the driver sets RTS while it sends,
    /// for a transceiver of RS-485 (TIOCSRS485).
    public init(_ path: String, speed: UInt32, turns: Bool = false) throws(Failure) {
        self.path = path
        descriptor = readerd_serial_open(path)
        guard descriptor >= 0 else { throw Failure(path: path, errno: -descriptor, isTurning: false) }
        let answer = readerd_serial_configure(descriptor, speed, false)
        guard answer == 0 else { throw Failure(path: path, errno: -answer, isTurning: false) }
        guard turns else { return }
        let turning = readerd_serial_turn(descriptor)
        guard turning == 0 else { throw Failure(path: path, errno: -turning, isTurning: true) }
    }

    deinit {
        guard descriptor >= 0 else { return }
        // Otherwise the kernel waits for octets that no device reads.
        tcflush(descriptor, TCIOFLUSH)
        readerd_close(descriptor)
    }

    /// Calls `ready` whenever octets can be read or queued octets written, or the line is lost.
    public func watch(on reactor: Reactor, ready: @escaping () -> Void) throws(Failure) {
        do throws(SystemError) {
            watch = try reactor.watch(descriptor, .readable) { _ in ready() }
        } catch {
            throw Failure(path: path, errno: error.code, isTurning: false)
        }
    }

    /// Ends the watch, before the owner releases the port.
    public func stop() {
        watch?.cancel()
        watch = nil
    }

    /// The number of octets that the driver has not taken yet.
    var unsentCount: Int { queue.count }

    /// The octets that have arrived, up to a limit; nil if the line is lost.
    public func read() -> [UInt8]? {
        var octets: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: SerialPort.readCount)
        while octets.count < SerialPort.readLimit {
            let count = readerd_read(descriptor, &piece, piece.count)
            guard count > 0 || count == -Int64(EAGAIN) else { return nil }
            octets += piece.prefix(max(Int(count), 0))
            if count < piece.count {
                watch?.drained()
                break
            }
        }
        return octets
    }

    /// Drops octets that have arrived and were not read.
    public func discardInput() { tcflush(descriptor, TCIFLUSH) }

    /// Sends as many octets as the driver accepts. `flush` sends the rest, but not after `end`. Unsent octets of an
    /// earlier call are late and are discarded. Returns false if the line is lost, or has accepted nothing for
    /// `stallLimit` calls.
    public func send(_ octets: [UInt8], before end: Instant, at now: Instant) -> Bool {
        drop()
        guard stalls < SerialPort.stallLimit else { return false }
        (queue, queueEnd) = (octets, end)
        return flush(at: now)
    }

    /// Sends unsent octets if they are in time, and drops them otherwise. False if the line is lost.
    public func flush(at now: Instant) -> Bool {
        if now > queueEnd { drop() }
        while !queue.isEmpty {
            let count = readerd_write(descriptor, queue, queue.count)
            if count == -Int64(EAGAIN) { break }
            guard count > 0 else { return false }
            queue.removeFirst(Int(count))
            if queue.isEmpty { stalls = 0 }
        }
        try? watch?.modify(queue.isEmpty ? .readable : [.readable, .writable])
        return true
    }

    private func drop() {
        if !queue.isEmpty { stalls += 1 }
        queue = []
    }

    /// Changes the speed at once, for all octets sent and received afterwards.
    public func setSpeed(_ speed: UInt32) throws(Failure) {
        let answer = readerd_serial_speed(descriptor, speed)
        guard answer == 0 else { throw Failure(path: path, errno: -answer, isTurning: false) }
    }
}
