// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Crypto
import Reader
import Timekeeping

/// A reader's session with the demo identity, behind frames, and a clock at noon of 4 May 2026.
struct Terminal: ~Copyable {
    static let noon = CivilTime(year: 2026, month: 5, day: 4, hour: 12)

    var session = AccessSession()
    var assembler = MessageAssembler()
    let identity: ReaderIdentity
    var clock: CivilTime? = Terminal.noon
    var random = SplitMix64(seed: 1)
    var limit = 244

    init(_ identity: ReaderIdentity? = nil) throws {
        self.identity = try identity ?? .demo()
    }

    /// Handles a frame; nil while its message is incomplete.
    mutating func receive(_ frame: [UInt8]) -> SessionStep? {
        switch assembler.receive(frame.span) {
        case .incomplete, .dropped: return nil
        case .tooLong:
            session.reject(.overflow)
            return .refused(SessionRefusal(status: .overflow))
        case .rejected(let status):
            session.reset()
            return .silent(status)
        case .message(let status):
            let payload = assembler.payload
            return session.receive(status, payload.span, identity: identity, clock: clock, random: &random)
        }
    }

    /// Forgets the exchange and a message that has begun, as at the end of a link.
    mutating func reset() {
        assembler.reset()
        session.reset()
    }

    mutating func finish(_ status: StatusCode, _ result: [UInt8] = []) -> StatusCode {
        session.finish(status, result: result.span, identity: identity)
    }

    /// The answer in frames.
    mutating func sent() -> [[UInt8]] {
        var framer = MessageFramer()
        framer.begin(message: session.answer.span)
        session.answerTaken()
        return allPackets { framer.next(limit: limit, into: &$0) }
    }
}

/// One message as frames of 512 octets.
func message(_ payload: [UInt8], status: StatusCode = .ok) throws -> [[UInt8]] {
    var framer = MessageFramer()
    if status == .ok { try framer.begin(payload: payload.span) } else { framer.begin(status: status) }
    return allPackets { framer.next(limit: 512, into: &$0) }
}
