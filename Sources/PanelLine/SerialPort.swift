// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
public import System

/// A serial line on a reactor: received octets, and a bounded queue of octets to send. 8 data bits, no parity, 1 stop
/// bit. Never blocks. Closed on deinitialization, with what was not sent dropped.
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

    /// The maximum of octets in the queue: some replies of a device, which a panel takes one at a time.
    static let queueLimit = 4096
    /// The octets of one read: more than a panel sends in a turn of the loop.
    private static let readCount = 1024

    /// The device's path.
    public let path: String
    private let descriptor: CInt
    private var watch: Watch?
    private var queue: [UInt8] = []

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
        // Otherwise the kernel waits for octets that nobody takes.
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

    /// The octets of one read; nil if the line is lost.
    public func read() -> [UInt8]? {
        var octets = [UInt8](repeating: 0, count: SerialPort.readCount)
        let count = readerd_read(descriptor, &octets, octets.count)
        if count == -Int64(EAGAIN) { return [] }
        guard count > 0 else { return nil }
        octets.removeLast(octets.count - Int(count))
        return octets
    }

    /// Sends octets as far as the driver takes them; the rest follows with `flush`. False if the line is lost, or takes
    /// nothing for so long that the queue is full.
    public func send(_ octets: [UInt8]) -> Bool {
        guard queue.count + octets.count <= SerialPort.queueLimit else { return false }
        queue += octets
        return flush()
    }

    /// Sends queued octets. False if the line is lost.
    public func flush() -> Bool {
        while !queue.isEmpty {
            let count = readerd_write(descriptor, queue, queue.count)
            if count == -Int64(EAGAIN) { break }
            guard count > 0 else { return false }
            queue.removeFirst(Int(count))
        }
        try? watch?.modify(queue.isEmpty ? .readable : [.readable, .writable])
        return true
    }

    /// Changes the speed at once, for what is sent and received from then on.
    public func setSpeed(_ speed: UInt32) throws(Failure) {
        let answer = readerd_serial_speed(descriptor, speed)
        guard answer == 0 else { throw Failure(path: path, errno: -answer, isTurning: false) }
    }
}
