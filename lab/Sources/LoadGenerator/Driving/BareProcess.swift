// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// The process that performs the bare operations, and its measurements.
struct BareProcess: ~Copyable {
    /// The wall time from the read of the request to the end of the last operation, and the processor time of its
    /// thread; in nanoseconds.
    struct Times {
        var wall: Int64
        var processor: Int64
    }

    private let process: HostProcess
    private let descriptor: CInt
    /// Takes about as long as a phone's work between the handshake and its token.
    private var phone: BareOperations

    /// Starts the process: in `command`, the transport's name replaces `{hci}`.
    init(_ command: HostCommand, phone: BareOperations) throws(LoadFault) {
        let listener = try HostListener(.unix)
        var process = try HostProcess(command.arguments(transport: listener.transport), environment: [])
        descriptor = try listener.accept(&process, seconds: 20).descriptor
        self.process = process
        self.phone = phone
    }

    deinit { readerd_close(descriptor) }

    /// Runs a reader's work in the process: a handshake, and after the time that a phone takes, the operations for a
    /// token.
    mutating func run(_ opening: DoorPlan.Opening) throws(LoadFault) -> Times {
        _ = try ask(.handshake)
        guard phone.run() else { throw .door("libcrypto refuses its work") }
        return try ask(BareExchange.Request(opening))
    }

    private func ask(_ request: BareExchange.Request) throws(LoadFault) -> Times {
        var octets = InlineArray<240, UInt8>(repeating: 0)
        octets[0] = request.rawValue
        let sent = octets.span.withUnsafeBufferPointer {
            readerd_send(descriptor, $0.baseAddress, BareExchange.requestCount)
        }
        guard sent == Int64(BareExchange.requestCount) else { throw .door("the bare operations' process has ended") }
        var answer = InlineArray<3, Int64>(repeating: 0)
        var octetsThere = answer.mutableSpan
        let count = octetsThere.withUnsafeMutableBufferPointer {
            readerd_read(descriptor, $0.baseAddress, BareExchange.answerCount)
        }
        guard count == Int64(BareExchange.answerCount), answer[0] == 1 else {
            throw .door("the bare operations' process has ended, or libcrypto refuses its work")
        }
        return Times(wall: answer[1], processor: answer[2])
    }
}
