// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// The socket to a host's process, with blocking reads and writes: nothing else happens meanwhile.
struct HostSocket: ~Copyable {
    /// The size of one read in octets.
    private static let readCount = 256 * 1024
    /// The time-out in seconds after which a host that reads nothing counts as stopped.
    private static let writeTimeout = 10

    private let descriptor: CInt
    private let meter: ProcessMeter
    private let buffer: UnsafeMutableBufferPointer<UInt8>

    /// Takes ownership of a connected socket.
    init(_ descriptor: CInt, isTCP: Bool, meter: consuming ProcessMeter) {
        self.descriptor = descriptor
        self.meter = meter
        buffer = .allocate(capacity: HostSocket.readCount)
        buffer.initialize(repeating: 0)
        HostSocket.set(descriptor, SOL_SOCKET, SO_RCVTIMEO, timeval(tv_sec: 1, tv_usec: 0))
        HostSocket.set(descriptor, SOL_SOCKET, SO_SNDTIMEO, timeval(tv_sec: HostSocket.writeTimeout, tv_usec: 0))
        if isTCP { HostSocket.set(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, CInt(1)) }
    }

    deinit {
        readerd_close(descriptor)
        buffer.deallocate()
    }

    private static func set<Value: BitwiseCopyable>(
        _ descriptor: CInt, _ level: CInt, _ option: CInt, _ value: Value
    ) {
        var value = value
        _ = setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Value>.size))
    }
}

extension HostSocket: HostLine {
    var now: Int64 { readerd_monotonic_nanoseconds() }

    var ownProcessorNanoseconds: Int64 { ProcessMeter.nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID) ?? 0 }

    mutating func send(
        _ burst: borrowing PacketBurst, joined: Bool, times: inout [Int64]
    ) throws(LoadFault) {
        var failure: Int64 = 0
        burst.octets.withUnsafeBufferPointer { octets in
            var start = 0
            for mark in burst.marks {
                // The time before the write: the host may have responded before the call returns.
                if mark.link >= 0 { times[mark.link] = now }
                if !joined || mark.end == octets.count {
                    failure = write(UnsafeBufferPointer(rebasing: octets[start..<mark.end]))
                    start = mark.end
                }
                if failure < 0 { return }
            }
        }
        guard failure >= 0 else { throw HostSocket.fault(failure) }
    }

    /// 0, or the negated errno.
    private func write(_ octets: UnsafeBufferPointer<UInt8>) -> Int64 {
        var written = 0
        while written < octets.count {
            let count = readerd_send(descriptor, octets.baseAddress.map { $0 + written }, octets.count - written)
            guard count >= 0 else { return count }
            written += Int(count)
        }
        return 0
    }

    mutating func receive(_ take: (Span<UInt8>) -> Void) throws(LoadFault) -> Bool {
        let count = readerd_read(descriptor, buffer.baseAddress, buffer.count)
        if count == -Int64(EAGAIN) { return false }
        guard count != 0 else { throw .connectionClosed }
        guard count > 0 else { throw HostSocket.fault(count) }
        take(UnsafeBufferPointer(buffer.extracting(0..<Int(count))).span)
        return true
    }

    func usage() -> HostUsage { meter.usage() }

    func memory() -> HostMemory? { meter.memory() }

    private static func fault(_ code: Int64) -> LoadFault {
        switch CInt(-code) {
        case EPIPE, ECONNRESET: .connectionClosed
        case EAGAIN: .socketFailed(why: "the host reads nothing")
        case let code: .socketFailed(why: SystemText.of(code))
        }
    }
}

/// The text of an errno.
enum SystemText {
    static func of(_ code: CInt) -> String { String(cString: strerror(code)) }
}
